#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Records what the GPU of this machine does: every built-in kernel, and requests of every instruction. The two
# files are what data/measured/ holds for other GPUs.
#
#   tests/gpu/record.sh SMEMBANK FOLDER [COUNT]     COUNT: random requests for each instruction (1000000)
#
# A difference between the model and the device ends it with status 1, with both files written: they show it.
set -eu

smembank=${1:?usage: tests/gpu/record.sh SMEMBANK FOLDER [COUNT]}
folder=${2:?usage: tests/gpu/record.sh SMEMBANK FOLDER [COUNT]}
count=${3:-1000000}
mkdir -p "$folder"

status=0
"$smembank" validate --record "$folder/kernels.json" || status=$?
[ "$status" -le 1 ] || exit "$status"
"$smembank" fuzz --count "$count" --op all-instructions --counted 60 --record "$folder/requests.json" || status=$?
name=$(sed -n 's/.*"device": {"name": "\([^"]*\)".*/\1/p' "$folder/kernels.json" | tr ' /' '__' | tr '_A-Z' '-a-z' | sed 's/^nvidia-//')
for what in kernels requests; do
  [ ! -f "$folder/$what.json" ] || mv "$folder/$what.json" "$folder/$name-$what.json"
done
[ "$status" -le 1 ] || exit "$status"
echo "recorded: $folder/$name-kernels.json and $folder/$name-requests.json"
echo "To share what this GPU does, send both: they belong into data/measured/ (HACKING.md)."
exit "$status"
