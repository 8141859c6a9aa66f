# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Other layouts of shared arrays: rows padded, elements swizzled (CuTe's Swizzle<B,M,S>), or both."""

from __future__ import annotations

import ctypes
from ctypes import c_void_p
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

from . import _library
from ._kernel import Kernel, Path, Sums, as_kernel, pack, unpack_sums
from ._request import Masks, Offsets
from ._request import pack as pack_requests

_KINDS = {"pad": 1, "swizzle": 2, "both": 4}


@dataclass(frozen=True)
class Layout:
    """A layout of an array, and the cost of its requests.

    kind: "now", "pad", "swizzle" or "both"
    columns, pad: elements of a row, and elements after each row that hold nothing
    bits, base, shift: B, M and S of the swizzle of element numbers; bits is 0 without one
    bytes: of the array
    """

    kind: str
    element_bytes: int
    columns: int
    pad: int
    bits: int
    base: int
    shift: int
    bytes: int
    sums: Sums

    def offset(self, n: int) -> int:
        """The byte offset in the array at which element n begins, n counting them row by row without padding."""
        source = n >> self.base + max(self.shift, 0)
        m = n ^ (source & (1 << self.bits) - 1) << self.base + max(-self.shift, 0)
        row, column = divmod(m, self.columns)
        return (row * (self.columns + self.pad) + column) * self.element_bytes

    def __str__(self) -> str:
        parts = [f"pad {self.pad}"] if self.pad else []
        parts += [f"Swizzle<{self.bits},{self.base},{self.shift}>"] if self.bits else []
        return " + ".join(parts) or "no padding"


@dataclass(frozen=True)
class SearchedArray:
    """What was found for one array.

    now: the present layout, and best: the best others, fewest wavefronts first, then fewest bytes. None and empty if
      requests access several arrays at once: it then has no layout of its own
    searched, unfit: layouts that were tried, and how many of them cannot be
    ties: layouts that take as few wavefronts as the best
    """

    name: str
    now: Optional[Layout]
    best: Sequence[Layout]
    searched: int
    unfit: int
    ties: int


def _pack_search(array: Optional[str], only: Optional[str], row: int, keep: int) -> _library.Search:
    if only is not None and only not in _KINDS:
        raise _library.UsageError(f"only {only!r}: expected one of {', '.join(_KINDS)}")
    return _library.Search(
        array=_library.encode_optional(array),
        kinds=_KINDS[only] if only else 0,
        keep=_library.bounded("keep", keep, 32),
        row=_library.bounded("row", row, 64),
    )


def _unpack_layout(row: _library.FoundLayout) -> Layout:
    return Layout(
        kind=_library.decode_text(row.kind),
        element_bytes=row.element_bytes,
        columns=row.columns,
        pad=row.pad,
        bits=row.bits,
        base=row.base,
        shift=row.shift,
        bytes=row.bytes,
        sums=unpack_sums(row.sums),
    )


def _unpack_array(library: Any, pointer: c_void_p, index: int) -> SearchedArray:
    row = library.smb_layouts_array(pointer, index).contents
    layouts = [
        _unpack_layout(library.smb_layouts_layout(pointer, row.first + i).contents) for i in range(row.n_layouts)
    ]
    return SearchedArray(
        name=_library.decode_text(row.name),
        now=layouts[0] if layouts else None,
        best=layouts[1:],
        searched=row.searched,
        unfit=row.unfit,
        ties=row.ties,
    )


def _run(function: str, *arguments: Any) -> list[SearchedArray]:
    library, pointer = _library.library(), c_void_p()
    _library.call(function, *arguments, ctypes.byref(pointer))
    layouts = _library.Handle(pointer, "smb_layouts_free")
    return [_unpack_array(library, layouts.pointer, i) for i in range(library.smb_layouts_n_arrays(pointer))]


def search(
    kernel: Union[Kernel, Path],
    arch: str = "sm_90",
    array: Optional[str] = None,
    only: Optional[str] = None,
    row: int = 0,
    keep: int = 1,
    **launch: object,
) -> list[SearchedArray]:
    """The best layouts of the shared arrays of a kernel.

    It counts the requests of the text as it is: loads that a compiler would merge, and whether the kernel can be
    rewritten, are left to `smembank advise`.

    kernel, launch: as of analyze()
    array: its name; None: every array that the kernel uses
    only: "pad", "swizzle" or "both"; None: all
    row: of an array of one dimension: elements of a row
    keep: how many of the best of each kind are wanted
    """
    launched = pack(as_kernel(kernel, launch))
    wanted = _pack_search(array, only, row, keep)
    return _run("smb_kernel_search", _library.model(arch).pointer, ctypes.byref(launched), ctypes.byref(wanted))


def search_requests(
    offsets: Offsets,
    element_bytes: int,
    columns: int = 0,
    pad: int = 0,
    size: int = 0,
    width: int = 4,
    op: str = "ld",
    mask: Union[int, Masks, None] = None,
    arch: str = "sm_90",
    only: Optional[str] = None,
    keep: int = 1,
) -> SearchedArray:
    """The best layouts of an array of which only the requests are known; it begins at offset 0.

    offsets, width, op, mask, arch: as of count_many()
    element_bytes, columns, pad: the layout of the array in these requests; columns 0: it is one row
    size: its bytes; 0: as many as the requests reach, in whole rows
    only, keep: as of search()
    """
    requests, alive = pack_requests(offsets, width, op, mask)
    now = _library.PresentLayout(
        element_bytes=_library.bounded("element_bytes", element_bytes, 32),
        columns=_library.bounded("columns", columns, 64),
        pad=_library.bounded("pad", pad, 64),
        bytes=_library.bounded("size", size, 64),
    )
    wanted = _pack_search(None, only, 0, keep)
    found = _run(
        "smb_requests_search",
        _library.model(arch).pointer,
        ctypes.byref(requests),
        ctypes.byref(now),
        ctypes.byref(wanted),
    )
    del alive
    return found[0]
