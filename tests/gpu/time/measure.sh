#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Measures what the clock's model needs to know of the GPU of this machine, in a minute, with nvcc and python3 of this machine.
#
#   tests/gpu/time/measure.sh FOLDER [BASE.ini]      BASE: the file of a similar device (data/devices/h200.ini)
#
# FOLDER/NAME.ini belongs into data/devices; FOLDER/NAME-facts.txt and FOLDER/NAME-cubins.tar.xz, the recording, into tests/data/time.
# What only whole launches tell stays that of BASE, and is marked so: tests/gpu/time.sh measures those.
set -eu
folder=${1:?usage: tests/gpu/time/measure.sh FOLDER [BASE.ini]}
here=$(cd "$(dirname "$0")" && pwd)
base=${2:-$here/../../../data/devices/h200.ini}
PATH=$PATH:/usr/local/cuda/bin
mkdir -p "$folder/cubins"

nvcc -std=c++17 -O2 -arch=native -o "$folder/facts" "$here/facts.cu" -lcuda
"$folder/facts" --cubins "$folder/cubins" >"$folder/facts.txt"
nvcc -std=c++17 -O2 -arch=native -o "$folder/async" "$here/async.cu" -lcuda
"$folder/async" --cubins "$folder/cubins" >>"$folder/facts.txt"
name=$(sed -n '1s/^# //p' "$folder/facts.txt" | tr ' /' '--' | tr '[:upper:]' '[:lower:]' | sed 's/^nvidia-//; s/-.*//')
mv "$folder/facts.txt" "$folder/$name-facts.txt"
tar -C "$folder" -cJf "$folder/$name-cubins.tar.xz" cubins
python3 "$here/device.py" "$folder/$name-facts.txt" "$base" >"$folder/$name.ini"
rm -r "$folder/cubins" "$folder/facts" "$folder/async"
echo "measured: $folder/$name.ini, $folder/$name-facts.txt, $folder/$name-cubins.tar.xz"
