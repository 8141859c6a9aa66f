# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# How far the predicted times are off: launches that time.sh captured and measured, predicted anywhere.
#
#   python3 accuracy.py SMEMBANK CAPTURES ROWS.csv... >PREDICTED.csv       predicts each row, at the clock that it was measured at
#   python3 accuracy.py table PREDICTED.csv                                the tables of doc/time.md: by what limits
#   python3 accuracy.py pairs PREDICTED.csv... PAIRS.csv                   gains of removing conflicts, and conflicts that cost nothing
#
# CAPTURES is the folder with the captures, which are not part of the project.
import concurrent.futures
import csv
import json
import os
import statistics
import subprocess
import sys

COLUMNS = ["name", "entry", "measured", "predicted", "without_conflicts", "bound_by", "why"]
WORKERS = os.cpu_count()
COSTS_NOTHING = 1.01  # a smaller predicted gain is said to be none
GAINS = 1.03  # a larger measured gain is one


def predict(program, captures, row):
    command = [program, "analyze", f"{captures}/{row['program']}.capture", "--launch", row["launch"], "--time", "--device", "h200",
               "--clock", row["sm_ghz"], "--format", "json", "--unknown", "skip"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = {"name": row["name"], "entry": row["entry"], "measured": row["cycles_elapsed"]}
    if done.returncode != 0:
        return found | {"why": done.stderr.strip()}
    time = json.loads(done.stdout)["time"]
    if "cycles" not in time:
        return found | {"why": time["unknown"]}
    return found | {"predicted": f"{time['cycles']:.0f}", "without_conflicts": f"{time['without_conflicts']['cycles']:.0f}",
                    "bound_by": time["bound_by"]}


def read(paths):
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows += csv.DictReader(file)
    return rows


def write_predictions(program, captures, paths):
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        out.writerows(pool.map(lambda row: predict(program, captures, row), read(paths)))


def line(title, total, errors):
    """The row of a table: how many were predicted, and how far they were off."""
    within = " | ".join(str(sum(e <= bound for e in errors)) for bound in (0.05, 0.10, 0.25))
    return (f"| {title} | {len(errors)} of {total} | {100 * statistics.median(errors):.1f} % | {100 * statistics.mean(errors):.1f} % | "
            f"{within} | {100 * max(errors):.0f} % |")


def write_table(path):
    rows = read([path])
    known = [(row["bound_by"], abs(float(row["predicted"]) / float(row["measured"]) - 1)) for row in rows if row["predicted"]]
    print("| limited by | predicted | median | mean | within 5 % | within 10 % | within 25 % | worst |\n|---|---|---|---|---|---|---|---|")
    for limit in sorted({limit for limit, _ in known}):
        errors = [error for by, error in known if by == limit]
        print(line(limit, len(errors), errors))
    print(line("all", len(rows), [error for _, error in known]))


def write_pairs(paths):
    rows = {row["name"]: row for row in read(paths[:-1]) if row["predicted"]}
    errors, free, wrong = [], 0, 0
    for pair in read(paths[-1:]):
        if pair["conflicts"] not in rows or pair["without"] not in rows:
            continue
        now, then = rows[pair["conflicts"]], rows[pair["without"]]
        measured = float(now["measured"]) / float(then["measured"])
        predicted = float(now["predicted"]) / float(then["predicted"])
        alone = float(now["predicted"]) / float(now["without_conflicts"])
        errors.append(abs(predicted / measured - 1))
        if alone < COSTS_NOTHING:
            free += 1
            wrong += measured >= GAINS
        print(f"| {pair['kernel']} | {measured:.2f} | {predicted:.2f} | {alone:.2f} |")
    if errors:
        print(f"{len(errors)} pairs, gains off by {100 * statistics.mean(errors):.1f} % on average, {100 * max(errors):.0f} % at worst; "
              f"conflicts of {free} were said to cost nothing, of which {wrong} gained {100 * (GAINS - 1):.0f} % or more")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "table":
        write_table(sys.argv[2])
    elif len(sys.argv) > 3 and sys.argv[1] == "pairs":
        write_pairs(sys.argv[2:])
    elif len(sys.argv) > 3:
        write_predictions(sys.argv[1], sys.argv[2], sys.argv[3:])
    else:
        sys.exit("usage: accuracy.py SMEMBANK CAPTURES ROWS.csv... | table PREDICTED.csv | pairs PREDICTED.csv... PAIRS.csv")
