#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""The documents as a static site: make site. Arguments: the top of the sources, the folder that takes the site, the version; and, if it was
made, the folder of the page that runs in a browser (make web), which becomes the folder try/ of the site.

Markdown is translated by cmark-gfm and man pages by mandoc; both are Debian packages. What is added here: the frame (page.html), anchors
of headings as GitHub names them, links between pages, and sections for the search. All pages are in one folder, so that the site works
below any address and from files. A link to a file that is not there is an error.
"""
import html
import json
import os
import posixpath
import re
import shlex
import shutil
import string
import subprocess
import sys

FRAME = ('site.css', 'site.js', 'icon.svg')
LIVE = ('live.js',)  # with the page that runs in a browser
TAG = re.compile(r'<[^>]*>')


class Page:
    """A document: where it comes from, what it is called, and its text as HTML."""

    def __init__(self, source, title):
        self.source = source
        self.title = title
        self.man = source.endswith('.1')
        self.address = name_page(source)
        self.html = ''
        self.headings = []  # (level, anchor, text)


def name_page(source):
    if source == 'README.md':
        return 'index.html'
    folder, name = posixpath.split(source)
    if name == 'README.md':
        return posixpath.basename(folder) + '.html'
    stem = name[:-3] if name.endswith('.md') else name
    return ('guide-' if folder == 'doc/guides' else '') + stem.lower() + '.html'


class Sessions:
    """What of a document's sessions the page's program can run (web/commands.c): commands without a shell, with files that the document
    shows by `$ cat FILE`. A session has the files of those before it."""

    FILE = re.compile(r'[\w-]+\.(cu|cuh|ptx|hip|txt|csv|json|ini|cubin)$|-$')
    # What needs a compiler, a device's time, or writes a file.
    ELSEWHERE = re.compile(r'--(nvcc|instance|time|device|case|project|triton|svg|out|patch|output)\b|-[io]$')

    # A command after which a file that it names may be another one.
    CHANGES = re.compile(r' -i\b|>|^(mv|cp|rm|patch) ')

    def __init__(self, top):
        self.files = {}
        with open(os.path.join(top, 'web/commands.c'), encoding='utf-8') as file:
            self.commands = set(re.findall(r'{"(\w+)", smb_cmd_', file.read())) - {'report'}

    def is_live(self, command):
        if re.search(r'[$`\\]', command):
            return False
        lexer = shlex.shlex(command, posix=True, punctuation_chars='|&;<>')
        lexer.whitespace_split = True
        lexer.commenters = ''
        words = list(lexer)
        if len(words) < 2 or words[0] != 'smembank' or words[1] not in self.commands:
            return False
        return not any(set(word) <= set('|&;<>') or self.ELSEWHERE.match(word) or (self.FILE.match(word) and word not in self.files)
                       for word in words[2:])

    def read(self, text):
        """The files and commands of a session as text; None: it has none that can be run."""
        live, used = [], {}
        for part in re.split(r'^\$ ', text, flags=re.M)[1:]:
            command, _, body = part.partition('\n')
            shown = re.fullmatch(r'cat ([\w.-]+)', command)
            if shown:
                self.files[shown[1]] = body
                continue
            if self.is_live(command):
                files = {name: self.files[name] for name in shlex.split(command) if name in self.files}
                if all(used.get(name, content) == content for name, content in files.items()):
                    used.update(files)
                    live.append(command)
            if self.CHANGES.search(command):
                self.files = {name: content for name, content in self.files.items() if name not in command}
        return {'files': used, 'commands': live} if live else None


def strip_tags(text):
    return html.unescape(TAG.sub('', text))


def name_anchor(text, taken):
    """The anchor that GitHub gives to a heading."""
    plain = re.sub(r'[^\w\- ]', '', text.strip().lower()).replace(' ', '-')
    anchor, n = plain, 0
    while anchor in taken:
        n += 1
        anchor = f'{plain}-{n}'
    taken.add(anchor)
    return anchor


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()


class Site:
    """All pages, and the files that they link to."""

    def __init__(self, top, out, version, web=None):
        self.top = top
        self.out = out
        self.version = version
        self.web = web
        self.groups = self.read_groups()
        self.pages = {page.source: page for _, pages in self.groups for page in pages}
        self.files = {}

    def read_groups(self):
        groups = []
        with open(os.path.join(self.top, 'doc/site/pages'), encoding='utf-8') as file:
            for line in file:
                if line.startswith('#'):
                    continue
                if line.startswith(' '):
                    source, title = line.strip().split(maxsplit=1)
                    groups[-1][1].append(Page(source, title))
                else:
                    groups.append((line.strip(), []))
        groups += self.list_others({page.source for _, pages in groups for page in pages})
        manuals = sorted(name for name in os.listdir(os.path.join(self.top, 'doc')) if name.endswith('.1'))
        groups.append(('Man pages', [Page('doc/' + name, name[:-2] + '(1)') for name in manuals]))
        return groups

    def list_others(self, listed):
        """Documents that doc/site/pages does not have, by their titles."""
        others = []
        for folder in ('doc', 'doc/guides'):
            names = os.listdir(os.path.join(self.top, folder)) if os.path.isdir(os.path.join(self.top, folder)) else []
            for source in sorted(f'{folder}/{name}' for name in names if name.endswith('.md')):
                if source not in listed:
                    with open(os.path.join(self.top, source), encoding='utf-8') as file:
                        others.append(Page(source, file.readline().strip('# \n')))
        return [('More', others)] if others else []

    # --- links

    def resolve(self, page, link):
        """Where a link of a page leads to in the site."""
        if re.match(r'[a-z]+:', link) or link.startswith('#'):
            return link
        path, _, anchor = link.partition('#')
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), path))
        suffix = '#' + anchor if anchor else ''
        if target in self.pages:
            return self.pages[target].address + suffix
        if not os.path.exists(os.path.join(self.top, target)) or target.startswith('..'):
            sys.exit(f'{page.source}: no file {link}')
        if os.path.isdir(os.path.join(self.top, target)):
            self.files[target] = target.replace('/', '-') + '.html'
        else:
            self.files[target] = 'files/' + target
        return self.files[target] + suffix

    def link(self, page, text):
        def replace(match):
            link = html.unescape(match[2])
            return f'{match[1]}="{html.escape(self.resolve(page, link))}"'
        return re.sub(r'\b(href|src)="([^"]*)"', replace, text)

    # --- translation

    def translate_markdown(self, page):
        text = run('cmark-gfm', '-e', 'table', '-e', 'autolink', '-e', 'strikethrough', os.path.join(self.top, page.source))
        text = text.replace('<!-- raw HTML omitted -->', '')
        taken = set()

        def add_anchor(match):
            level, inner = match[1], match[2]
            plain = strip_tags(inner)
            anchor = name_anchor(plain, taken)
            page.headings.append((int(level), anchor, plain))
            return f'<h{level} id="{anchor}">{inner}<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a></h{level}>'

        text = re.sub(r'<h([1-6])>(.*?)</h\1>', add_anchor, text, flags=re.S)
        text = re.sub(r'<table>.*?</table>', lambda match: f'<div class="wide" tabindex="0">{match[0]}</div>', text, flags=re.S)
        # Both forms of cmark-gfm: of a language, <pre lang="…"> or <code class="language-…">.
        sessions = Sessions(self.top)

        def mark_session(match):
            marked = re.sub(r'^\$ .*$', r'<span class="command">\g<0></span>', match[2], flags=re.M)
            live = sessions.read(strip_tags(match[2])) if self.web and 'console nvcc' not in match[1] else None
            if live:
                return f'<pre data-live="{html.escape(json.dumps(live))}">{match[1][match[1].index("<code"):]}{marked}'
            return match[1] + marked

        text = re.sub(r'(<pre lang="console[^"]*"><code>|<pre><code class="language-console[^"]*">)(.*?)(?=</code>)',
                      mark_session, text, flags=re.S)
        text = re.sub(r'<pre lang="[^"]*">', '<pre>', text)
        # An option is not broken at its hyphens.
        text = re.sub(r'<code>(?=[^<\n]{1,30}</code>)', '<code class="short">', text)
        page.html = self.link(page, text)

    def translate_manual(self, page):
        text = run('mandoc', '-T', 'html', '-O', 'fragment', os.path.join(self.top, page.source))
        text = re.sub(r'<table class="(head|foot)">.*?</table>\s*', '', text, flags=re.S)
        text = re.sub(r'<(/?)h2\b', r'<\1h3', text)
        text = re.sub(r'<(/?)h1\b', r'<\1h2', text)

        def link_manual(match):
            source = f'doc/{match[1]}.1'
            return f'<a href="{self.pages[source].address}">{match[0]}</a>' if source in self.pages else match[0]

        def link_document(match):
            return f'<a href="{self.pages[match[1]].address}">{match[0]}</a>' if match[1] in self.pages else match[0]

        text = re.sub(r'<b>(smembank(?:-[a-z-]+)?)</b>\(1\)', link_manual, text)
        text = re.sub(r'<i>(doc/[a-z-]+\.md)</i>', link_document, text)
        # An option that two sections describe has its anchor in the first.
        taken = set()

        def keep_first(match):
            if match[1] in taken:
                return ''
            taken.add(match[1])
            return match[0]

        text = re.sub(r' id="([^"]*)"', keep_first, text)
        for match in re.finditer(r'<h([23])[^>]* id="([^"]*)">(.*?)</h\1>', text, flags=re.S):
            page.headings.append((int(match[1]), match[2], strip_tags(match[3]).strip().capitalize()))
        page.html = f'<h1>{html.escape(page.title)}</h1>\n{text}'

    # --- the frame

    def draw_navigation(self, current):
        lines = []
        for group, pages in self.groups:
            lines.append(f'<h2>{html.escape(group)}</h2>\n<ul>')
            for page in pages:
                here = ' aria-current="page"' if page is current else ''
                lines.append(f'<li><a href="{page.address}"{here}>{html.escape(page.title)}</a></li>')
            if self.web and group == self.groups[0][0]:
                lines.append('<li><a href="try/index.html">Try it in this browser</a></li>')
            lines.append('</ul>')
        return '\n'.join(lines)

    @staticmethod
    def draw_contents(page):
        lines = [f'<li{" class=sub" if level == 3 else ""}><a href="#{html.escape(anchor)}">{html.escape(text)}</a></li>'
                 for level, anchor, text in page.headings if level in (2, 3)]
        if len(lines) < 2:
            return ''
        return '<aside aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n' + '\n'.join(lines) + '\n</ul>\n</aside>'

    def draw_neighbours(self, page):
        order = list(self.pages.values())
        at = order.index(page) if page in order else -1
        before = order[at - 1] if at > 0 else None
        after = order[at + 1] if 0 <= at < len(order) - 1 else None
        back = f'<a href="{before.address}">← {html.escape(before.title)}</a>' if before else '<span></span>'
        on = f'<a href="{after.address}">{html.escape(after.title)} →</a>' if after else '<span></span>'
        return f'<div>{back}{on}</div>'

    def write(self, page, frame):
        first = re.search(r'<p>(.*?)</p>', page.html, flags=re.S)
        text = frame.substitute(
            title=html.escape('smembank: shared-memory bank conflicts' if page.address == 'index.html' else f'{page.title} · smembank'),
            description=html.escape(' '.join(strip_tags(first[1]).split())[:200] if first else page.title),
            navigation=self.draw_navigation(page), content=page.html, contents=self.draw_contents(page),
            neighbours=self.draw_neighbours(page), kind='man' if page.man else 'text', version=html.escape(self.version),
            source=html.escape(page.source), scripts='<script src="live.js" defer></script>\n' if 'data-live' in page.html else '')
        with open(os.path.join(self.out, page.address), 'w', encoding='utf-8') as file:
            file.write(text)

    def copy_files(self, frame):
        for source, address in sorted(self.files.items()):
            path = os.path.join(self.top, source)
            if os.path.isdir(path):
                listing = Page(source + '/', posixpath.basename(source))
                listing.address = address
                names = [name for name in sorted(os.listdir(path)) if os.path.isfile(os.path.join(path, name))]
                for name in names:
                    self.copy_file(f'{source}/{name}')
                listing.html = f'<h1>{html.escape(source)}</h1>\n<ul>\n' + '\n'.join(
                    f'<li><a href="files/{source}/{name}">{html.escape(name)}</a></li>' for name in names) + '\n</ul>'
                self.write(listing, frame)
            else:
                self.copy_file(source)

    def copy_file(self, source):
        target = os.path.join(self.out, 'files', source)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(os.path.join(self.top, source), target)

    # --- search

    def list_sections(self):
        """Of each section: its address, the page, its title, its text."""
        sections = []
        for page in self.pages.values():
            pieces = re.split(r'<h[123][^>]* id="([^"]*)">.*?</h[123]>', page.html, flags=re.S)
            texts = dict(zip(pieces[1::2], pieces[2::2]))
            if strip_tags(pieces[0]).strip():
                sections.append([page.address, page.title, page.title, ' '.join(strip_tags(pieces[0]).split())])
            for _, anchor, title in page.headings:
                text = ' '.join(strip_tags(texts.get(anchor, '')).split())
                sections.append([f'{page.address}#{anchor}', page.title, title, text])
        return sections

    def build(self):
        os.makedirs(self.out, exist_ok=True)
        for page in self.pages.values():
            if page.man:
                self.translate_manual(page)
            else:
                self.translate_markdown(page)
        folder = os.path.join(self.top, 'doc/site')
        with open(os.path.join(folder, 'page.html'), encoding='utf-8') as file:
            frame = string.Template(file.read())
        for page in self.pages.values():
            self.write(page, frame)
        self.copy_files(frame)
        if self.web:
            shutil.copytree(self.web, os.path.join(self.out, 'try'))
        for name in FRAME + (LIVE if self.web else ()):
            shutil.copyfile(os.path.join(folder, name), os.path.join(self.out, name))
        with open(os.path.join(self.out, 'search.js'), 'w', encoding='utf-8') as file:
            file.write('const smembankSections = ' + json.dumps(self.list_sections(), ensure_ascii=False, separators=(',', ':')) + ';\n')


if __name__ == '__main__':
    if not 4 <= len(sys.argv) <= 5:
        sys.exit('usage: build.py TOP FOLDER VERSION [WEB]')
    Site(*sys.argv[1:]).build()
