# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""The package on the library: counts, kernels, layouts, and every error that a caller can cause."""

import dataclasses
import doctest
import json
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys

import pytest

import smembank

PACKAGE = pathlib.Path(__file__).parent.parent

TILE = """__global__ void k(int *out) {
  __shared__ int tile[32][32 + PAD];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
"""


def tile(**launch):
    fields = {"text": TILE, "defines": {"PAD": 0}, "block": (32, 32), **launch}
    return smembank.Kernel("tile.cu", **fields)


def column(pitch):
    return [lane * pitch * 4 for lane in range(32)]


@pytest.mark.parametrize("pitch, wavefronts", [(32, 32), (33, 1), (34, 2), (36, 4), (0, 1)])
def test_count(pitch, wavefronts):
    cost = smembank.count(column(pitch))
    assert cost == smembank.Cost(wavefronts, 1, wavefronts - 1, wavefronts, cost.cycles)
    assert cost.cycles >= wavefronts


def test_count_takes_operation_mask_and_architecture():
    assert smembank.count(column(32), mask=0xFF).wavefronts == 8
    assert smembank.count(column(32)[:4]).wavefronts == 4
    assert smembank.count(column(32), op="st").wavefronts == 32
    assert smembank.count([16 * lane for lane in range(32)], width=16).wavefronts == 4
    assert smembank.count(column(16), arch="sm_10").degree == 16


def test_count_many():
    costs = smembank.count_many([column(32), column(33)], mask=[1, 0xFFFFFFFF])
    assert len(costs) == 2
    assert [cost.wavefronts for cost in costs] == [1, 1]
    assert list(costs.ideal) == [1, 1] and list(costs.excess) == [0, 0] and list(costs.degree) == [1, 1]
    assert list(costs.cycles) == [cost.cycles for cost in costs]
    assert costs[-1] == costs[1] and costs[:1] == [costs[0]]
    with pytest.raises(IndexError):
        costs[2]
    assert len(smembank.count_many([])) == 0


@pytest.mark.parametrize(
    "error, words, arguments",
    [
        (smembank.UsageError, "sm_1", {"arch": "sm_1"}),
        (smembank.UsageError, "'take'", {"op": "take"}),
        (smembank.UsageError, "width of 3 bytes", {"width": 3}),
        (smembank.UsageError, "width -4", {"width": -4}),
        (smembank.UsageError, "zero byte", {"op": "l\0d"}),
        (smembank.UsageError, "mask: expected one number, or 1", {"mask": [1, 2]}),
        (smembank.UsageError, "mask", {"mask": -1}),
        (smembank.InputError, "request 0: lane 32", {"mask": 1 << 32}),
        (smembank.InputError, "request 0: ", {"offsets": [[2]]}),
        (smembank.UsageError, "offsets: expected numbers", {"offsets": [[-4]]}),
        (smembank.UsageError, "offsets: expected numbers", {"offsets": [["0"]]}),
        (smembank.UsageError, "as many lanes", {"offsets": [[0], [0, 4]]}),
        (smembank.UsageError, "33 lanes", {"offsets": [[0] * 33]}),
    ],
)
def test_wrong_requests(error, words, arguments):
    with pytest.raises(error, match=words):
        smembank.count_many(**{"offsets": [column(32)], **arguments})


def test_analyze():
    analysis = smembank.analyze(tile())
    store, load = analysis.accesses
    assert (analysis.kernel, analysis.level, analysis.shared_bytes) == ("k", "text", 4096)
    assert (load.file, load.line, load.op, load.array, load.width) == ("tile.cu", 5, "load", "tile", 4)
    assert load.expression == "tile[threadIdx.x][threadIdx.y]"
    assert (load.sums.requests, load.sums.wavefronts, load.sums.max_degree) == (32, 1024, 32)
    assert load.exact and load.reason is None and not load.is_copy and load.opcode is None
    assert store.sums.excess == 0
    assert analysis.totals["load"] == load.sums
    assert analysis.totals["atomic"].requests == 0
    assert analysis.warnings == []


def test_analyze_takes_a_file_and_its_launch(tmp_path):
    path = tmp_path / "tile.cu"
    path.write_text(TILE)
    analysis = smembank.analyze(path, block=[32, 32], defines={"PAD": True}, threads=1)
    assert analysis.accesses[1].sums.excess == 0
    assert analysis.accesses[1].file == str(path)


MEMORY = """__constant__ float w[64];
__global__ void k(float *out, const float *in, int stride) {
  __shared__ float s[64];
  float v = in[threadIdx.x * stride] + w[threadIdx.x / 4] + w[threadIdx.x % 32];
  v += __shfl_xor_sync(0xffffffff, v, 1);
  s[threadIdx.x * 2 % 64] = v;
  atomicAdd(&out[threadIdx.x], s[threadIdx.x * 2 % 64]);
}
"""


def test_analyze_counts_global_and_constant_memory():
    analysis = smembank.analyze("m.cu", text=MEMORY, block=32, args={"stride": 2})
    load, atomic = analysis.global_accesses
    assert analysis.segment_bytes == 32
    assert (load.file, load.line, load.op, load.buffer, load.width) == ("m.cu", 4, "load", "in", 4)
    assert load.sums == smembank.Segments(1, 8, 4, 4, 128, 8)
    assert atomic.op == "atomic" and atomic.sums.excess == 0
    assert analysis.global_totals == {"load": load.sums, "store": smembank.Segments(0, 0, 0, 0, 0, 0), "atomic": atomic.sums}
    few, many = analysis.constants
    assert (few.variable, few.expression, few.sums.max_degree, few.exact) == ("w", "w[threadIdx.x / 4]", 8, True)
    assert many.sums.wavefronts == 32 and analysis.constant_total.wavefronts == 40
    (shuffle,) = analysis.traffic
    assert (shuffle.kind, shuffle.line, shuffle.executions, shuffle.wavefronts) == ("shuffle", 5, 1, 1)
    assert smembank.analyze("m.cu", text=MEMORY, block=32, args={"stride": 2}, arch="sm_20").segment_bytes == 128


def as_program(analysis):
    """An analysis in the words of the JSON that the program writes."""
    def place(row, *names):
        return {name: getattr(row, name) for name in ("line", "column", "expression", "opcode", *names)}

    def words(sums):
        return {"requests": sums.requests, "words": sums.wavefronts, "ideal_words": sums.ideal, "excess_words": sums.excess,
                "max_words": sums.max_degree, "cycles": sums.cycles}

    def segments(sums):
        return {"requests": sums.requests, "segments": sums.segments, "ideal_segments": sums.ideal,
                "excess_segments": sums.excess, "max_segments": sums.max_segments,
                "uncounted_requests": sums.uncounted}

    def total(sums):
        return {"requests": sums.requests, "wavefronts": sums.wavefronts, "ideal_wavefronts": sums.ideal,
                "excess_wavefronts": sums.excess}

    def access(row):
        return {**place(row, "op", "width", "array", "exact", "reason", "depends_on_data"), **total(row.sums),
                "max_degree": row.sums.max_degree, "cycles": row.sums.cycles, "uncounted_requests": row.uncounted}

    return {
        "level": analysis.level,
        "accesses": [access(row) for row in analysis.accesses],
        "totals": {op: total(sums) for op, sums in analysis.totals.items()},
        "global": {
            "segment_bytes": analysis.segment_bytes,
            "accesses": [{**place(row, "op", "width", "buffer"), **segments(row.sums)} for row in analysis.global_accesses],
            "totals": {op: segments(sums) for op, sums in analysis.global_totals.items()},
        },
        "constant": {
            "accesses": [
                {**place(row, "variable", "width", "exact", "reason"), **words(row.sums), "uncounted_requests": row.uncounted}
                for row in analysis.constants
            ],
            "totals": words(analysis.constant_total),
        },
        "other_shared_traffic": [
            {**place(row, "kind", "executions", "bytes", "wavefronts", "exact"), "executions_of_unknown_size": row.unsized}
            for row in analysis.traffic
        ],
    }


def common(wanted, found):
    """What found has of the keys that wanted has, all the way down."""
    if isinstance(wanted, dict):
        return {key: common(value, found[key]) for key, value in wanted.items()}
    if isinstance(wanted, list) and len(wanted) == len(found):
        return [common(one, other) for one, other in zip(wanted, found)]
    if isinstance(found, str):  # the program adds which option gives what is missing; the library has a hint for that
        return re.sub(r": give --\S+ \S+$", "", found)
    return found


@pytest.mark.parametrize(
    "path, words, launch",
    [
        (None, ["--block", "32", "--arg", "stride=3"], {"block": 32, "args": {"stride": 3}}),
        ("data/kernels/reduceSmem.cu", ["--block", "128", "--arg", "n=1024"], {"block": 128, "args": {"n": 1024}}),
        ("tests/ptx/transpose.ptx", ["--entry", "transpose<0>", "--block", "32,8", "--arg", "2=64"],
         {"entry": "transpose<0>", "block": (32, 8), "args": {2: 64}}),
        ("tests/ptx/transpose.ptx", ["--entry", "transpose<1>", "--block", "32,8", "--arg", "2=64"],
         {"instance": "transpose<1>", "block": (32, 8), "args": {2: 64}}),
        ("tests/data/sass/constants.sm_90.cubin", ["--block", "32", "--unknown", "skip"], {"block": 32, "skip_unknown": True}),
        ("tests/data/sass/tensors.sm_90a.cubin", ["--block", "128", "--unknown", "skip", "--arg", "0=raw:" + "00" * 128],
         {"block": 128, "skip_unknown": True, "args": {0: "raw:" + "00" * 128}}),
    ],
)
def test_analyze_is_what_the_program_says(tmp_path, path, words, launch):
    program, repository = os.environ.get("SMEMBANK"), PACKAGE.parent
    if not program or not (repository / "tests" / "ptx").exists():
        pytest.skip("the package is tested without the program")
    # In a folder of its own: the program takes names from a text that lies beside a compiled file, the library does not.
    file = tmp_path / (pathlib.Path(path).name if path else "m.cu")
    if path:
        shutil.copy(repository / path, file)
    else:
        file.write_text(MEMORY)
    run = subprocess.run([program, "analyze", file, *words, "--format", "json"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    found = as_program(smembank.analyze(file, **launch))
    assert found == common(found, json.loads(run.stdout))
    assert found["accesses"] or found["other_shared_traffic"]


def test_analyze_takes_compiled_code():
    path = PACKAGE.parent / "tests" / "ptx" / "transpose.ptx"
    if not path.exists():
        pytest.skip("the package is tested outside of its repository")
    plain, padded = (
        smembank.analyze(path, entry=f"transpose<{pad}>", block=(32, 8), args={2: 64}) for pad in (0, 1)
    )
    assert plain.level == "ptx"
    assert [access.opcode for access in plain.accesses] == ["st.shared.f32"] * 4 + ["ld.shared.f32"] * 4
    assert plain.accesses[0].pc > 0 and all(access.exact for access in plain.accesses)
    assert plain.totals["load"].max_degree == 32 and padded.totals["load"].max_degree == 1


def test_analyze_takes_machine_code():
    path = PACKAGE.parent / "tests" / "data" / "sass" / "wide.sm_90.cubin"
    if not path.exists():
        pytest.skip("the package is tested outside of its repository")
    corner = smembank.analyze(path, entry="corner", block=(16, 16))
    assert corner.level == "sass"
    assert corner.totals["load"].wavefronts == 16 and corner.totals["load"].excess == 0


def test_warnings():
    text = "__global__ void k(int *out, int n) {\n  __shared__ int s[64];\n  if (n) out[0] = s[threadIdx.x];\n}\n"
    warnings = smembank.analyze(smembank.Kernel("k.cu", text=text, args={"n": 1})).warnings
    assert [(warning.kind, warning.line) for warning in warnings] == [("unset", 3), ("block", 0)]
    assert warnings[0].expression == "s[threadIdx.x]" and warnings[1].expression is None
    idle = smembank.analyze(smembank.Kernel("k.cu", text=text, args={"n": 0}, block=32)).warnings
    assert [warning.kind for warning in idle] == ["idle"]


def test_hints():
    text = "__global__ void k(const int *in, int n) {\n  __shared__ int s[32];\n  s[in[n] & 31] = 1;\n}\n"
    kernel = smembank.Kernel("k.cu", text=text, block=32)
    with pytest.raises(smembank.UsageError) as caught:
        smembank.analyze(kernel)
    assert caught.value.hints == [smembank.Hint("argument", "n")] and "--" not in str(caught.value)
    given = dataclasses.replace(kernel, args={"n": 0})
    (warning,) = [one for one in smembank.analyze(given).warnings if one.kind == "data"]
    assert warning.hint == smembank.Hint("buffer", "in")


@pytest.mark.parametrize(
    "error, words, launch",
    [
        (smembank.InputError, r"tile.cu:2:11: .*\n.*int i = ;", {"text": "__global__ void k() {\n  int i = ;\n}\n"}),
        (smembank.InputError, "no/such/file", {"text": None}),
        (smembank.UsageError, "other", {"entry": "other"}),
        (smembank.UsageError, "expected other<ARGUMENTS>", {"entry": "other", "instance": "k<1>"}),
        (smembank.UsageError, "expected NAME<ARGUMENTS>", {"instance": "k"}),
        (smembank.UsageError, "block 0", {"block": 0}),
        (smembank.UsageError, "block", {"block": (1, 2, 3, 4)}),
        (smembank.UsageError, "block 4294967296", {"block": 1 << 32}),
        (smembank.UsageError, "1024", {"block": (32, 32, 2)}),
        (smembank.UsageError, "dynamic_bytes -1", {"dynamic_bytes": -1}),
        (smembank.UsageError, "nothing", {"args": {"nothing": 1}}),
        (smembank.UsageError, "nothing", {"buffers": {"nothing": "zeros"}}),
        (smembank.UsageError, "tile", {"arrays": {"tile": "2x2xf16"}}),
    ],
)
def test_wrong_kernels(error, words, launch):
    path = "no/such/file" if launch.get("text", "") is None else "tile.cu"
    kernel = smembank.Kernel(path, **{"text": TILE, "defines": {"PAD": 0}, "block": (32, 32), **launch})
    with pytest.raises(error, match=words):
        smembank.analyze(kernel)


def test_a_kernel_has_its_launch():
    with pytest.raises(TypeError, match="block"):
        smembank.analyze(tile(), block=32)


def test_search():
    (found,) = smembank.search(tile(), keep=2)
    assert found.name == "tile" and found.searched > found.ties > 1
    assert found.now.kind == "now" and found.now.sums.wavefronts == 1056 and str(found.now) == "no padding"
    assert len(found.best) == 6
    assert found.best[0].sums.wavefronts == 64 and found.best[0].bytes == 4096
    (pad,) = smembank.search(tile(), only="pad")[0].best
    assert (pad.kind, pad.pad, pad.bytes, str(pad)) == ("pad", 1, 4224, "pad 1")
    assert pad.offset(33) == (33 + 1) * 4


def test_layouts_lie_where_they_say():
    """The search's own counts are those of the addresses that a layout gives."""
    (found,) = smembank.search(tile(), keep=3)
    for layout in [found.now, *found.best]:
        rows = [[layout.offset(row * 32 + lane) for lane in range(32)] for row in range(32)]
        columns = [[layout.offset(lane * 32 + row) for lane in range(32)] for row in range(32)]
        wavefronts = sum(cost.wavefronts for cost in smembank.count_many(rows + columns))
        assert wavefronts == layout.sums.wavefronts, str(layout)


def test_search_requests():
    found = smembank.search_requests([column(32)], element_bytes=4, columns=32)
    assert found.now.sums.wavefronts == 32
    assert {layout.kind: layout.sums.wavefronts for layout in found.best} == {"pad": 1, "swizzle": 1, "both": 1}


@pytest.mark.parametrize(
    "words, arguments",
    [
        ("only 'none'", {"only": "none"}),
        ("elements of 0 bytes", {"element_bytes": 0}),
        ("1001 layouts", {"keep": 1001}),
        ("an array of 64 bytes", {"size": 64}),
        ("not of shared memory", {"op": "ld.const"}),
    ],
)
def test_wrong_searches(words, arguments):
    with pytest.raises(smembank.UsageError, match=words):
        smembank.search_requests(**{"offsets": [column(32)], "element_bytes": 4, "columns": 32, **arguments})
    with pytest.raises(smembank.UsageError, match="array 'tilt': expected one of tile"):
        smembank.search(tile(), array="tilt")


def test_numpy():
    numpy = pytest.importorskip("numpy")
    pads = numpy.arange(8)
    offsets = numpy.arange(32) * (32 + pads[:, None]) * 4
    costs = smembank.count_many(offsets)
    assert costs.wavefronts.tolist() == [32, 1, 2, 1, 4, 1, 2, 1]
    assert costs.wavefronts.dtype == numpy.uint32
    assert smembank.count(offsets[2]).wavefronts == 2
    assert smembank.count_many(offsets, mask=numpy.full(8, 3)).wavefronts.tolist() == [2, 1, 1, 1, 1, 1, 1, 1]
    assert smembank.count_many(offsets[:, ::2]).wavefronts[0] == 16
    assert smembank.search_requests(offsets[:1], 4, 32, only="pad").best[0].pad == 1
    with pytest.raises(smembank.UsageError, match="expected integers"):
        smembank.count_many(offsets * 0.5)
    with pytest.raises(smembank.UsageError, match="two dimensions"):
        smembank.count_many(offsets[0])
    with pytest.raises(smembank.UsageError, match="numbers from 0"):
        smembank.count_many(-offsets)


def test_without_numpy(monkeypatch):
    monkeypatch.setattr("smembank._request.numpy", None)
    assert smembank.count_many([column(32), column(34)]).wavefronts == [32, 2]


def test_example(capsys):
    pytest.importorskip("numpy")
    runpy.run_path(str(PACKAGE / "examples" / "transpose.py"))
    assert capsys.readouterr().out == (
        "wavefronts by padding: [32  1  2  1  4  1  2  1  8]\n"
        "line 5: store tile[threadIdx.y][threadIdx.x]: 1-way, 0 in excess\n"
        "line 7: load tile[threadIdx.x][threadIdx.y]: 32-way, 15872 in excess\n"
        "line 5: load of in: 2048 sectors, 0 in excess\n"
        "line 7: store of out: 2048 sectors, 0 in excess\n"
        "now: no padding: 16896 wavefronts, 4096 bytes\n"
        "swizzle: Swizzle<5,0,5>: 1024 wavefronts, 4096 bytes\n"
        "pad: pad 1: 1024 wavefronts, 4224 bytes\n"
        "both: pad 1 + Swizzle<1,0,1>: 1024 wavefronts, 4224 bytes\n"
        "a column in it: 1 wavefront\n"
    )


def test_readme_and_docstring():
    result = doctest.testfile(str(PACKAGE / "README.md"), module_relative=False)
    assert result.attempted > 4 and result.failed == 0
    result = doctest.testmod(smembank)
    assert result.attempted > 1 and result.failed == 0


def run_with(library):
    program = "import smembank\ntry:\n  smembank.count([0])\nexcept smembank.LibraryError as error:\n  print(error)\n"
    path = str(pathlib.Path(smembank.__file__).parent.parent)
    environment = {**os.environ, "SMEMBANK_LIBRARY": library, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_library_that_is_not_there(tmp_path):
    assert "no-such.so" in run_with(str(tmp_path / "no-such.so"))
    assert "is no libsmembank" in run_with("libc.so.6")


def test_library_that_is_not_installed(monkeypatch, tmp_path):
    monkeypatch.delenv("SMEMBANK_LIBRARY", raising=False)
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    monkeypatch.setattr("smembank._library.BROUGHT", tmp_path / "libsmembank.so.0")
    with pytest.raises(smembank.LibraryError, match="SMEMBANK_LIBRARY"):
        smembank._library.find_library()
    (tmp_path / "libsmembank.so.0").touch()
    assert smembank._library.find_library() == str(tmp_path / "libsmembank.so.0")


def run_module(folder, *words, **environment):
    """python -m smembank, of a package in a folder of its own; the program is a script that says where it is, and its words."""
    if not (folder / "smembank").exists():
        shutil.copytree(pathlib.Path(smembank.__file__).parent, folder / "smembank", ignore=shutil.ignore_patterns("*.so.0"))
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run([sys.executable, "-m", "smembank", *words], env=environment, capture_output=True, text=True, cwd=folder)


def make_program(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('#!/bin/sh\necho "$0|$1|$2"\nexit 7\n')
    path.chmod(0o755)
    return path


def test_module_is_the_program(tmp_path):
    package = tmp_path / "a package"
    beside, on_path, named = (make_program(folder / "smembank") for folder in (package / "bin", tmp_path / "path", tmp_path / "named"))
    words = ["an alyze", "$(x);'\""]

    def starts(program, **environment):
        done = run_module(package, *words, **environment)
        assert (done.returncode, done.stdout) == (7, "|".join([str(program), *words]) + "\n"), done

    starts(named, SMEMBANK=str(named))
    starts(beside)
    beside.unlink()
    starts(on_path, PATH=f"{on_path.parent}:/usr/bin:/bin")
    alone = run_module(package, PATH=str(tmp_path))
    assert (alone.returncode, alone.stdout) == (1, "")
    assert alone.stderr.startswith("smembank: the program smembank is neither")


def test_module_finds_what_was_installed(tmp_path):
    """By the list of files that an installer leaves: the program is below the prefix, far from the package."""
    site = tmp_path / "lib" / "python3" / "site-packages"
    program = make_program(tmp_path / "bin" / "smembank")
    info = site / "smembank-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: smembank\nVersion: 0.1.0\n")
    (info / "RECORD").write_text("smembank/__init__.py,,\n../../../bin/smembank,,\n")
    done = run_module(site, "x", "y")
    assert (done.returncode, done.stdout) == (7, f"{program}|x|y\n"), done


def test_layout():
    counted = smembank.layout("(32,32):(32,1)", "row", "store column")
    assert counted.level == "layout" and counted.shared_bytes == 4096
    assert [(a.op, a.expression, a.sums.wavefronts) for a in counted.accesses] == [
        ("load", "row", 1),
        ("store", "store column", 32),
    ]
    swizzled = smembank.layout("Swizzle<3,3,3> o (64,64):(64,1)", "ldmatrix.x4.trans", element="f16")
    assert swizzled.totals["load"].excess == 0
    assert smembank.layout("r*64 + c", "column", shape="64x64", arch="gfx942").totals["load"].excess > 0


def test_layout_is_the_kernel():
    """The tile of a kernel, as a layout: the same wavefronts of each warp."""
    for pad in range(4):
        kernel = smembank.analyze(tile(defines={"PAD": pad})).accesses[1].sums
        assert smembank.layout(f"(32,32):({32 + pad},1)", "column").accesses[0].sums.wavefronts * 32 == kernel.wavefronts


def test_assert_conflict_free():
    smembank.assert_conflict_free("(32,32):(33,1)", "row", "column")
    smembank.assert_conflict_free("(32,32):(32,1)", "row", "column", max_excess=31)
    with pytest.raises(AssertionError, match=r"31 wavefronts in excess on sm_90.*\n  load column: 32 wavefronts, 1 without"):
        smembank.assert_conflict_free("(32,32):(32,1)", "row", "column")


@pytest.mark.parametrize(
    "error, place, arguments",
    [
        (smembank.InputError, "layout:1:14: expected ')'", ("(32,32:(33,1)", "row")),
        (smembank.InputError, "layout:2:8: expected row, column", ("(32,32):(33,1)", "diagonal")),
        (smembank.InputError, "layout:2:12: expected", ("(32,32):(33,1)", "row\naccess column")),
        (smembank.UsageError, "expected an access", ("(32,32):(33,1)",)),
        (smembank.UsageError, "expected a text", (" ", "row")),
        (smembank.UsageError, "access 7: expected a text", ("32x32", 7)),
    ],
)
def test_layout_errors(error, place, arguments):
    with pytest.raises(error) as raised:
        smembank.layout(*arguments)
    assert str(raised.value).startswith(place) or place in str(raised.value)
