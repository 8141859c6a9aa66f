#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# doctor: what is found on machines that are made up here, and what is said of the rest.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# usable PART YES|NO DETAIL: what the last run, with --format csv, says of a part.
usable() {
  grep "^$1,$2," "$work/out" | grep -qF -e "$3" || die "$last: of $1 not '$2' with '$3': $(cat "$work/out")"
}

# A toolkit that tells a version, one that fails, and a Python whose package is of another program.
mkdir "$work/good" "$work/bad" "$work/tools"
cat >"$work/good/nvcc" <<'END'
#!/bin/sh
echo 'nvcc: NVIDIA (R) Cuda compiler driver'
echo 'Cuda compilation tools, release 12.8, V12.8.93'
END
cp "$work/good/nvcc" "$work/good/ptxas"
printf '#!/bin/sh\nexit 1\n' >"$work/bad/nvcc"
cp "$work/bad/nvcc" "$work/bad/ptxas"
version=$(sed -n 's/^AC_INIT(\[smembank\],\[\(.*\)\])$/\1/p' "$srcdir/configure.ac")
printf '#!/bin/sh\necho "%s /somewhere/smembank/__init__.py"\n' "$version" >"$work/good/python3"
printf '#!/bin/sh\necho "0.0.9 /somewhere/smembank/__init__.py"\n' >"$work/bad/python3"
printf '#!/bin/sh\necho git version 9.8.7\n' >"$work/good/git"
cp "$work/bad/nvcc" "$work/good/gcc"
chmod +x "$work"/good/* "$work"/bad/*

SMEMBANK_NVCC=$work/good/nvcc PATH=$work/good:$PATH expect 0 doctor --format csv
quiet
[ "$(head -n 1 "$work/out")" = part,usable,detail,without ] || die "the columns are $(head -n 1 "$work/out")"
usable nvcc yes "$work/good/nvcc, CUDA 12.8"
usable ptxas yes "$work/good/ptxas, CUDA 12.8"
usable git yes 'git version 9.8.7'
usable 'host compiler' yes "$work/good/gcc"
usable 'Python package' yes "$version /somewhere"
usable 'run libraries' yes /libcudart.so.13
usable recorder yes /smembank-inject.so
usable cache yes "$work/cache/smembank"
usable devices no ''
usable 'hardware counters' no 'unknown without a device'
# Each part says what it is for.
[ -z "$(awk -F, 'NF < 4' "$work/out")" ] || die "a part without one of its columns: $(cat "$work/out")"
[ "$(sed 1d "$work/out" | wc -l)" -eq "$(grep -c '^PART(' "$srcdir/src/doctor/parts.def")" ] || die "not all parts: $(cat "$work/out")"

SMEMBANK_NVCC=$work/bad/nvcc PATH=$work/bad:$PATH SMEMBANK_CACHE_SIZE=0 expect 0 doctor --format csv
usable nvcc no "$work/bad/nvcc does not tell its version"
usable ptxas no "$work/bad/ptxas does not tell its version"
# Beside the program of a wheel is a Python that has the package.
[ -x "$(dirname "$SMEMBANK")/python3" ] || usable 'Python package' no "0.0.9 /somewhere/smembank/__init__.py: this program is $version"
usable cache no 'SMEMBANK_CACHE_SIZE is 0'
# That of the Python that started the program comes first, as it may be in no folder of PATH.
SMEMBANK_PYTHON=$work/good/python3 PATH=$work/bad:$PATH expect 0 doctor --format csv
usable 'Python package' yes "$version /somewhere"
NVCC_CCBIN=$work/none expect 0 doctor --format csv
usable 'host compiler' no 'no gcc in '

SMEMBANK_NVCC=no SMEMBANK_RUN_LIBRARIES=/nowhere expect 0 doctor
shows 'without'
tells 'nvcc               no '
tells 'CUDA C beyond the kernel language is not counted'
! grep -q '^git .*compare' "$work/out" || die "what is there is said to be missing: $(cat "$work/out")"

# Of an installation that is moved, or a package that is only unpacked, the libraries are found below its own prefix.
mkdir -p "$work/moved/bin"
cp "$SMEMBANK" "$work/moved/bin/smembank"
SMEMBANK=$work/moved/bin/smembank SMEMBANK_RUN_LIBRARIES=/nowhere expect 0 doctor --format csv
folder=$(sed -n 's/^run libraries,no,.* nor in \([^,"]*\).*/\1/p' "$work/out")
[ "$folder" ] || grep -q '^run libraries,yes' "$work/out" || die "$last: $(cat "$work/out")"
case $folder in
/*/*/run)
  mkdir -p "$work/moved/${folder#/*/}"
  touch "$work/moved/${folder#/*/}/libcudart.so.13"
  SMEMBANK=$work/moved/bin/smembank SMEMBANK_RUN_LIBRARIES=/nowhere expect 0 doctor --format csv
  grep -q "^run libraries,yes,$(realpath "$work/moved/${folder#/*/}")/libcudart.so.13" "$work/out" || die "$last: $(cat "$work/out")"
  ;;
esac

# A file that happens to be there is not the package, and is not run.
mkdir "$work/here"
echo "open('ran', 'w')" >"$work/here/smembank.py"
SMEMBANK=$(realpath "$SMEMBANK")
cd "$work/here"
expect 0 doctor --format json
is_json
shows '"command" : "doctor"'
[ ! -e ran ] || die "a module of the current folder was run"
expect 2 doctor nvcc
says "unexpected argument 'nvcc'"
