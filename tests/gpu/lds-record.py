#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Records what an AMD card counts of LDS instructions, as a file that 'smembank validate FILE.csv' compares:
#
#   tests/gpu/lds-record.py FILE.csv [--who NAME] [--pairs]
#
# needs hipcc and rocprofv3 (ROCm), and a card. Strides of every instruction, each with all lanes, with one, with half of
# them and with every other one; --pairs adds all pairs of lanes 256 bytes apart, which show the lanes of each phase.
# HIPCC and ROCPROF name other programs: tests/cli/lds-record.sh runs all of this without a card, on made-up ones.
import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

REPETITIONS = 16
INSTRUCTIONS = {f"ds_{verb}_{kind}{bits}": bits // 8
                for verb, narrow in (("read", "u"), ("write", "b"))
                for bits in (8, 16, 32, 64, 96, 128)
                for kind in (narrow if bits < 32 else "b",)}
STRIDES = (0, 4, 8, 12, 16, 20, 24, 32, 36, 48, 64, 68, 96, 128, 132, 192, 256, 260, 512, 1024)
MOST_BYTES = 1024  # from lane to lane: 64 lanes stay within 64 KiB


def fail(text):
    sys.exit(f"lds-record: {text}")


def run(words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    if done.returncode != 0:
        fail(f"{words[0]}: exit status {done.returncode}\n{done.stderr}{done.stdout}")
    return done.stdout


def list_requests(lanes, pairs):
    """(instruction, mask, bytes apart) of all that is to be measured."""
    full = (1 << lanes) - 1
    masks = (full, 1, full >> lanes // 2, int("01" * (lanes // 2), 2))
    for name, width in INSTRUCTIONS.items():
        aligned = width & -width
        for apart in STRIDES:
            if apart % aligned == 0 and apart <= MOST_BYTES:
                yield from ((name, mask, apart) for mask in masks)
        if pairs and width >= 4:
            yield from ((name, 1 << i | 1 << j, 256) for i in range(lanes) for j in range(i))


def read_counters(folder, names):
    """The counters of each dispatch, in the order of the dispatches."""
    dispatches = {}
    for file in sorted(pathlib.Path(folder).rglob("*counter_collection.csv")):
        with open(file, newline="") as lines:
            for row in csv.DictReader(lines):
                of = dispatches.setdefault(int(row["Dispatch_Id"]), {})
                counter = row["Counter_Name"]
                of[counter] = of.get(counter, 0) + float(row["Counter_Value"])
    for number, of in dispatches.items():
        missing = [name for name in names if name not in of]
        if missing:
            fail(f"dispatch {number} has no {', '.join(missing)}")
    return [dispatches[number] for number in sorted(dispatches)]


def measure(probe, requests, names, work):
    asked = os.path.join(work, "requests")
    with open(asked, "w") as file:
        file.writelines(f"{name} {mask:x} {apart}\n" for name, mask, apart in requests)
    out = os.path.join(work, f"counters-{len(requests)}")
    text = run([os.environ.get("ROCPROF", "rocprofv3"), "--pmc", *names, "--output-format", "csv", "-d", out, "--",
                probe, str(REPETITIONS), asked])
    counted = read_counters(out, names)
    if len(counted) != len(requests):
        fail(f"{len(counted)} dispatches were counted of {len(requests)}")
    lines = [line for line in text.splitlines() if line]
    return lines[:3], counted


def per_instruction(value, where):
    if value % REPETITIONS:
        fail(f"{where}: {value:g} is no multiple of {REPETITIONS}: something else used the LDS")
    return int(value) // REPETITIONS


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--who", default="unknown", help="who measured, for the source of the numbers")
    parser.add_argument("--pairs", action="store_true", help="all pairs of lanes, too")
    options = parser.parse_args()
    here = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as work:
        probe = os.path.join(work, "lds-probe")
        run([os.environ.get("HIPCC", "hipcc"), "-O2", "-o", probe, str(here / "lds-probe.hip")])
        pathlib.Path(work, "none").write_text("")
        gpu, target, lanes = run([probe, "1", os.path.join(work, "none")]).splitlines()[:3]
        arch = target.split(":")[0]
        prefix = "SQC" if arch.startswith(("gfx10", "gfx11", "gfx12")) else "SQ"
        names = [f"{prefix}_LDS_IDX_ACTIVE", f"{prefix}_LDS_BANK_CONFLICT"]
        requests = list(list_requests(int(lanes), options.pairs))
        _, counted = measure(probe, requests, names, work)
    with open(options.file, "w") as file:
        file.write(f"# Counts of LDS instructions on a {gpu} ({arch}), by rocprofv3.\n# gpu: {gpu}\n# arch: {arch}\n"
                   f"# source: lds-record.py, {options.who}\ninstruction,lanes,bytes_apart,counter,value\n")
        for counter in names:
            for (name, mask, apart), of in zip(requests, counted):
                value = per_instruction(of[counter], f"{name} {mask:x} {apart}")
                file.write(f"{name},{mask:0{int(lanes) // 4}x},{apart},{counter},{value}\n")
    print(f"{options.file}: {len(requests)} requests, {len(names)} counters each. Compare: smembank validate {options.file}")


main()
