# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The launches that the head of a source names, "// launch: OPTIONS OF ANALYZE", and how launch-ptx reads them.
import collections
import re
import struct
import subprocess

SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}


def entries_of(ptx):
    """Mangled name -> [(type, bytes)] of its parameters."""
    found = {}
    for name, body in re.findall(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)", ptx):
        parameters = []
        for line in body.split(","):
            m = re.search(r"\.param\s+(?:\.align\s+\d+\s+)?\.([bsuf])(8|16|32|64)\s+(?:\.ptr\S*\s+)*.*?(?:\[(\d+)\])?\s*$",
                          line.strip())
            if m:
                parameters.append((m.group(1), SIZES[m.group(2)] * int(m.group(3) or 1)))
        found[name] = parameters
    return found


def plain(name):
    text = subprocess.run(["c++filt", name], capture_output=True, text=True, check=True).stdout.strip()
    return re.sub(r"^void |\(.*$", "", text).replace(" ", "")


def encode(text, kind, size):
    if text.startswith("raw:"):
        return text[4:]
    if kind == "f":
        return struct.pack("<f" if size == 4 else "<d", float(text)).hex()
    return (int(text, 0) & (1 << 8 * size) - 1).to_bytes(size, "little").hex()


def launches_of(folder, name):
    with open(f"{folder}/{name}.cu") as file:
        return [line.split(":", 1)[1].strip() for line in file if line.startswith("// launch:")]


def three(text):
    return (text.split(",") + ["1", "1"])[:3]


def options_of(words):
    """Option -> its values."""
    option = collections.defaultdict(list)
    for key, value in zip(words[::2], words[1::2]):
        option[key].append(value)
    return option


def describe(words, entries, mangled):
    option = options_of(words)
    values = dict(text.split("=", 1) for text in option["--arg"])
    buffers = dict(text.split("=", 1) for text in option["--buffer"])
    grid, block = three((option["--grid"] or ["1"])[0]), three((option["--block"] or ["32"])[0])
    dynamic = (option["--dynamic-bytes"] or ["0"])[0]
    lines = ["launch " + " ".join([mangled] + grid + block + [dynamic])]
    for i, (kind, size) in enumerate(entries[mangled]):
        if str(i) in values:
            lines.append("value " + encode(values[str(i)], kind, size))
        else:
            lines.append("buffer " + buffers.get(str(i), "zeros"))
    return "\n".join(lines + ["go"]) + "\n"
