#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The shell of each step of doc/ci/github-matrix.yml, for each value of its matrix, as its runner executes it (bash -e): what the jobs behind the
# matrices write is what one run would have written. Debian: python3-yaml; skipped without.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
: "${SMEMBANK_ON_FAKE:?the program on a made-up GPU}"
for python in python3 /usr/bin/python3 none; do
  "$python" -c 'import yaml' 2>/dev/null && break
done
[ "$python" != none ] || {
  echo "no python3 with yaml"
  exit 77
}

# A folder for each job; in it a script for each run of it.
mkdir "$work/bin" "$work/jobs"
"$python" - "$srcdir/doc/ci/github-matrix.yml" "$work/jobs" <<'END'
import os
import sys
import yaml

jobs = yaml.safe_load(open(sys.argv[1]))["jobs"]
for name, job in jobs.items():
    assert job["runs-on"]
    behind = job.get("needs")
    assert behind is None or (behind in jobs and "strategy" in jobs[behind] and "cancelled" in job["if"])
    os.mkdir(f"{sys.argv[2]}/{name}")
    for part in job.get("strategy", {}).get("matrix", {}).get("part", [0]):
        steps = [step["run"].replace("${{ matrix.part }}", str(part)) for step in job["steps"] if "run" in step]
        assert len(steps) == 1 and "${{" not in steps[0], steps
        open(f"{sys.argv[2]}/{name}/{part}", "w").write(steps[0])
END
[ "$(grep -l 'smembank fuzz' "$work"/jobs/*/* | wc -l)" -eq 2 ] || die 'not two parts of fuzz'
[ "$(grep -l 'smembank check' "$work"/jobs/*/* | wc -l)" -eq 4 ] || die 'not four parts of check'
# What is measured is measured on the made-up GPU.
case $SMEMBANK_ON_FAKE in
/*) fake=$SMEMBANK_ON_FAKE ;;
*) fake=$PWD/$SMEMBANK_ON_FAKE ;;
esac
case $SMEMBANK in
/*) ;;
*) SMEMBANK=$PWD/$SMEMBANK ;;
esac
# shellcheck disable=SC2016 # the variable is the script's
printf '#!/bin/sh\ncase $1 in fuzz) exec "%s" "$@" ;; *) exec "%s" "$@" ;; esac\n' "$fake" "$SMEMBANK" >"$work/bin/smembank"
chmod +x "$work/bin/smembank"
PATH=$work/bin:$PATH
export PATH
cd "$work"
GITHUB_STEP_SUMMARY=$work/summary
export GITHUB_STEP_SUMMARY

# runs_job NAME STATUSES: all runs of a job, in the folder in which the artifacts are.
runs_job() {
  statuses=
  for run in jobs/"$1"/*; do
    status=0
    bash -e "$run" >out 2>err || status=$?
    statuses="$statuses $status"
  done
  [ "$statuses" = " $2" ] || die "job $1:$statuses, expected $2: $(cat err)"
}

printf '[*]\nmax-ways = 1\n' >smembank.ini
for pad in 1 3 0 5 7 9; do
  printf '[pad%s]\nrows = 32\ncols = 32\npad = %s\n' "$pad" "$pad" >>smembank.ini
done
runs_job part '0 0 1 0'
runs_job check 1
smembank check --format markdown >whole 2>/dev/null || :
cmp whole summary || die 'the merged cases are not those of one run'
runs_job fuzz '0 0'
runs_job agree 0
grep -q '^500,000 patterns, 0 mismatches\|^500000 patterns, 0 mismatches' out || die "not all requests: $(cat out)"
