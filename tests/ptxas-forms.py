# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Accesses of PTX in all combinations of operation, type, vector and space, legal or not: those that ptxas takes are executed,
and those that it refuses are not.

ptxas-forms.py PTXAS PRINT-FATES FOLDER
"""
import itertools
import re
import subprocess
import sys

ARCH = "sm_100a"
HEAD = f""".version 8.8
.target {ARCH}
.address_size 64
.visible .entry k() {{
.reg .pred p<12>; .reg .b16 h<12>; .reg .b32 r<16>; .reg .b64 d<16>; .reg .b128 q<12>; .shared .align 32 .b8 s[1024];
"""
ATOMIC_TYPES = "b16 b32 b64 b128 u16 u32 u64 s32 s64 f32 f64 f16 f16x2 bf16 bf16x2"
MEMORY_TYPES = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
SPACES = {"": "[d1]", ".global": "[d1]", ".shared": "[s+32]"}
VECTORS = {"": 1, ".v2": 2, ".v4": 4, ".v8": 8}


def registers(kind, vector):
    size = {"f16x2": 32, "bf16x2": 32}.get(kind) or int(re.sub(r"\D", "", kind))
    names = ["hhrdq"[[8, 16, 32, 64, 128].index(size)] + str(2 + i) for i in range(VECTORS[vector])]
    return "{" + ", ".join(names) + "}" if vector else names[0]


def forms():
    for space, kind, vector in itertools.product(SPACES, MEMORY_TYPES.split(), VECTORS):
        data = registers(kind, vector)
        yield f"ld{space}{vector}.{kind} {data}, {SPACES[space]};"
        yield f"st{space}{vector}.{kind} {SPACES[space]}, {data};"
    operations = "add inc dec min max and or xor exch cas sub".split()
    for space, operation, vector, kind, suffix in itertools.product(
        SPACES, operations, VECTORS, ATOMIC_TYPES.split(), ["", ".noftz"]
    ):
        data = registers(kind, vector)
        operands = f"{SPACES[space]}, {data}" + (f", {data}" if operation == "cas" else "")
        yield f"atom{space}.{operation}{suffix}{vector}.{kind} {data}, {operands};"
        yield f"red{space}.{operation}{suffix}{vector}.{kind} {operands};"


# What ptxas refuses only when it has read and checked all of the text: nothing is to be compiled, at which it may crash.
LAST = "cvta.shared.u32 r1, r2;\n"
END = "32-Bit ABI"


def accepted(ptxas, folder, lines):
    """Those that ptxas takes: what it names is left out until nothing is."""
    left = lines
    while True:
        with open(f"{folder}/forms.ptx", "w") as file:
            file.write(HEAD + "\n".join(left) + "\n" + LAST + "ret;\n}\n")
        run = subprocess.run(
            [ptxas, f"-arch={ARCH}", "-o", f"{folder}/forms.cubin", f"{folder}/forms.ptx"],
            capture_output=True,
            text=True,
        )
        if END in run.stderr:
            return set(left)
        first = HEAD.count("\n") + 1
        bad = {int(line) - first for line in re.findall(r"line (\d+); error", run.stderr)}
        if not bad:
            print(run.stderr)
            sys.exit(77)  # one that does not know this architecture
        left = [line for i, line in enumerate(left) if i not in bad]


def main():
    ptxas, fates, folder = sys.argv[1:]
    lines = list(dict.fromkeys(forms()))
    theirs = accepted(ptxas, folder, lines)
    run = subprocess.run([fates], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    ours = {line.split("|")[1] for line in run.stdout.splitlines() if line.startswith("exact|")}
    for line in lines:
        if (line in ours) != (line in theirs):
            print(("ptxas refuses: " if line in ours else "ptxas takes: ") + line)
    print(f"{len(lines)} forms, {len(theirs)} of them taken by ptxas, {len(ours ^ theirs)} otherwise here")
    sys.exit(1 if ours != theirs or not theirs else 0)


main()
