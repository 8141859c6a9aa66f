// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The whole command line, on the machine that it is given.
#pragma once

#include "gpu/cuda.h"

/**
 * smb_main:
 * @cuda: (transfer none): what the machine offers to measure with
 * @argc, @argv: those of main()
 *
 * Returns: the exit status of the program
 */
int smb_main(const SmbCuda *cuda, int argc, char **argv);
