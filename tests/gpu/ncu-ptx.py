# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The tables of ncu-ptx.sh: 'predict' writes what analyze counts and how to launch, 'compare' sets ncu's counts beside.
import collections
import csv
import glob
import json
import os
import re
import shlex
import subprocess
import sys

from launches import describe, entries_of, launches_of, plain

KINDS = ("load", "store", "atomic", "ldmatrix", "stmatrix", "async")
OPCODES = {"ld": "load", "st": "store", "atom": "atomic", "red": "atomic", "ldmatrix": "ldmatrix",
           "stmatrix": "stmatrix", "cp": "async"}
SASS = {"LDS": "load", "STS": "store", "ATOMS": "atomic", "LDSM": "ldmatrix", "STSM": "stmatrix", "LDGSTS": "async",
        "LD": "load", "ST": "store", "ATOM": "atomic"}


def predict(smembank, folder, name):
    with open(f"{folder}/{name}.ptx") as file:
        entries = entries_of(file.read())
    names = {plain(mangled): mangled for mangled in entries}
    predictions = []
    with open(f"{folder}/{name}.list", "w") as file:
        for text in launches_of(folder, name):
            words = shlex.split(text, comments=True)
            mangled = names[words[words.index("--entry") + 1].replace(" ", "")]
            file.write(describe(words, entries, mangled))
            run = subprocess.run([smembank, "analyze", f"{folder}/{name}.ptx", *words, "--format", "json"],
                                 capture_output=True, text=True)
            accesses, refused = [], None
            if run.returncode == 0:
                for access in json.loads(run.stdout)["accesses"]:
                    kind = OPCODES.get(access["opcode"].split(".")[0])
                    if not kind:  # matrices of wmma, which are listed and not counted
                        continue
                    accesses.append({"line": access["line"], "file": os.path.basename(access["file"] or ""), "kind": kind,
                                     "requests": access["requests"], "wavefronts": access["wavefronts"],
                                     "opcode": access["opcode"], "exact": access["exact"], "reason": access["reason"]})
            else:
                refused = run.stderr.splitlines()[0] if run.stderr else f"status {run.returncode}"
            predictions.append({"launch": text, "entry": mangled, "accesses": accesses, "refused": refused})
    with open(f"{folder}/{name}.json", "w") as file:
        json.dump(predictions, file, indent=1)


def number(text):
    try:
        return int(float(text.replace(",", "")))
    except ValueError:
        return 0


def sass_tables(path):
    """One table for each kernel of the report, in order: [(opcode, requests, wavefronts, whether it is guarded)]."""
    tables, header = [], None
    if not os.path.exists(path):
        return tables
    with open(path, newline="") as file:
        for row in csv.reader(file):
            if "Source" in row and any("Instructions Executed" in cell for cell in row):
                header = {cell: i for i, cell in enumerate(row)}
                tables.append([])
                continue
            if header is None or len(row) < len(header):
                continue
            words = row[header["Source"]].split()
            words = words[1:] if words and words[0].startswith("@") else words
            if not words or not re.match(r"^[A-Z]", words[0]):
                continue
            if row[0] in ("0", "1") and tables[-1] and "#" in header and header["#"] == 0 and number(row[0]) < len(tables[-1]) - 1:
                tables.append([])
            guard = row[header["Source"]].split()[0] if row[header["Source"]].lstrip().startswith("@") else ""
            tables[-1].append((words[0], 0 if guard == "@!PT" else number(row[header["Instructions Executed"]]),
                               number(row[header["L1 Wavefronts Shared"]]) if "L1 Wavefronts Shared" in header else 0, bool(guard)))
    return tables


def lines_of(path, source):
    """Function -> {offset: line of the source file, the innermost}."""
    functions, current, lines, innermost = {}, None, None, True
    if not os.path.exists(path):
        return functions
    line = None
    with open(path) as file:
        for text in file:
            if m := re.match(r"\s*\.section\s+\.text\.([\w$]+)", text):
                current = functions.setdefault(m.group(1), {})
                line = None
            elif m := re.match(r'\s*//## File "([^"]*)", line (\d+)', text):
                own = os.path.basename(m.group(1)) == source
                if innermost:
                    line = None
                if line is None and own:
                    line = int(m.group(2))
                innermost = False
            elif current is not None and (m := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+\S", text)):
                current[int(m.group(1), 16)] = line
                innermost = True
    return functions


def raw_rows(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    start = next((i for i, row in enumerate(rows) if row[0] == "ID"), None)
    return [] if start is None else [dict(zip(rows[start], row)) for row in rows[start + 2:]]


def raw_counts(row):
    counts = {}
    for kind, op, request in (("load", "ld", "shared_ld"), ("store", "st", "shared_st"), ("atomic", "atom", "shared_atom"),
                              ("ldmatrix", "ldsm", "ldsm"), ("stmatrix", "stsm", "stsm"), ("async", "ldgsts", None)):
        waves = row.get(f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum", "0")
        requests = row.get(f"smsp__sass_inst_executed_op_{request}.sum", "0") if request else "0"
        counts[kind] = (number(requests), number(waves))
    return counts


def sass_counts(table, lines):
    totals, by_line = collections.Counter(), collections.Counter()
    for i, (opcode, requests, waves, guarded) in enumerate(table):
        stem = opcode.split(".")[0]
        kind = SASS.get(stem)
        if not kind or (stem in ("LD", "ST", "ATOM") and waves == 0):
            continue
        for what, count in (("requests", requests), ("wavefronts", waves), ("guarded", requests if guarded else 0)):
            totals[kind, what] += count
            by_line[lines.get(16 * i), kind, what] += count
    return totals, by_line


def predicted_counts(prediction):
    """Totals, counts of lines, and the least and the most that the totals can be."""
    totals, by_line, least, most = (collections.Counter() for _ in range(4))
    for access in prediction["accesses"]:
        span = re.search(r"(\d+) to (\d+) requests and (\d+) to (\d+) wavefronts", access["reason"] or "")
        spans = [int(n) for n in span.groups()] if span else [access["requests"]] * 2 + [access["wavefronts"]] * 2
        for i, what in enumerate(("requests", "wavefronts")):
            totals[access["kind"], what] += access[what]
            by_line[access["line"], access["kind"], what] += access[what]
            least[access["kind"], what] += spans[2 * i]
            most[access["kind"], what] += spans[2 * i + 1]
    return totals, by_line, least, most


def agree(kind, ours, theirs, guarded, level):
    """(whether they are equal, what is known of why they are not or why they are all the same)"""
    if kind != "async" and ours[1] != theirs[1]:
        atomic = kind == "atomic" and level == "O0" and ours[0] <= theirs[0] <= ours[0] + guarded
        return False, "ptxas -O0 makes ATOMS of atomicAdd(p, 1), which by default is POPC.INC" if atomic else ""
    if ours[0] < theirs[0] <= ours[0] + guarded:
        return True, "ncu counts guarded instructions also where no lane executes them"
    return ours[0] == theirs[0], ""


def show(counts, kind):
    return f"{counts[kind, 'requests']}/{counts[kind, 'wavefronts']}"


def compare_launch(prediction, table, row, lines, tally, level):
    if prediction["refused"]:
        tally["refused"] += 1
        print(f"  refused: {prediction['refused']}")
    predicted, by_line, least, most = predicted_counts(prediction)
    measured, measured_lines = sass_counts(table, lines) if table else (collections.Counter(), collections.Counter())
    if row is None and not table:
        tally["not measured"] += 1
        print("  not measured")
        return
    if not table:
        for kind, (requests, waves) in raw_counts(row).items():
            measured[kind, "requests"], measured[kind, "wavefronts"] = requests, waves
    verdicts = set()
    for kind in KINDS:
        if kind == "async" and not table:
            continue
        ours, theirs = ([counts[kind, what] for what in ("requests", "wavefronts")] for counts in (predicted, measured))
        same, reason = agree(kind, ours, theirs, measured[kind, "guarded"], level)
        held = all(least[kind, what] <= measured[kind, what] <= most[kind, what]
                   for what in (("requests",) if kind == "async" else ("requests", "wavefronts")))
        verdict = "equal" if same else "within the range" if held else "DIFFERENT"
        verdicts.add(verdict)
        if any(ours + theirs):
            print(f"  {kind:9} predicted {show(predicted, kind):>15}  measured {show(measured, kind):>15}  {verdict:16}  {reason}".rstrip())
    if table and row:
        raw = raw_counts(row)
        print("  totals by ncu's metrics: " + ", ".join(f"{k} {r}/{w}" for k, (r, w) in raw.items() if r or w))
    exact = all(access["exact"] for access in prediction["accesses"])
    for access in prediction["accesses"]:
        if not access["exact"]:
            print(f"  not exact: line {access['line']}: {access['reason']}")
    if table and not lines:
        print("  no table of lines")
    elif table:
        places = sorted({(l, k) for l, k, _ in by_line} | {(l, k) for l, k, _ in measured_lines}, key=lambda p: (p[0] or 0, p[1]))
        same = 0
        for line, kind in places:
            ours = (by_line[line, kind, "requests"], by_line[line, kind, "wavefronts"])
            theirs = (measured_lines[line, kind, "requests"], measured_lines[line, kind, "wavefronts"])
            alike, reason = agree(kind, ours, theirs, measured_lines[line, kind, "guarded"], level)
            same += alike
            if not alike or reason:
                verdict = "equal" if alike else "DIFFERENT"
                print(f"    line {line} {kind}: predicted {ours[0]}/{ours[1]}, measured {theirs[0]}/{theirs[1]}  {verdict}  {reason}".rstrip())
        print(f"  lines: {same} of {len(places)} equal")
        tally["lines"] += len(places)
        tally["lines equal"] += same
    if not prediction["refused"]:
        verdict = "different" if "DIFFERENT" in verdicts else "within the range" if "within the range" in verdicts else "equal"
        tally[verdict + ("" if exact else ", not exact")] += 1


def compare(folder, results):
    summary = {}
    for level in ("O0", "O3"):
        tally = summary[level] = collections.Counter()
        for path in sorted(glob.glob(f"{folder}/*.list")):
            name = os.path.basename(path)[:-5]
            with open(f"{folder}/{name}.json") as file:
                predictions = json.load(file)
            out = f"{results}/{name}.{level}"
            tables, rows, functions = sass_tables(out + ".sass.csv"), raw_rows(out + ".raw.csv"), lines_of(out + ".sass", name + ".cu")
            if len(tables) == 2 * len(rows) and tables[0::2] == tables[1::2]:  # ncu writes each of them twice
                tables = tables[0::2]
            if len(tables) != len(rows):
                print(f"{name} {level}: {len(rows)} launches, but {len(tables)} tables of instructions: totals only")
                tables = []
            for i, prediction in enumerate(predictions):
                print(f"{name}.cu -{level}: {prediction['launch']}")
                tally["launches"] += 1
                compare_launch(prediction, tables[i] if i < len(tables) else None, rows[i] if i < len(rows) else None,
                               functions.get(prediction["entry"], {}), tally, level)
    for level, tally in summary.items():
        print(f"-{level}: " + ", ".join(f"{what} {count}" for what, count in tally.items()))


if sys.argv[1] == "predict":
    predict(*sys.argv[2:])
else:
    compare(*sys.argv[2:])
