// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a driver's compiler makes of PTX when a program loads it: the toolkit's does, where there is one.
#pragma once

#include <glib.h>

/** smb_run_compile_ptx: @ptx: PTX, perhaps with zero bytes behind it; @chip: 90 of sm_90; @wrong: (out) (transfer full) (nullable): what the
 * assembler finds wrong with the text. Returns: (transfer full) (nullable): machine code; %NULL: the text is wrong, there is no compiler,
 * it does not know the chip, or the text is run as it is. A text that calls the device runtime is linked with it. */
GBytes *smb_run_compile_ptx(GBytes *ptx, guint chip, char **wrong);

/** smb_run_ptx_architecture: Returns: (transfer full): the option that names the chip, with the letter that the text has: -arch=sm_90a */
char *smb_run_ptx_architecture(GBytes *ptx, guint chip);

/** smb_run_read_cubin: Returns: (transfer full) (nullable): what the compiler has written to a file */
GBytes *smb_run_read_cubin(const char *path);
