# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""Layouts without a kernel: what accesses to a tile in shared memory cost."""

from __future__ import annotations

from typing import Optional

from . import _library
from ._kernel import Analysis, Kernel, analyze


def _line(keyword: str, text: str) -> str:
    """A line of the text that the library reads; it has one line each."""
    if not isinstance(text, str) or not text.strip():
        raise _library.UsageError(f"{keyword} {text!r}: expected a text")
    return f"{keyword} {' '.join(text.split())}\n"


def layout(
    layout: str,
    *accesses: str,
    element: Optional[str] = None,
    shape: Optional[str] = None,
    arch: str = "sm_90",
) -> Analysis:
    """What accesses to a tile cost in a layout, as `smembank layout` counts it (doc/layout.md). The analysis has an access
    for each of those given, in their order.

    layout: in the notation of CuTe or Triton, as a formula, …: "Swizzle<3,3,3> o (64,64):(64,1)"
    accesses: what a warp does: "store row vec=8", "ldmatrix.x4.trans", …
    element, shape: the type of an element, "f16", and the shape, "64x64", if the layout does not say them
    """
    if not accesses:
        raise _library.UsageError("expected an access, such as 'row' or 'ldmatrix.x4'")
    lines = [_line("element", element)] if element is not None else []
    lines += [_line("shape", shape)] if shape is not None else []
    lines += [_line("layout", layout)]
    lines += [_line("access", access) for access in accesses]
    return analyze(Kernel("layout", text="".join(lines)), arch)


def assert_conflict_free(
    layout_text: str,
    *accesses: str,
    element: Optional[str] = None,
    shape: Optional[str] = None,
    arch: str = "sm_90",
    max_excess: int = 0,
) -> None:
    """Raises an AssertionError, for pytest, if the accesses take more than max_excess wavefronts in excess together. The
    message has those that conflict. The arguments are those of layout()."""
    counted = layout(layout_text, *accesses, element=element, shape=shape, arch=arch).accesses
    excess = sum(access.sums.excess for access in counted)
    if excess <= max_excess:
        return
    lines = [f"{layout_text}: {excess} wavefronts in excess on {arch}, expected at most {max_excess}"]
    for access in counted:
        sums = access.sums
        if sums.excess:
            lines.append(
                f"  {access.op} {access.expression}: {sums.wavefronts} wavefronts, {sums.ideal} without conflicts, "
                f"up to {sums.max_degree}-way"
            )
    raise AssertionError("\n".join(lines))
