#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Checks a static site. Argument: its folder.

Each link leads to a file of the site, and to an anchor that this file has. No anchor is there twice, each element is closed, each picture
has a text, and each page can be reached from index.html. Links to other sites are not followed; they must begin with https.
"""
import html.parser
import os
import posixpath
import sys
import urllib.parse

OPTIONAL_END = ('p', 'li', 'dt', 'dd')
VOID = {'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source', 'track', 'wbr'}
FOREIGN = ('http://', 'mailto:', 'data:')


class Reader(html.parser.HTMLParser):
    """Anchors and links of a page, and what is wrong with it."""

    def __init__(self, text):
        super().__init__()
        self.anchors = set()
        self.links = []
        self.faults = []
        self.open = []
        self.feed(text)
        self.close()
        self.faults += [f'<{tag}> is not closed' for tag in self.open if tag not in OPTIONAL_END]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        anchor = attributes.get('id')
        if anchor in self.anchors:
            self.faults.append(f'anchor twice: {anchor}')
        if anchor is not None:
            self.anchors.add(anchor)
        if tag == 'img' and 'alt' not in attributes:
            self.faults.append(f'a picture without a text: {attributes.get("src")}')
        self.links += [attributes[name] for name in ('href', 'src') if attributes.get(name)]

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in OPTIONAL_END:
            self.open.pop()
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.faults.append(f'</{tag}> closes nothing')


def read_pages(folder):
    pages = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith('.html'):
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                pages[name] = Reader(file.read())
    return pages


def find_faults(folder, pages):
    if 'index.html' not in pages:
        return ['no index.html']
    faults = [f'{name}: {fault}' for name, page in pages.items() for fault in page.faults]
    reached, waiting = {'index.html'}, ['index.html']
    targets = {}
    for name, page in pages.items():
        targets[name] = set()
        for link in page.links:
            if link.startswith('https://'):
                continue
            if link.startswith(FOREIGN):
                faults.append(f'{name}: link {link}')
                continue
            path, _, anchor = link.partition('#')
            target = posixpath.normpath(urllib.parse.unquote(path)) if path else name
            anchor = urllib.parse.unquote(anchor)
            if not os.path.isfile(os.path.join(folder, target)):
                faults.append(f'{name}: no file {link}')
            elif anchor and anchor not in pages[target].anchors if target in pages else anchor:
                faults.append(f'{name}: no anchor {link}')
            elif target in pages:
                targets[name].add(target)
    while waiting:
        for target in targets[waiting.pop()] - reached:
            reached.add(target)
            waiting.append(target)
    return faults + [f'{name}: no page leads here' for name in pages if name not in reached]


if __name__ == '__main__':
    read = read_pages(sys.argv[1])
    found = find_faults(sys.argv[1], read)
    print('\n'.join(found) or f'{len(read)} pages, no fault')
    sys.exit(1 if found else 0)
