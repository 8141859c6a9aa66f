#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Recording an AMD card without one: hipcc and rocprofv3 are made up here, and the counters are the model's.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
command -v python3 >/dev/null || exit 77

# The compiler leaves a probe that knows its device and does nothing else.
cat >"$work/hipcc" <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\nprintf "%%s\\n" "Made-up MI300X" gfx942:sramecc+:xnack- 64\n' >"$2"
chmod +x "$2"
END
# The profiler counts what the model says, 16 times; the last argument is the file of requests.
cat >"$work/rocprofv3" <<'END'
#!/usr/bin/env python3
import csv, os, subprocess, sys
words = sys.argv[1:]
folder, asked = words[words.index("-d") + 1], words[-1]
ops = {"read": "ld", "write": "st"}
trace = []
for line in open(asked):
    name, mask, apart = line.split()
    _, verb, kind = name.split("_")
    offsets = " ".join(str(lane * int(apart)) for lane in range(64))
    trace.append(f"{ops[verb]} {int(kind[1:]) // 8} {mask} {offsets}\n")
made = subprocess.run([os.environ["SMEMBANK"], "trace", "-", "--arch", "gfx942", "--requests", "--format", "csv"],
                      input="".join(trace), text=True, capture_output=True, check=True)
os.makedirs(folder + "/host")
with open(folder + "/host/1_counter_collection.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["Dispatch_Id", "Kernel_Name", "Counter_Name", "Counter_Value"])
    for number, row in enumerate(csv.DictReader(made.stdout.splitlines()), 1):
        out.writerow([number, "k", "SQ_LDS_IDX_ACTIVE", 16 * int(row["wavefronts"])])
        extra = int(os.environ.get("NOISE", 0))
        out.writerow([number, "k", "SQ_LDS_BANK_CONFLICT", 16 * int(row["excess_wavefronts"]) + extra])
END
chmod +x "$work/hipcc" "$work/rocprofv3"
HIPCC=$work/hipcc ROCPROF=$work/rocprofv3
export HIPCC ROCPROF SMEMBANK

python3 "$srcdir/tests/gpu/lds-record.py" "$work/card.csv" --who 'a test' >"$work/said"
grep -q 'requests, 2 counters each' "$work/said" || die "said: $(cat "$work/said")"
grep -q '^# arch: gfx942$' "$work/card.csv" || die "$(head -6 "$work/card.csv")"
grep -q '^ds_read_b128,ffffffffffffffff,16,SQ_LDS_IDX_ACTIVE,8$' "$work/card.csv" || die 'no ds_read_b128'
expect 0 validate "$work/card.csv"
shows 'Made-up MI300X, by the rules of gfx942'
shows ', 0 differ.'
# What differs is found.
sed 's/^\(ds_read_b128,ffffffffffffffff,16,SQ_LDS_IDX_ACTIVE\),8$/\1,4/' "$work/card.csv" >"$work/other.csv"
expect 1 validate "$work/other.csv"
shows 'ld 16    SQ_LDS_IDX_ACTIVE          8         4  NO '
expect 1 validate "$work/other.csv" --format json
is_json
printf '%s\n' 'nonsense' >"$work/broken.csv"
expect 3 validate "$work/broken.csv"
says 'broken.csv:1:1: error: expected a line of column names'
# All pairs of lanes show the phases.
python3 "$srcdir/tests/gpu/lds-record.py" "$work/pairs.csv" --pairs >/dev/null
expect 0 validate "$work/pairs.csv"
[ "$(grep -c 'ds_read_b64,.*,256,SQ_LDS_BANK_CONFLICT,' "$work/pairs.csv")" -gt 2016 ] || die 'not all pairs'
# Counts that are no multiple of the repetitions are refused, and nothing is left.
! NOISE=1 python3 "$srcdir/tests/gpu/lds-record.py" "$work/noisy.csv" 2>"$work/said" || die 'noise was taken'
grep -q 'something else used the LDS' "$work/said" || die "said: $(cat "$work/said")"
