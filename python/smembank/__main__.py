# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""python -m smembank: the program itself, with the same words, in the place of this process."""

import os
import sys

from ._library import LibraryError
from ._program import find_program

if __name__ == "__main__":
    try:
        program = find_program()
    except LibraryError as error:
        sys.exit(f"smembank: {error}")
    os.environ.setdefault("SMEMBANK_PYTHON", sys.executable or "python3")  # which Python has the package, for doctor
    os.execv(program, ["smembank", *sys.argv[1:]])
