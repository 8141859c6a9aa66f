# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The micro-benchmarks of measure.sh on the clock's model: their own machine code, as the device's driver or nvcc compiled it, executed here, and the
# cycles of a row beside those that the device took.
#
#   python3 replay.py SMEMBANK FACTS.txt CUBINS DEVICE [every N-th]     SMEMBANK_UPDATE_GOLDEN=1: and writes replay.known anew
#
# replay.known has the rows that the model is known to miss: the device, the row, by how many percent, and why. A row fails that is more than 5 % off and
# is not there; one that is there and comes right, or is off by 3 points more or less than it says. What is written anew has the reasons that it had, and no row that
# comes right. Rows that follow pointers through global memory are left out: a launch of a cubin does not have that memory.
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KNOWN = f"{HERE}/replay.known"
# As facts.cu: copies of a text in the two kernels of a row, chains of each kernel, threads, and what is divided by.
ITERATIONS = 64
NUMBERS = (ITERATIONS, 1065353216, 981668463, 4607182869800910848, 4562254508917369340, 0)  # n, y, z, yd, zd, skip
TOLERANCE = 0.05
POINTS = 3  # by which a miss may differ from what replay.known says
ROUNDING = 0.005  # of what was measured
# As async.cu, and the drains of launches.cu.
ASYNC_ITERATIONS, ASYNC_SHARED = 32, 200 << 10


# As measure_edited() of facts.cu: texts of which the machine code was changed.
EDITED = ("banks_two", "banks_three", "banks_one", "banks_again", "viadd", "mix_viadd_imad")


def texts():
    """Name -> copies of the text in "few" and in "more", in the order of the table."""
    found = {}
    with open(f"{HERE}/instructions.def", encoding="utf-8") as file:
        for name, start, text in re.findall(r'^INSTRUCTION\("(\w+)", "[^"]*", \d+, (\w+), \d+, "([^"]*)"', file.read(), re.M):
            if start != "GLOBAL" or "[%g" in text and "atom." not in text:
                found[name] = (4, 12) if "#" in text else (12, 28)
    found.update((name, (12, 28)) for name in EDITED)
    return found


class Launch:
    """A launch of a cubin, whose cycles are predicted."""

    def __init__(self, cubin, entry, threads, blocks, *options):
        self.words = [f"{cubin}.cubin", "--entry", entry, "--block", str(threads), "--grid", str(blocks), *options]

    def predict(self, smembank, cubins, device):
        run = subprocess.run([smembank, "analyze", f"{cubins}/{self.words[0]}", *self.words[1:], "--unknown", "skip",
                              "--time", "--device", device, "--cache", "warm", "--format", "json"],
                             capture_output=True, text=True, check=False)
        if run.returncode != 0:
            return math.nan  # it cannot be executed here
        return json.loads(run.stdout)["time"].get("cycles", 0)


class Row:
    """The difference of two launches, divided by OF; MEASURED: what the device took."""

    def __init__(self, name, measured, few, more, of):
        self.name, self.measured, self.few, self.more, self.of = name, measured, few, more, of

    def predict(self, smembank, cubins, device):
        return (self.more.predict(smembank, cubins, device) - self.few.predict(smembank, cubins, device)) / self.of

    def is_close(self, predicted):
        return abs(predicted - self.measured) <= TOLERANCE * abs(self.measured) + ROUNDING

    def percent(self, predicted):
        """By how much the prediction is off; of what takes no time nothing can be said."""
        return 100 * (predicted / self.measured - 1) if self.measured and not math.isnan(predicted) else math.nan


class TextureRow(Row):
    """One of texture-unit.py: the third launch less the first."""

    def __init__(self, name, measured, of):
        super().__init__(name, measured, None, None, of)

    def predict(self, smembank, cubins, device):
        program = ["python3", f"{HERE}/texture-unit.py", f"{cubins}/texture_unit.cubin", self.name]
        run = subprocess.run([smembank, "run", "--time", "--device", device, "--format", "json", "--", *program], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            return math.nan
        cycles = {number: launch["time"].get("cycles", 0) for launch in json.loads(run.stdout)["ranking"] for number in launch["numbers"]}
        return (cycles[3] - cycles[1]) / self.of


def rows_of_text(name, copies, values):
    """What a text takes of a sub-partition that has four warps, and how long a chain of it is."""
    options = [word for i, value in enumerate(NUMBERS) for word in ("--arg", f"{i + 2}={value}")]
    of = (copies[1] - copies[0]) * 4 * ITERATIONS
    for kind, entry, threads, share in (("interval", "rate", 512, of * 4), ("latency", "chain", 32, of)):
        if f"{kind}.{name}" in values:
            few, more = (Launch(name, f"{entry}_{which}", threads, 1, *options) for which in ("few", "more"))
            yield Row(f"{kind}.{name}", values[f"{kind}.{name}"], few, more, share)


def row_of_async(name, value, threads, blocks, copies):
    """The tensor is not known, and neither is what is in it. "more" has three times as many copies as "few"."""
    options = ["--arg", f"3={ASYNC_ITERATIONS}"]
    if not name.startswith(("flow_", "registers_", "dispatch_")):  # of flow.cu, registers.cu and dispatch.cu, which have none
        options += ["--dynamic-bytes", str(ASYNC_SHARED)]
    if name.startswith("tensor"):
        options += [word for i in range(0, 128, 8) for word in ("--arg", f"4+{i}=u64:0")]
    few, more = (Launch(name.replace(".", "_"), entry, threads, blocks, *options) for entry in ("few", "more"))
    return Row(name, value, few, more, 2 * copies * ASYNC_ITERATIONS)


def row_of_launches(name, value, words):
    options = ["--dynamic-bytes", str(ASYNC_SHARED)] if name.startswith("drain.") else []
    few, more = (Launch("launches", words[i], words[i + 2], words[i + 1], "--arg", f"1={words[i + 3]}", *options) for i in (0, 4))
    return Row(name, value, few, more, float(words[9]))


def rows_of(path):
    """All rows that can be replayed, of a file of facts."""
    values, found = {}, []
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for line in lines:
        words = line.split()
        if len(words) > 1 and words[0].startswith(("interval.", "latency.")):
            values[words[0]] = float(words[1])
    for name, copies in texts().items():
        found += rows_of_text(name, copies, values)
    for line in lines:
        row = re.match(r"(\S+) +(\S+) .*\[(\d+) threads, (\d+) blocks, (\d+) copies\]$", line)
        if row:
            found.append(row_of_async(row.group(1), float(row.group(2)), *map(int, row.groups()[2:])))
        row = re.match(r"(\S+) +(\S+) .*\[launches (.*)\]$", line)
        if row:
            found.append(row_of_launches(row.group(1), float(row.group(2)), row.group(3).split()))
        row = re.match(r"(\S+) +(\S+) .*\[texture, of (\d+)\]$", line)
        if row:
            found.append(TextureRow(row.group(1), float(row.group(2)), int(row.group(3))))
    return found


def known():
    """(device, row) -> (percent, why it is missed), in the order of the file."""
    with open(KNOWN, encoding="utf-8") as file:
        lines = [line.strip().split(None, 3) for line in file if line.strip() and not line.startswith("#")]
    return {(device, row): (float(percent), reason) for device, row, percent, reason in lines}


def write_known(device, rows, found):
    """With the misses of these ROWS of DEVICE as they are FOUND, name -> percent; those that have no reason yet have none then either."""
    before, replayed = known(), {(device, row.name) for row in rows}
    missed = {key: value for key, value in before.items() if key not in replayed}
    missed.update({(device, name): (percent, before.get((device, name), (0, "not looked at"))[1]) for name, percent in found.items()})
    with open(KNOWN, encoding="utf-8") as file:
        head = [line for line in file if line.startswith("#")]
    with open(KNOWN, "w", encoding="utf-8") as file:
        file.writelines(head)
        file.writelines(f"{key[0]} {key[1]} {percent:+.0f} {reason}\n" for key, (percent, reason) in sorted(missed.items()))


def main(smembank, facts, cubins, device, every=1):
    missed, right, failed, found = known(), 0, 0, {}
    rows = rows_of(facts)[::every]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for row, predicted in zip(rows, pool.map(lambda row: row.predict(smembank, cubins, device), rows)):
            percent, note = row.percent(predicted), ""
            said, reason = missed.get((device, row.name), (None, None))
            if row.is_close(predicted):
                right += 1
                note = "" if said is None else f" <<< comes right, and was {said:+.0f} %: {reason}"
            else:
                found[row.name] = percent
                if said is None:
                    note = f" <<< {percent:+.1f} %"
                elif abs(percent - said) > POINTS or math.isnan(percent) != math.isnan(said):
                    note = f" <<< {percent:+.1f} %, and was {said:+.0f} %: {reason}"
            failed += note != ""
            print(f"{row.name:36} {predicted:9.2f}, measured {row.measured:9.2f}{note or (f' known: {reason}' if reason else '')}", flush=True)
    print(f"{len(rows)} rows: {right} within 5 %, {len(rows) - right} off, {failed} failed")
    if os.environ.get("SMEMBANK_UPDATE_GOLDEN"):
        write_known(device, rows, found)
        return 0
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit("usage: replay.py SMEMBANK FACTS.txt CUBINS DEVICE [EVERY]")
    sys.exit(main(*sys.argv[1:5], *(int(word) for word in sys.argv[5:])))
