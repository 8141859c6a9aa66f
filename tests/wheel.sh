#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The wheel of `make wheel`, in an environment of its own: its files are those that it lists, its tag is true, the commands, the library and the
# Python package work without the build tree. Skipped where no wheel was made of this program. packaging/try.sh does the same in systems
# that have no compiler.
set -eu
: "${srcdir:?the source tree}"
srcdir=$(cd "$srcdir" && pwd)

wheel=$(find . -maxdepth 1 -name 'smembank-*.whl' -newer smembank | head -n 1)
[ -n "$wheel" ] || {
  echo 'no wheel is newer than the program: make wheel'
  exit 77
}
wheel=$(realpath "$wheel")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() {
  echo "FAIL: $*"
  exit 1
}

# --- what is in it: RECORD has every file, with its digest; no file asks for a newer C library than the tag says

python3 - "$wheel" "$work/unpacked" <<'END'
import base64, csv, hashlib, os, pathlib, re, subprocess, sys, zipfile
wheel, folder = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    names = archive.namelist()
    assert len(set(names)) == len(names), "a file twice"
    record = next(name for name in names if name.endswith(".dist-info/RECORD"))
    rows = {row[0]: row[1:] for row in csv.reader(archive.read(record).decode().splitlines())}
    assert set(rows) == set(names), set(rows) ^ set(names)
    for name in names:
        assert not name.startswith("/") and ".." not in name.split("/"), name
        path = pathlib.Path(archive.extract(name, folder))
        path.chmod(archive.getinfo(name).external_attr >> 16 & 0o777)
        if name != record:
            digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
            assert rows[name] == ["sha256=" + digest, str(path.stat().st_size)], name
floor = int(re.search(r"manylinux_2_(\d+)_", wheel)[1])
elves = [path for path in pathlib.Path(folder).rglob("*") if path.is_file() and re.search(r"bin/smembank$|\.so(\.\d+)?$", str(path))]
assert len(elves) >= 3, elves
seen = 0
for path in elves:
    for line in subprocess.run(["readelf", "-WV", str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        version = re.search(r"Name: GLIBC_2\.(\d+)", line)
        if version:
            seen = max(seen, int(version[1]))
    loaded = re.findall(r"\(NEEDED\).*\[(.*)\]", subprocess.run(["readelf", "-Wd", str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout)
    assert loaded and all(re.match(r"(lib(c|m|dl|rt|pthread)|ld-linux.*)\.so\.", name) for name in loaded), (path, loaded)
assert seen == floor, f"needs glibc 2.{seen}, and the tag says 2.{floor}"
licenses = {name.rsplit("/", 1)[1] for name in names if ".dist-info/licenses/" in name}
assert {"README", "smembank", "json-glib", "libelf", "LGPL-2.1"} <= licenses, licenses
missing = [word for line in archive_lines for word in [line.rsplit(": ", 1)[1]] if word not in licenses] if (
    archive_lines := [line for line in pathlib.Path(folder, next(name for name in names if name.endswith("licenses/README"))).read_text().splitlines()
                      if ": " in line]) else ["README has no line"]
assert not missing, missing
END

# --- unpacked by any means, it is a tree that works

program=$(find "$work/unpacked" -path '*/data/bin/smembank')
[ "$("$program" --version)" = "$(./smembank --version)" ] || die 'unpacked: another version'

# --- installed

if python3 -m venv "$work/env" >/dev/null 2>&1; then
  "$work/env/bin/python" -m pip install -q --no-index --disable-pip-version-check "$wheel"
  python=$work/env/bin/python program=$work/env/bin/smembank
  package=$(cd "$work" && "$python" -c 'import os, smembank; print(os.path.dirname(os.path.dirname(smembank.__file__)))')
else
  python=python3 package=$work/unpacked
  SMEMBANK=$program PYTHONPATH=$package
  export SMEMBANK PYTHONPATH
fi
[ "$(cd "$work" && PATH=/usr/bin:/bin "$python" -m smembank --version)" = "$("$program" --version)" ] || die 'python -m smembank'
status=0
(cd "$work" && "$python" -m smembank analyze --kernel transposeSmem --max-ways 1 >out) || status=$?
[ "$status" = 1 ] || die "python -m smembank: status $status"
unset SMEMBANK PYTHONPATH
export srcdir
"$srcdir/packaging/try-commands.sh" "$program"

# The library inside the package, in an interpreter that has pytest.
for python in python3 /usr/bin/python3 none; do
  "$python" -c 'import pytest' 2>/dev/null && break
done
if [ "$python" != none ]; then
  cd "$work"
  [ "$(PYTHONPATH=$package "$python" -c 'from smembank._library import find_library; print(find_library())')" = \
    "$package/smembank/libsmembank.so.0" ] || die 'the package finds another library'
  PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 "$python" -m pytest -q -p no:cacheprovider "$srcdir/python/tests"
fi
