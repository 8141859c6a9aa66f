#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The array jobs of doc/fleet.md on a cluster of one node, Slurm's own daemons in a private folder: what they merge is the whole. Nothing of
# an installed Slurm is used or changed. Debian: slurmctld, slurmd, slurm-client, munge; skipped without, and where they do not start.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
: "${SMEMBANK_ON_FAKE:?the program on a made-up GPU}"

PATH=$PATH:/usr/sbin:/sbin
for tool in munged munge slurmctld slurmd sbatch scancel sinfo timeout; do
  command -v "$tool" >/dev/null || {
    echo "no $tool"
    exit 77
  }
done

daemons=
stop() {
  trap - EXIT INT TERM
  [ -z "$daemons" ] || timeout 10 scancel --full --signal=KILL --user="$(id -un)" >/dev/null 2>&1 || :
  for daemon in $daemons; do
    kill "$daemon" 2>/dev/null || :
  done
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    alive=
    for daemon in $daemons; do
      ! kill -0 "$daemon" 2>/dev/null || alive=1
    done
    [ -n "$alive" ] || break
    sleep 0.3
  done
  for daemon in $daemons; do
    kill -9 "$daemon" 2>/dev/null || :
  done
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# wait_for WHAT COMMAND...: up to 20 seconds; where it never succeeds, this machine cannot run Slurm.
wait_for() {
  what=$1
  shift
  for _ in $(seq 100); do
    ! "$@" >/dev/null 2>&1 || return 0
    sleep 0.2
  done
  echo "Slurm does not run here: no $what"
  tail -n 5 "$work"/slurm/*.log
  exit 77
}

mkdir -m 700 "$work/slurm" "$work/slurm/state" "$work/slurm/spool"
munge_socket=$work/slurm/munge.socket
head -c 1024 /dev/urandom >"$work/slurm/munge.key"
chmod 600 "$work/slurm/munge.key"
munged --foreground --force --key-file="$work/slurm/munge.key" --socket="$munge_socket" \
  --pid-file="$work/slurm/munged.pid" --log-file="$work/slurm/munged.log" --seed-file="$work/slurm/munge.seed" \
  >"$work/slurm/munged.out.log" 2>&1 &
daemons="$daemons $!"
wait_for munged munge --socket="$munge_socket" --no-input

node=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >"$work/slurm/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$node(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$munge_socket
CredType=cred/munge
StateSaveLocation=$work/slurm/state
SlurmdSpoolDir=$work/slurm/spool
SlurmctldPidFile=$work/slurm/slurmctld.pid
SlurmdPidFile=$work/slurm/slurmd.pid
SlurmctldLogFile=$work/slurm/slurmctld.log
SlurmdLogFile=$work/slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=defer,batch_sched_delay=0,sched_interval=2,sched_min_interval=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName=$node NodeAddr=127.0.0.1 CPUs=8 RealMemory=1000 Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=2 DefMemPerCPU=10 State=UP
END
touch "$work/slurm/gpu0" "$work/slurm/gpu1"
echo "Name=gpu File=$work/slurm/gpu[0-1]" >"$work/slurm/gres.conf"
SLURM_CONF=$work/slurm/slurm.conf
export SLURM_CONF
slurmctld -D -c -f "$SLURM_CONF" >"$work/slurm/slurmctld.out.log" 2>&1 &
daemons="$daemons $!"
slurmd -D -f "$SLURM_CONF" >"$work/slurm/slurmd.out.log" 2>&1 &
daemons="$daemons $!"
idle() {
  [ "$(timeout 5 sinfo --noheader --format=%t)" = idle ]
}
wait_for 'idle node' idle

# What is shared: a launch whose blocks differ, cases of which one fails, and requests on a made-up GPU.
mkdir "$work/bin" "$work/project"
case $SMEMBANK in
/*) program=$SMEMBANK fake=$SMEMBANK_ON_FAKE ;;
*) program=$PWD/$SMEMBANK fake=$PWD/$SMEMBANK_ON_FAKE ;;
esac
ln -s "$program" "$work/bin/real"
ln -s "$fake" "$work/bin/fake"
# shellcheck disable=SC2016 # the variable is the script's
printf '#!/bin/sh\ncase $1 in fuzz) exec fake "$@" ;; *) exec real "$@" ;; esac\n' >"$work/bin/smembank"
chmod +x "$work/bin/smembank"
PATH=$work/bin:$PATH
sed -n '/^## Slurm/,/^## /s/^    //p' "$srcdir/doc/fleet.md" >"$work/commands"
[ "$(grep -c '^job=.*(sbatch ' "$work/commands")" -eq 3 ] || die 'doc/fleet.md does not have three array jobs'
cd "$work/project"
cat >scan.cu <<'END'
__global__ void scan(int *out, const int *in) {
  __shared__ int s[512];
  s[threadIdx.x * (1 + blockIdx.x % 5) % 512] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
END
cat >smembank.ini <<'END'
[*]
max-ways = 2
[padded]
rows = 32
cols = 32
pad = 1
[plain]
rows = 32
cols = 32
[scan]
file = scan.cu
block = 256
grid = 7
END
status=0
timeout 240 sh -e "$work/commands" >"$work/said" 2>&1 || status=$?
[ "$status" -eq 0 ] || die "the commands of doc/fleet.md: status $status: $(cat "$work/said" ./*.log ./*.out; tail -n 20 "$work"/slurm/*.log)"
grep -qx 'check: status 1' "$work/said" || die "check does not end as the whole does: $(cat "$work/said")"

expect_same() { # FILE STATUS ARGUMENT...: what was merged is what one run writes
  file=$1 wanted=$2
  shift 2
  status=0
  smembank "$@" >"$work/whole" 2>"$work/err" || status=$?
  [ "$status" -eq "$wanted" ] || die "smembank $*: status $status: $(cat "$work/err")"
  sed '/^instruction /,/^total /s/  *[0-9.]*  *[0-9.]*$//' "$work/whole" >"$work/wanted"
  sed '/^instruction /,/^total /s/  *[0-9.]*  *[0-9.]*$//' "$file" | diff "$work/wanted" - >&2 || die "$file is not the whole"
}
expect_same analyze.json 0 analyze scan.cu --block 256 --grid 1000 --format json
expect_same check.json 1 check --format json
expect_same fuzz.txt 0 fuzz --count 100000 --op ld
