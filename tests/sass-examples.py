#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""sass-examples.py OUT.txt.gz FILE...: examples of machine code for tests/test-sass-read.c, from what "nvdisasm -hex -c" wrote
of code for one chip. The first and the last of every form: opcode, parts and kinds of operands. A line of the result is the
low and the high word of an instruction, its offset, and its text, with offsets for labels and without what schedules it."""
import gzip
import re
import sys

INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s+/\* 0x([0-9a-f]{16}) \*/")
SECOND_WORD = re.compile(r"^\s+/\* 0x([0-9a-f]{16}) \*/")
LABEL = re.compile(r"^(\S+):\s*$")
TARGET = re.compile(r"`\(([^)]*)\)")
SCHEDULE = ((1 << 17) - 1) << 41  # bits 105 to 121, in the high word

KINDS = [
    (r"\.reuse", ""),
    (r"\bUR(\d+|Z)\b", "UR"), (r"\bR(\d+|Z)\b", "R"), (r"\bUP[0-9T]\b", "UP"), (r"\bP[0-9T]\b", "P"),
    (r"\bB\d+\b", "B"), (r"\bSB\d\b", "SB"), (r"\bSR[Z_][A-Za-z_.0-9]*", "SR"),
    (r"(?<![A-Za-z_0-9.])-?(0x[0-9a-f]+|\+?\d+(\.\d+)?(e[+-]?\d+)?|\+?INF|\+?QNAN)(?![A-Za-z_0-9])", "#"),
]


def form(low, text):
    """What examples have in common that are of one form."""
    name, _, operands = re.sub(r"^@\S+ ", "", text).partition(" ")
    for pattern, kind in KINDS:
        operands = re.sub(pattern, kind, operands)
    return name, operands, int(low, 16) & 0xFFF


def sections(path):
    """The instructions of each section of a file, and the offsets of its labels."""
    code, labels, pending, first = [], {}, [], None
    for line in open(path, errors="replace"):
        if line.startswith("//---"):
            yield code, labels
            code, labels, pending = [], {}, []
        elif match := INSTRUCTION.match(line):
            labels.update((name, int(match[1], 16)) for name in pending)
            pending, first = [], match
        elif first and (match := SECOND_WORD.match(line)):
            code.append((first[3], f"{int(match[1], 16) & ~SCHEDULE:016x}", first[1], first[2]))
            first = None
        elif match := LABEL.match(line):
            pending.append(match[1])
    yield code, labels


def main():
    forms = {}
    for path in sys.argv[2:]:
        for code, labels in sections(path):
            for low, high, offset, text in code:
                text = TARGET.sub(lambda m: f"0x{labels[m[1]]:x}" if m[1] in labels else m[0], text)
                if "`" not in text:
                    line = f"{low} {high} {int(offset, 16):x} {text}\n"
                    forms.setdefault(form(low, text), [line, line])[1] = line
    text = "".join("".join(sorted(set(lines))) for _, lines in sorted(forms.items()))
    with open(sys.argv[1], "wb") as out:
        out.write(gzip.compress(text.encode(), 9, mtime=0))


main()
