#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Arithmetic, conversions and comparisons of CUDA's headers and operators, as machine code: each function is a kernel, compiled by
nvcc and ptxas for each chip, whose operands are in registers, constants, uniform registers and the instruction. It is run, and its
results are those of the same function on the host, or of tests/sass-sweep-host.hpp.

sass-sweep.py NVCC SWEEP-VALUES FOLDER [--chips 75,80:O3,…] [--levels O3,O0,G] [--only REGEX] [--threads N] [--list] [--record FOLDER] [--keep]

Prints, by chip and level, how many functions there are, how many are refused, and of how many a result is wrong, not known, or
not known since the function is approximate; and each of the first three with an example. Status 1 if there is one.

--record writes, for tests/test-sass-sweep.c, kernels whose results are all right, which have every form of instruction that was met:
an opcode with its parts and kinds of operands. --keep takes what FOLDER has compiled already.
"""
import argparse
import collections
import gzip
import os
import random
import re
import struct
import subprocess
import sys

CHIPS = "75,80,86,89,90,100,110,120"
LEVELS = {
    "O3": ["-O3"],
    "O0": ["-Xcicc", "-O0", "-Xptxas", "-O0"],
    "G": ["-G"],
}

# --- types: how they are written, their bytes, which operands they are given, and what results are compared as
TYPES = {
    "bool": (1, "bit", "bits"),
    "signed char": (1, "int8", "bits"), "unsigned char": (1, "int8", "bits"),
    "short": (2, "int16", "bits"), "unsigned short": (2, "int16", "bits"),
    "int": (4, "int32", "bits"), "unsigned": (4, "int32", "bits"),
    "long long": (8, "int64", "bits"), "unsigned long long": (8, "int64", "bits"),
    "__int128": (16, "int64", "bits"), "unsigned __int128": (16, "int64", "bits"),
    "float": (4, "f32", "f32"), "double": (8, "f64", "f64"),
    "float2": (8, "f32", "f32"), "double2": (16, "f64", "f64"),
    "__half": (2, "f16", "f16"), "__half2": (4, "f16", "f16"),
    "__half_raw": (2, "f16", "f16"), "__half2_raw": (4, "f16", "f16"),
    "__nv_bfloat16": (2, "bf16", "bf16"), "__nv_bfloat162": (4, "bf16", "bf16"),
    "__nv_bfloat16_raw": (2, "bf16", "bf16"), "__nv_bfloat162_raw": (4, "bf16", "bf16"),
    "packed": (4, "packed", "bits"), "float_near": (4, "near32", "f32"), "double_near": (8, "near64", "f64"),
}
SPELLED = {
    "unsigned int": "unsigned", "long long int": "long long", "unsigned long long int": "unsigned long long",
    "short int": "short", "unsigned short int": "unsigned short", "char": "signed char",
    "__nv_fp8_storage_t": "unsigned char", "__nv_fp8x2_storage_t": "unsigned short",
    "__nv_fp6_storage_t": "unsigned char", "__nv_fp6x2_storage_t": "unsigned short",
    "__nv_fp4_storage_t": "unsigned char", "__nv_fp4x2_storage_t": "unsigned char",
}
ENUMS = {
    "__nv_saturation_t": ["__NV_NOSAT", "__NV_SATFINITE"],
    "__nv_fp8_interpretation_t": ["__NV_E4M3", "__NV_E5M2"],
    "__nv_fp6_interpretation_t": ["__NV_E2M3", "__NV_E3M2"],
    "__nv_fp4_interpretation_t": ["__NV_E2M1"],
}
ROUNDS = {"e8m0": ["cudaRoundZero", "cudaRoundPosInf"], "fp6": ["cudaRoundNearest"], "fp4": ["cudaRoundNearest"]}
DEVICE_NAMES = {"packed": "unsigned", "float_near": "float", "double_near": "double"}

EDGES = {
    "bit": [0, 1],
    "int8": [0, 1, 2, 0x7F, 0x80, 0x81, 0xFE, 0xFF],
    "int16": [0, 1, 2, 0xFF, 0x100, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF],
    "int32": [0, 1, 2, 3, 5, 31, 32, 33, 0xFF, 0x10000, 0xFFFFFF, 0x1000000, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF],
    "int64": [0, 1, 2, 7, 31, 32, 33, 63, 64, 0xFFFFFFFF, 1 << 32, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, (1 << 64) - 2, (1 << 64) - 1],
    "f16": [0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x8400, 0x3C00, 0xBC00, 0x3C01, 0x3800, 0x4200, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x6400, 0x5BF8, 0xFE01],
    "bf16": [0, 0x8000, 1, 0x8001, 0x7F, 0x80, 0x8080, 0x3F80, 0xBF80, 0x3F81, 0x3F00, 0x4040, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0x4B00, 0xFFC1],
    "f32": [0, 1 << 31, 1, 0x807FFFFF, 0x00800000, 0x80800000, 0x3F800000, 0xBF800000, 0x3F800001, 0x3F000000, 0x40490FDB, 0x7F7FFFFF,
            0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x4B800000, 0x4F000000, 0xCF000000, 0x5F000000, 0x477FE000, 0x477FF000, 0x33000000, 0x3F004000],
    "f64": [0, 1 << 63, 1, 0x800FFFFFFFFFFFFF, 1 << 52, 0x3FF0000000000000, 0xBFF0000000000000, 0x3FF0000000000001, 0x3FE0000000000000,
            0x400921FB54442D18, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000,
            0x4340000000000000, 0x41E0000000000000, 0xC1E0000000000000, 0x43E0000000000000, 0x47EFFFFFE0000000, 0x36A0000000000000, 0x40EFFC0000000000],
}
FORMATS = {"f16": (16, 10), "bf16": (16, 7), "f32": (32, 23), "f64": (64, 52)}
WIDTHS = {"bit": 8, "int8": 8, "int16": 16, "int32": 32, "int64": 64, "packed": 32, "f16": 16, "bf16": 16, "f32": 32, "f64": 64,
          "near32": 32, "near64": 64}
POOLS = list(WIDTHS)
STRIDE = 16


def draw(pool, rng):
    """An operand of a pool, as a number of its width."""
    if pool == "packed":
        return int.from_bytes(bytes(rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)]) for _ in range(4)), "little")
    if pool.startswith("near"):  # numbers of a moderate size
        real = rng.choice([rng.uniform(-4, 4), rng.uniform(-100, 100), rng.choice([0.0, 1.0, -1.0, 0.5, 2.0]), rng.uniform(0, 1)])
        return int.from_bytes(struct.pack("<f" if pool == "near32" else "<d", real), "little")
    if rng.random() < 0.4:
        return rng.choice(EDGES[pool])
    width = WIDTHS[pool]
    if pool in FORMATS and rng.random() < 0.7:  # near 1
        fraction = FORMATS[pool][1]
        bias = (1 << (width - fraction - 2)) - 1
        exponent = bias + (rng.randint(-6, 16) if pool != "f16" else rng.randint(-8, 12))
        return rng.getrandbits(1) << (width - 1) | exponent << fraction | rng.getrandbits(fraction)
    if pool == "bit":
        return rng.getrandbits(1)
    return rng.getrandbits(width) >> rng.choice([0, 0, 0, width // 2, width - 5])


def draw_block(pool, rng):
    """16 bytes of operands."""
    size = WIDTHS[pool] // 8
    return b"".join(draw(pool, rng).to_bytes(size, "little") for _ in range(STRIDE // size))


# --- functions


class Function:
    """name; result; operands; the call on the device, and on the host ("": it has none); how far results may be apart, and whether
    they may be unknown."""

    def __init__(self, name, result, operands, call, host=None, slack=0, vague=False):
        self.name, self.result, self.operands = name, result, operands
        self.call, self.host = call, call if host is None else host
        self.slack, self.vague = slack, vague


APPROXIMATE = re.compile(
    r"^h2?(sin|cos|exp|exp2|exp10|log|log2|log10|sqrt|rsqrt|rcp|tanh|tanh_approx)$|^__h2?div$|^__(sin|cos|tan|exp|log|log2|log10|exp10|pow|tanh|fdivide)f$|^fdividef$|^__tanhf$"
)
SKIPPED = re.compile(r"shfl|__ld|__st|atomic|^__(prof|thread|sync|brkpt|pm\d|trap|nanosleep|all|any|ballot|vote|match|reduce|fns)|^make_|clock")


def declared(path):
    """The functions that a header declares: result, name, parameters, and whether the host has them, too."""
    text = open(path, errors="replace").read()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"//.*|\\\n", " ", text)
    pattern = r"((?:\b\w+\b\s+)+)(\w+)\s*\(([^(){};]*)\)\s*(?:__\w+\s*(?:\([^)]*\)\s*)?)*[;{]"
    for match in re.finditer(pattern, text):
        head, name, parameters = match.groups()
        if not re.search(r"_DECL__|__device_builtin__|__device__", head) or name == "fns":
            continue
        host = bool(re.search(r"HOST", head))
        result = re.sub(r"\b(?:extern|static|inline|const|__\w+__|__\w*DECL\w*|__CRT\w*)\b", " ", head)
        yield " ".join(result.split()), name, parameters, host


def spelled(text, is_parameter):
    text = " ".join(re.sub(r"\bconst\b|\benum\b", " ", text).split())
    text = text.split("=")[0].strip()
    for candidate in [text] + ([text.rsplit(" ", 1)[0]] if is_parameter and " " in text else []):
        kind = SPELLED.get(candidate, candidate)
        if kind in TYPES or kind in ENUMS or kind == "cudaRoundMode":
            return kind
    return None


def of_headers(folder, host_names):
    headers = ["cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_fp6.h", "cuda_fp4.h", "crt/device_functions.h",
               "crt/device_double_functions.h", "sm_32_intrinsics.h", "sm_61_intrinsics.h", "sm_20_intrinsics.h"]
    seen = set()
    for header in headers:
        path = os.path.join(folder, header)
        if not os.path.exists(path):
            continue
        for result, name, parameters, host in declared(path):
            kinds = [spelled(p, True) for p in parameters.split(",")] if parameters.strip() not in ("", "void") else []
            kind = spelled(result, False)
            if SKIPPED.search(name) or kind not in TYPES or None in kinds or not kinds or (name, *kinds) in seen:
                continue
            seen.add((name, *kinds))
            yield from expanded(name, kind, kinds, host, host_names)


# of functions that the host has by another name
HOST_CALLS = {
    "fdividef(a, b)": "(a / b)", "fdivide(a, b)": "(a / b)", "fma(a, b, c, cudaRoundNearest)": "::fma(a, b, c)",
    "dadd(a, b, cudaRoundNearest)": "(a + b)", "dsub(a, b, cudaRoundNearest)": "(a - b)", "float2double(a, cudaRoundNearest)": "((double)a)",
    "int2double(a, cudaRoundNearest)": "((double)a)", "uint2double(a, cudaRoundNearest)": "((double)a)",
    "ll2double(a, cudaRoundNearest)": "((double)a)", "ull2double(a, cudaRoundNearest)": "((double)a)",
    "double2int(a, cudaRoundNearest)": "host::__double2int_rn(a)", "double2uint(a, cudaRoundNearest)": "host::__double2uint_rn(a)",
    "double2ll(a, cudaRoundNearest)": "host::__double2ll_rn(a)", "double2ull(a, cudaRoundNearest)": "host::__double2ull_rn(a)",
    "rsqrt(a)": "(1 / ::sqrt(a))", "rcbrt(a)": "(1 / ::cbrt(a))", "rhypot(a, b)": "(1 / ::hypot(a, b))",
    "norm3d(a, b, c)": "::hypot(::hypot(a, b), c)", "rnorm3d(a, b, c)": "(1 / ::hypot(::hypot(a, b), c))",
}


def expanded(name, result, kinds, host, host_names):
    """A function for each combination of what its parameters choose."""
    choices = [[]]
    rounds = next((ROUNDS[word] for word in ROUNDS if word in name), ["cudaRoundNearest"])
    for kind in kinds:
        values = ENUMS.get(kind, rounds if kind == "cudaRoundMode" else [None])
        choices = [choice + [value] for choice in choices for value in values]
    operands = [kind for kind in kinds if kind in TYPES]
    if re.match(r"__v[a-z]+[24]$", name) or re.search(r"16x2", name) or name.startswith("__dp"):
        pool = "packed" if "unsigned" in operands else None
        operands = [pool or kind for kind in operands]
    own = name in host_names and not host
    vague = bool(APPROXIMATE.match(name))
    for choice in choices:
        letters = iter("abcd")
        text = ", ".join(value if value else next(letters) for value in choice)
        suffix = "".join("," + value for value in choice if value)
        if re.match(r"__viadd\w+_s32", name):  # a sum that overflows is not defined
            text = "a >> 2, b >> 2, c"
        call = f"{name}({text})"
        host_call = f"host::{call}" if own else call if host else HOST_CALLS.get(call, "")
        slack = 4 if vague else 0
        yield Function(name + suffix, result, operands, call, host_call, slack, vague)


INTEGERS = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long", "unsigned long long",
            "__int128", "unsigned __int128"]
ALIAS = {"signed char": "i8", "unsigned char": "u8", "short": "i16", "unsigned short": "u16", "int": "i32", "unsigned": "u32",
         "long long": "i64", "unsigned long long": "u64", "__int128": "i128", "unsigned __int128": "u128", "float": "f32", "double": "f64"}


def of_operators():
    for kind in INTEGERS:
        bits = 8 * TYPES[kind][0]
        name, unsigned = ALIAS[kind], kind.startswith("unsigned")
        for operator in ["+", "-", "*", "&", "|", "^"]:
            yield Function(f"{name}{operator}", kind, [kind, kind], f"(T)(a {operator} b)".replace("T", kind))
        for operator, host in [("/", "divide"), ("%", "remain")]:
            divisor = f"(b == 0 ? ({kind})3 : b)"
            yield Function(f"{name}{operator}", kind, [kind, kind], f"({kind})(a {operator} {divisor})", f"host::{host}<{kind}>(a, {divisor})")
        for operator in ["<<", ">>"]:
            yield Function(f"{name}{operator}", kind, [kind, "int"], f"({kind})(a {operator} (b & {bits - 1}))")
        for operator in ["-", "~", "!"]:
            yield Function(f"{operator}{name}", kind, [kind], f"({kind})({operator}a)")
        for operator in ["==", "!=", "<", "<=", ">", ">="]:
            yield Function(f"{name}{operator}", "bool", [kind, kind], f"(a {operator} b)")
        yield Function(f"{name}?:", kind, [kind, kind, "int"], f"(c > 3 ? a : b)")
        if bits >= 32 and bits <= 64:
            yield Function(f"min {name}", kind, [kind, kind], "min(a, b)", "(a < b ? a : b)")
            yield Function(f"max {name}", kind, [kind, kind], "max(a, b)", "(a < b ? b : a)")
            yield Function(f"min3 {name}", kind, [kind, kind, kind], "min(min(a, b), c)", "(a < b ? a < c ? a : c : b < c ? b : c)")
            yield Function(f"mad {name}", kind, [kind, kind, kind], "a * b + c")
            yield Function(f"add3 {name}", kind, [kind, kind, kind], "a - b + c")
            yield Function(f"lop3 {name}", kind, [kind, kind, kind], "((a & b) ^ ~c)")
            yield Function(f"lea {name}", kind, [kind, kind], "(a << 3) + b")
            yield Function(f"lea- {name}", kind, [kind, kind], "b - (a << 3)")
            yield Function(f"bfe {name}", kind, [kind], f"({kind})(a << 5) >> 11")
            yield Function(f"rotate {name}", kind, [kind], f"({kind})((unsigned {'long long' if bits == 64 else 'int'})a >> 7 | ({kind})(a << {bits - 7}))")
            yield Function(f"divide by 7 {name}", kind, [kind], "a / 7")
            yield Function(f"rest of 10 {name}", kind, [kind], "a % 10")
            if not unsigned:
                yield Function(f"abs {name}", kind, [kind], "(a < 0 ? -a : a)")
    for kind in ["float", "double"]:
        name, pool = ALIAS[kind], kind
        for operator in ["+", "-", "*", "/"]:
            yield Function(f"{name}{operator}", kind, [kind, kind], f"(a {operator} b)")
        for operator in ["==", "!=", "<", "<=", ">", ">="]:
            yield Function(f"{name}{operator}", "bool", [kind, kind], f"(a {operator} b)")
            yield Function(f"{name}!{operator}", "bool", [kind, kind], f"!(a {operator} b)")
        yield Function(f"-{name}", kind, [kind], "(-a)")
        yield Function(f"{name}?:", kind, [kind, kind, kind], "(c > 3 ? a : b)")
        yield Function(f"{name} select", kind, [kind, kind, "int"], "(c > 3 ? a : -b)")
        yield Function(f"{name} fma", kind, [kind, kind, kind], f"fma{'f' if kind == 'float' else ''}(a, -b, c)")
        yield Function(f"{name} step", kind, [kind, kind], f"(a < b ? ({kind})1 : ({kind})0)")
    real = ["float", "double"]
    for source in INTEGERS[:8] + real:
        for target in INTEGERS[:8] + real:
            if source == target:
                continue
            host = None
            if source in real and target in INTEGERS:
                if target in INTEGERS[:4]:
                    continue  # what is beyond the range is not defined
                host = f"host::to_integer<{target}>(host::rz, a)"
            yield Function(f"{ALIAS[source]} to {ALIAS[target]}", target, [source], f"({target})a", host)


MATH = """
sqrt:1 rsqrt:1 cbrt:1 rcbrt:1 sin:1 cos:1 tan:1 asin:1 acos:1 atan:1 sinh:1 cosh:1 tanh:1 asinh:1 acosh:1 atanh:1 exp:1 exp2:1 exp10:1
expm1:1 log:1 log2:1 log10:1 log1p:1 erf:1 erfc:1 erfinv:1 erfcinv:1 erfcx:1 normcdf:1 normcdfinv:1 lgamma:1 tgamma:1 sinpi:1 cospi:1
j0:1 j1:1 y0:1 y1:1 cyl_bessel_i0:1 cyl_bessel_i1:1 pow:2 atan2:2 hypot:2 rhypot:2 norm3d:3 rnorm3d:3
""".split()
EXACT = """
floor:1 ceil:1 trunc:1 round:1 rint:1 nearbyint:1 fabs:1 fmod:2 remainder:2 fdim:2 copysign:2 nextafter:2 logb:1
""".split()
ONLY_DEVICE = {"rsqrt", "rcbrt", "erfinv", "erfcinv", "erfcx", "normcdf", "normcdfinv", "sinpi", "cospi", "cyl_bessel_i0", "cyl_bessel_i1",
               "rhypot", "norm3d", "rnorm3d"}  # by this name


def of_mathematics():
    for kind, letter, near in (("float", "f", "float_near"), ("double", "", "double_near")):
        for entry in MATH:
            name, n = entry.split(":")
            call = f"{name}{letter}({', '.join('abc'[: int(n)])})"
            exact = name == "sqrt"
            known = HOST_CALLS.get(call.replace("f(", "(") if letter else call, "")
            host = known if name in ONLY_DEVICE else "" if name in ("tgamma", "lgamma", "j0", "j1", "y0", "y1") else "::" + call
            yield Function(f"{name}{letter}", kind, [near] * int(n), call, host, 0 if exact else 32, not exact)
        for entry in EXACT:
            name, n = entry.split(":")
            call = f"{name}{letter}({', '.join('abc'[: int(n)])})"
            yield Function(f"{name}{letter}", kind, [kind] * int(n), call, "::" + call)
        yield Function(f"fmin{letter}", kind, [kind] * 2, f"fmin{letter}(a, b)", f"host::smallest<{kind}>(a, b)")
        yield Function(f"fmax{letter}", kind, [kind] * 2, f"fmax{letter}(a, b)", f"host::largest<{kind}>(a, b)")
        yield Function(f"ldexp{letter}", kind, [kind, "int"], f"ldexp{letter}(a, b >> 20)", f"::ldexp{letter}(a, b >> 20)")
        for test in ("isnan", "isinf", "isfinite", "signbit"):
            yield Function(f"{test} {kind}", "bool", [kind], f"({test}(a) != 0)", f"(std::{test}(a) != 0)")
        for target, word in (("int", "lrint"), ("long long", "llrint")):
            yield Function(f"{word}{letter}", target, [kind], f"({target}){word}{letter}(a)", f"({target})host::to_integer<long long>(host::rn, a)")


def all_functions(arguments):
    # nvcc may be a script in another folder: it says itself where its toolkit is.
    dry = subprocess.run([arguments.nvcc, "--dryrun", "-x", "cu", "-c", os.devnull], capture_output=True, text=True, check=True).stderr
    folder = os.path.join(re.search(r"^#\$ TOP=(.*)$", dry, re.MULTILINE).group(1), "include")
    own = open(arguments.host_header).read()
    host_names = set(re.findall(r"\b(__\w+)\(", own))
    for names in re.findall(r"(?:ONE|TWO)\((__v\w+)##n", own) + re.findall(r"(__vsad[su])##n", own):
        host_names.update(names + n for n in "24")
    for names in re.findall(r"(__\w+_)##w\(", own):
        host_names.update(names + way for way in ("rn", "rz", "ru", "rd"))
    for names in re.findall(r"half##(2\w+_)##w\(", own):
        host_names.update(half + names + way for half in ("__half", "__bfloat16") for way in ("rn", "ru", "rd"))
    for names in re.findall(r"UNARY\(T, P, h, (\w+)\)", own):
        host_names.update(("h" + names, "h2" + names))
    functions = list(of_operators()) + list(of_headers(folder, host_names)) + list(of_mathematics())
    pattern = re.compile(arguments.only or "")
    return [f for f in functions if pattern.search(f.name)]


# --- kernels

HEAD = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_fp6.h>
#include <cuda_fp4.h>
#define N %(threads)d
#define STRIDE 16
template <class T> __host__ __device__ __forceinline__ T make(unsigned long long low, unsigned long long high) {
  unsigned long long words[2] = {low, high};
  T x;
  memcpy((void *)&x, words, sizeof x);
  return x;
}
"""
DEVICE = """
// A parameter that a uniform register has to hold: of blockIdx, which is 0.
template <class T> __device__ __forceinline__ T uniform(T x) {
  T y;
  if (sizeof x == 8) {
    unsigned long long word;
    memcpy(&word, (void *)&x, sizeof x == 8 ? 8 : 1);
    word += blockIdx.x;
    memcpy((void *)&y, &word, sizeof x == 8 ? 8 : 1);
  } else if (sizeof x < 8) {
    unsigned word = 0;
    memcpy(&word, (void *)&x, sizeof x < 8 ? sizeof x : 1);
    word += blockIdx.x;
    memcpy((void *)&y, &word, sizeof x < 8 ? sizeof x : 1);
  } else
    y = x;
  return y;
}
#define LOAD(T, at) (*(const T *)(in + (at) * STRIDE * N + threadIdx.x * STRIDE))
#define PUT(T, variant, value) *(T *)(out + ((variant) * N + threadIdx.x) * STRIDE) = (value)
#define KERNEL(name, ...) extern "C" __global__ void name(unsigned char *__restrict__ out, const unsigned char *__restrict__ in, __VA_ARGS__)
#define BEGIN {
#define END }
"""
HOST = """
#include <cstdio>
#include <cstdlib>
#include "%(host_header)s"
template <class T> T uniform(T x) { return x; }
static unsigned t;
#define LOAD(T, at) (*(const T *)(in + (at) * STRIDE * N + t * STRIDE))
#define PUT(T, variant, value) do { T y = (value); memcpy(out + ((variant) * N + t) * sizeof(T), (void *)&y, sizeof y); } while (0)
#define KERNEL(name, ...) static void name(unsigned char *out, const unsigned char *in, __VA_ARGS__)
#define BEGIN { for (t = 0; t < N; t++) {
#define END } }
"""


def device_type(kind):
    return DEVICE_NAMES.get(kind, kind)


def operand_bits(inputs, kind, index, thread, threads):
    at = (POOLS.index(TYPES[kind][1]) * 3 + index) * STRIDE * threads + thread * STRIDE
    return inputs[at : at + TYPES[kind][0]]


def make_value(kind, data):
    low, high = (int.from_bytes(data[i : i + 8], "little") for i in (0, 8))
    return f"make<{device_type(kind)}>({low:#x}ull, {high:#x}ull)"


def variants(n):
    """Where the operands are: r registers, c constants, u uniform registers, i the instruction."""
    places = ["r" * n] + ["r" * at + where + "r" * (n - at - 1) for at in range(n) for where in ("cui" if n > 1 else "cu")]
    return list(dict.fromkeys(places + ["c" * n, "u" * n]))


def chosen(n, level):
    """Which of them are compiled: without optimization most come to the same."""
    every = variants(n)
    return [i for i, places in enumerate(every) if level == "O3" or places in ("r" * n, "c" * n)]


def write_kernel(index, function, inputs, threads, columns, host):
    n, every = len(function.operands), variants(len(function.operands))
    thread = (index * 7) % threads
    parameters = ", ".join(f"{device_type(k)} p{i}" for i, k in enumerate(function.operands))
    lines = [f"KERNEL(k{index}, {parameters}) BEGIN // {function.name}"]
    for i, kind in enumerate(function.operands):
        lines.append(f"  const {device_type(kind)} r{i} = LOAD({device_type(kind)}, {POOLS.index(TYPES[kind][1]) * 3 + i});")
    for column in columns:
        values = {}
        for i, (place, kind) in enumerate(zip(every[column], function.operands)):
            immediate = make_value(kind, operand_bits(inputs, kind, i, (thread + column) % threads, threads))
            values["abcd"[i]] = {"r": f"r{i}", "c": f"p{i}", "u": f"uniform(p{i})", "i": immediate}[place]
        call = re.sub(r"\b[abcd]\b", lambda match: "(" + values[match[0]] + ")", function.host if host else function.call)
        lines.append(f"  PUT({function.result}, {column}, {call});")
    return "\n".join(lines + ["END"])


def arguments_of(index, function, inputs, threads):
    thread = (index * 7) % threads
    return [operand_bits(inputs, kind, i, thread, threads) for i, kind in enumerate(function.operands)]


class Sweep:
    """The functions, with their operands and what the host computes of them."""

    def __init__(self, arguments, functions):
        self.nvcc, self.folder, self.tool = arguments.nvcc, arguments.folder, arguments.tool
        self.threads, self.host_header, self.keep = arguments.threads, arguments.host_header, arguments.keep
        self.functions = functions
        rng = random.Random(1)
        self.inputs = b"".join(draw_block(pool, rng) for pool in POOLS for _ in range(3 * self.threads))
        self.offsets = {}
        with open(self.path("inputs"), "wb") as file:
            file.write(self.inputs)

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, text, name, options, output):
        """Without the kernels that are not compiled, which are returned."""
        left, lost = dict(text), {}
        while True:
            source, at, owners = self.path(name), HEAD % {"threads": self.threads} + options["head"], []
            line = at.count("\n") + 1
            for index, kernel in left.items():
                owners.append((line, index))
                line += kernel.count("\n") + 1
            with open(source, "w") as file:
                file.write(at + "".join(kernel + "\n" for kernel in left.values()) + options["tail"](left))
            run = subprocess.run([self.nvcc, *options["flags"], "-w", "-o", self.path(output), source], capture_output=True, text=True)
            if run.returncode == 0:
                return lost
            bad = {}
            for number, message in re.findall(rf"{re.escape(name)}[(:](\d+)\D[^\n]*?error\s*:?\s*([^\n]*)", run.stdout + run.stderr):
                owner = next((index for first, index in reversed(owners) if first <= int(number)), None)
                bad.setdefault(owner, message)
            if not bad or None in bad:
                sys.exit(f"{name}: {run.stdout}{run.stderr}")
            for index, message in bad.items():
                lost[index] = message
                del left[index]

    def run_host(self):
        """What the host computes, of all variants."""
        texts, at, calls = {}, 0, {}
        for index, function in enumerate(self.functions):
            if not function.host:
                continue
            texts[index] = write_kernel(index, function, self.inputs, self.threads, range(len(variants(len(function.operands)))), True)
            values = [make_value(k, v) for k, v in zip(function.operands, arguments_of(index, function, self.inputs, self.threads))]
            calls[index] = f"  k{index}(out + {at}, in, {', '.join(values)});\n"
            self.offsets[index] = at
            at += len(variants(len(function.operands))) * self.threads * TYPES[function.result][0]
        tail = (
            "int main(int argc, char **argv) {{\n  static unsigned char in[{0}], out[{1}];\n"
            "  FILE *f = fopen(argv[1], \"rb\");\n  if (argc != 3 || !f || fread(in, 1, sizeof in, f) != sizeof in) return 1;\n"
            "  fclose(f);\n{2}  f = fopen(argv[2], \"wb\");\n  return f && fwrite(out, 1, sizeof out, f) == sizeof out && !fclose(f) ? 0 : 1;\n}}\n"
        )
        options = {
            "head": HOST % {"host_header": os.path.abspath(self.host_header)},
            "flags": ["-O1", "-arch=sm_90", "-Xcompiler", "-fwrapv,-frounding-math,-ffp-contract=off,-fno-strict-aliasing"],
            "tail": lambda left: tail.format(len(self.inputs), max(at, 1), "".join(calls[i] for i in left)),
        }
        for index, message in self.compile(texts, "host.cu", options, "host").items():
            print(f"no oracle: {self.functions[index].name}: {message}")
            del self.offsets[index]
        subprocess.run([self.path("host"), self.path("inputs"), self.path("expected")], check=True)

    def run_device(self, chip, level, only=None):
        """Results by the kernel's number: a word, and what is said of it. @only: numbers of functions, all if None."""
        wanted = {i: f for i, f in enumerate(self.functions) if only is None or i in only}
        columns = {i: chosen(len(f.operands), level) for i, f in wanted.items()}
        texts = {i: write_kernel(i, f, self.inputs, self.threads, columns[i], False) for i, f in wanted.items()}
        options = {"head": DEVICE, "flags": ["-cubin", f"-arch=sm_{chip}", *LEVELS[level]], "tail": lambda left: ""}
        name = f"sm_{chip}.{level}"
        kept = self.keep and os.path.exists(self.path(f"{name}.cubin"))
        lost = {} if kept else self.compile(texts, f"{name}.cu", options, f"{name}.cubin")
        manifest = [f"threads {self.threads}"]
        for index, function in wanted.items():
            if index in lost:
                continue
            kind = TYPES[function.result][2] if index in self.offsets else "none"
            if "_to_fp8" in function.name and "E5M2" in function.name:
                kind = "e5m2"
            words = [f"{i + 2}=raw:{value.hex()}" for i, value in enumerate(arguments_of(index, function, self.inputs, self.threads))]
            manifest.append(f"k{index} {kind} {function.slack} {int(function.vague)} {','.join(map(str, columns[index]))} "
                            f"{TYPES[function.result][0]} {self.offsets.get(index, 0)} {' '.join(words)}")
        with open(self.path(f"{name}.manifest"), "w") as file:
            file.write("\n".join(manifest) + "\n")
        run = subprocess.run([self.tool, "run", self.path(f"{name}.manifest"), self.path("inputs"), self.path("expected"),
                              self.path(f"{name}.cubin"), f"sm_{chip}"], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"{name}: {run.stdout}{run.stderr}")
        results = {index: ("lost", message) for index, message in lost.items()}
        for line in run.stdout.splitlines():
            word, kernel, rest = line.split(" ", 2)
            results[int(kernel[1:])] = (word, rest)
        return results


# --- the recording

RECORDED_THREADS = 32
# what says nothing of arithmetic
PASSED_OVER = re.compile(r"^(BRA|CALL|RET|EXIT|NOP|BSSY|BSYNC|BMOV|LD|ST|BPT|WARPSYNC|YIELD|CCTL|DEPBAR|S2|CS2|LEPC|MEMBAR|ERRBAR|RPCMOV)")


def forms_of(tool, cubin):
    """The forms of instructions of each kernel, by its number, and how many instructions it has."""
    run = subprocess.run([tool, "forms", cubin], capture_output=True, text=True, check=True)
    forms, sizes = collections.defaultdict(set), collections.Counter()
    for line in run.stdout.splitlines():
        name, form = line.split(" ", 1)
        if not re.fullmatch(r"k\d+", name):
            continue
        sizes[int(name[1:])] += 1
        if not PASSED_OVER.match(form):
            forms[int(name[1:])].add(form)
    return forms, sizes


def cover(forms, sizes, right, known):
    """Kernels that have all forms that are not known yet."""
    left = {form for index in right for form in forms[index]} - known
    taken = set()
    while left:
        best = max(sorted(right), key=lambda index: len(forms[index] & left) / (sizes[index] + 40))
        taken.add(best)
        left -= forms[best]
    return taken


def pack(path, data):
    with open(path, "wb") as file:
        file.write(gzip.compress(data, 9, mtime=0))


def record(sweep, found, folder, arguments):
    """@found: results by chip and level, in order: a later one adds what the ones before it do not have."""
    os.makedirs(folder, exist_ok=True)
    arguments.threads, arguments.keep, arguments.folder = RECORDED_THREADS, False, os.path.join(arguments.folder, "recorded")
    os.makedirs(arguments.folder, exist_ok=True)
    small = Sweep(arguments, sweep.functions)
    small.run_host()
    pack(os.path.join(folder, "inputs.gz"), small.inputs)
    known = set()
    for (chip, level), results in found.items():
        forms, sizes = forms_of(sweep.tool, sweep.path(f"sm_{chip}.{level}.cubin"))
        right = {i for i in sweep.offsets if results.get(i, ("",))[0] == "right" and not sweep.functions[i].vague and forms[i]}
        taken = cover(forms, sizes, right, known)
        known |= {form for index in taken for form in forms[index]}
        again = small.run_device(chip, level, taken) if taken else {}
        lines = [f"threads {RECORDED_THREADS}"]
        for line in open(small.path(f"sm_{chip}.{level}.manifest")) if taken else []:
            words = line.split()
            word, digest = again.get(int(words[0][1:]), ("", "")) if words[0].startswith("k") else ("", "")
            if word == "right":
                lines.append(" ".join([words[0], "digest", *words[2:6], digest, *words[7:]]))
        print(f"recorded: sm_{chip} -{level}: {len(lines) - 1} kernels")
        if len(lines) > 1:
            pack(os.path.join(folder, f"sm_{chip}.{level}.txt.gz"), "\n".join(lines).encode() + b"\n")
            pack(os.path.join(folder, f"sm_{chip}.{level}.cubin.gz"), open(small.path(f"sm_{chip}.{level}.cubin"), "rb").read())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nvcc")
    parser.add_argument("tool")
    parser.add_argument("folder")
    parser.add_argument("--chips", default=CHIPS)
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--only")
    parser.add_argument("--threads", type=int, default=128)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--record")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--host-header", default=os.path.join(os.path.dirname(__file__), "sass-sweep-host.hpp"))
    arguments = parser.parse_args()
    functions = all_functions(arguments)
    if arguments.list:
        print("\n".join(f"{f.name}: {f.result} {', '.join(f.operands)}: {f.call} | {f.host}" for f in functions))
        return 0
    sweep = Sweep(arguments, functions)
    sweep.run_host()
    status, rows, found = 0, [], {}
    for chip, *own in (entry.split(":") for entry in arguments.chips.split(",")):
        for level in own or arguments.levels.split(","):
            results = found[chip, level] = sweep.run_device(chip, level)
            vague = {i for i, (word, _) in results.items() if word == "unknown" and functions[i].vague}
            counts = {word: sum(w == word and i not in vague for i, (w, _) in results.items()) for word in ("refused", "wrong", "unknown", "lost")}
            for index, (word, text) in sorted(results.items()):
                if index not in vague and word != "right":
                    print(f"sm_{chip} -{level} {word}: {functions[index].name} (k{index}): {text}")
            rows.append((f"sm_{chip}", level, len(functions) - counts["lost"], counts["refused"], counts["wrong"], counts["unknown"], len(vague)))
            status |= counts["refused"] + counts["wrong"] + counts["unknown"] > 0
            sys.stdout.flush()
    if arguments.record:
        record(sweep, found, arguments.record, arguments)
    print("chip    level  functions  refused  wrong  unknown  approximate and unknown")
    for row in rows:
        print(f"{row[0]:7} {row[1]:5} {row[2]:10} {row[3]:8} {row[4]:6} {row[5]:8} {row[6]:24}")
    return int(status)


sys.exit(main())
