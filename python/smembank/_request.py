# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Warp requests: the shared-memory accesses of the lanes of a warp in one execution of one instruction."""

from __future__ import annotations

import array
import ctypes
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence, Union

from . import _library

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Cost:
    """What a request costs.

    wavefronts: passes through the data stage of shared memory; ideal: passes that it would need if no two words were in
    one bank; excess: the difference; degree: N of an N-way conflict; cycles: under saturation.
    """

    wavefronts: int
    ideal: int
    excess: int
    degree: int
    cycles: int


class Costs(Sequence[Cost]):
    """What many requests cost: a sequence of Cost, and each of its numbers over all requests, as an array of numpy where
    that is installed, else as a list."""

    _NAMES = ("wavefronts", "ideal", "excess", "degree", "cycles")

    def __init__(self, costs: Any, n: int) -> None:
        self._costs, self._n = costs, n

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._n))]
        if not -self._n <= index < self._n:
            raise IndexError(index)
        cost = self._costs[index % self._n]
        return Cost(*(getattr(cost, name) for name in self._NAMES))

    def _column(self, name: str) -> Any:
        if numpy is None:
            return [getattr(self._costs[i], name) for i in range(self._n)]
        rows = numpy.frombuffer(self._costs, dtype=numpy.uint32, count=self._n * len(self._NAMES))
        return rows.reshape(self._n, len(self._NAMES))[:, self._NAMES.index(name)]

    @property
    def wavefronts(self) -> Any:
        return self._column("wavefronts")

    @property
    def ideal(self) -> Any:
        return self._column("ideal")

    @property
    def excess(self) -> Any:
        return self._column("excess")

    @property
    def degree(self) -> Any:
        return self._column("degree")

    @property
    def cycles(self) -> Any:
        return self._column("cycles")


Offsets = Union[Sequence[Sequence[int]], "numpy.ndarray[Any, Any]"]
Masks = Union[Sequence[int], "numpy.ndarray[Any, Any]"]

# Codes of array.array for unsigned numbers of 32 and 64 bits.
_CODES = {32: next(code for code in "IL" if array.array(code).itemsize == 4), 64: "Q"}


def _pack_rows(rows: Sequence[Sequence[int]], bits: int, name: str) -> tuple[Any, int, int]:
    """Rows of equal length as one buffer: itself, the rows, and the length of each."""
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise _library.UsageError(f"{name}: expected as many lanes in each request, got {sorted(lengths)}")
    try:
        packed = array.array(_CODES[bits], (number for row in rows for number in row))
    except (OverflowError, TypeError) as error:
        raise _library.UsageError(f"{name}: expected numbers from 0 to {(1 << bits) - 1}: {error}") from None
    return packed, len(rows), lengths.pop() if lengths else 0


def _pack_array(values: "numpy.ndarray[Any, Any]", bits: int, name: str) -> "numpy.ndarray[Any, Any]":
    if values.dtype.kind not in "iu":
        raise _library.UsageError(f"{name}: expected integers, got {values.dtype}")
    if values.size and not 0 <= int(values.min()) <= int(values.max()) < 1 << bits:
        raise _library.UsageError(f"{name}: expected numbers from 0 to {(1 << bits) - 1}")
    return numpy.ascontiguousarray(values, dtype=f"uint{bits}")


def pack(offsets: Any, width: int, op: str, mask: Any) -> tuple[_library.Requests, Any]:
    """Requests for the library, and what has to live as long as they do. Two dimensions: request, lane."""
    packed: Any
    if numpy is not None and isinstance(offsets, numpy.ndarray):
        if offsets.ndim != 2:
            raise _library.UsageError(f"offsets: expected two dimensions (request, lane), got {offsets.ndim}")
        packed = _pack_array(offsets, 32, "offsets")
        n, lanes, where = packed.shape[0], packed.shape[1], packed.ctypes.data
    else:
        packed, n, lanes = _pack_rows(offsets, 32, "offsets")
        where = packed.buffer_info()[0]
    masks = None if mask is None else _pack_masks(mask, n)
    requests = _library.Requests(
        op=_library.encode(op),
        width=_library.bounded("width", width, 32),
        n=n,
        lanes=lanes,
        offsets=where,
        masks=None if masks is None else masks.buffer_info()[0],
    )
    return requests, (packed, masks)


def _pack_masks(mask: Any, n: int) -> Any:
    """Of each request, or one for all."""
    numbers = [int(mask)] * n if _is_number(mask) else [int(number) for number in mask]
    if len(numbers) != n:
        raise _library.UsageError(f"mask: expected one number, or {n}, got {len(numbers)}")
    return _pack_rows([numbers], 64, "mask")[0]


def _is_number(mask: Any) -> bool:
    return hasattr(mask, "__index__") and getattr(mask, "ndim", 0) == 0


def count_many(
    offsets: Offsets, width: int = 4, op: str = "ld", mask: Union[int, Masks, None] = None, arch: str = "sm_90"
) -> Costs:
    """What many requests of one kind cost.

    offsets: a row for each request: byte offsets in shared memory, from lane 0, at most as many as a warp has lanes; lists,
      or an array of numpy of integers with two dimensions
    width: bytes of one lane: 1, 2, 4, 8, 12 or 16
    op: as in traces: "ld", "st", "atom", "red.uniform", "cas", "ldmatrix.x4", … (smembank list ops)
    mask: active lanes, bit i is lane i: one number for all requests, or one for each; all that have offsets, if it is None
    arch: such as "sm_90" (smembank list archs)
    """
    requests, alive = pack(offsets, width, op, mask)
    costs = (_library.Cost * max(requests.n, 1))()
    _library.call("smb_requests_count", _library.model(arch).pointer, ctypes.byref(requests), costs)
    del alive
    return Costs(costs, requests.n)


def count(
    offsets: Union[Sequence[int], "numpy.ndarray[Any, Any]"],
    width: int = 4,
    op: str = "ld",
    mask: Optional[int] = None,
    arch: str = "sm_90",
) -> Cost:
    """What one request costs; offsets are the lanes' byte offsets, the rest is as in count_many()."""
    is_array = numpy is not None and isinstance(offsets, numpy.ndarray)
    return count_many(offsets[None] if is_array else [offsets], width, op, mask, arch)[0]  # type: ignore
