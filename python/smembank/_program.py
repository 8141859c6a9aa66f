# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""The program smembank: where it is."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import shutil
from typing import Iterator

from ._library import LibraryError


def _candidates() -> Iterator[str]:
    # As an installer noted it. Of `pip install --target` the note is wrong, and the program lies in bin, beside the package.
    try:
        for file in importlib.metadata.files("smembank") or []:
            if file.parts[-2:] == ("bin", "smembank"):
                yield str(file.locate())
    except importlib.metadata.PackageNotFoundError:
        pass
    yield str(pathlib.Path(__file__).parent.parent / "bin" / "smembank")
    yield shutil.which("smembank") or ""


def find_program() -> str:
    """The program's file: what the environment variable SMEMBANK says, or else the one that came with this package, or else one that PATH
    has. Raises LibraryError if there is none."""
    named = os.environ.get("SMEMBANK")
    if named:
        return named
    for path in _candidates():
        if os.access(path, os.X_OK):
            return os.path.realpath(path)
    raise LibraryError("the program smembank is neither with this package nor in a folder of PATH: install the wheel, or set SMEMBANK")
