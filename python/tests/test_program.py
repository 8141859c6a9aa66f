# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""What the package asks the program for: times, and programs without a GPU. Skipped without the program (SMEMBANK)."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

import smembank
from smembank import ci
from smembank._program import find_program

SOURCE = pathlib.Path(__file__).parent.parent.parent
TURN = SOURCE / "data" / "lessons" / "turn.cubin"
TRANSPOSE = SOURCE / "tests" / "run" / "algorithm" / "transpose.cu"


def has_program():
    try:
        return bool(find_program())
    except smembank.LibraryError:
        return False


pytestmark = pytest.mark.skipif(not has_program(), reason="no program smembank")


def turn(entry, **launch):
    fields = {"block": (32, 8), "grid": (64, 64), "args": {2: 2048}, **launch}
    return smembank.Kernel(TURN, entry=entry, **fields)


def test_time():
    plain, padded = (smembank.time(turn(entry), device="h200") for entry in ("turn", "turn_padded"))
    assert plain.device == padded.device == "h200"
    assert plain.cycles > padded.cycles and plain.bound_by == "shared memory"
    assert padded.conflict_cycles == 0 and padded.speedup_without_conflicts == 1
    assert plain.conflict_cycles > 0
    assert plain.speedup_without_conflicts == pytest.approx(plain.cycles / (plain.cycles - plain.conflict_cycles), rel=1e-3)
    assert plain.microseconds == pytest.approx(plain.cycles / plain.clock_ghz / 1000, rel=1e-3)
    assert plain.busy["shared memory"] > padded.busy["shared memory"]
    assert sum(plain.stalls.values()) == pytest.approx(1, abs=0.01)
    assert 0 < plain.typical_error < 1
    slow = smembank.time(TURN, device="h200", clock_ghz=1, entry="turn", block=(32, 8), grid=(64, 64), args={2: 2048})
    assert slow.clock_ghz == 1 and slow.microseconds > plain.microseconds


def test_time_is_what_the_program_says(tmp_path):
    words = ["--entry=turn", "--block=32,8", "--grid=64,64", "--arg=2=2048", "--device=h200", "--format=json"]
    told = subprocess.run([find_program(), "analyze", "--time", *words, str(TURN)], stdout=subprocess.PIPE, check=False).stdout
    said, time = json.loads(told)["time"], smembank.time(turn("turn"), device="h200")
    assert (said["cycles"], said["microseconds"], said["bound_by"]) == (time.cycles, time.microseconds, time.bound_by)


def test_no_time(monkeypatch):
    monkeypatch.setenv("SMEMBANK_NVCC", "no")
    with pytest.raises(smembank.InputError, match="no time is known: only machine code has a time"):
        smembank.time("k.cu", text="__global__ void k(int *o) { __shared__ int s[32]; s[threadIdx.x] = 1; }", block=32)
    with pytest.raises(smembank.UsageError, match="no device 'h900'"):
        smembank.time(turn("turn"), device="h900")
    with pytest.raises(smembank.InputError, match="[Nn]o such file"):
        smembank.time("nowhere.cubin")
    with pytest.raises(smembank.UsageError, match="block: expected in the Kernel"):
        smembank.time(turn("turn"), block=32)


def test_words_reach_the_program_as_they_are(monkeypatch, tmp_path):
    """Each field of a kernel, with what a shell would take apart; a text lies in a file of its own name, and is not run."""
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\nfor word; do printf "<%s>" "$word"; done >&2\necho "run=$SMEMBANK_RUN" >&2\ncat "$word" >&2\nexit 3\n')
    program.chmod(0o755)
    monkeypatch.setenv("SMEMBANK", str(program))
    kernel = smembank.Kernel(
        "some folder/$(k).cu", text="text of k", instance="k<1, 2>", defines={"A": "'; b"}, include=["-x"], args={"n": True, 2: "0x10"},
        buffers={"p": "zeros"}, arrays={"s": "4x4xf32"}, block=(8, 4), grid=2, dynamic_bytes=16, max_steps=9, threads=2, skip_unknown=True,
    )  # fmt: skip
    with pytest.raises(smembank.InputError) as raised:
        smembank.time(kernel, device="h100", arch="sm_90", clock_ghz=1.5, cache="warm")
    words = str(raised.value).partition("\n")[0]
    assert words.startswith("<analyze><--time><--arch=sm_90><--device=h100><--clock=1.5><--cache=warm><--include=some folder><--format=json><--output=")
    wanted = "<--instance=k<1, 2>><--define=A='; b><--include=-x><--arg=n=1><--arg=2=0x10><--buffer=p=zeros><--array=s=4x4xf32>"
    wanted += "<--block=8,4,1><--grid=2,1,1><--dynamic-bytes=16><--max-steps=9><--threads=2><--unknown=skip>"
    assert wanted in words and words.endswith("/$(k).cu>run=no")
    assert str(raised.value).endswith("\ntext of k")


def test_run_without_kernels():
    environment = {"PATH": "/usr/bin:/bin", "VALUE": "x y"}
    done = smembank.run(["sh", "-c", "echo out; echo $VALUE in $PWD; exit 5"], cwd="/", env=environment)
    assert (done.status, done.launches, done.output) == (5, [], "out\nx y in /\n")
    assert "no launch was counted" in done.errors
    with pytest.raises(smembank.InputError, match="[Nn]o such file"):
        smembank.run(["./nowhere"])
    for command in "app.cu", pathlib.Path("app.cu"), []:
        with pytest.raises(smembank.UsageError, match="expected a program and its arguments"):
            smembank.run(command)
    with pytest.raises(subprocess.TimeoutExpired):
        smembank.run(["sleep", "60"], timeout=0.5)


def test_comment_where_no_host_is_named(monkeypatch, tmp_path, capsys):
    (tmp_path / "comment.md").write_text("a table")
    for name, value in ("SMEMBANK_GITLAB_TOKEN", "t"), ("CI_PROJECT_ID", "3"), ("CI_MERGE_REQUEST_IID", "7"):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("CI_API_V4_URL", raising=False)
    assert ci.main(["comment", "--host=gitlab", f"--out={tmp_path}"]) == 2
    assert "CI_API_V4_URL: '' is not what a host gives" in capsys.readouterr().err


def find_nvcc():
    return next((path for path in (shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc") if path and os.access(path, os.X_OK)), None)


@pytest.mark.skipif(not find_nvcc(), reason="no nvcc")
def test_run(tmp_path):
    program = tmp_path / "program"
    subprocess.run([find_nvcc(), "-arch=sm_90", "-o", program, TRANSPOSE], check=True)
    done = smembank.run([program, "one", "two"], device="h200", predict_time=True, input="42\n")
    assert done.status == 7 and done.output.startswith("0 wrong, total 325")
    assert "3 words, the last 'two'; read 42" in done.output
    launches = {launch.kernel.partition("(")[0]: launch for launch in done.launches}
    transpose, count, stray = launches["transpose"], launches["count"], launches["stray"]
    assert (transpose.requests, transpose.wavefronts, transpose.ideal, transpose.excess) == (256, 4224, 256, 3968)
    assert transpose.grid == (4, 1, 1) and transpose.block == (32, 32, 1) and transpose.exact and transpose.symbol.startswith("_Z9transpose")
    assert transpose.time.conflict_cycles > 0 and count.time.conflict_cycles == 0
    assert stray.requests is None and "illegal address" in stray.error and stray.time is None
    assert smembank.run([program, "one"]).launches[0].time is None
