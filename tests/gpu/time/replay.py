# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The micro-benchmarks of facts.cu, async.cu and flow.cu on the clock's model: their own machine code, as the device's driver compiled it, executed here, and
# the cycles of a text beside those that the device took.
#
#   python3 replay.py SMEMBANK FACTS.txt CUBINS DEVICE [every N-th]
#
# replay.known has the rows that the model is known to miss, or patterns of them ("flow_*.32"), with the reason. Any other that is more than 5 % off fails. Rows that follow
# pointers through global memory are left out: a launch of a cubin does not have that memory.
import concurrent.futures
import fnmatch
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# As facts.cu: copies of a text in the two kernels of a row, chains of each kernel, threads, and what is divided by.
ITERATIONS = 64
NUMBERS = (ITERATIONS, 1065353216, 981668463, 4607182869800910848, 4562254508917369340, 0)  # n, y, z, yd, zd, skip
TOLERANCE = 0.05
ROUNDING = 0.005  # of what was measured
# As async.cu.
ASYNC_ITERATIONS, ASYNC_SHARED = 32, 200 << 10


def rows():
    """Name -> (few, more), in the order of the table."""
    found = {}
    with open(f"{HERE}/instructions.def", encoding="utf-8") as file:
        for name, start, text in re.findall(r'^INSTRUCTION\("(\w+)", "[^"]*", \d+, (\w+), \d+, "([^"]*)"', file.read(), re.M):
            if start != "GLOBAL" or "[%g" in text and "atom." not in text:
                found[name] = (4, 12) if "#" in text else (12, 28)
    return found


def measured(path):
    with open(path, encoding="utf-8") as file:
        return {words[0]: float(words[1]) for words in (line.split() for line in file)
                if len(words) > 1 and words[0].startswith(("interval.", "latency."))}


def known(names):
    """Name -> why it is missed."""
    with open(f"{HERE}/replay.known", encoding="utf-8") as file:
        reasons = [line.split(None, 1) for line in file if line.strip() and not line.startswith("#")]
    return {name: reason for name in names for pattern, reason in reasons if fnmatch.fnmatchcase(name, pattern)}


def async_rows(path):
    """Name -> (measured, threads, blocks, copies in "few"; "more" has three times as many): rows of async.cu."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            launch = re.match(r"(\S+) +(\S+) .*\[(\d+) threads, (\d+) blocks, (\d+) copies\]$", line)
            if launch:
                found[launch.group(1)] = (float(launch.group(2)), *map(int, launch.groups()[2:]))
    return found


def predict(smembank, cubin, entry, threads, blocks, device, options):
    run = subprocess.run([smembank, "analyze", cubin, "--entry", entry, "--block", str(threads), "--grid", str(blocks), "--unknown", "skip",
                          "--time", "--device", device, "--cache", "warm", "--format", "json", *options],
                         capture_output=True, text=True, check=False)
    if not run.stdout:
        raise RuntimeError(run.stderr.strip())
    return json.loads(run.stdout)["time"].get("cycles", 0)


def cycles(smembank, cubin, entry, threads, device):
    values = [word for i, value in enumerate(NUMBERS) for word in ("--arg", f"{i + 2}={value}")]
    return predict(smembank, cubin, entry, threads, 1, device, values)


def replay_async(smembank, cubins, name, threads, blocks, copies, device):
    """The tensor is not known, and neither is what is in it."""
    options = ["--arg", f"3={ASYNC_ITERATIONS}"]
    if not name.startswith("flow_"):  # of flow.cu, which has none
        options += ["--dynamic-bytes", str(ASYNC_SHARED)]
    if name.startswith("tensor"):
        options += [word for i in range(0, 128, 8) for word in ("--arg", f"4+{i}=u64:0")]
    few, more = (predict(smembank, f"{cubins}/{name.replace('.', '_')}.cubin", entry, threads, blocks, device, options)
                 for entry in ("few", "more"))
    return (more - few) / (2 * copies * ASYNC_ITERATIONS)


def replay(smembank, cubin, few, more, device):
    texts = (more - few) * 4 * ITERATIONS
    interval = cycles(smembank, cubin, "rate_more", 512, device) - cycles(smembank, cubin, "rate_few", 512, device)
    chain = cycles(smembank, cubin, "chain_more", 32, device) - cycles(smembank, cubin, "chain_few", 32, device)
    return interval / texts / 4, chain / texts


def close(predicted, real):
    return abs(predicted - real) <= TOLERANCE * abs(real) + ROUNDING


def main(smembank, facts, cubins, device, every=1):
    real, failed, right, count = measured(facts), 0, 0, 0
    table = [row for row in rows().items() if "interval." + row[0] in real][::every]
    others = list(async_rows(facts).items())[::every]
    missed = known([name for name, _ in table + others])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda row: replay(smembank, f"{cubins}/{row[0]}.cubin", *row[1], device), table)
        for (name, _), (interval, chain) in zip(table, results):
            good = close(interval, real["interval." + name]) and close(chain, real["latency." + name])
            count += 1
            right += good
            note = "" if good else f" known: {missed[name].strip()}" if name in missed else " <<< more than 5 % off"
            failed += not good and name not in missed
            print(f"{name:22} interval {interval:7.2f}, measured {real['interval.' + name]:7.2f}; "
                  f"chain {chain:7.2f}, measured {real['latency.' + name]:7.2f}{note}"
                  + (" (no longer off: take it out of replay.known)" if good and name in missed else ""))
        results = pool.map(lambda row: replay_async(smembank, cubins, row[0], *row[1][1:], device), others)
        for (name, (value, *_)), result in zip(others, results):
            good = close(result, value)
            count += 1
            right += good
            note = "" if good else f" known: {missed[name].strip()}" if name in missed else " <<< more than 5 % off"
            failed += not good and name not in missed
            print(f"{name:36} {result:9.2f}, measured {value:9.2f}{note}"
                  + (" (no longer off: take it out of replay.known)" if good and name in missed else ""))
    print(f"{count} rows: {right} within 5 %, {count - right - failed} known to be off, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) not in (5, 6):
        sys.exit("usage: replay.py SMEMBANK FACTS.txt CUBINS DEVICE [EVERY]")
    sys.exit(main(*sys.argv[1:5], *(int(word) for word in sys.argv[5:])))
