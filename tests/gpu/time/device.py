# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# A device's file (data/devices) of what measure.sh measured.
#
#   python3 device.py FACTS.txt BASE.ini [SMEMBANK CUBINS] >NEW.ini   BASE: of a similar device, for what is not measured there
#   python3 device.py compare FACTS.txt DEVICE.ini     exits with 1 if a number of the file is more than 4 % off what was measured
#
# Numbers that no row shows by itself are found with SMEMBANK: those with which it takes as long for a row of CUBINS as the device did. What BASE
# alone says is taken over, and marked so. So is what is assumed.
import os
import re
import sys
import tempfile

import replay


def interval(name):
    return lambda f: f["interval." + name]


def latency(name):
    return lambda f: f["latency." + name]


def fact(name, scale=1):
    return lambda f: f[name] * scale


def fma_pipes(f):
    return max(1, round(f["interval.imad"] / f["interval.ffma"]))


def queue_entries(f):
    """How many a warp in each sub-partition issues at the interval of the first two, less the one that is served. None: none waits, as nvcc has it."""
    after = f["queue.lds_32way.4"]
    step = after[1] - after[0]
    return next((k - 1 for k in range(1, len(after)) if after[k] > after[0] + (k + 1) * step), None)


def l2_wait(f):
    """Cycles of a wait for each unit of load / 2 (1 - load), of loads of all multiprocessors up to 0.8: of what they take beyond the latency."""
    loads = [(f[f"l2_load.{warps}"] / f["l2_load.32"], f[f"l2_load.{warps}.cycles"] - f["l2_latency2.16mib"]) for warps in (1, 2, 4, 8)]
    return slope_of((queue(load), wait) for load, wait in loads if load <= 0.8)


def written_beside_reads(f, copy):
    """Bytes a second that DRAM writes where it takes turns with loads: what a copy moves, less the time of its loads."""
    return 1e12 / (2 / f[copy] - 1 / f["dram_tb_s.read"])


LAST_OF_32 = sum(1 / k for k in range(2, 33))  # of so many exponential times, beyond their mean, in units of it


def spread_rows(f, *ways):
    """Of loads beside others that do one of @ways: loads and stores of DRAM as parts of what it can, what comes into the second-level cache as a part of
    what that takes, how much longer loads take than those that nothing is beside, and how far apart they come. Only where all have no more to do than 0.8."""
    sms, clock = f["multiprocessors"], f["device.clock-khz"] * 1000
    alone = f["dram_spread.alone.mean"]
    reads, writes = (rate / clock / sms for rate in (1e12 * f["dram_tb_s.read"], written_beside_reads(f, "dram_tb_s.copy")))
    for name in f:
        way = re.match(r"dram_spread\.(\w+)\.\d+\.mean", name)
        if way and way.group(1) in ways:
            row = name.rsplit(".", 1)[0]
            read, written = f[f"{row}.reads"], f[f"{row}.writes"]
            taken = (read + written) / f[f"l2_write.{sms:.0f}"]
            read, written = read / reads, 0 if way.group(1) == "again" else written / writes
            if max(read + written, taken) <= 0.8:
                yield read, written, taken, f[name] - alone, (f[f"{row}.last"] - f[name]) / LAST_OF_32


def slope_of(points):
    """Least squares of a line through nothing."""
    points = list(points)
    return sum(x * y for x, y in points) / sum(x * x for x, _ in points)


def queue(load):
    return load / (2 * (1 - load))


def l2_write_wait(f):
    """Cycles of a wait for each unit of load / 2 (1 - load), of the way into the second-level cache."""
    return slope_of((queue(taken), wait) for _, _, taken, wait, _ in spread_rows(f, "again"))


def dram_wait(f):
    """The same of DRAM, beyond that."""
    of_l2 = l2_write_wait(f)
    return slope_of((queue(read), wait - of_l2 * queue(taken)) for read, _, taken, wait, _ in spread_rows(f, "read"))


def dram_write_wait(f):
    """Cycles of a wait, beyond those, for each unit of the load of stores / (1 - that of loads)."""
    of_l2, of_dram = l2_write_wait(f), dram_wait(f)
    return slope_of((written / (1 - read), wait - of_dram * queue(read + written) - of_l2 * queue(taken))
                    for read, written, taken, wait, _ in spread_rows(f, "copy", "write"))


def dram_spread(f):
    return (f["dram_spread.alone.last"] - f["dram_spread.alone.mean"]) / LAST_OF_32


def dram_wait_spread(f):
    alone = dram_spread(f)
    return slope_of((wait, apart - alone) for _, _, _, wait, apart in spread_rows(f, "read", "copy", "write"))


def found_again(f):
    """Bytes of 128 MiB that random loads find in the second-level cache: the others take as long as those from 8 GiB."""
    return (1 - f["sector_read.g4.8192mib"] / f["sector_read.g4.128mib"]) * (128 << 20)


def stored_line(f):
    """Cycles for a line that is stored in part, beyond those of its sectors: of 32 sectors in 32 lines, and in 8."""
    return (f["store_part.lines"] - f["store_part.sectors"]) / 24


def store_lines(f):
    """The most lines that stores find again in turns: in a third of the time, or less, that they take if they do not."""
    turns = {int(name.split(".")[1]): value for name, value in f.items() if name.startswith("store_turns.")}
    return max(lines for lines, value in turns.items() if value < turns[max(turns)] / 3)


def code_steps(f, kib, turn):
    return {int(name.split(".")[3]): value for name, value in f.items() if name.startswith(f"code.{kib}.turn{turn}.")}


def code_near(f):
    """Where the first step begins that takes twice as long as the fastest."""
    steps = code_steps(f, 256, 1)
    return min(at for at, value in steps.items() if value > 2 * min(steps.values())) * 1024


def code_first(f):
    """The most code that one multiprocessor executes the third time as fast as 16 KiB, or nearly."""
    sizes = {int(name.split(".")[1]) for name in f if re.match(r"code_alone\.\d+\.turn3", name)}
    steps = {kib: [f[name] for name in f if name.startswith(f"code_alone.{kib}.turn3.")] for kib in sizes}
    return max(kib for kib in sizes if max(steps[kib]) < 1.5 * min(steps[16])) * 1024


def code_bytes(f):
    """The most code of which every step is as fast the third time as the fastest of all, or nearly."""
    kinds = {int(name.split(".")[1]) for name in f if re.match(r"code\.\d+\.", name)}
    least = min(code_steps(f, 64, 3).values())
    return max(kib for kib in kinds if max(code_steps(f, kib, 3).values()) < 1.5 * least) * 1024


SHORT_BLOCK = 4096  # bytes, of the blocks of line_read and line_write


def together(f, row):
    """The most bytes between a line and the one beside it that take as long as those of a block, or nearly."""
    lines = {int(name.split(".apart")[1]): value for name, value in f.items() if name.startswith(f"{row}.apart")}
    return max(blocks for blocks, value in lines.items() if value > 0.97 * lines[1]) * SHORT_BLOCK


def apart(f, row):
    """The fewest that take as long as if they were asked for at any time, or nearly."""
    lines = {int(name.split(".apart")[1]): value for name, value in f.items() if name.startswith(f"{row}.apart")}
    return min(blocks for blocks, value in lines.items() if value < 1.03 * f[f"{row}.alone"]) * SHORT_BLOCK


LEAST = 0.01  # of a number, where something takes no time
WARPS, ALL_WARPS = 4, 16  # of a sub-partition, and of the multiprocessor, in dispatch.cu
RESULT_LEAD = 10  # result-lead


def result_tries(f):
    """Cycles from when a result may be written to the last one in which the next load leaves room for it."""
    periods = {int(name.split(".")[2]): value / 4 for name, value in f.items() if name.startswith("registers_results.64_same.")}
    last = max(period for period, value in periods.items() if value < period + 1.5)
    return last - (f["latency.lds_32"] - RESULT_LEAD) + 1


def half_later(f):
    """After how many cycles FFMA waits for HFMA2.MMA; None: it never does."""
    rows = {n: f[f"dispatch_half.later_{n}"] for n in (1, 2, 3)}
    last = max(rows, key=rows.get)
    return last if rows[last] > 1.1 * min(rows.values()) else None


def swap_try(f):
    """Where all lanes try to change a word until they succeed, half of them fail on average each time that one succeeds."""
    lanes = f["multiprocessors"] * 4 * 32
    return (f["l2_swap.many"] - f["l2_swap.few"]) / ((lanes - FEW_SWAPS) / 2)


FEW_SWAPS = 4 * 128  # lanes of l2_swap.few
SLICES = 64  # l2-slices

def miss_cycles(f):
    """Loads of one, two, four and two wavefronts."""
    rows = {"miss_lds": 1, "miss_64_lds": 2, "miss_128_lds": 4, "miss_8_lds": 2}
    return max(LEAST, sum(f[f"dispatch_pipe.{row}"] / ALL_WARPS - 15 - wavefronts for row, wavefronts in rows.items()) / len(rows))


# Key of [time]: how it follows from the facts, and of which one.
TIME = {
    "fma-pipes": (fma_pipes, "interval.imad, which one of them executes, beside interval.ffma"),
    "float": (lambda f: fma_pipes(f) * f["interval.ffma"], "interval.ffma, of one of these pipes"),
    "half": (lambda f: f["dispatch_half.alone"] / (WARPS * 6), "dispatch_half.alone: of 6"),
    "half-mma": (lambda f: f["dispatch_half.mma"] / (WARPS * 6), "dispatch_half.mma: of 6"),
    "add": (lambda f: f["interval.viadd"] / 2, "interval.viadd: of two"),
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
    "queue-entries": (queue_entries, "queue.lds_32way.4: how many go out before one waits, less the one that is served"),
    "register-interval": (lambda f: f["one_sub.sts_64"] - f["one_sub.sts_32"], "one_sub.sts_64 - one_sub.sts_32"),
    "bank-interval": (lambda f: f["interval.banks_three"] / 3, "interval.banks_three: of three registers of one bank"),
    "l1-miss": (miss_cycles, "dispatch_pipe.miss_lds, miss_64_lds, miss_128_lds and miss_8_lds, less 15 LDS and their wavefronts: the mean"),
    "l1-miss-line": (lambda f: max(LEAST, (f["dispatch_pipe.miss_8"] / ALL_WARPS - 15) / 8), "dispatch_pipe.miss_8, less 15 LDG: of 8 lines"),
    "commit": (lambda f: max(LEAST, f["dispatch_pipe.commit_lds"] / ALL_WARPS - 15), "dispatch_pipe.commit_lds, less 15 LDS"),
    "commit-look-up": (lambda f: max(LEAST, f["dispatch_pipe.commit"] / ALL_WARPS - 15), "dispatch_pipe.commit, less 15 LDG"),
    "multiply-wide-slots": (lambda f: f["dispatch_wide.none_3"] / WARPS - 3, "dispatch_wide.none_3, less its three NOP"),
    "half-mma-later": (half_later, "dispatch_half.later: where it takes longest"),
    "result-tries": (result_tries, "registers_results.64_same: the longest period that costs nothing"),
    "result-stop": (lambda f: round(f["registers_results.64_same.48"] / 4) - 48, "registers_results.64_same.48, less its 48 instructions: whole cycles"),
    "same-warp-interval": (lambda f: f["one_warp.lds_32_32way"] / 32, "one_warp.lds_32_32way: of 32 wavefronts"),
    "shared-latency": (latency("lds_32"), "latency.lds_32"),
    "wavefront-latency": (lambda f: (f["latency.lds_32_32way"] - f["latency.lds_32"]) / 31, "latency.lds_32_32way: of 31 more"),
    "atomic-latency": (latency("atoms_add"), "latency.atoms_add"),
    "reduce-latency": (latency("match"), "latency.match"),
    "shuffle-latency": (latency("shfl_bfly"), "latency.shfl_bfly"),
    "special-latency": (latency("mufu_ex2"), "latency.mufu_ex2"),
    "system-latency": (latency("s2r"), "latency.s2r"),
    "constant-latency": (latency("ldc"), "latency.ldc"),
    "barrier-arrival": (lambda f: (f["barrier.16"] - f["barrier.1"]) / 15, "barrier.16 - barrier.1: of 15 warps"),
    "barrier-latency": (lambda f: f["barrier.1"] - (f["barrier.16"] - f["barrier.1"]) / 15, "barrier.1, less one arrival"),
    "barrier-least-interval": (lambda f: f["flow_barrier.1.16"] / 16, "flow_barrier.1.16: of 16 blocks"),
    "barrier-memory-interval": (lambda f: (f["meet.two_loads.1.16"] - 16 * 2) / 16, "meet.two_loads.1.16, less its wavefronts: of 16 blocks"),
    "fence-block-interval": (lambda f: f["flow_fence_acq_rel_cta.16"] / 16, "flow_fence_acq_rel_cta.16: of 16 warps"),
    "barrier-register-arrival": (lambda f: f["named.16"] / 16, "named.16: of 16 warps"),
    "barrier-register-latency": (lambda f: f["named.2"] - f["barrier.1"] + 2 - f["named.16"] / 8 - 1,
                                 "named.2, less barrier.1, its arrivals and its issue"),
    "cluster-latency": (lambda f: f["cluster_relaxed.32"] - 9, "cluster_relaxed.32, less the issue of its instructions"),
    "fence-interval": (lambda f: f["flow_fence_all_acq_rel.264.16"] / 32, "flow_fence_all_acq_rel.264.16: of 32 warps"),
    "fence-memory-interval": (lambda f: f["flow_fence_all_acq_rel.264.16.store"] / 32, "flow_fence_all_acq_rel.264.16.store: of 32 warps"),
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
    "peer-load-interval": (lambda f: f["peer_ld.words_8.both"] / 512, "peer_ld.words_8.both: of 16 warps, 32 sectors each"),
    "peer-store-interval": (lambda f: f["peer_st.words.both"] / 64, "peer_st.words.both: of 16 warps, 4 packets each"),
    "peer-store-wide-interval": (lambda f: f["peer_st.words_8.both"] / 512, "peer_st.words_8.both: of 16 warps, 32 packets each"),
    "peer-atomic-interval": (lambda f: f["peer_red.words_8.both"] / 512, "peer_red.words_8.both: of 16 warps, 32 sectors each"),
    "peer-latency": (lambda f: f["peer_latency.words"] - 5, "peer_latency.words, less its addition"),
    "peer-bulk-bytes-per-cycle": (lambda f: 7 * 16384 / (f["peer_bulk_8.16384.2"] - f["peer_bulk_1.16384.2"]),
                                  "peer_bulk_8.16384.2 - peer_bulk_1.16384.2: of 7 copies"),
    "texture-turn": (lambda f: f["texture.words"] / 8, "texture.words: of 8 turns"),
    "texture-turn-latency": (lambda f: (f["texture_latency.weighed"] - f["texture_latency.words"] - 12) / 24,
                             "texture_latency.weighed - texture_latency.words, less three additions: of 24 turns"),
    "l1-latency": (latency("ldg_64_l1"), "latency.ldg_64_l1"),
    "l1-wavefront-latency": (lambda f: (f["latency.ldg_64_l1_128b"] - f["latency.ldg_64_l1"]) / 30, "latency.ldg_64_l1_128b: of 30 more"),
    "unified-bytes": (lambda f: f["device.shared-bytes"] + f["l1_kib.most_shared"] * 1024,
                      "device.shared-bytes, and what is found again in L1 beside them: l1_kib.most_shared"),
    "l1-bytes": (fact("l1_kib.no_shared", 1024), "l1_kib.no_shared: the largest set that is found again"),
    "l2-latency": (fact("l2_latency2.16mib"), "l2_latency2.16mib"),
    "l2-port-bytes-per-cycle": (lambda f: f[f"l2_read_4mib.{f['multiprocessors']:.0f}"], "l2_read_4mib by all multiprocessors"),
    "l2-read-bytes-per-cycle": (lambda f: f[f"l2_read_32mib.{f['multiprocessors']:.0f}"], "l2_read_32mib by all multiprocessors"),
    "l2-read-alone-bytes-per-cycle": (fact("l2_read_4mib.16"), "l2_read_4mib by 16 multiprocessors"),
    "l2-write-alone-bytes-per-cycle": (fact("l2_write.16"), "l2_write by 16 multiprocessors"),
    "l2-partial-interval": (lambda f: (f["store_part.sectors"] - 8 * stored_line(f)) / 32, "store_part.sectors, less its 8 lines: of 32 sectors"),
    "l2-partial-line-interval": (stored_line, "store_part.lines - store_part.sectors: of 24 lines more"),
    "store-lines": (store_lines, "store_turns: the most lines that are all found again"),
    "l2-reach-bytes": (found_again, "sector_read.g4.128mib, beside sector_read.g4.8192mib: what is found again of 128 MiB"),
    "l2-wait": (l2_wait, "l2_load, beyond l2_latency2.16mib"),
    "l2-write-wait": (l2_write_wait, "dram_spread.again, beyond dram_spread.alone"),
    "dram-wait": (dram_wait, "dram_spread.read, beyond dram_spread.alone and l2-write-wait"),
    "dram-write-wait": (dram_write_wait, "dram_spread.copy and dram_spread.write, beyond that"),
    "dram-spread": (dram_spread, "dram_spread.alone: the last of 32, beyond their mean"),
    "dram-wait-spread": (dram_wait_spread, "dram_spread: the same, beyond that"),
    "l2-dirty-bytes": (lambda f: (64 << 20) - f["dram_written"], "dram_written: of 64 MiB"),
    "open-bytes": (lambda f: f["dram_alone.1"] * f["dram_latency.64mib"], "dram_alone.1, in the time of dram_latency.64mib"),
    "host-latency-ns": (fact("host_latency.1"), "host_latency.1"),
    "host-load-bytes-per-second": (lambda f: 128e9 / f["host_load.32.32"], "host_load.32.32: 128 bytes a line"),
    "host-store-bytes-per-second": (lambda f: 128e9 / f["host_store.32.32"], "host_store.32.32: 128 bytes a line"),
    "host-partial-ns": (lambda f: f["host_store.1.8"] / 4, "host_store.1.8: of four sectors"),
    "code-first-bytes": (code_first, "code_alone: the most that is as fast the third time as 16 KiB"),
    "code-first-line-cycles": (lambda f: min(f[name] for name in f if name.startswith("code_alone.48.turn3.")), "code_alone.48.turn3: the fastest step"),
    "code-near-bytes": (code_near, "code.256.turn1: where it gets slower"),
    "code-bytes": (code_bytes, "code: the most that is as fast the third time"),
    "launch-cycles": (fact("launch_cycles"), "launch_cycles, of the first launch"),
    "grid-block-interval": (fact("grid_interval.32"), "grid_interval.32"),
    "l2-write-bytes-per-cycle": (lambda f: f[f"l2_write.{f['multiprocessors']:.0f}"], "l2_write by all multiprocessors"),
    "atomic-interval": (lambda f: f["interval.red_add_32b"] / 4 / 32, "interval.red_add_32b: of 4 sub-partitions, 32 sectors"),
    "atomic-sector-ns": (lambda f: f["l2_red_apart.step128"] / 32 * SLICES, "l2_red_apart.step128: of 32 sectors, in 64 slices"),
    "atomic-lane-ns": (lambda f: f["l2_red_apart.step4"] / 32 * SLICES, "l2_red_apart.step4: of 32 lanes, in 64 slices"),
    "atomic-turn-ns": (lambda f: f["l2_red.words8"] / 4, "l2_red.words8: of four groups of lanes"),
    "atomic-word-ns": (lambda f: f["l2_red.step0"] / 32, "l2_red.step0: of 32 lanes at one word"),
    "atomic-real-ns": (lambda f: f["l2_red_f32.step0"] / 32, "l2_red_f32.step0: of 32 lanes at one word"),
    "swap-ns": (lambda f: f["l2_swap.few"] - swap_try(f) * FEW_SWAPS / 2, "l2_swap.few, less what half of its lanes take that fail"),
    "swap-try-ns": (swap_try, "l2_swap.many - l2_swap.few: of half as many lanes more"),
    "dram-latency": (fact("dram_latency.64mib"), "dram_latency.64mib"),
    "dram-read-bytes-per-second": (fact("dram_tb_s.read", 1e12), "dram_tb_s.read"),
    "dram-write-bytes-per-second": (lambda f: written_beside_reads(f, "dram_copy"), "dram_copy, less what dram_tb_s.read says"),
    "dram-write-alone-bytes-per-second": (fact("line_write.apart1", 128e9), "line_write.apart1: of 128 bytes"),
    "dram-lines-per-second": (fact("sector_read.g4.8192mib", 0.25e9), "sector_read.g4.8192mib: lines of four sectors"),
    "dram-alone-lines-per-second": (fact("line_write.alone", 1e9), "line_write.alone"),
    "dram-read-together-bytes": (lambda f: together(f, "line_read"), "line_read: the farthest that takes as long as a block further"),
    "dram-read-apart-bytes": (lambda f: apart(f, "line_read"), "line_read: the nearest that takes as long as those at any time"),
    "dram-write-together-bytes": (lambda f: together(f, "line_write"), "line_write: the farthest that takes as long as a block further"),
    "dram-write-apart-bytes": (lambda f: apart(f, "line_write"), "line_write: the nearest that takes as long as those at any time"),
    "dram-rows-per-second": (fact("sector_read.g1.8192mib", 1e9), "sector_read.g1.8192mib: a row for each sector"),
    "dram-written-lines-per-second": (
        lambda f: 1e9 / (1 / f["sector_write.step8.32768mib"] - 1 / f["sector_read.step8.32768mib"]),
        "sector_write.step8.32768mib, less what the sector is loaded for"),
    "first-block-interval": (fact("block_interval.256.first_wave"), "block_interval.256.first_wave"),
    "warp-interval": (lambda f: (f["drain.nothing.256"] - f["drain.nothing.32"]) / 7, "drain.nothing.256 - drain.nothing.32: of 7 warps"),
    "block-latency": (lambda f: f["drain.nothing.32"] - 1, "drain.nothing.32, less a cycle"),
}

# A pipe takes whole cycles: what is beyond them is noise.
WHOLE = ("fma-pipes", "float", "half", "add", "multiply", "multiply-wide", "logic", "vote", "double", "uniform", "tensor", "tensor-short", "tensor-double",
         "tensor-group", "special", "convert", "convert-wide", "count", "to-uniform", "constant", "register-interval", "bank-interval", "same-warp-interval", "half-mma", "multiply-wide-slots",
         "barrier-arrival", "barrier-register-arrival", "phase-interval", "texture-turn", "fence-interval")
# Key of [time]: the row that takes as long as on the device if the number is right. Later ones may need earlier ones.
SOLVED = {
    "uniform-latency": "latency.s2ur",
    "fence-latency": "fence_gpu",
    "fence-block-latency": "flow_fence_acq_rel_cta.1",
    "fence-memory-latency": "flow_fence_all_acq_rel.132.1.store",
    "fence-system-latency": "flow_fence_acq_rel_sys.1",
    "barrier-notice-latency": "named_turns",
    "phase-wake": "mbarrier_pair",
    "group-least-interval": "wgmma.f16_a_in_registers.8",
    "bulk-latency": "bulk.4096",
    "bulk-write-latency": "bulk_out.4096",
    "tensor-latency": "tensor.64",
    "branch-latency": "flow_uni_none.1",
    "indirect-latency": "flow_call.1",
    "meeting-latency": "flow_else_all.1",
    "parting-latency": "flow_else_odd.1",
    "atomic-answer-latency": "flow_fence_all_atomic_chain.132.1",
    "texture-latency": "texture_latency.words",
    "texture-element-latency": "texture_latency.elements",
    "code-line-cycles": "code_first",
    "code-line-again-cycles": "code_again",
    "drain-latency": "drain.words.32",
    "store-ahead-bytes": "drain.late.256",
}
# Key of [time]: why it is not measured.
NOT_MEASURED = {
    "pace-spread": "assumed: equal blocks of 132 multiprocessors end 0.1 to 2.6 % apart (standard deviation, eight launches; an H200)",
    "l2-slices": "assumed: two words wait for each other entirely, by half, or not at all (slice_pair), so that there is no one number",
    "l2-fill-turn": "from whole launches (tests/data/time/store-mix.cu)",
    "queue-latency": "assumed: of what is known only the sum with operand-latency is seen",
    "phase-arrival": "assumed: only the sum with phase-wake is seen",
    "result-lead": "assumed: only the sum with result-tries is seen",
    "operand-latency": "assumed, from whole launches: ptxas takes another register rather than wait",
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


def short(value, noise):
    """A whole number if it is one but for noise; three digits otherwise."""
    if value >= 1e6:
        return f"{value:.3g}" if value >= 1e9 else f"{value:.0f}"
    near = round(value)
    return str(near) if value >= 100 or near and abs(value - near) < noise * near else f"{value:.3g}"


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def measured_numbers(facts):
    """Key -> what was measured; not what a chip lacks."""
    numbers = {}
    for key, (rule, _) in TIME.items():
        try:
            numbers[key] = rule(facts)
        except (KeyError, ValueError):
            pass
    return {key: value for key, value in numbers.items() if value is not None}


def write(path, base, numbers):
    """BASE with other numbers of [time]."""
    with open(path, "w", encoding="utf-8") as file:
        for line in lines_of(base):
            key = line.split("=", 1)[0]
            print(f"{key}={numbers[key]:.6g}" if key in numbers else line, file=file)


def solve(smembank, facts_path, cubins, base, numbers):
    """Finds those of SOLVED by the secant method, one after the other: the best that was tried, as cycles are whole numbers. Key -> number; not
    those that the row does not depend on."""
    rows = {row.name: row for row in replay.rows_of(facts_path)}
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/devices")
        os.environ["SMEMBANK_DATADIR"] = folder
        path = f"{folder}/devices/measured.ini"

        def miss(key, number):
            write(path, base, {**numbers, key: number})
            return rows[SOLVED[key]].predict(smembank, cubins, "measured") - rows[SOLVED[key]].measured

        for key in [key for key in SOLVED if SOLVED[key] in rows]:
            stands = next(float(line.split("=")[1]) for line in lines_of(base) if line.startswith(key + "="))
            before, number = stands, stands * 1.1 + 1
            missed = miss(key, before)
            tried = {before: abs(missed)}
            for _ in range(6):
                now = miss(key, number)
                tried[number] = abs(now)
                if now == missed:
                    break
                before, missed, number = number, now, max(number - now * (number - before) / (now - missed), 0.01)
            best = min(tried, key=tried.get)
            if max(tried.values()) > tried[best] <= replay.TOLERANCE * rows[SOLVED[key]].measured:
                numbers[key] = best
    return numbers


def make(facts, base, solved):
    numbers = {**measured_numbers(facts), **solved}
    is_same = f"name={facts['name']}" in lines_of(base)
    group = said = None
    for line in lines_of(base):
        key = line.split("=", 1)[0]
        said = line if line.startswith("# ") else said  # ahead of a number
        if line.startswith("["):
            group = line
        if line.startswith("evidence="):
            print("evidence=measured")
        elif line.startswith("source=") and is_same:
            print(line)
        elif line.startswith("source="):
            print("source=tests/gpu/time on this device" + ("; what has '# from' before it is of another one" if group == "[time]" else ""))
        elif line.startswith("error"):
            # What the base says of its error is not true of another device.
            if is_same:
                print(line)
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
        elif group == "[time]" and key in numbers:
            source = TIME[key][1] if key in TIME else f"so that {SOLVED[key]} takes as long here"
            print(f"# {source}\n{key}={short(numbers[key], 0.03 if key in WHOLE else 0.01)}")
        elif group == "[time]" and key in NOT_MEASURED:
            print(f"# {NOT_MEASURED[key]}\n{line}")
        elif group == "[time]" and "=" in line and not line.startswith("#"):
            # What the base says of its own number is true of the same device.
            print((said if is_same and said else f"# from {os.path.basename(base)}") + "\n" + line)
        elif not (group == "[time]" and line.startswith("# ")) or line.startswith("# How long"):
            print(line)


def compare(facts, path):
    bad = 0
    stands = dict(line.split("=", 1) for line in lines_of(path) if "=" in line and not line.startswith("#"))
    for key, measured in measured_numbers(facts).items():
        if key in stands and abs(float(stands[key]) - measured) > 0.04 * measured:
            print(f"{path}: {key}={stands[key]}, but {TIME[key][1]} is {measured:.4g}")
            bad = 1
    return bad


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "compare":
        sys.exit(compare(facts_of(sys.argv[2]), sys.argv[3]))
    if len(sys.argv) not in (3, 5):
        sys.exit("usage: device.py [compare] FACTS.txt DEVICE.ini [SMEMBANK CUBINS]")
    measured = facts_of(sys.argv[1])
    make(measured, sys.argv[2], solve(*sys.argv[3:4], sys.argv[1], sys.argv[4], sys.argv[2], measured_numbers(measured)) if len(sys.argv) == 5 else {})
