# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Kernels: what a launch costs, access by access."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_void_p
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import _library

Extent = Union[int, Sequence[int]]
Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Kernel:
    """A kernel and its launch.

    path: a file of CUDA C (the subset that doc/kernel-language.md describes: nothing is compiled here), PTX or machine code
    text: what is read in place of the file, which messages call path
    entry: the kernel, of a file that has several
    instance: which instance of a template, in place of entry: "k<128,8>"
    defines: macros, as of nvcc -D
    include: folders of included files
    args: values of scalar parameters, by name or number (from 0): numbers, or "raw:" and hexadecimal digits, or "@FILE"
    buffers: contents of the buffers of pointers, by name or number: "iota:i32", "zeros", a file, …
    arrays: shapes of arrays of compiled code, by name: "64x64xf16"
    block, grid: in x, y, z, or in x; without a block, the one that the kernel names, or else one warp
    dynamic_bytes: dynamic shared memory
    max_steps: statements that a block may execute; 0: the default
    threads: blocks that are run at once; 0: as many as there are processors. The counts are the same for any number
    skip_unknown: whether requests at addresses that are not known are left out and reported; else they are errors
    """

    path: Path
    text: Union[str, bytes, None] = None
    entry: Optional[str] = None
    defines: Mapping[str, object] = field(default_factory=dict)
    include: Sequence[Path] = ()
    args: Mapping[Union[str, int], object] = field(default_factory=dict)
    buffers: Mapping[Union[str, int], str] = field(default_factory=dict)
    arrays: Mapping[str, str] = field(default_factory=dict)
    block: Optional[Extent] = None
    grid: Optional[Extent] = None
    dynamic_bytes: int = 0
    max_steps: int = 0
    threads: int = 0
    skip_unknown: bool = False
    instance: Optional[str] = None


@dataclass(frozen=True)
class Sums:
    """Over requests: their number, their wavefronts, and so on as in Cost; max_degree is the highest degree."""

    requests: int
    wavefronts: int
    ideal: int
    excess: int
    cycles: int
    max_degree: int


@dataclass(frozen=True)
class Access:
    """One access to shared memory, in one direction, over the whole grid.

    file, line, column: where it is, from 1; file is None and line 0 if that is not known
    expression: as the text has it, or the instruction
    array: the shared array that it touches
    op: "load", "store" or "atomic"
    width: bytes of one lane
    opcode, pc: of compiled code: the instruction, and the line of the PTX or the byte offset in the function
    is_copy: whether it is a copy from global memory (cp.async), which is in no total
    exact: whether hardware makes just these requests, if it runs what was read (Analysis.level: a compiler may still change
        the accesses of a text or of PTX); else reason says why it may make others
    depends_on_data: whether they are those of made-up contents of memory, which the kernel was not given
    uncounted: requests that are not in sums, because their addresses are not known
    """

    file: Optional[str]
    line: int
    column: int
    expression: str
    array: Optional[str]
    op: str
    width: int
    opcode: Optional[str]
    pc: int
    is_copy: bool
    exact: bool
    reason: Optional[str]
    depends_on_data: bool
    uncounted: int
    sums: Sums


@dataclass(frozen=True)
class Segments:
    """Over requests of global memory: their number; the segments (sectors of 32 bytes, or lines of 128) that they touch;
    ideal: the segments if the bytes of each request were contiguous; excess: segments - ideal; bytes: that lanes access,
    each its own; max_segments: most of one request; uncounted: requests of which it is not known where they go, or
    whether they are made, and which nothing else counts."""

    requests: int
    segments: int
    ideal: int
    excess: int
    bytes: int
    max_segments: int
    uncounted: int = 0


@dataclass(frozen=True)
class GlobalAccess:
    """One access to global memory, in one direction, over the whole grid: its place as of Access, and the parameter whose
    buffer it touches."""

    file: Optional[str]
    line: int
    column: int
    expression: str
    buffer: Optional[str]
    op: str
    width: int
    opcode: Optional[str]
    pc: int
    sums: Segments


@dataclass(frozen=True)
class ConstantAccess:
    """One load of constant memory that computes where: its place, exact, reason and uncounted as of Access; the variable, or the
    kernel's parameters, if it is known. In its sums, distinct words, which are served one after the other, are wavefronts."""

    file: Optional[str]
    line: int
    column: int
    expression: str
    variable: Optional[str]
    width: int
    opcode: Optional[str]
    pc: int
    exact: bool
    reason: Optional[str]
    uncounted: int
    sums: Sums


@dataclass(frozen=True)
class Traffic:
    """An instruction that uses shared memory and makes no request that is counted, such as a shuffle or a bulk copy; in no total.

    kind: what it does
    executions: by a warp
    bytes: of shared memory that they move
    unsized: of the executions, those of which it is not known how many bytes they move
    wavefronts: that they take; None without a rule for it
    exact: whether hardware executes it just as often
    """

    file: Optional[str]
    line: int
    column: int
    expression: str
    opcode: Optional[str]
    pc: int
    kind: str
    executions: int
    bytes: int
    unsized: int
    wavefronts: Optional[int]
    exact: bool


@dataclass(frozen=True)
class Warning:
    """Something that makes a count doubtful, or the kernel: kind is "race", "pending", "unset", "reserved", "descriptor", "loop", "merge", "data",
    "order", "meeting", "timing", "uncounted", "idle" or "block".
    hint: what to give so that it goes away, where that is known."""

    kind: str
    line: int
    column: int
    expression: Optional[str]
    message: str
    hint: Optional[_library.Hint] = None


@dataclass(frozen=True)
class Analysis:
    """What a launch costs.

    kernel: its name
    level: what was read: "text" of CUDA C, "ptx", "sass", or "layout"
    shared_bytes: shared memory of a block
    accesses: those that were executed, in the order of the text
    totals: of all accesses, by "load", "store" and "atomic"
    warnings: in the order of the text
    segment_bytes: of a segment of global memory: 32 or 128
    global_accesses, global_totals: the same for global memory
    constants, constant_total: loads of constant memory that compute where; none where the architecture has no rule for them
    traffic: other instructions that use shared memory
    """

    kernel: str
    level: str
    shared_bytes: int
    accesses: Sequence[Access]
    totals: Mapping[str, Sums]
    warnings: Sequence[Warning]
    segment_bytes: int
    global_accesses: Sequence[GlobalAccess]
    global_totals: Mapping[str, Segments]
    constants: Sequence[ConstantAccess]
    constant_total: Sums
    traffic: Sequence[Traffic]


def _extent(name: str, given: Optional[Extent]) -> tuple[int, int, int]:
    if given is None:
        return (0, 0, 0)
    numbers = list(given) if isinstance(given, Sequence) else [given]
    if not 1 <= len(numbers) <= 3 or any(number < 1 for number in numbers):
        raise _library.UsageError(f"{name} {given}: expected one to three numbers from 1")
    padded = [_library.bounded(name, number, 32) for number in numbers] + [1, 1]
    return (padded[0], padded[1], padded[2])


def _assignments(values: Mapping[Any, object]) -> list[str]:
    return [f"{name}={int(value) if isinstance(value, bool) else value}" for name, value in values.items()]


def _entry(kernel: Kernel) -> Optional[str]:
    """The kernel as the library names it: an instance of a template is an entry of its own."""
    if kernel.instance is None:
        return kernel.entry
    name, bracket, _ = kernel.instance.partition("<")
    if not name or not bracket or kernel.entry not in (None, name):
        raise _library.UsageError(f"instance '{kernel.instance}': expected {kernel.entry or 'NAME'}<ARGUMENTS>")
    return kernel.instance


def pack(kernel: Kernel) -> _library.KernelLaunch:
    """The kernel for the library."""
    text = kernel.text.encode() if isinstance(kernel.text, str) else kernel.text
    return _library.KernelLaunch(
        path=_library.encode(os.fspath(kernel.path)),
        text=text,
        length=len(text) if text is not None else 0,
        entry=_library.encode_optional(_entry(kernel)),
        defines=_library.encode_list(_assignments(kernel.defines)),
        folders=_library.encode_list([os.fspath(folder) for folder in kernel.include]),
        args=_library.encode_list(_assignments(kernel.args)),
        buffers=_library.encode_list(_assignments(kernel.buffers)),
        arrays=_library.encode_list(_assignments(kernel.arrays)),
        block=_extent("block", kernel.block),
        grid=_extent("grid", kernel.grid),
        dynamic_bytes=_library.bounded("dynamic_bytes", kernel.dynamic_bytes, 64),
        max_steps=_library.bounded("max_steps", kernel.max_steps, 64),
        threads=_library.bounded("threads", kernel.threads, 32),
        skips_unknown=int(kernel.skip_unknown),
    )


def unpack_sums(sums: _library.Sums) -> Sums:
    return Sums(sums.requests, sums.wavefronts, sums.ideal, sums.excess, sums.cycles, sums.max_degree)


def _unpack_segments(row: _library.GlobalCounts) -> Segments:
    return Segments(row.requests, row.segments, row.ideal, row.excess, row.bytes, row.max_segments, row.uncounted)


def _unpack_place(row: Any) -> dict[str, Any]:
    """What all rows say of where they are."""
    return {
        "file": _library.decode(row.file),
        "line": row.line,
        "column": row.column,
        "expression": _library.decode_text(row.expression),
        "opcode": _library.decode(row.opcode),
        "pc": row.pc,
    }


def _unpack_access(row: _library.AccessCounts) -> Access:
    return Access(
        **_unpack_place(row),
        array=_library.decode(row.array),
        op=_library.decode_text(row.op),
        width=row.width,
        is_copy=bool(row.is_copy),
        exact=bool(row.exact),
        reason=_library.decode(row.reason),
        depends_on_data=bool(row.depends_on_data),
        uncounted=row.uncounted,
        sums=unpack_sums(row.sums),
    )


def _unpack_global(row: _library.GlobalCounts) -> GlobalAccess:
    return GlobalAccess(
        **_unpack_place(row),
        buffer=_library.decode(row.buffer),
        op=_library.decode_text(row.op),
        width=row.width,
        sums=_unpack_segments(row),
    )


def _unpack_constant(row: _library.ConstantCounts) -> ConstantAccess:
    return ConstantAccess(
        **_unpack_place(row),
        variable=_library.decode(row.variable),
        width=row.width,
        exact=bool(row.exact),
        reason=_library.decode(row.reason),
        uncounted=row.uncounted,
        sums=unpack_sums(row.sums),
    )


def _unpack_traffic(row: _library.TrafficCounts) -> Traffic:
    return Traffic(
        **_unpack_place(row),
        kind=_library.decode_text(row.kind),
        executions=row.executions,
        bytes=row.bytes,
        unsized=row.unsized,
        wavefronts=row.wavefronts if row.has_wavefronts else None,
        exact=bool(row.exact),
    )


def _unpack_warning(row: _library.KernelWarning, hint: Any) -> Warning:
    return Warning(
        kind=_library.decode_text(row.kind),
        line=row.line,
        column=row.column,
        expression=_library.decode(row.expression),
        message=_library.decode_text(row.message),
        hint=_library.make_hint(hint.contents) if hint else None,
    )


def analyze(kernel: Union[Kernel, Path], arch: str = "sm_90", **launch: object) -> Analysis:
    """What a launch of a kernel costs, as `smembank analyze` counts it. A path takes the fields of Kernel as keywords:
    analyze("transpose.cu", block=(32, 32), defines={"PAD": 1})."""
    launched = pack(as_kernel(kernel, launch))
    library, pointer = _library.library(), c_void_p()
    _library.call("smb_kernel_count", _library.model(arch).pointer, ctypes.byref(launched), ctypes.byref(pointer))
    counts = _library.Handle(pointer, "smb_counts_free")
    operations = ("load", "store", "atomic")

    def rows(many: str, one: str, unpack: Callable[[Any], Any]) -> list[Any]:
        get = getattr(library, one)
        return [unpack(get(counts.pointer, i).contents) for i in range(getattr(library, many)(counts.pointer))]

    return Analysis(
        kernel=_library.decode_text(library.smb_counts_kernel(pointer)),
        level=_library.decode_text(library.smb_counts_level(pointer)),
        shared_bytes=library.smb_counts_shared_bytes(pointer),
        accesses=rows("smb_counts_n_accesses", "smb_counts_access", _unpack_access),
        totals={op: unpack_sums(library.smb_counts_total(pointer, op.encode()).contents) for op in operations},
        warnings=[
            _unpack_warning(
                library.smb_counts_warning(pointer, i).contents, library.smb_counts_warning_hint(pointer, i)
            )
            for i in range(library.smb_counts_n_warnings(pointer))
        ],
        segment_bytes=library.smb_counts_segment_bytes(pointer),
        global_accesses=rows("smb_counts_n_globals", "smb_counts_global", _unpack_global),
        global_totals={
            op: _unpack_segments(library.smb_counts_global_total(pointer, op.encode()).contents) for op in operations
        },
        constants=rows("smb_counts_n_constants", "smb_counts_constant", _unpack_constant),
        constant_total=unpack_sums(library.smb_counts_constant_total(pointer).contents),
        traffic=rows("smb_counts_n_traffic", "smb_counts_traffic", _unpack_traffic),
    )


def as_kernel(kernel: Union[Kernel, Path], launch: Mapping[str, object]) -> Kernel:
    if not isinstance(kernel, Kernel):
        return Kernel(kernel, **launch)  # type: ignore[arg-type]
    if launch:
        raise TypeError(f"a Kernel has its launch: unexpected {', '.join(launch)}")
    return kernel
