// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// gpu-worker: the process that measures for another one (gpu/meter.h). It is no command of the user's:
// the help does not list it.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "gpu/worker.h"
#include "src/commands.h"

// Moves a descriptor out of the way and leaves /dev/null in its place: what a library or a kernel prints
// must not come between the messages.
static int
take_descriptor(int descriptor, int flags) {
  int taken = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int nothing = open("/dev/null", flags | O_CLOEXEC);
  if (taken < 0 || nothing < 0)
    return -1;
  dup2(nothing, descriptor);
  close(nothing);
  return taken;
}

int
smb_worker_main(const SmbCuda *cuda) {
  if (isatty(STDIN_FILENO)) {
    fputs("smembank gpu-worker: 'smembank validate' and others start this part, which measures\n",
          stderr);
    return SMB_EXIT_USAGE;
  }
  // A kernel that hangs would keep a process without a parent, and the device, for good.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int in = take_descriptor(STDIN_FILENO, O_RDONLY), out = take_descriptor(STDOUT_FILENO, O_WRONLY);
  return in < 0 || out < 0 ? SMB_EXIT_INPUT : smb_worker_run(cuda, in, out);
}
