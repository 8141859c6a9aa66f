#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# validate of a text where there is an nvcc: what a device, or ncu, measured is of compiled code, and compared with that. On a made-up GPU.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
need_nvcc
export SMEMBANK_NVCC="$nvcc"
cd "$work"
SMEMBANK_FAKE=
export SMEMBANK_FAKE

# nvcc merges four stores of 16 wavefronts into one of 4.
cat >own.cu <<'END'
__global__ void own(float *out, const float *in, int scale) {
  __shared__ float t[128];
  for (int i = 0; i < 4; i++)
    t[threadIdx.x * 4 + i] = in[threadIdx.x * 4 + i] * scale;
  __syncthreads();
  out[threadIdx.x] = t[threadIdx.x] + t[threadIdx.x + 32];
}
END
analyzer=$SMEMBANK
SMEMBANK=${SMEMBANK_ON_FAKE:?the program on a made-up GPU}
own='own.cu --block 32 --arg scale=3'
# shellcheck disable=SC2086 # several words
{
  expect 0 validate $own --format csv
  says "own.cu: note: compared as compiled: nvcc -cubin -lineinfo -arch=sm_90 ('--text' compares the text)"
  grep -q '^own,,.*,wavefronts_st,4,4,yes' out || die "$last: $(cat out)"
  grep -q '^own,.*,values,32,32,yes' out || die "$last: no values: $(cat out)"
  # With options of nvcc it is machine code in any case.
  expect 0 validate $own --nvcc=-O3 --format csv
  grep -q '^own,,.*,wavefronts_st,4,4,yes' out || die "$last: $(cat out)"
  expect 0 validate $own --text --format csv
  quiet
  grep -q '^own,,.*,wavefronts_st,16,16,yes' out || die "$last: $(cat out)"
  # A difference is one of the code that ran.
  SMEMBANK_FAKE=more-wavefronts
  expect 1 validate $own
  SMEMBANK_FAKE=
  # A recording keeps the text, and is compared with that.
  expect 0 validate $own --record r.json
  quiet
  expect 0 validate --recorded r.json --format csv
  grep -q '^own,,.*,wavefronts_st,16,16,yes' out || die "$last: $(cat out)"
  expect 2 validate $own --nvcc=-O3 --record r.json
  says '--record keeps the text of a kernel'
  # What cannot be compiled is compared alone.
  sed 's/^__global__/#ifdef __CUDA_ARCH_LIST__\n#error no such chip\n#endif\n&/' own.cu >chip.cu
  expect 0 validate chip.cu --block 32 --arg scale=3 --format csv
  says 'chip.cu: warning: the text alone is counted: chip.cu:2:'
}
SMEMBANK=$analyzer

# What ncu measured of a whole kernel: 12 of the wavefronts that the text asks for were never made.
cat >metrics.txt <<'END'
  own(float *, const float *, int) (1, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
    Section: Command line profiler metrics
    -------------------------------------------------------- ----------- ------------
    Metric Name                                              Metric Unit Metric Value
    -------------------------------------------------------- ----------- ------------
    l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum                        0
    -------------------------------------------------------- ----------- ------------

END
expect 0 validate own.cu --arg scale=3 --ncu metrics.txt
says 'own.cu: note: compared as compiled: '
shows '1 compared: 1 match, 0 differ.'
expect 1 validate own.cu --arg scale=3 --ncu metrics.txt --text
shows '1 compared: 0 match, 1 differ.'
