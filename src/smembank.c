// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The program: the command line on this machine.
#include "src/commands.h"

int
main(int argc, char **argv) {
  return smb_main(smb_cuda_real(), argc, argv);
}
