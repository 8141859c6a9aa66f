# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What time.sh measured, as rows of a table, and their division into those that a model may look at and those that it may not.
#
#   python3 time.py rows FOLDER NAME... >ROWS.csv      a row for each launch of FOLDER/NAME.csv with its number in NAME.capture
#   python3 time.py split ROWS.csv SEEN.csv HELD.csv SMALL.csv
#
# split: launches under 10 us, or of fewer blocks than the device has multiprocessors, or of more than 2e8 instructions, are
# SMALL. The others are divided at random, by a fixed seed, all launches of a kernel to the same side, so that no kernel that was
# looked at is among those held back.
import csv
import json
import random
import sys
import tarfile

STALL, STALL_END = "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"
PIPE = "sm__inst_executed_pipe_"
COLUMNS = {
    "cycles_elapsed": "sm__cycles_elapsed.max", "cycles_active": "sm__cycles_active.avg", "us": "gpu__time_duration.sum",
    "sm_ghz": "sm__cycles_elapsed.avg.per_second", "l2_ghz": "lts__cycles_elapsed.avg.per_second",
    "dram_ghz": "dram__cycles_elapsed.avg.per_second",
    "issued": "smsp__inst_issued.sum", "executed": "smsp__inst_executed.sum", "issued_most": "smsp__inst_issued.max",
    "lsu_wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "writeback": "l1tex__lsu_writeback_active.sum",
    "l1_sectors": "l1tex__t_sectors.sum", "l1_hits": "l1tex__t_sectors_lookup_hit.sum",
    "l1_misses": "l1tex__t_sectors_lookup_miss.sum", "l2_sectors": "lts__t_sectors.sum",
    "l2_hits": "lts__t_sectors_lookup_hit.sum", "l2_misses": "lts__t_sectors_lookup_miss.sum",
    "dram_read": "dram__bytes_read.sum", "dram_write": "dram__bytes_write.sum",
    "warps_active": "sm__warps_active.avg.per_cycle_active", "tensor_cycles": "sm__pipe_tensor_cycles_active.avg",
    "registers": "launch__registers_per_thread", "static_bytes": "launch__shared_mem_per_block_static",
    "dynamic_bytes": "launch__shared_mem_per_block_dynamic", "shared_config": "launch__shared_mem_config_size",
    "limit_blocks": "launch__occupancy_limit_blocks", "limit_registers": "launch__occupancy_limit_registers",
    "limit_shared": "launch__occupancy_limit_shared_mem", "limit_warps": "launch__occupancy_limit_warps",
    "waves": "launch__waves_per_multiprocessor",
}
SCALE = {"us": 1e-3, "sm_ghz": 1e-9, "l2_ghz": 1e-9, "dram_ghz": 1e-9}
HEAD = ["name", "program", "launch", "entry", "symbol", "grid", "block", *COLUMNS, "pipes", "stalls"]
SEED = 20261128
MULTIPROCESSORS = 132


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def short(value):
    return "" if value is None else f"{value:.6g}" if value != int(value) else str(int(value))


def launches_of(capture):
    """The launches of a capture, in order."""
    found = []
    with tarfile.open(capture) as archive:
        for member in archive:
            if member.name.startswith("launches/"):
                found.append(json.load(archive.extractfile(member)))
    return sorted(found, key=lambda launch: launch["number"])


def measured(path):
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    return [row for row in rows if row.get("ID")]  # without the row of units


def three(text):
    return " ".join(text.strip("()").replace(",", " ").split())


def rows(folder, names):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(HEAD)
    for name in names:
        try:
            profile, captured = measured(f"{folder}/{name}.csv"), launches_of(f"{folder}/{name}.capture")
        except (OSError, tarfile.TarError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        if len(profile) != len(captured):
            print(f"{name}: {len(profile)} launches by ncu, {len(captured)} captured", file=sys.stderr)
        for row, launch in zip(profile, captured):
            grid, block = three(row["Grid Size"]), three(row["Block Size"])
            if grid != " ".join(map(str, launch["grid"])) or block != " ".join(map(str, launch["block"])):
                print(f"{name} {launch['number']}: another launch than ncu's", file=sys.stderr)
                break
            values = {key: number(row.get(metric, "")) for key, metric in COLUMNS.items()}
            for key, scale in SCALE.items():
                values[key] = values[key] * scale if values[key] is not None else None
            by = {}
            for prefix, end in ((STALL, STALL_END), (PIPE, ".sum")):
                by[prefix] = " ".join(f"{key[len(prefix):-len(end)]}={number(text):.6g}" for key, text in row.items()
                                      if key.startswith(prefix) and key.endswith(end) and number(text))
            out.writerow([f"{name}.{launch['number']}", name, launch["number"], row["Kernel Name"], launch["kernel"], grid, block,
                          *(short(values[key]) for key in COLUMNS), by[PIPE], by[STALL]])


def blocks_of(row):
    count = 1
    for n in row["grid"].split():
        count *= int(n)
    return count


def family(row):
    """Launches of one family are on one side: all forms of a kernel in programs whose names begin alike (up to '_')."""
    return row["program"].split("_")[0] + " " + row["entry"].replace("<unnamed>::", "").split("(")[0].split("<")[0].replace("void ", "").strip()


def split(path, seen, held, small):
    with open(path, encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    families, other, before = {}, [], set()
    for row in table:
        # A launch that is repeated is one.
        key = (row["program"], row["symbol"], row["grid"], row["block"], row["dynamic_bytes"], round(float(row["executed"] or 0), -2))
        if key in before:
            continue
        before.add(key)
        fills = float(row["us"] or 0) >= 10 and blocks_of(row) >= MULTIPROCESSORS and 0 < float(row["executed"] or 0) <= 2e8
        (families.setdefault(family(row), []) if fills else other).append(row)
    names = sorted(families)
    random.Random(SEED).shuffle(names)
    sides = [], []
    for name in names:
        min(sides, key=len).extend(families[name])
    for side, file_name in zip((*sides, other), (seen, held, small)):
        with open(file_name, "w", encoding="utf-8") as file:
            out = csv.DictWriter(file, table[0].keys(), lineterminator="\n")
            out.writeheader()
            out.writerows(side)
        print(f"{file_name}: {len(side)}")


if __name__ == "__main__":
    if len(sys.argv) > 3 and sys.argv[1] == "rows":
        rows(sys.argv[2], sys.argv[3:])
    elif len(sys.argv) == 6 and sys.argv[1] == "split":
        split(*sys.argv[2:])
    else:
        sys.exit(__doc__ or "usage: time.py rows FOLDER NAME... | split ROWS SEEN HELD SMALL")
