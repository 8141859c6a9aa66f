#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Draws a session in a terminal as SVG. Arguments: the picture, its title, and the commands, which are run in the current folder.

What the commands write is drawn in its colours. Of the escapes of a terminal only colours are known: anything else is an error.
"""
import html
import re
import subprocess
import sys

WIDTH, HEIGHT, LEFT, TOP = 8.43, 19, 18, 54  # of a character and a line, and where the first one is, in pixels
CLASSES = {'1': 'bold', '2': 'dim', '31': 'red', '32': 'green', '33': 'yellow', '34': 'blue', '36': 'cyan'}
STYLE = '''text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d8dee4; white-space: pre; }
.title { fill: #98a3ad; text-anchor: middle; }
.prompt { fill: #6fd0b5; font-weight: 600; } .bold { font-weight: 600; fill: #fff; } .dim { fill: #7c8791; }
.red { fill: #ff8d80; } .green { fill: #7fd69a; } .yellow { fill: #f2cc60; } .blue { fill: #8ab4f8; } .cyan { fill: #76d9e6; }'''


def run(command):
    result = subprocess.run(['sh', '-c', command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return result.stdout.decode().rstrip('\n').split('\n')


def draw_line(text):
    """A line with escapes as spans."""
    spans, classes = [], set()
    for piece in re.split(r'(\x1b\[[0-9;]*m)', text):
        if piece.startswith('\x1b['):
            for code in piece[2:-1].split(';'):
                if code in ('', '0'):
                    classes.clear()
                else:
                    classes.add(CLASSES[code])
        elif piece:
            if not piece.isprintable():
                sys.exit(f'terminal.py: cannot draw {piece!r}')
            name = ' '.join(sorted(classes))
            spans.append(f'<tspan class="{name}">{html.escape(piece)}</tspan>' if name else html.escape(piece))
    return ''.join(spans)


def main():
    picture, title, *commands = sys.argv[1:]
    lines, columns = [], 60
    for command in commands:
        lines.append(f'<tspan class="prompt">$ {html.escape(command)}</tspan>')
        output = run(command)
        lines += [draw_line(line) for line in output] + ['']
        columns = max([columns, len(command) + 2] + [len(re.sub(r'\x1b\[[0-9;]*m', '', line)) for line in output])
    width, height = round(2 * LEFT + columns * WIDTH), TOP + HEIGHT * (len(lines) - 1)
    with open(picture, 'w', encoding='utf-8') as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
                   f'<title>{html.escape(title)}</title>\n<style>\n'
                   f'/* SPDX-FileCopyrightText: the smembank authors */\n/* SPDX-License-Identifier: MIT */\n{STYLE}\n</style>\n'
                   f'<rect width="{width}" height="{height}" rx="10" fill="#14181c"/>\n'
                   '<circle cx="20" cy="18" r="6" fill="#ff8d80"/><circle cx="40" cy="18" r="6" fill="#f2cc60"/><circle cx="60" cy="18" r="6" fill="#7fd69a"/>\n'
                   f'<text class="title" x="{width / 2:g}" y="23">{html.escape(title)}</text>\n')
        for i, line in enumerate(lines):
            if line:
                file.write(f'<text x="{LEFT}" y="{TOP + HEIGHT * i}" xml:space="preserve">{line}</text>\n')
        file.write('</svg>\n')


if __name__ == '__main__':
    main()
