#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Compares launches of a capture, replayed here, with what ncu measured of the same application, pc by pc.

  capture-ncu.py SMEMBANK CAPTURE PAGE.csv [LAUNCH...]

PAGE.csv is ncu's source page of all launches (capture.sh). Launches are told apart by their order among those of a kernel; where
a name stands for several kernels, as it does if an application compiles variants to find the fastest, by their instructions, too.
A line for each launch, and the sums: instructions of shared memory that are equal in wavefronts, that differ and are marked
as not exact, and that differ though they are called exact. The exit status is 1 if there is one of the last.
"""
import concurrent.futures
import csv
import json
import os
import re
import subprocess
import sys
import tarfile


def base_name(name):
    """The name of a function, without what is around it: "transpose<0>" of "void transpose<(int)0>(float *)"."""
    name = re.sub(r"^(void|std::enable_if<.*?>::type) ", "", name.replace("(anonymous namespace)", "<unnamed>"))
    name = re.sub(r"\((int|bool|unsigned int)\)", "", name.replace("<unnamed>", "unnamed"))
    name = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", name))
    whole = re.match(r"\w*<[0-9, ]*>(?=\()", name)  # of templates of numbers: these tell them apart
    return (whole.group(0) if whole else re.split(r"[<(]", name, maxsplit=1)[0].split("::")[-1]).replace(" ", "")


def demangle(symbol):
    return subprocess.run(["c++filt", "-r", symbol], capture_output=True, text=True, check=True).stdout.strip()


def cell(row, header, name):
    """A number; 0 of a column that is not there: no instruction of the kernel has one."""
    return float(row[header[name]].replace(",", "") or 0) if name in header else 0.0


def read_pages(path):
    """Of each page: the kernel's name, its opcodes, and {pc: (source, executed, wavefronts)} of what is about shared memory."""
    pages = []
    with open(path, encoding="utf-8", newline="") as file:
        header = None
        for row in csv.reader(file):
            if row and row[0] == "Kernel Name":
                pages.append((row[1], [], {}))
                header = None
            elif row and row[0] == "Address":
                header = {name: i for i, name in enumerate(row)}
                first = None
            elif row and header:
                address = int(row[0], 16)
                first = address if first is None else first
                source = re.sub(r"^@\S+\s+", "", row[1].strip())
                pages[-1][1].append(source.split()[0])
                if cell(row, header, "L1 Wavefronts Shared") or "Shared" in row[header.get("Address Space", 1)]:
                    pages[-1][2][address - first] = (
                        source, cell(row, header, "Instructions Executed"), cell(row, header, "L1 Wavefronts Shared"))
    return pages


def read_launches(path):
    """{kernel's base name: numbers of its launches}, in the order of the file."""
    launches = {}
    with tarfile.open(path) as file:
        for member in file:
            if member.name.startswith("launches/"):
                launch = json.load(file.extractfile(member))
                name = base_name(demangle(launch["kernel"]))
                launches.setdefault(name, []).append(launch["number"])
    return launches


def replay(smembank, path, number):
    """(accesses by pc, why there are none)"""
    run = subprocess.run([smembank, "analyze", path, "--launch", str(number), "--unknown", "skip", "--format", "json"],
                         capture_output=True, text=True)
    if run.returncode > 1:
        return None, run.stderr.strip().splitlines()[0]
    result = json.loads(run.stdout)
    by_pc = {}
    for access in result["accesses"]:
        by_pc.setdefault(access["pc"], []).append(access)
    for other in result.get("other_shared_traffic", []):
        by_pc.setdefault(other["pc"], []).append(other)
    return by_pc, None


def compare(measured, predicted):
    """Lists of pcs: equal, marked, wrong; with what differs."""
    equal, marked, wrong = [], [], []
    for pc, (source, executed, wavefronts) in sorted(measured.items()):
        accesses = predicted.get(pc, [])
        ours = sum(a["wavefronts"] or 0 for a in accesses)
        if ours == wavefronts:
            equal.append(pc)
        elif not accesses or not all(a.get("exact", True) for a in accesses):
            why = accesses[0].get("reason") if accesses else "no row"
            marked.append((pc, source, wavefronts, ours, why))
        else:
            wrong.append((pc, source, wavefronts, ours, [executed, sum(a["requests"] for a in accesses)]))
    return equal, marked, wrong


def assign(own, pages):
    """[(launch, page)], [launch]: those that are measured, and those of which that is not known."""
    forms = []  # [(opcodes, pages, launches)]
    for opcodes, page in pages:
        form = next((f for f in forms if f[0] == opcodes), None)
        if not form:
            forms.append(form := (opcodes, [], []))
        form[1].append(page)
    pairs, left = [], []
    for launch in own:
        text = {pc // 16: a[0]["opcode"] for pc, a in (launch[2] or {}).items() if a}
        fitting = [f for f in forms if all(i < len(f[0]) and f[0][i] == opcode for i, opcode in text.items())]
        (fitting[0][2] if len(fitting) == 1 else left).append(launch)
    for _, measured, launches in forms:
        if len(measured) == 2 * len(launches):  # ncu writes a kernel that has lines twice
            measured = measured[::2]
        if len(measured) == len(launches):
            pairs += zip(launches, measured)
        else:
            left += launches
    return sorted(pairs, key=lambda pair: pair[0][0]), left


def main():
    smembank, capture, page = sys.argv[1:4]
    only = set(map(int, sys.argv[4:]))
    pages = {}
    for name, opcodes, rows in read_pages(page):
        pages.setdefault(base_name(name), []).append((opcodes, rows))
    sums, lost = [0, 0, 0, 0], 0
    launches = read_launches(capture)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        replayed = {name: list(pool.map(lambda number: (number, name, *replay(smembank, capture, number)), numbers))
                    for name, numbers in launches.items()}
    for name, own in replayed.items():
        pairs, left = assign(own, pages.get(name, []))
        lost += len(left)
        if left:
            print(f"{name}: not compared, since ncu measured other launches: {[launch[0] for launch in left]}")
        for (number, _, predicted, failure), measured in pairs:
            if only and number not in only:
                continue
            if failure:
                sums[3] += len(measured)
                print(f"{number:4} {name}: refused: {failure} ({len(measured)} instructions)")
                continue
            equal, marked, wrong = compare(measured, predicted)
            for i, list_ in enumerate((equal, marked, wrong)):
                sums[i] += len(list_)
            print(f"{number:4} {name}: {len(equal)} equal, {len(marked)} marked, {len(wrong)} wrong")
            for pc, source, wavefronts, ours, why in (marked + wrong)[:6]:
                print(f"       {pc:#x} {source[:50]}: ncu {wavefronts:.0f}, here {ours}: {why}")
    print(f"instructions: {sums[0]} equal, {sums[1]} marked as not exact and different, {sums[2]} called exact and "
          f"different, {sums[3]} in refused launches; {lost} launches not compared")
    return 1 if sums[2] else 0


sys.exit(main())
