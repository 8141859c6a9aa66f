#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What Nsight Compute writes besides tables of instructions: metrics of whole kernels, as text and as CSV, tables that are there
# twice, and reports, which only ncu reads: one that is made up here.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
cd "$work"
export SMEMBANK_NVCC=no

cat >two.cu <<'END'
__global__ void two(float *o, const float *in, int n) {
  __shared__ float s[512];
  int g = blockIdx.x * 256 + threadIdx.x;
  if (g < n) s[threadIdx.x * 2] = in[g] + 10.0f;
  __syncthreads();
  if (g < n) { o[g] = s[threadIdx.x * 2] * 2.0f; }
}
__global__ void zero(float *o) {
  __shared__ float s[256];
  s[threadIdx.x] = 1;
  o[threadIdx.x] = s[threadIdx.x];
}
END
ld=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
st=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
cat >metrics.txt <<END
==PROF== Connected to process 4242 (/home/me/app)
==PROF== Profiling "two" - 0: 0%....50%....100% - 1 pass
[4242] app@127.0.0.1
  two(float *, const float *, int) (32, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0
    Section: Command line profiler metrics
    -------------------------------------------------------- ----------- ------------
    Metric Name                                              Metric Unit Metric Value
    -------------------------------------------------------- ----------- ------------
    dram__bytes.sum                                                Kbyte       1,024.5
    $ld                      256
    $st                      256
    smsp__inst_executed_op_shared_ld.sum                            inst          256
    l1tex__data_pipe_lsu_wavefronts_mem_shared.sum                              1,024
    -------------------------------------------------------- ----------- ------------

END
head='"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC"'
row='"0","1","app","127.0.0.1","two(float *, const float *, int)","1","7","(256, 1, 1)","(32, 1, 1)","0","9.0"'
{
  echo '==PROF== Disconnected from process 1'
  echo "$head,\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\""
  echo "$row,\"Command line profiler metrics\",\"$ld\",\"\",\"256\""
  echo "$row,\"Command line profiler metrics\",\"$st\",\"\",\"256\""
} >details.csv
{
  echo "$head,\"$ld\",\"$st\",\"gpu__time_duration.sum\""
  echo '"","","","","","","","","","","","","","nsecond"'
  echo "$row,\"256\",\"256\",\"1,234.5\""
} >raw.csv

# The shape of the launch is that of the file, if none is given.
for file in metrics.txt details.csv raw.csv; do
  expect 0 validate two.cu --entry two --arg n=8192 --ncu $file
  quiet
  shows "two, by the rules of sm_90; source: $file"
  grep -qE '^[23] compared: [23] match, 0 differ.$' "$work/out" || die "$last: $(cat "$work/out")"
  expect 0 fix $file two.cu --entry two --arg n=8192
  shows 'block 256, grid 32, 2048 bytes of shared memory, sm_90; counted: the text'
  tells 'Metrics have no lines: which lines conflict is predicted: 1024 wavefronts, 512 in excess, in 2 lines.'
  grep -qE "^$ld +256 +256\$" "$work/out" || die "$last: $(cat "$work/out")"
  shows 'two.cu:4: 256 of 512 wavefronts in excess, 50 % of the kernel'\''s (predicted)'
  shows 'float s[512]'
  expect 0 fix $file two.cu --entry two --arg n=8192 --format json
  is_json
  shows "\"name\" : \"$ld\""
  shows '"measured" : null'
  expect 0 fix $file two.cu --entry two --arg n=8192 --format csv
  grep -q '^two.cu,4,0,,,,512,s,' "$work/out" || die "$last: measured lines: $(cat "$work/out")"
done
expect 0 fix metrics.txt two.cu --entry two --arg n=8192
# The total of l1tex counts a wavefront for each warp as well.
shows '2 other metrics: not of shared memory, or not predicted.'
"$SMEMBANK" validate two.cu --entry two --arg n=8192 --ncu - <metrics.txt >out || die 'from standard input'

# What ncu wrote on an H100, in three forms: each count is the model's, also where the last warps are cut.
for file in two.txt two.details.csv two.raw.csv; do
  for launch in 'two 8192 1' 'zero 8192 1' 'two 8092 2'; do
    # shellcheck disable=SC2086 # three words
    set -- $launch
    expect 0 validate "$srcdir/tests/data/ncu/two.cu" --entry "$1" --arg "n=$2" --ncu "$srcdir/tests/data/ncu/$file" --ncu-launch "$3"
    shows '6 compared: 6 match, 0 differ.'
  done
done

# Other counts differ, but for the noise that counters of l1tex have; another shape is not the launch.
sed "s/^\(    $ld  *\)256/\1257/" metrics.txt >noise.txt
expect 0 validate two.cu --entry two --arg n=8192 --ncu noise.txt --all
shows 'counters of l1tex also count lost arbitration'
expect 0 fix noise.txt two.cu --entry two --arg n=8192
shows 'the counter also sees lost arbitration'
sed "s/^\(    $ld  *\)256/\1300/" metrics.txt >other.txt
expect 1 validate two.cu --entry two --arg n=8192 --ncu other.txt
expect 0 fix other.txt two.cu --entry two --arg n=8192
shows 'differs: is the launch the one that was measured?'
expect 2 validate two.cu --entry two --arg n=8192 --block 128 --ncu metrics.txt
says "metrics.txt:4:1: 'two(float *, const float *, int)' was measured with --grid 32,1,1 --block 256,1,1"
expect 3 validate two.cu --entry zero --ncu metrics.txt
says "metrics.txt: no launch of 'zero': it has 'two(float *, const float *, int)'"
# Several launches: the same counts are one; else one is to be chosen.
cat metrics.txt metrics.txt >same.txt
expect 0 validate two.cu --entry two --arg n=8192 --ncu same.txt
cat metrics.txt other.txt >several.txt
expect 2 validate two.cu --entry two --arg n=8192 --ncu several.txt
says "several.txt has 2 launches of 'two', with different counts: choose one with --ncu-launch"
expect 0 validate two.cu --entry two --arg n=8192 --ncu several.txt --ncu-launch 1
expect 1 validate two.cu --entry two --arg n=8192 --ncu several.txt --ncu-launch 2
expect 2 validate two.cu --entry two --arg n=8192 --ncu several.txt --ncu-launch 3
says '--ncu-launch 3: several.txt has 2 launches'
# A metric that is there twice counts once.
sed '/op_ld/{p;}' details.csv >twice.csv
expect 0 validate two.cu --entry two --arg n=8192 --ncu twice.csv
shows '2 compared: 2 match'
# Wavefronts and how many there would be without conflicts, as a launch that does not say its grid has them.
{
  echo "$head,\"memory_l1_wavefronts_shared\",\"memory_l1_wavefronts_shared_ideal\""
  echo "$row,\"1,024\",\"512\"" | sed 's/"(32, 1, 1)"/"32"/'
} >ideal.csv
expect 0 validate two.cu --entry two --arg n=8192 --grid 32 --block 256 --ncu ideal.csv --all
shows '2 compared: 2 match, 0 differ.'
grep -qE '^memory_l1_wavefronts_shared_ideal +whole kernel +512 +512 +yes' "$work/out" || die "$last: $(cat "$work/out")"
# What is no such file, or broken.
sed 's/_mem_shared/_mem_other/; s/op_shared/op_other/' metrics.txt >none.txt
expect 3 validate two.cu --entry two --arg n=8192 --ncu none.txt
says 'no metric that is predicted: expected wavefronts or bank conflicts of shared memory'
expect 3 validate two.cu --entry two --arg n=8192 --ncu two.cu
says "two.cu: no table of a kernel: expected what 'ncu --page source --csv --print-source sass' writes, what 'ncu --metrics"
printf '%s' "$(head -n 3 details.csv | sed '3s/..$//')" >cut.csv
expect 3 validate two.cu --entry two --arg n=8192 --ncu cut.csv
says 'cut.csv:3:1: error: a cell in quotes that does not end: the file was cut'
sed '3s/,"256"$//' details.csv >cells.csv
expect 3 validate two.cu --entry two --arg n=8192 --ncu cells.csv
says 'cells.csv:3:1: error: the number of cells is not that of the columns: the file was cut'
expect 2 fix metrics.txt
expect 2 two.cu
says 'smembank analyze: two.cu has several kernels: two, zero'
expect 2 metrics.txt
says 'smembank fix: metrics.txt has metrics of whole kernels: expected the FILE of the kernel'

# Tables of instructions that are there twice: behind each other, and one behind all others.
cp "$srcdir/tests/data/sass/transpose.sm_90.cubin" transpose.cubin
cp "$srcdir/tests/data/sass/transpose.ncu.csv" transpose.csv
awk '/Kernel Name/ { n++ } n % 2' transpose.csv >single.csv
[ "$(grep -c 'Kernel Name' single.csv)" -eq 3 ] || die 'the tables of the recording are not there twice'
cat single.csv single.csv >halves.csv
cp transpose.csv pairs.csv
expect 0 validate transpose.cubin --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 --ncu single.csv
sed 's/single.csv/FILE/' "$work/out" >once
expect 0 fix single.csv transpose.cubin --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 --format csv
cp "$work/out" fixed
for file in halves.csv pairs.csv; do
  expect 0 validate transpose.cubin --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 --ncu $file
  quiet
  sed "s/$file/FILE/" "$work/out" | cmp -s - once || die "$last: another result"
  expect 0 fix $file transpose.cubin --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 --format csv
  cmp -s "$work/out" fixed || die "$last: another result"
  expect 2 validate transpose.cubin --entry 'transpose<0>' --block 32,8 --grid 2,2 --arg 2=64 --ncu $file --ncu-launch 3
  says "--ncu-launch 3: $file has 1 launch of"
done

# A report: without ncu it is said how to make a table; with it, that is done, without a shell and within a time.
printf 'NVR\0\001\002binary' >'my report.ncu-rep'
run() {
  wanted=$1
  shift
  PATH=$2 CUDA_HOME='' CUDA_PATH='' "$SMEMBANK" validate transpose.cubin --entry 'transpose<0>' --block 32,8 --grid 2,2 \
    --arg 2=64 --ncu "$1" >"$work/out" 2>"$work/err" && status=0 || status=$?
  last="validate --ncu $1"
  [ $status -eq "$wanted" ] || die "$last: status $status: $(cat "$work/err")"
}
if [ ! -x /usr/local/cuda/bin/ncu ]; then
  run 3 'my report.ncu-rep' /nowhere
  says "'ncu --import 'my report.ncu-rep' --page source --csv --print-source sass >profile.csv' makes a table"
fi
mkdir bin
cat >bin/ncu <<END
#!/bin/sh
printf '%s|' "\$@" >>"$work/calls"
case "\$*" in
*'--page source'*) cat "$work/page" ;;
*) cat "$work/raw" ;;
esac
END
chmod +x bin/ncu
cp transpose.csv page
run 0 'my report.ncu-rep' "$work/bin:$PATH"
grep -q 'compared: 24 match, 0 differ' "$work/out" || die "$last: $(cat "$work/out")"
grep -qF -- "--import|$work/my report.ncu-rep|--page|source|--csv|--print-source|sass|" calls || die "called: $(cat calls)"
echo '==WARNING== no source metrics' >page
sed 's/two(float \*, const float \*, int)/void transpose<(int)0>(float *, const float *, int)/; s/"(256, 1, 1)","(32, 1, 1)"/"(32, 8, 1)","(2, 2, 1)"/; s/"256","256","1,234.5"/"3968","0","1"/' raw.csv >raw
run 0 'my report.ncu-rep' "$work/bin:$PATH"
grep -q '2 compared: 2 match' "$work/out" || die "$last: $(cat "$work/out")"
printf '#!/bin/sh\necho "==ERROR== File is broken"\nexit 1\n' >bin/ncu
run 3 'my report.ncu-rep' "$work/bin:$PATH"
says 'my report.ncu-rep: ncu does not read it: ==ERROR== File is broken'
