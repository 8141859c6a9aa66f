// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions in assembler, of x86-64 or AArch64.
#pragma once

// A function that other files may call, without a change of the section that the compiler is in; @mark: ".hidden NAME\n" if no other library may.
#define ASSEMBLY(name, mark, code)                                                                 \
  __asm__(".pushsection .text\n.balign 16\n.globl " name "\n" mark ".type " name                   \
          ", %function\n" name ":\n" code ".size " name ", . - " name "\n.popsection\n")
