#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Compiles kernels of proof-cases.def, for tests/test-compiled-proof.c.

usage: proof-compile.py NVCC CASES NAME

Writes NAME.cu, NAME.ptx and NAME.cubin (sm_90). CASES is tests/proof-cases.def, or a file with the statements of a kernel in each
line. A kernel is called proof_HASH, by the hash of its statements that g_str_hash() computes.
"""
import re
import subprocess
import sys


HELPERS = """__device__ int plus(int a, int b) { return a + b; }
__device__ int halve(int a) { if (a & 1) return a; return a / 2; }
__device__ int first(int n) { for (int i = 0; i < n; i++) if (i == 3) return i; return n; }
struct Pair { int x, y; };

"""


def hash_text(text):
    value = 5381
    for byte in text.encode():
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def main():
    nvcc, cases, name = sys.argv[1:]
    with open(cases, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if cases.endswith(".def"):
        lines = [found.group(1) for line in lines if (found := re.match(r'PROOF\("(.*)", \w+, \d+\)', line))]
    with open(name + ".cu", "w", encoding="utf-8") as out:
        out.write(HELPERS)
        for statements in lines:
            out.write(f'extern "C" __global__ void proof_{hash_text(statements):08x}(float *out, float *in, int p, unsigned q) {{\n'
                      "  extern __shared__ float s[];\n  int t = threadIdx.x, u = threadIdx.y;\n"
                      f"  {statements}\n}}\n\n")
    for kind in "ptx", "cubin":
        subprocess.run([nvcc, "-arch=sm_90", "-w", f"-{kind}", name + ".cu", "-o", f"{name}.{kind}"], check=True)


if __name__ == "__main__":
    main()
