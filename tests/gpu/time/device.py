# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A device's file (data/devices) of what facts.cu measured.
#
#   python3 device.py FACTS.txt BASE.ini >NEW.ini     BASE: of a similar device, for what is not measured there
#   python3 device.py compare FACTS.txt DEVICE.ini    exits with 1 if a number of the file is more than 4 % off what was measured
#
# What only whole launches tell (time.sh), and what BASE alone says, is taken over and marked so.
import os
import re
import sys


def interval(name):
    return lambda f: f["interval." + name]


def latency(name):
    return lambda f: f["latency." + name]


def fact(name, scale=1):
    return lambda f: f[name] * scale


def queue_entries(f):
    """How many a warp issues at the interval of the first two; the one that waits is the next. None: none waits, as nvcc has it."""
    after = f["queue.lds_32way.1"]
    step = after[1] - after[0]
    return next((k for k in range(1, len(after)) if after[k] > after[0] + k * step), None)


def l1_bytes(f):
    """The largest set whose lines are all found again."""
    chases = sorted((int(name[9:-3]), value) for name, value in f.items() if name.startswith("chase_l1."))
    least = min(value for _, value in chases)
    return max(kib for kib, value in chases if value < 1.2 * least) * 1024


def slope(f):
    """Cycles for each further warp of short blocks, from those of 1 to those of 8 (of 32 threads to 256)."""
    return (f["block_interval.1024.short_blocks"] - f["block_interval.32.short_blocks"]) / 31


SLICES = 64  # of the second-level cache: assumed

# Key of [time]: how it follows from the facts, and of which one.
TIME = {
    "float": (lambda f: 2 * f["interval.ffma"], "interval.ffma: twice, as two halves take turns"),
    "half": (lambda f: 2 * f["interval.hadd2"], "interval.hadd2: twice, as two pipes take turns"),
    "multiply": (interval("imad"), "interval.imad"),
    "multiply-wide": (interval("imad_hi"), "interval.imad_hi"),
    "logic": (interval("lop3"), "interval.lop3"),
    "vote": (lambda f: f["interval.vote"] - f["interval.isetp"], "interval.vote, less its ISETP"),
    "double": (interval("dadd"), "interval.dadd"),
    "uniform": (interval("upopc"), "interval.upopc"),
    "tensor": (interval("hmma_16816_f32"), "interval.hmma_16816_f32"),
    "tensor-short": (interval("hmma_1688_f32"), "interval.hmma_1688_f32"),
    "tensor-double": (interval("dmma_884"), "interval.dmma_884"),
    "special": (interval("mufu_ex2"), "interval.mufu_ex2"),
    "convert": (interval("f2i"), "interval.f2i"),
    "convert-wide": (lambda f: f["interval.f2f"] / 2, "interval.f2f: of two"),
    "count": (interval("popc"), "interval.popc"),
    "to-uniform": (interval("s2ur"), "interval.s2ur"),
    "constant": (interval("ldc"), "interval.ldc"),
    "queue-entries": (queue_entries, "queue.lds_32way.1: how many go out before one waits"),
    "register-interval": (lambda f: f["one_sub.sts_64"] - f["one_sub.sts_32"], "one_sub.sts_64 - one_sub.sts_32"),
    "same-warp-interval": (lambda f: f["one_warp.lds_32_32way"] / 32, "one_warp.lds_32_32way: of 32 wavefronts"),
    "shared-latency": (latency("lds_32"), "latency.lds_32"),
    "wavefront-latency": (lambda f: (f["latency.lds_32_32way"] - f["latency.lds_32"]) / 31, "latency.lds_32_32way: of 31 more"),
    "shuffle-latency": (latency("shfl_bfly"), "latency.shfl_bfly"),
    "special-latency": (latency("mufu_ex2"), "latency.mufu_ex2"),
    "system-latency": (latency("s2r"), "latency.s2r"),
    "constant-latency": (latency("ldc"), "latency.ldc"),
    "barrier-arrival": (lambda f: (f["barrier.16"] - f["barrier.1"]) / 15, "barrier.16 - barrier.1: of 15 warps"),
    "barrier-latency": (lambda f: f["barrier.1"] - (f["barrier.16"] - f["barrier.1"]) / 15, "barrier.1, less one arrival"),
    "barrier-register-arrival": (lambda f: f["named.16"] / 16, "named.16: of 16 warps"),
    "barrier-register-latency": (lambda f: f["named.2"] - f["barrier.1"] + 2 - f["named.16"] / 8 - 1,
                                 "named.2, less barrier.1, its arrivals and its issue"),
    "cluster-latency": (lambda f: f["cluster_relaxed.32"] - 9, "cluster_relaxed.32, less the issue of its instructions"),
    "phase-interval": (lambda f: f["mbarrier_arrive"] / 2, "mbarrier_arrive: half, as a warp comes half as often"),
    "phase-latency": (lambda f: f["mbarrier_done"] - 5, "mbarrier_done, less its branch"),
    "tensor-group": (lambda f: (f["wgmma.f16.256"] - f["wgmma.f16.128"]) / 16, "wgmma.f16.256 - wgmma.f16.128: of 128 columns"),
    "group-latency": (lambda f: f["wgmma_wait.f16.64"] - 40, "wgmma_wait.f16.64, less its 32 cycles and the issue of 3 instructions"),
    "group-left-latency": (lambda f: f["wgmma_wait.f16_a_in_registers.64"] - 40, "wgmma_wait.f16_a_in_registers.64: the same"),
    "double-product-latency": (lambda f: f["latency.dmma_884"] - f["interval.dmma_884"], "latency.dmma_884 - interval.dmma_884"),
    "double-product-rows": (lambda f: f["latency.dmma_1684"] - f["interval.dmma_1684"] - f["latency.dmma_884"] + f["interval.dmma_884"],
                            "the same of dmma_1684, less that"),
    "bulk-read-bytes-per-cycle": (lambda f: 7 * 16384 / (f["bulk_8.16384"] - f["bulk.16384"]), "bulk_8.16384 - bulk.16384: of 7 copies"),
    "bulk-write-bytes-per-cycle": (lambda f: 7 * 16384 / (f["bulk_out_8.16384"] - f["bulk_out.16384"]), "bulk_out_8.16384 - bulk_out.16384: the same"),
    "l1-latency": (latency("ldg_64_l1"), "latency.ldg_64_l1"),
    "l1-bytes": (l1_bytes, "chase_l1: the largest set that is found again"),
    "l2-latency": (fact("l2_latency2.16mib"), "l2_latency2.16mib"),
    "l2-port-bytes-per-cycle": (lambda f: f[f"l2_read_4mib.{f['multiprocessors']:.0f}"], "l2_read_4mib by all multiprocessors"),
    "l2-read-bytes-per-cycle": (lambda f: f[f"l2_read_32mib.{f['multiprocessors']:.0f}"], "l2_read_32mib by all multiprocessors"),
    "l2-write-bytes-per-cycle": (lambda f: f[f"l2_write.{f['multiprocessors']:.0f}"], "l2_write by all multiprocessors"),
    "atomic-interval": (lambda f: f["interval.red_add_32b"] / 4 / 32, "interval.red_add_32b: of 4 sub-partitions, 32 sectors"),
    "atomic-sector-ns": (lambda f: f["l2_red_apart.step128"] / 32 * SLICES, "l2_red_apart.step128: of 32 sectors, in 64 slices"),
    "atomic-lane-ns": (lambda f: f["l2_red_apart.step4"] / 32 * SLICES, "l2_red_apart.step4: of 32 lanes, in 64 slices"),
    "atomic-turn-ns": (lambda f: f["l2_red.words8"] / 4, "l2_red.words8: of four groups of lanes"),
    "atomic-word-ns": (lambda f: f["l2_red.step0"] / 32, "l2_red.step0: of 32 lanes at one word"),
    "atomic-real-ns": (lambda f: f["l2_red_f32.step0"] / 32, "l2_red_f32.step0: of 32 lanes at one word"),
    "dram-latency": (fact("dram_latency.64mib"), "dram_latency.64mib"),
    "dram-read-bytes-per-second": (fact("dram_tb_s.read", 1e12), "dram_tb_s.read"),
    "dram-write-bytes-per-second": (fact("dram_tb_s.write", 1e12), "dram_tb_s.write"),
    "dram-rows-per-second": (fact("sector_read.g1.8192mib", 1e9), "sector_read.g1.8192mib: a row for each sector"),
    "dram-written-lines-per-second": (
        lambda f: 1e9 / (1 / f["sector_write.step8.32768mib"] - 1 / f["sector_read.step8.32768mib"]),
        "sector_write.step8.32768mib, less what the sector is loaded for"),
    "first-block-interval": (fact("block_interval.256.first_wave"), "block_interval.256.first_wave"),
    "block-interval": (lambda f: f["block_interval.32.short_blocks"] - slope(f), "block_interval.32.short_blocks, less its warp"),
    "warp-interval": (slope, "block_interval.1024.short_blocks - block_interval.32.short_blocks: of 31 warps"),
    "block-latency": (fact("block_gap_alone.128"), "block_gap_alone.128"),
}


def facts_of(path):
    """Name -> number, or the numbers of a line that has several."""
    facts = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if line.startswith("#"):
                named = re.match(r"# (.*?)(?:, (\d+) SMs)?$", line.strip())
                facts["name"] = named.group(1)
                if named.group(2):
                    facts["multiprocessors"] = float(named.group(2))
            elif words and words[0].startswith("queue."):
                facts[words[0]] = [float(word) for word in words[1:]]
            elif len(words) > 1:
                facts[words[0]] = float(words[1])
    facts.setdefault("multiprocessors", facts.get("device.multiprocessors", 0.0))
    return facts


def short(value):
    """A whole number if it is one but for noise; three digits otherwise."""
    if value >= 1e6:
        return f"{value:.3g}" if value >= 1e9 else f"{value:.0f}"
    near = round(value)
    return str(near) if value >= 100 or near and abs(value - near) < 0.03 * near else f"{value:.3g}"


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


def make(facts, base):
    group = None
    for line in lines_of(base):
        key = line.split("=", 1)[0]
        if line.startswith("["):
            group = line
        if line.startswith(("evidence=", "source=", "error")):
            # What the base says of its numbers is not true of these.
            if line.startswith("evidence="):
                print("evidence=measured")
                print("source=tests/gpu/time/facts.cu on this device; what has '# from' before it is of another one")
        elif group == "[device]" and key == "name":
            print(f"name={facts['name']}")
        elif group == "[device]" and key == "arch" and "device.arch" in facts:
            print(f"arch=sm_{facts['device.arch']:.0f}")
        elif group == "[device]" and f"device.{key}" in facts:
            print(f"{key}={facts['device.' + key]:.0f}")
        elif group == "[time]" and key == "title":
            print("title=" + facts["name"].replace("NVIDIA ", "").split()[0])
        elif group == "[time]" and key == "latency-khz" and "device.clock-khz" in facts:
            print(f"latency-khz={facts['device.clock-khz']:.0f}")
        elif group == "[time]" and key in TIME:
            rule, source = TIME[key]
            try:
                measured = rule(facts)
            except KeyError:  # of a chip that lacks what async.cu measures
                measured = None
            print(f"# from {os.path.basename(base)}\n{line}" if measured is None else f"# {source}\n{key}={short(measured)}")
        elif "=" in line and not line.startswith("#"):
            print(f"# from {os.path.basename(base)}\n{line}")
        else:
            print(line)


def compare(facts, path):
    bad = 0
    stands = dict(line.split("=", 1) for line in lines_of(path) if "=" in line and not line.startswith("#"))
    for key, (rule, source) in TIME.items():
        measured = rule(facts)
        if key in stands and measured is not None and abs(float(stands[key]) - measured) > 0.04 * measured:
            print(f"{path}: {key}={stands[key]}, but {source} is {measured:.4g}")
            bad = 1
    return bad


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "compare":
        sys.exit(compare(facts_of(sys.argv[2]), sys.argv[3]))
    if len(sys.argv) != 3:
        sys.exit("usage: device.py [compare] FACTS.txt DEVICE.ini")
    make(facts_of(sys.argv[1]), sys.argv[2])
