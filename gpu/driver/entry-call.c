// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arguments are in registers, and the first ones of the others on the stack. No function has more of those than are copied here:
// cuLaunchKernel has 5 on x86-64 and 3 on AArch64, cudaMemset3DAsync 7 and 3, of structures, cuTensorMapEncodeIm2col 9 and 7.
#include "gpu/driver/entry-call.h"

#ifdef __x86_64__
ASSEMBLY(
    "entry_call", ".hidden entry_call\n", // of the entry in r11
    "  push %rbp\n  mov %rsp, %rbp\n"
    "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n  push %r11\n"
    "  sub $8, %rsp\n"
    "  mov %r11, %rdi\n  mov 8(%rbp), %rsi\n"
    "  call *8(%r11)\n"
    "  test %eax, %eax\n  jne 1f\n"
    "  mov -56(%rbp), %r11\n  mov -48(%rbp), %r9\n  mov -40(%rbp), %r8\n  mov -32(%rbp), %rcx\n"
    "  mov -24(%rbp), %rdx\n  mov -16(%rbp), %rsi\n  mov -8(%rbp), %rdi\n"
    "  push 88(%rbp)\n  push 80(%rbp)\n"
    "  push 72(%rbp)\n  push 64(%rbp)\n  push 56(%rbp)\n  push 48(%rbp)\n"
    "  push 40(%rbp)\n  push 32(%rbp)\n  push 24(%rbp)\n  push 16(%rbp)\n"
    "  call *(%r11)\n"
    "1:\n"
    "  mov -56(%rbp), %rdi\n  mov %eax, %esi\n"
    "  call *16(%rdi)\n"
    "  leave\n  ret\n");
#else
ASSEMBLY("entry_call", ".hidden entry_call\n", // of the entry in x16
         "  stp x29, x30, [sp, #-112]!\n  mov x29, sp\n"
         "  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n"
         "  stp x6, x7, [sp, #64]\n  stp x8, x16, [sp, #80]\n"
         "  mov x0, x16\n  mov x1, x30\n  ldr x17, [x16, #8]\n"
         "  blr x17\n"
         "  cbnz w0, 1f\n"
         "  ldp x0, x1, [x29, #112]\n  ldp x2, x3, [x29, #128]\n"
         "  ldp x4, x5, [x29, #144]\n  ldp x6, x7, [x29, #160]\n"
         "  stp x0, x1, [sp, #-64]!\n  stp x2, x3, [sp, #16]\n"
         "  stp x4, x5, [sp, #32]\n  stp x6, x7, [sp, #48]\n"
         "  ldp x0, x1, [x29, #16]\n  ldp x2, x3, [x29, #32]\n  ldp x4, x5, [x29, #48]\n"
         "  ldp x6, x7, [x29, #64]\n  ldp x8, x16, [x29, #80]\n"
         "  ldr x16, [x16]\n"
         "  blr x16\n"
         "1:\n"
         "  mov w1, w0\n  ldr x0, [x29, #88]\n  ldr x17, [x0, #16]\n"
         "  blr x17\n"
         "  mov sp, x29\n"
         "  ldp x29, x30, [sp], #112\n"
         "  ret\n");
#endif
