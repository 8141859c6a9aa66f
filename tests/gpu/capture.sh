#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What doc/capture.md sets beside each other of an application, on a machine with a GPU: a capture of one run, and what Nsight
# Compute says of another. capture-ncu.py compares them, on any machine.
#
#   capture.sh SMEMBANK RESULTS NAME COMMAND...
#
# RESULTS/NAME.capture, RESULTS/NAME.csv.xz. The applications are beside this file: capture-own.cu (nvcc -arch=sm_90 -lineinfo),
# capture-libraries.cu (with -lcublas -lcufft), capture-python.py (an argument: torch, cupy, jax), capture-torch.py (1, 2, 3),
# capture-triton.py. KERNELS, of the environment, is a regular expression: only kernels whose names match.
set -eu
smembank=$1 results=$2 name=$3
shift 3
PATH=$PATH:/usr/local/cuda/bin
kernels=${KERNELS:-.*}
mkdir -p "$results"
"$smembank" capture --kernel "$kernels" -o "$results/$name.capture" -- "$@"
ncu -k "regex:$kernels" --section SourceCounters -f -o "$results/$name" "$@" >"$results/$name.log" 2>&1 || {
  tail -n 5 "$results/$name.log" >&2
  exit 1
}
ncu --import "$results/$name.ncu-rep" --page source --csv --print-source sass | xz -T0 >"$results/$name.csv.xz"
rm "$results/$name.ncu-rep"
