# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What layouts that advise writes gain on a GPU: products of matrices as they are, and in every form of them.
#
#   python3 tests/gpu/time-layouts.py pack ./smembank FOLDER [sm_90]   # here, with nvcc: every form, compiled
#   sh FOLDER/run.sh RESULTS                                          # there: times them, in turns
#   python3 tests/gpu/time-layouts.py table FOLDER RESULTS             # the counts of advise beside the times
import json
import os
import subprocess
import sys

# File, launch for advise (a block of it says all), and the launch that is timed.
KERNELS = {
    "sgemm": (["--block", "256", "--arg", "n=512"], "4096 32 32 256 1"),
    "flat": (["--block", "256", "--arg", "n=512"], "4096 32 32 256 1"),
    "product": (["--block", "16,16", "--arg", "n=512"], "4096 256 256 16 16"),
}
TURNS = 101
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "layouts")


def forms_of(advice):
    """Name -> (changed lines, what it takes as compiled)."""
    yield "now", [], advice["arrays"][0]["now"]["as_compiled"]
    for array in advice["arrays"]:
        for layout in array["layouts"]:
            if layout["rewritten"] and layout["rewritten"]["holds"]:
                name = f"{array['name']}.{layout['name']}".replace(" ", "")
                yield name, layout["rewritten"]["changes"], layout["as_compiled"]
    if advice["together"] and advice["together"]["holds"]:
        yield "together", advice["together"]["changes"], advice["together_compiled"]


def apply(text, changes):
    lines = text.split("\n")
    for change in reversed(changes):
        at = change["line"] - 1
        old = change["before"].split("\n") if change["before"] is not None else []
        assert lines[at:at + len(old)] == old, change
        lines[at:at + len(old)] = change["after"].split("\n")
    return "\n".join(lines)


def pack(smembank, folder, arch="sm_90"):
    os.makedirs(folder, exist_ok=True)
    run = ["set -eu", 'here=$(cd "$(dirname "$0")" && pwd)', 'mkdir -p "$1"', 'out=$(cd "$1" && pwd)', 'cd "$here"']
    for kernel, (launch, timed) in KERNELS.items():
        source = f"{SOURCES}/{kernel}.cu"
        advice = json.loads(subprocess.run([smembank, "advise", source, *launch, "--arch", arch, "--format", "json",
                                            "--top", "1"], check=True, capture_output=True, text=True).stdout)
        with open(source, encoding="utf-8") as file:
            text = file.read()
        counts, names = {}, []
        for number, (name, changes, compiled) in enumerate(forms_of(advice)):
            base = f"{kernel}.{number}"
            with open(f"{folder}/{base}.cu", "w", encoding="utf-8") as file:
                file.write(apply(text, changes)
                           .replace("__global__ void", 'extern "C" __global__ void', 1))
            subprocess.run(["nvcc", "-cubin", f"-arch={arch}", "-o", f"{folder}/{base}.cubin", f"{folder}/{base}.cu"],
                           check=True)
            counts[f"{base}.cubin"] = [name, compiled]
            names.append(f"{base}.cubin")
        with open(f"{folder}/{kernel}.json", "w", encoding="utf-8") as file:
            json.dump(counts, file, indent=1)
        run.append(f'./time-layouts {TURNS} {timed} {kernel} {" ".join(names)} >"$out/{kernel}.txt"')
        run.append(f'cat "$out/{kernel}.txt"')
    tool = os.path.join(os.path.dirname(os.path.abspath(__file__)), "time-layouts.cu")
    subprocess.run(["nvcc", "-O2", f"-arch={arch}", "-o", f"{folder}/time-layouts", tool], check=True)
    with open(f"{folder}/run.sh", "w", encoding="utf-8") as file:
        file.write("\n".join(run) + "\n")


def table(folder, results):
    for kernel in KERNELS:
        with open(f"{folder}/{kernel}.json", encoding="utf-8") as file:
            counts = json.load(file)
        print(f"{kernel}: form, wavefronts and instructions as compiled, recommended, median ms, least, most, C")
        with open(f"{results}/{kernel}.txt", encoding="utf-8") as file:
            for line in file:
                cubin, *times = line.split()
                name, compiled = counts[cubin]
                print(f"  {name:24} {compiled['wavefronts']:9} {compiled['instructions']:9} "
                      f"{'yes' if compiled['recommended'] else 'no':4}", *times)


if __name__ == "__main__":
    {"pack": pack, "table": table}[sys.argv[1]](*sys.argv[2:])
