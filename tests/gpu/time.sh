#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The times of whole launches on a GPU, by Nsight Compute, beside a capture of each: what the clock's model is judged by.
#
#   time.sh build FOLDER                          anywhere with nvcc: compiles time/*.cu for sm_90a into FOLDER
#   time.sh capture SMEMBANK FOLDER LIST          on a machine with a GPU: FOLDER/NAME.capture
#   time.sh profile FOLDER LIST                   on the same machine, with nothing else on it: FOLDER/NAME.csv
#   python3 time.py rows FOLDER NAME... >ROWS     anywhere: a row for each launch; time.py split divides them
#
# LIST has lines 'NAME|KERNELS|LAUNCHES|MEMORY|COMMAND': of COMMAND, run in FOLDER, the launches FIRST..LAST of the kernels whose
# name matches; MEMORY is that of 'smembank capture'. The clocks are left as they are, and caches are flushed before each pass.
set -u
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/cuda/bin

pipes=$(for pipe in adu alu cbu fma fmaheavy fp64 lsu tensor tensor_op_hmma tensor_op_imma tensor_op_dmma uniform xu; do
  printf 'sm__inst_executed_pipe_%s.sum,' $pipe
done)
stalls=$(for reason in barrier branch_resolving dispatch_stall drain imc_miss lg_throttle long_scoreboard math_pipe_throttle \
  membar mio_throttle misc no_instruction not_selected selected short_scoreboard sleeping tex_throttle wait; do
  printf 'smsp__average_warps_issue_stalled_%s_per_issue_active.ratio,' $reason
done)
metrics=$pipes$stalls$(tr '\n' , <<EOF
sm__cycles_elapsed.max
sm__cycles_active.avg
gpu__time_duration.sum
sm__cycles_elapsed.avg.per_second
lts__cycles_elapsed.avg.per_second
dram__cycles_elapsed.avg.per_second
smsp__inst_issued.sum
smsp__inst_executed.sum
smsp__inst_issued.max
l1tex__data_pipe_lsu_wavefronts.sum
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum
l1tex__lsu_writeback_active.sum
l1tex__t_sectors.sum
l1tex__t_sectors_lookup_hit.sum
l1tex__t_sectors_lookup_miss.sum
lts__t_sectors.sum
lts__t_sectors_lookup_hit.sum
lts__t_sectors_lookup_miss.sum
dram__bytes_read.sum
dram__bytes_write.sum
sm__warps_active.avg.per_cycle_active
sm__pipe_tensor_cycles_active.avg
launch__registers_per_thread
launch__shared_mem_per_block_static
launch__shared_mem_per_block_dynamic
launch__shared_mem_config_size
launch__occupancy_per_block_size
launch__occupancy_limit_blocks
launch__occupancy_limit_registers
launch__occupancy_limit_shared_mem
launch__occupancy_limit_warps
launch__waves_per_multiprocessor
EOF
)
metrics=${metrics%,}

build() {
  for source in "$here"/time/*.cu; do
    nvcc -std=c++17 -O3 -lineinfo -gencode arch=compute_90a,code=sm_90a -w -o "$1/$(basename "$source" .cu)" "$source" -lcuda || return 1
  done
  cp "$here"/time/*.py "$1"
}

# The command line of each line of the list, after its other fields: "$@" is NAME KERNELS FIRST LAST MEMORY COMMAND...
each() {
  what=$1
  while IFS='|' read -r name kernels launches memory command; do
    # shellcheck disable=SC2086 # several words
    [ -z "$name" ] || $what "$name" "$kernels" "${launches%..*}" "${launches#*..}" "$memory" $command
  done
}

capture_one() {
  name=$1 kernels=$2 range=$3..$4 memory=$5
  shift 5
  (timeout 200 "$smembank" capture --kernel "$kernels" --launches "$range" --memory "$memory" -o "$name.capture" -- "$@" \
    >"$name.out" 2>&1 </dev/null || echo "$name: not captured: $(tail -n 1 "$name.out")") &
  # Eight at a time.
  captures=$((captures + 1))
  [ $((captures % 8)) != 0 ] || wait
}

profile_one() {
  name=$1 kernels=$2 skip=$(($3 - 1)) count=$(($4 - $3 + 1))
  shift 5
  timeout 200 ncu --clock-control none --cache-control all -k "regex:$kernels" --launch-skip $skip --launch-count $count \
    --metrics "$metrics" --csv --page raw --print-units base --log-file "$name.csv" "$@" >"$name.ncu.out" 2>&1 </dev/null ||
    echo "$name: not profiled: $(tail -n 1 "$name.csv")"
}

case $1 in
build) build "$2" ;;
capture)
  smembank=$2 captures=0
  cd "$3" || exit
  each capture_one <"$4"
  wait
  ;;
profile)
  cd "$2" || exit
  each profile_one <"$3"
  ;;
*)
  sed -n '5,14s,^# ,,p' "$0" >&2
  exit 2
  ;;
esac
