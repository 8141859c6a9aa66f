#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What analyze counts of PTX beside what ncu measures, for every launch that tests/ptx/*.cu name at their head.
#
#   ncu-ptx.sh pack SMEMBANK FOLDER    where smembank is: compiles, predicts, and writes FOLDER for the other machine
#   FOLDER/ncu-ptx.sh run RESULTS      where the GPU is (sm_90): measures; RESULTS.txt compares, RESULTS.tar has the rest
#
# Each file is compiled once to PTX, and that to machine code twice: without optimisation, which keeps every access,
# and as it is by default. 'pack' needs nvcc and Python, 'run' the CUDA Toolkit, gcc, ncu and Python.
set -eu

usage='usage: ncu-ptx.sh pack SMEMBANK FOLDER | ncu-ptx.sh run RESULTS'
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/cuda/bin
export PATH

pack() {
  smembank=$1
  mkdir -p "$2"
  folder=$(cd "$2" && pwd)
  cp "$here/ncu-ptx.sh" "$here/ncu-ptx.py" "$here/launches.py" "$here/launch-ptx.c" "$folder"
  for source in "$here"/../ptx/*.cu; do
    name=$(basename "$source" .cu)
    cp "$source" "$folder"
    (cd "$folder" && ${NVCC:-nvcc} -arch=sm_90 -lineinfo -ptx -o "$name.ptx" "$name.cu")
    ptxas -arch=sm_90 -lineinfo -O0 -o "$folder/$name.O0.cubin" "$folder/$name.ptx"
    ptxas -arch=sm_90 -lineinfo -o "$folder/$name.O3.cubin" "$folder/$name.ptx"
    python3 "$here/ncu-ptx.py" predict "$smembank" "$folder" "$name"
  done
}

# Wavefronts and requests by the kind of access; instruction by instruction they are on the source page.
waves=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op
insts=smsp__sass_inst_executed_op
metrics=${waves}_ld.sum,${waves}_st.sum,${waves}_atom.sum,${waves}_ldsm.sum,${waves}_stsm.sum,${waves}_ldgsts.sum
metrics=$metrics,${insts}_shared_ld.sum,${insts}_shared_st.sum,${insts}_shared_atom.sum,${insts}_ldsm.sum,${insts}_stsm.sum

measure() {
  results=$1
  mkdir -p "$results"
  nvcc -o "$here/launch-ptx" "$here/launch-ptx.c" -lcuda
  for list in "$here"/*.list; do
    name=$(basename "$list" .list)
    for level in O0 O3; do
      cubin=$here/$name.$level.cubin
      out=$results/$name.$level
      status=0
      timeout 60 ncu --metrics "$metrics" --section SourceCounters -f -o "$out" \
        "$here/launch-ptx" "$cubin" "$list" >"$out.log" 2>&1 || status=$?
      [ "$status" -eq 0 ] || echo "$name $level: ncu ended with status $status" >>"$out.log"
      [ -f "$out.ncu-rep" ] || continue
      ncu --import "$out.ncu-rep" --page raw --csv >"$out.raw.csv" 2>>"$out.log" || true
      ncu --import "$out.ncu-rep" --page source --csv --print-source sass >"$out.sass.csv" 2>>"$out.log" || true
      nvdisasm -c -g "$cubin" >"$out.sass" 2>>"$out.log" || true
    done
  done
  status=0
  python3 "$here/ncu-ptx.py" compare "$here" "$results" >"$results.txt" 2>"$results/compare.log" || status=$?
  cat "$results/compare.log" >>"$results.txt"
  find "$results" -name '*.ncu-rep' -delete
  tar -czf "$results.tar" -C "$(dirname "$results")" "$(basename "$results")" "$(basename "$results").txt"
  tail -n 3 "$results.txt"
  return "$status"
}

case ${1-} in
pack) pack "${2:?$usage}" "${3:?$usage}" ;;
run) measure "${2:?$usage}" ;;
*)
  echo "$usage" >&2
  exit 2
  ;;
esac
