# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""What the program smembank is asked for, since the library has no clock and runs no programs: predicted times, and programs of CUDA without a GPU."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from . import _kernel, _library
from ._program import find_program


@dataclass(frozen=True)
class Time:
    """How long a launch is predicted to take on a device. Never exact: doc/time.md says how far predictions are off.

    device, clock_ghz: what it is predicted for
    evidence: "measured", or "documented": the device was not measured, and how far predictions are off is not known
    cycles, microseconds: of the whole launch
    bound_by: what limits it: "shared memory", "L2", "DRAM", "latency", …
    conflict_cycles, conflict_microseconds: what its bank conflicts cost: the difference from the same launch without them
    speedup_without_conflicts: how many times faster it would be without them
    typical_error: how far such predictions are typically off, as a part of the time; None: not known for this device
    busy: which part of the time each unit works, by its name
    stalls: for what warps wait, as parts of their time, by the names that Nsight Compute has
    waves, resident_blocks: how often the device is filled, and how many blocks a multiprocessor holds
    """

    device: str
    clock_ghz: float
    evidence: str
    cycles: int
    microseconds: float
    bound_by: str
    conflict_cycles: int
    conflict_microseconds: float
    speedup_without_conflicts: float
    typical_error: Optional[float]
    busy: Mapping[str, float]
    stalls: Mapping[str, float]
    waves: float
    resident_blocks: int


@dataclass(frozen=True)
class Launch:
    """A kernel that a program launched, or several alike.

    numbers: which launches they are, from 1; kernel: its name, and symbol: as it is mangled
    requests, wavefronts, ideal, excess: of shared memory, in one launch; None: not counted, which error or reason explain
    exact: whether these are what a device counts; reason: why not
    time: None: not asked for, or not known; unknown_time says why
    """

    numbers: Sequence[int]
    kernel: str
    symbol: str
    grid: Tuple[int, int, int]
    block: Tuple[int, int, int]
    dynamic_bytes: int
    requests: Optional[int]
    wavefronts: Optional[int]
    ideal: Optional[int]
    excess: Optional[int]
    exact: bool
    reason: Optional[str]
    error: Optional[str]
    time: Optional[Time]
    unknown_time: Optional[str]


@dataclass(frozen=True)
class Run:
    """A program that has ended. status: its exit status; launches: the most excess wavefronts first; output, errors: what it wrote, and smembank
    beside it on standard error."""

    status: int
    launches: Sequence[Launch]
    output: str
    errors: str


def _read_time(found: Optional[Mapping[str, Any]]) -> Tuple[Optional[Time], Optional[str]]:
    """A time of the program's JSON, or why there is none."""
    if found is None or found["unknown"] is not None:
        return None, found["unknown"] if found else None
    without = found["without_conflicts"]
    error = found.get("error")
    time = Time(
        device=found["device"],
        clock_ghz=found["clock_ghz"],
        evidence=found["evidence"],
        cycles=found["cycles"],
        microseconds=found["microseconds"],
        bound_by=found["bound_by"],
        conflict_cycles=found["cycles"] - without["cycles"],
        conflict_microseconds=found["microseconds"] - without["microseconds"],
        speedup_without_conflicts=without["speedup"],
        typical_error=error["typical"] if error else None,
        busy={unit["name"]: unit["busy"] for unit in found["units"]},
        stalls={stall["reason"]: stall["share"] for stall in found["stalls"]},
        waves=found["waves"],
        resident_blocks=found["resident_blocks"],
    )
    return time, None


def _read_launch(row: Mapping[str, Any]) -> Launch:
    time, unknown = _read_time(row.get("time"))
    return Launch(
        numbers=row["numbers"],
        kernel=row["kernel"],
        symbol=row["symbol"],
        grid=(row["grid"][0], row["grid"][1], row["grid"][2]),
        block=(row["block"][0], row["block"][1], row["block"][2]),
        dynamic_bytes=row["dynamic_bytes"],
        requests=row["requests"],
        wavefronts=row["wavefronts"],
        ideal=row["ideal_wavefronts"],
        excess=row["excess_wavefronts"],
        exact=row["exact"],
        reason=row["reason"],
        error=row["error"],
        time=time,
        unknown_time=unknown,
    )


def _device_words(arch: Optional[str], device: Optional[str], clock_ghz: Optional[float], cache: Optional[str]) -> List[str]:
    given = {"arch": arch, "device": device, "clock": clock_ghz, "cache": cache}
    return [f"--{name}={value}" for name, value in given.items() if value is not None]


def _ask(words: Sequence[str], command: Sequence[str], **how: Any) -> Tuple["subprocess.CompletedProcess[str]", Any]:
    """The program with these words, and the JSON of its result: None if that is empty. Raises what it says if there is no result."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.json"
        done = subprocess.run(
            [find_program(), *words, "--format=json", f"--output={result}", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            **how,
        )
        if result.exists():
            written = result.read_text(encoding="utf-8")
            return done, json.loads(written) if written else None
    message = done.stderr.strip() or f"smembank {words[0]}: status {done.returncode}"
    raise (_library.UsageError if done.returncode == _library.WRONG_USAGE else _library.InputError)(message)


def _kernel_words(kernel: _kernel.Kernel, path: str) -> List[str]:
    words = [f"--entry={kernel.entry}"] if kernel.entry is not None else []
    words += [f"--instance={kernel.instance}"] if kernel.instance is not None else []
    for option, values in (
        ("define", _kernel._assignments(kernel.defines)),
        ("include", [os.fspath(folder) for folder in kernel.include]),
        ("arg", _kernel._assignments(kernel.args)),
        ("buffer", _kernel._assignments(kernel.buffers)),
        ("array", _kernel._assignments(kernel.arrays)),
    ):
        words += [f"--{option}={value}" for value in values]
    for option, extent in (("block", kernel.block), ("grid", kernel.grid)):
        if extent is not None:
            words.append(f"--{option}=" + ",".join(str(number) for number in _kernel._extent(option, extent)))
    for option, number in (("dynamic-bytes", kernel.dynamic_bytes), ("max-steps", kernel.max_steps), ("threads", kernel.threads)):
        if number:
            words.append(f"--{option}={number}")
    if kernel.skip_unknown:
        words.append("--unknown=skip")
    return [*words, os.path.join(".", path)]


def time(
    kernel: Union[_kernel.Kernel, _kernel.Path],
    device: Optional[str] = None,
    arch: Optional[str] = None,
    clock_ghz: Optional[float] = None,
    cache: Optional[str] = None,
    **launch: Any,
) -> Time:
    """How long a launch takes on a device, predicted without one: of machine code, or of CUDA C, which the program compiles with nvcc.

    kernel: a Kernel, or the path of one, with the rest of its launch as keywords
    device: as "h200" (smembank list devices); default: the first one of the architecture
    clock_ghz: of its multiprocessors; cache: "cold" or "warm", what its L2 holds before
    Raises InputError with the reason if no time is known.
    """
    if not isinstance(kernel, _kernel.Kernel):
        kernel = _kernel.Kernel(kernel, **launch)
    elif launch:
        raise _library.UsageError(f"{', '.join(launch)}: expected in the Kernel")
    words = ["analyze", "--time", *_device_words(arch, device, clock_ghz, cache)]
    environment = {**os.environ, "SMEMBANK_RUN": "no"}
    with tempfile.TemporaryDirectory() as folder:
        path = os.fspath(kernel.path)
        if kernel.text is not None:
            # The text is in the place of the file: what it includes lies beside that.
            words.append("--include=" + (os.path.dirname(path) or "."))
            path = os.path.join(folder, os.path.basename(path))
            pathlib.Path(path).write_bytes(kernel.text.encode() if isinstance(kernel.text, str) else kernel.text)
        _, result = _ask(words, _kernel_words(kernel, path), env=environment, stdin=subprocess.DEVNULL)
    found, unknown = _read_time(result.get("time") if result else None)
    if found is None:
        raise _library.InputError(f"{os.fspath(kernel.path)}: no time is known: {unknown or 'there is no machine code'}")
    return found


def run(
    command: Sequence[Union[str, "os.PathLike[str]"]],
    device: Optional[str] = None,
    arch: Optional[str] = None,
    clock_ghz: Optional[float] = None,
    cache: Optional[str] = None,
    predict_time: bool = False,
    input: str = "",
    timeout: Optional[float] = None,
    **process: Any,
) -> Run:
    """Runs a program of CUDA without a GPU: its kernels compute what they do on a device, and their bank conflicts are counted.

    command: the program and its arguments; a FILE.cu is compiled with nvcc
    predict_time: also predict how long each launch takes, on device
    input: what the program reads on standard input
    timeout: seconds; subprocess.TimeoutExpired is raised then
    process: cwd and env, as subprocess.run has them
    The program is not confined. Raises UsageError or InputError if it cannot be run.
    """
    if isinstance(command, (str, bytes, os.PathLike)) or not command:
        raise _library.UsageError(f"command {command!r}: expected a program and its arguments, such as ['./app', '--size', '512']")
    program, *arguments = [os.fspath(word) for word in command]
    words = ["run", *_device_words(arch, device, clock_ghz, cache), "--time" if predict_time else "--no-time"]
    if program.endswith(".cu"):
        started = [os.path.join(".", program), "--", *arguments]
    else:
        started = ["--", program, *arguments]
    done, result = _ask(words, started, input=input, timeout=timeout, **process)
    # A program that launches nothing leaves nothing.
    launches = [_read_launch(row) for row in result["ranking"]] if result else []
    return Run(done.returncode, launches, done.stdout, done.stderr)
