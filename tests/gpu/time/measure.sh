#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Measures what the clock's model needs to know of the GPU of this machine, in two minutes, with nvcc, ncu and python3 of this machine.
#
#   tests/gpu/time/measure.sh FOLDER [BASE.ini [SMEMBANK]]     BASE: the file of a similar device (data/devices/h200.ini)
#
# FOLDER/NAME.ini belongs into data/devices; FOLDER/NAME-facts.txt and FOLDER/ARCH-cubins.tar.xz, the recording, into tests/data/time.
# SMEMBANK finds the numbers with which a replay takes as long as the device. Without it, or without ncu, what they tell stays that of BASE,
# and is marked so.
set -eu
folder=${1:?usage: tests/gpu/time/measure.sh FOLDER [BASE.ini [SMEMBANK]]}
here=$(cd "$(dirname "$0")" && pwd)
base=${2:-$here/../../../data/devices/h200.ini}
smembank=${3:-}
PATH=$PATH:/usr/local/cuda/bin
mkdir -p "$folder/cubins"
programs='facts async flow registers dispatch launches dram'

for program in $programs; do
  nvcc -std=c++17 -O2 -arch=native -o "$folder/$program" "$here/$program.cu" -lcuda &
done
nvcc -std=c++17 -O2 -arch=native -cubin -o "$folder/cubins/launches.cubin" "$here/launches.cu" &
nvcc -std=c++17 -O2 -arch=native -cubin -o "$folder/cubins/texture_unit.cubin" "$here/texture-unit.cu" &
wait
{
  "$folder/facts" --cubins "$folder/cubins"
  "$folder/async" --cubins "$folder/cubins"
  "$folder/flow" --cubins "$folder/cubins"
  "$folder/registers" --cubins "$folder/cubins"
  "$folder/dispatch" --cubins "$folder/cubins"
  "$folder/launches"
  "$folder/dram"
  python3 "$here/texture-unit.py" "$folder/cubins/texture_unit.cubin"
} >"$folder/facts.txt"
# What Nsight Compute counts of a launch of one block that does nothing, at the clock that the device has, and of one that copies. The first time, as
# a launch that is profiled is one whose code has not been executed before.
count() {
  ncu --clock-control none --cache-control all --csv --metrics "$@" | sed -n 's/.*,"\([0-9,]*\)"$/\1/p' | tr -d , | head -n 1
}
if command -v ncu >/dev/null; then
  echo "launch_cycles $(count sm__cycles_elapsed.max "$folder/launches" --nothing) cycles one block that does nothing, sm__cycles_elapsed.max of ncu"
  echo "dram_written $(count dram__bytes_write.sum "$folder/dram" --copy) bytes of 64 MiB that a launch copies, dram__bytes_write.sum of ncu"
fi >>"$folder/facts.txt"
name=$(sed -n '1s/^# //p' "$folder/facts.txt" | tr ' /' '--' | tr '[:upper:]' '[:lower:]' | sed 's/^nvidia-//; s/-.*//')
arch=sm_$(sed -n 's/^device.arch *\([0-9]*\).*/\1/p' "$folder/facts.txt")
mv "$folder/facts.txt" "$folder/$name-facts.txt"
rm -f "$folder"/cubins/queue_*.cubin # are not replayed
tar -C "$folder" -cJf "$folder/$arch-cubins.tar.xz" cubins
python3 "$here/device.py" "$folder/$name-facts.txt" "$base" ${smembank:+"$smembank" "$folder/cubins"} >"$folder/$name.ini"
rm -r "$folder/cubins"
for program in $programs; do rm "$folder/$program"; done
echo "measured: $folder/$name.ini, $folder/$name-facts.txt, $folder/$arch-cubins.tar.xz"
