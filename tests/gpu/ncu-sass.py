# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What analyze counts of machine code beside what ncu counted on the device, instruction by instruction.
#   ncu-sass.py SMEMBANK PACK TABLES [NAME]...
# PACK has NAME.O3.cubin and NAME.json (launches), which ncu-ptx.sh leaves; TABLES has NAME.O3.sass.csv, the source page
# of ncu of the launches in their order. Wavefronts must be equal at every instruction of shared memory, and requests as
# often as it was executed, unless it has a guard: with a false guard it is executed and asks for nothing.
import csv
import glob
import json
import os
import re
import shlex
import subprocess
import sys

SHARED = ("LDS", "STS", "ATOMS", "LDSM", "STSM", "LDGSTS", "LD", "ST", "ATOM")


def number(text):
    try:
        return int(float(text.replace(",", "")))
    except ValueError:
        return 0


def tables_of(path):
    """One table a launch: {pc: (text, executed, wavefronts)}."""
    tables, header, start = [], None, 0
    with open(path, newline="") as file:
        for row in csv.reader(file):
            if row and row[0] == "Kernel Name":
                tables.append({})
                header = None
            elif "Source" in row:
                header = {cell: i for i, cell in enumerate(row)}
                start = None
            elif header and len(row) >= len(header) and row[0].startswith("0x"):
                address = int(row[0], 16)
                start = address if start is None else start
                tables[-1][address - start] = (row[header["Source"]].strip(), number(row[header["Instructions Executed"]]),
                                               number(row[header["L1 Wavefronts Shared"]]) if "L1 Wavefronts Shared" in header else 0)
    return tables


def counts_of(smembank, cubin, launch, arch):
    words = shlex.split(launch["launch"], comments=True)
    words[words.index("--entry") + 1] = launch["entry"]
    run = subprocess.run([smembank, "analyze", cubin, *words, "--arch", arch, "--format", "json"], capture_output=True,
                         text=True)
    if run.returncode not in (0, 1) or not run.stdout:
        return None, (run.stderr.splitlines() or [f"status {run.returncode}"])[0]
    counts = {}
    for access in json.loads(run.stdout)["accesses"]:
        requests, wavefronts = counts.get(access["pc"], (0, 0))
        counts[access["pc"]] = (requests + (access["requests"] or 0), wavefronts + (access["wavefronts"] or 0))
    return counts, None


def differences(table, counts):
    """Instructions that differ, in words; how many of shared memory were executed."""
    wrong, n = [], 0
    for pc, (text, executed, wavefronts) in sorted(table.items()):
        words = text.split()
        guard = words[0] if words[0].startswith("@") else ""
        opcode = words[1 if guard else 0].split(".")[0]
        requests, counted = counts.get(pc, (0, 0))
        if opcode not in SHARED or guard == "@!PT":
            if pc in counts and counted:
                wrong.append(f"0x{pc:x} {text}: counted {requests}, {counted}")
            continue
        n += executed > 0
        if wavefronts != counted or (not guard and wavefronts and executed != requests):
            wrong.append(f"0x{pc:x} {text}: ncu {executed}, {wavefronts}; counted {requests}, {counted}")
    return wrong, n


def main():
    smembank, pack, folder = sys.argv[1:4]
    names = sys.argv[4:] or sorted(re.sub(r"\.O3\.sass\.csv$", "", os.path.basename(path))
                                   for path in glob.glob(f"{folder}/*.O3.sass.csv"))
    equal = launches = instructions = different = refused = 0
    for name in names:
        if not os.path.exists(f"{pack}/{name}.json"):
            continue
        with open(f"{pack}/{name}.json") as file:
            planned = json.load(file)
        tables = tables_of(f"{folder}/{name}.O3.sass.csv")
        if len(tables) == 2 * len(planned):  # every launch was run twice: once for its profile alone
            tables = tables[::2]
        if len(tables) != len(planned):
            print(f"{name}: {len(planned)} launches, {len(tables)} tables")
        for index, (launch, table) in enumerate(zip(planned, tables)):
            launches += 1
            counts, error = counts_of(smembank, f"{pack}/{name}.O3.cubin", launch, os.environ.get("ARCH", "sm_90"))
            if error:
                refused += 1
                print(f"{name} {index} {launch['launch']}: refused: {error}")
                continue
            wrong, n = differences(table, counts)
            instructions += n
            different += len(wrong)
            equal += not wrong
            for line in wrong:
                print(f"{name} {index} {launch['launch']}: {line}")
    print(f"{launches} launches: {equal} equal, {refused} refused; {instructions} instructions of shared memory, "
          f"{different} different")
    return launches != equal


sys.exit(main())
