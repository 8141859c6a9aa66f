# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The work of nvcc-ptx.sh: compiles kernels to PTX, runs the launches, and compares what must be equal.
#
#   nvcc-ptx.py measured SMEMBANK NVCC SOURCES WORK     the launches of data/measured/h200-kernels.json: counts, and what
#                                                       they leave in memory (tests/compare-memory), are the H200's
#   nvcc-ptx.py kernels SMEMBANK COMPILER SOURCES WORK  the launches of tests/ptx/*.cu; COMPILER: nvcc's or clang's path
#
# SOURCES is the source tree. Status 1: a line for each launch that is not as it should be.
import concurrent.futures
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import threading

KINDS = (("load", "ld"), ("store", "st"), ("atomic", "atom"))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def compile_to(ptx, compiler, source, defines=()):
    """The compiler's messages, or None."""
    if "clang" in os.path.basename(compiler):
        folder = os.path.dirname(source)
        flags = ["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "--cuda-path=/nonexistent", "-Xclang",
                 "-target-feature", "-Xclang", "+ptx75", "-O2", "-gline-tables-only", "-S", "-nocudalib", "-nocudainc",
                 "-include", f"{folder}/clang.h"]
    else:
        flags = ["-arch=sm_90", "-lineinfo", "-ptx"]
    result = run(compiler, *flags, *("-D" + d for d in defines), "-o", ptx, source)
    return result.stderr if result.returncode else None


def each(work, items):
    """What 'work' says of each item, in order, without the items that it says nothing of."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        return [text for text in pool.map(work, items) if text]


def some(items):
    """A third of them; all with SMEMBANK_TEST_EFFORT=cases or full."""
    return items if os.environ.get("SMEMBANK_TEST_EFFORT") in ("cases", "full") else items[::3]


def totals(result):
    document = json.loads(result.stdout)
    counts = {}
    for kind, short in KINDS:
        counts["wavefronts_" + short] = document["totals"][kind]["wavefronts"]
        counts["instructions_" + short] = document["totals"][kind]["requests"]
    for kind in ("load", "store"):
        counts["sectors_" + kind[:2].replace("lo", "ld")] = document["global"]["totals"][kind]["segments"]
    return counts


# --- the launches that an H200 has measured

def parameter_names(text, kernel):
    found = re.search(r"__global__[^(;]*?\b" + kernel + r"\s*\(([^)]*)\)", text)
    return [re.search(r"(\w+)\s*$", p.strip()).group(1) for p in found.group(1).split(",")] if found else []


def parameters_of(text):
    """(name, type of a buffer's elements or None) of the first kernel's parameters."""
    scalars = {"int": "i32", "unsigned int": "i32", "float": "f32"}
    found = re.search(r"__global__[^(;]*?\w+\s*\(([^)]*)\)", text)
    parameters = []
    for parameter in found.group(1).split(","):
        words = re.match(r"\s*(?:const\s+)?(.*?)\s*(\*?)\s*(?:__restrict__\s+)?(\w+)\s*$", parameter)
        parameters.append((words.group(3), scalars[words.group(1)] if words.group(2) else None))
    return parameters


def wrong_memory(kernel, ptx, text):
    """Buffers that the PTX leaves other than the device did. What a volatile load finds in global memory while other blocks
    store is not known to the machine; no block of these kernels reads what another stores, so plain loads do as well."""
    with open(ptx) as file:
        plain = file.read().replace(".volatile.global", ".global")
    ptx = f"{ptx}.{threading.get_ident()}"
    with open(ptx, "w") as file:
        file.write(plain)
    parameters = parameters_of(text)
    names = [name for name, _ in parameters]
    words = [f"buffer:{i}=iota:{kind}" for i, (_, kind) in enumerate(parameters) if kind]
    words += [f"arg:{names.index(a.split('=')[0])}={a.split('=')[1]}" for a in kernel["args"]]
    expected = {names.index(b["parameter"]): b for b in kernel["buffers"]}
    words += [f"hash:{i}:{b['bytes']}" for i, b in expected.items()]
    result = run("tests/compare-memory", "launch", ptx, ",".join(map(str, kernel["block"])),
                 ",".join(map(str, kernel["grid"])), str(kernel["dynamic_bytes"]), *words)
    found = {int(line.split()[0]): line.split(None, 1)[1] for line in result.stdout.splitlines() if not result.returncode}
    return [f"buffer '{b['parameter']}' is {found.get(i, result.stdout + result.stderr)}, measured {b['sha256']}"
            for i, b in expected.items() if found.get(i) != b["sha256"]]


def check_measured(smembank, nvcc, sources, work):
    with open(f"{sources}/data/measured/h200-kernels.json") as file:
        kernels = some([k for k in json.load(file)["kernels"] if k["measured"]])
    compiled = {}
    for kernel in kernels:
        key = (kernel["file"], *kernel["defines"])
        compiled.setdefault(key, f"{work}/measured-{len(compiled)}.ptx")

    def compile_one(item):
        return compile_to(item[1], nvcc, f"{sources}/{item[0][0]}", item[0][1:])

    def check(kernel):
        what = f"{kernel['kernel']} {kernel['shape']} {' '.join(kernel['defines'])}"
        with open(f"{sources}/{kernel['file']}") as file:
            text = file.read()
        names = re.findall(r"__global__[^(;]*?(\w+)\s*\(", text)
        parameters = parameter_names(text, names[0])
        command = [smembank, "analyze", compiled[(kernel["file"], *kernel["defines"])], "--format", "json",
                   "--block", ",".join(map(str, kernel["block"])), "--grid", ",".join(map(str, kernel["grid"])),
                   "--dynamic-bytes", str(kernel["dynamic_bytes"])]
        for argument in kernel["args"]:
            name, value = argument.split("=")
            command += ["--arg", f"{parameters.index(name)}={value}"]
        result = run(*command)
        if result.returncode:
            return f"{what}: {result.stderr.strip()}"
        counted = totals(result)
        wrong = [f"{name} {counted[name]}, measured {count}" for name, count in kernel["measured"].items()
                 if name in counted and counted[name] != count]
        wrong += wrong_memory(kernel, compiled[(kernel["file"], *kernel["defines"])], text)
        return f"{what}: {', '.join(wrong)}" if wrong else None

    failures = each(compile_one, compiled.items()) or each(check, kernels)
    buffers = sum(len(kernel["buffers"]) for kernel in kernels)
    return failures, f"{len(kernels)} measured launches, {buffers} buffers, {len(compiled)} compilations"


# --- the kernels of tests/ptx

def launches_of(source):
    """(options, compilers that keep the accesses of the text, message of the refusal or None, counts or None)"""
    found = []
    with open(source) as file:
        for line in file:
            if line.startswith("// launch:"):
                options, _, keep = line.split(":", 1)[1].partition("#")
                found.append([shlex.split(options), keep.split(), None, None])
            elif line.startswith("// refused:"):
                found[-1][2] = line.split(":", 1)[1].strip()
            elif line.startswith("// counts:"):
                found[-1][3] = line.split(":", 1)[1].strip()
    return found


def describe_counts(result):
    """"load REQUESTS/WAVEFRONTS, store …, uncounted REQUESTS, KIND BYTES …", of those that there are."""
    document = json.loads(result.stdout)
    kinds = [(kind, document["totals"][kind]) for kind, _ in KINDS]
    texts = [f"{kind} {total['requests']}/{total['wavefronts']}" for kind, total in kinds if total["requests"]]
    uncounted = sum(access["uncounted_requests"] for access in document["accesses"])
    bytes_of = {}
    for traffic in document["other_shared_traffic"]:
        bytes_of[traffic["kind"]] = bytes_of.get(traffic["kind"], 0) + traffic["bytes"]
    others = [f"{kind} {bytes_of[kind]}" for kind in sorted(bytes_of)]
    return ", ".join(texts + ([f"uncounted {uncounted}"] if uncounted else []) + others)


def check_kernels(smembank, compiler, sources, work):
    name = "clang" if "clang" in os.path.basename(compiler) else "nvcc"
    files, items, equal, refused = [], [], [], []
    for source in some(sorted(glob.glob(f"{sources}/tests/ptx/*.cu"))):
        with open(source) as file:
            if name == "clang" and "#include" in file.read():
                continue
        ptx = f"{work}/{name}-{os.path.basename(source)[:-3]}.ptx"
        files.append((source, ptx))
        items += [(source, ptx, *launch) for launch in launches_of(source)]

    def check(item):
        source, ptx, options, keep, message, counts = item
        what = f"{os.path.basename(source)} {' '.join(options)} ({name})"
        result = run(smembank, "analyze", ptx, *options, "--format", "json")
        if message:
            refused.append(what)
            return None if result.returncode == 3 and message in result.stderr else f"{what}: expected '{message}': {result.stderr}"
        if result.returncode:
            return f"{what}: {result.stderr.strip()}"
        if counts and name == "nvcc" and describe_counts(result) != counts:
            return f"{what}: {describe_counts(result)}, expected {counts}"
        if name not in keep:
            return None
        text = run(smembank, "analyze", source, *options, "--format", "json")
        if text.returncode:
            return f"{what}: the text: {text.stderr.strip()}"
        ours, theirs = totals(result), totals(text)
        equal.append(what)
        wrong = [f"{k} {ours[k]}, of the text {theirs[k]}" for k in ours if ours[k] != theirs[k] and "sectors" not in k]
        return f"{what}: {', '.join(wrong)}" if wrong else None

    failures = each(lambda item: compile_to(item[1], compiler, item[0]), files) or each(check, items)
    return failures, f"{len(items)} launches of {len(files)} files by {name}: {len(equal)} compared with the text, {len(refused)} refused"


what = {"measured": check_measured, "kernels": check_kernels}[sys.argv[1]]
problems, summary = what(*sys.argv[2:])
print("\n".join(problems + [summary]))
sys.exit(1 if problems else 0)
