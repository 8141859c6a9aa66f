#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The shell of each step of doc/ci/github-actions.yml, as its runner executes it (bash -e), in a project with a kernel that keeps its limit, and
# in one with a kernel that does not. Only building and installing smembank are made up here. Debian: python3-yaml, git; skipped without.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
for python in python3 /usr/bin/python3 none; do
  "$python" -c 'import yaml' 2>/dev/null && break
done
[ "$python" != none ] || {
  echo "no python3 with yaml"
  exit 77
}
command -v git >/dev/null || {
  echo "no git"
  exit 77
}

mkdir -p "$work/bin" "$work/steps" "$work/project/.smembank"
"$python" - "$srcdir/doc/ci/github-actions.yml" "$work/steps" <<'END'
import sys
import yaml

workflow = yaml.safe_load(open(sys.argv[1]))
assert workflow["name"] and True in workflow, "'on' is read as true"
for job in workflow["jobs"].values():
    assert job["runs-on"]
    for number, step in enumerate(job["steps"]):
        assert ("run" in step) != ("uses" in step), step
        if "run" in step:
            open(f"{sys.argv[2]}/{number}", "w").write(step["run"])
END

# What builds and installs smembank: that is asked for what there is, and nothing is installed here.
printf '#!/bin/sh\nexec "%s" "$@"\n' "$SMEMBANK" >"$work/bin/smembank"
# shellcheck disable=SC2016 # the variables are those of the scripts
{
  printf '#!/bin/sh\n[ "$*" = --with-cuda=no ] && touch built\n' >"$work/project/.smembank/bootstrap"
  printf '#!/bin/sh\n[ -e built ] || [ "$1" = ldconfig ]\n' >"$work/bin/sudo"
}
chmod +x "$work/bin/smembank" "$work/bin/sudo" "$work/project/.smembank/bootstrap"

cat >"$work/project/tile.cu" <<'END'
__global__ void k(int *out) {
  __shared__ int tile[32][32 + PAD];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
END

# project PAD: its project file
project() {
  printf '[*]\nmax-ways = 1\n\n[tile]\nfile = tile.cu\nblock = 32,32\ndefine = PAD=%s\n' "$1" >"$work/project/smembank.ini"
}

# The branch that the pull request is for: without conflicts.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
project 1
(
  cd "$work/project"
  git init -q .
  git add tile.cu smembank.ini
  git -c user.name=nobody -c user.email=nobody@example.com commit -q -m base
  git update-ref refs/remotes/origin/main HEAD
)

# run_steps PAD: all steps of the job, the statuses of which are in "statuses".
run_steps() {
  project "$1"
  : >"$work/summary"
  statuses=
  for step in "$work"/steps/*; do
    status=0
    (cd "$work/project" && PATH="$work/bin:$PATH" GITHUB_STEP_SUMMARY="$work/summary" GITHUB_BASE_REF=main bash -e "$step") >"$step.out" 2>&1 || status=$?
    statuses="$statuses $status"
    cat "$step.out" >>"$work/all"
    rm "$step.out"
  done
}

: >"$work/all"
run_steps 1
[ "$statuses" = ' 0 0 0 0' ] || die "a project without conflicts:$statuses: $(cat "$work/all")"
! grep -q '^::' "$work/all" || die "annotates lines without conflicts: $(cat "$work/all")"

: >"$work/all"
run_steps 0
[ "$statuses" = ' 0 1 0 1' ] || die "a project with a conflict:$statuses: $(cat "$work/all")"
grep -q '^::[a-z]* file=tile.cu,line=5,' "$work/all" || die "no annotation: $(cat "$work/all")"
grep -q '^|.*tile\[threadIdx.x\]\[threadIdx.y\]' "$work/summary" || die "no table: $(cat "$work/summary")"
grep -qF '| tile | worse | tile.cu:5 |' "$work/summary" || die "no table of what got worse: $(cat "$work/summary")"
