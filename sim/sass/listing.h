// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The disassembly of a kernel.
#pragma once

#include "sim/machine/front-end.h"

// As smb_program_instructions(); @program: of machine code.
GPtrArray *smb_sass_instructions(const SmbProgram *program);
