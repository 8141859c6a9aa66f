#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Does by hand what 'smembank advise' says of the tiles of tests/run/kernel/tile-modes.cu, as its macros, and compares: the program is still right, and each line
takes the wavefronts that were predicted. Usage: advise-tiles.py SMEMBANK NVCC SOURCE KERNEL [NAME=VALUE...]: macros of the kernel as it is. Prints a line
for each mode that was tried."""
import collections
import json
import re
import subprocess
import sys

SMEMBANK, NVCC, SOURCE, KERNEL = sys.argv[1:5]
PRESENT = sys.argv[5:]
SWIZZLES = {0: "NONE", 32: "32B", 64: "64B", 128: "128B"}


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: status {done.returncode}: {done.stdout.decode()}")
    return done.stdout.decode()


def capture(macros):
    """Compiles the program with macros, runs it, and leaves its launch in tiles.zip."""
    with open("macros.h", "w", encoding="utf-8") as header:
        header.writelines(f"#define {macro.replace('=', ' ', 1)}\n" for macro in macros)
    run(NVCC, "-gencode", "arch=compute_90a,code=sm_90a", "-lineinfo", "-cudart", "shared", "-o", "tiles", "-include", "macros.h", SOURCE)
    shown = run(SMEMBANK, "run", "--output", "ranking", "-o", "tiles.zip", "--", "./tiles", KERNEL)
    assert f"{KERNEL}: right\n" in shown, shown


def starts(mode):
    """Where products begin, of the descriptor in the words of an advice."""
    text = next(change["text"] for change in mode["changes"] if change["what"] == "descriptor")
    return re.search(r"a start address ([0-9, and]+) bytes", text)[1].replace(" and ", ", ")


def macros_of(prefix, layout, size):
    index, mode = layout["index"], layout["mode"]
    line = "k" if prefix == "TURNED" else "r"
    macros = [f"{prefix}_INDEX({line},x)=(" + re.sub(f"[{line}x]", r"(\g<0>)", index) + ")"]
    if prefix == "BOX":
        copies = re.search(r"(\d+) boxes, each (\d+) bytes", mode["changes"][0]["text"])
        return macros + [f"BOX_SWIZZLE=CU_TENSOR_MAP_SWIZZLE_{SWIZZLES[mode['swizzle_bytes']]}", f"BOX_BYTES={size}",
                         f"BOX_COPIES={copies[1] if copies else 1}", f"BOX_APART={copies[2] if copies else 0}"]
    return macros + [f"{prefix}_BITS={mode['descriptor_swizzle']}", f"{prefix}_STRIDE={mode['stride_byte_offset'] or 0}",
                     f"{prefix}_LEADING={mode['leading_byte_offset'] or 16}", f"{prefix}_STARTS={{{starts(mode)}}}",
                     f"{prefix}_BYTES={size}"]


def prefix_of(array):
    if not array["tile"]["is_operand"]:
        return "BOX"
    return "TURNED" if array["now"]["index"].endswith("k * 16 + x % 16") else "OPERAND"


def count(accesses, into):
    for access in accesses:
        into[access["line"]] += access["wavefronts"]


def main():
    capture(PRESENT)
    advice = json.loads(run(SMEMBANK, "advise", "tiles.zip", "--launch", "1", "--all", "--top", "9", "--format", "json"))
    arrays = [array for array in advice["arrays"] if array["tile"]]
    assert arrays, "no tiles"
    names = {layout["name"] for array in arrays for layout in array["layouts"]}
    for name in sorted(names):
        macros, expected = set(PRESENT), collections.Counter()
        for array in arrays:
            layout = next((one for one in array["layouts"] if one["name"] == name), None)
            count((layout or array["now"])["accesses"], expected)
            if layout:
                macros |= set(macros_of(prefix_of(array), layout, layout["bytes"]))
        if len({macro.split("=")[0] for macro in macros}) != len(macros):
            print(f"{KERNEL}: {name}: tiles that lie alike differ")
            continue
        capture(sorted(macros))
        counted = collections.Counter()
        count(json.loads(run(SMEMBANK, "analyze", "tiles.zip", "--launch", "1", "--format", "json"))["accesses"], counted)
        assert counted == expected, f"{name}: predicted {expected}, counted {counted}"
        print(f"{KERNEL}: {name}: {sum(counted.values())} wavefronts, as predicted")


main()
