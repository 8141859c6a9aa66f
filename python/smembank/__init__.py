# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""smembank finds shared-memory bank conflicts in CUDA kernels, without a GPU.

    >>> import smembank
    >>> smembank.count([lane * 32 * 4 for lane in range(32)], width=4).wavefronts
    32

count() takes the byte offsets of the lanes of a warp, analyze() a kernel and its launch, search() looks for a better
layout of the shared arrays of a kernel, search_requests() for one of an array that only requests are known of. layout()
counts accesses to a tile without a kernel, and assert_conflict_free() makes a test of that. time() predicts how long a
launch takes, and run() runs a program of CUDA without a GPU; both ask the program smembank. All of them raise UsageError or
InputError, with the position in the text where there is one.
"""

from ._kernel import (
    Access,
    Analysis,
    ConstantAccess,
    GlobalAccess,
    Kernel,
    Segments,
    Sums,
    Traffic,
    Warning,
    analyze,
)
from ._layout import Layout, SearchedArray, search, search_requests
from ._library import Hint, InputError, LibraryError, SmembankError, UsageError
from ._request import Cost, Costs, count, count_many
from ._tile import assert_conflict_free, layout
from ._time import Launch, Run, Time, run, time

__version__ = "0.1.0"

__all__ = [
    "Access",
    "Analysis",
    "ConstantAccess",
    "Cost",
    "Costs",
    "GlobalAccess",
    "Hint",
    "InputError",
    "Kernel",
    "Launch",
    "Layout",
    "LibraryError",
    "Run",
    "SearchedArray",
    "Segments",
    "SmembankError",
    "Sums",
    "Time",
    "Traffic",
    "UsageError",
    "Warning",
    "analyze",
    "assert_conflict_free",
    "count",
    "count_many",
    "layout",
    "run",
    "search",
    "search_requests",
    "time",
]
