#!/usr/bin/env python3
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
"""wheel.py TREE PYTHON OUT: packs a wheel of the folder that `make static` made and of the Python package.

The package gets the library that it calls. The rest of TREE goes below the prefix as it is, bin/ and lib/ side by side, so that the program
finds what it brings along both once pip has installed it and where somebody unpacked the wheel by unzip. The tag says the C library that
the files need, by the versions of the symbols that they ask for (PEP 600). Two runs write the same bytes.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import zipfile

# What PEP 600 lets a file load: of these, no more than the C library is asked for.
ALLOWED = re.compile(r"(libc|libm|libdl|librt|libpthread|ld-linux-[a-z0-9-]+)\.so\.\d+")
# The oldest C library whose tag every pip knows that knows these tags at all.
OLDEST = 17
LICENSES = "licenses"
# Of the tree, what a prefix of Python does not want: C programs link with the tarball's.
LEFT_OUT = ("include/", "lib/libsmembank.so")
LIBRARY = "libsmembank.so.0"


def is_elf(path):
    with path.open("rb") as file:
        head = file.read(20)
    # Machine code for a GPU is ELF, too: e_machine 190.
    return head[:4] == b"\x7fELF" and int.from_bytes(head[18:20], "little") != 190


def platform_tag(files):
    """The tag of the machine and the oldest C library that all of these run with."""
    minor, machine = OLDEST, None
    for path in filter(is_elf, files):
        listing = subprocess.run([os.environ.get("OBJDUMP", "objdump"), "-fpT", str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout
        for needed in re.findall(r"^ +NEEDED +(\S+)", listing, re.MULTILINE):
            if not ALLOWED.fullmatch(needed):
                sys.exit(f"wheel.py: {path} needs {needed}, which machines need not have")
        for version in re.findall(r"GLIBC_2\.(\d+)", listing):
            minor = max(minor, int(version))
        machine = {"elf64-x86-64": "x86_64", "elf64-littleaarch64": "aarch64"}[re.search(r"file format (\S+)", listing)[1]]
    return f"manylinux_2_{minor}_{machine}"


def metadata(python):
    project = (python / "pyproject.toml").read_text()
    version = re.search(r'^__version__ = "(.+)"', (python / "smembank/__init__.py").read_text(), re.MULTILINE)[1]
    fields = {
        "Metadata-Version": "2.1",
        "Name": "smembank",
        "Version": version,
        "Summary": re.search(r'^description = "(.+)"', project, re.MULTILINE)[1],
        "License": "MIT, with libraries of other licenses: see licenses/README",
        "Requires-Python": re.search(r'^requires-python = "(.+)"', project, re.MULTILINE)[1],
        "Provides-Extra": "numpy",
        "Requires-Dist": 'numpy; extra == "numpy"',
        "Description-Content-Type": "text/markdown",
    }
    lines = "".join(f"{name}: {value}\n" for name, value in fields.items())
    return version, lines + "\n" + (python / "README.md").read_text()


def main(tree, python, out):
    tree, python = pathlib.Path(tree), pathlib.Path(python)
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    tag = f"py3-none-{platform_tag(files)}"
    version, description = metadata(python)
    name = f"smembank-{version}"
    info = f"{name}.dist-info"

    # Where each file of the wheel comes from: a path, or its bytes.
    members = {f"smembank/{path.name}": path for path in sorted((python / "smembank").iterdir()) if path.suffix in (".py", ".typed")}
    members[f"smembank/{LIBRARY}"] = tree / "lib" / LIBRARY
    for path in files:
        inside = path.relative_to(tree).as_posix()
        if not inside.startswith(LEFT_OUT):
            members[f"{name}.data/data/{inside}"] = path
    for path in sorted((tree / "share/doc/smembank" / LICENSES).iterdir()):
        members[f"{info}/{LICENSES}/{path.name}"] = path
    members[f"{info}/METADATA"] = description.encode()
    members[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: smembank\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()

    record = []
    wheel = pathlib.Path(out) / f"{name}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(member, content, mode):
            entry = zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content)

        for member, source in members.items():
            is_file = isinstance(source, pathlib.Path)
            content = source.read_bytes() if is_file else source
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{member},sha256={digest},{len(content)}\n")
            add(member, content, 0o755 if is_file and source.stat().st_mode & 0o100 else 0o644)
        add(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n", 0o644)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.splitlines()[0])
    main(*sys.argv[1:])
