// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/stream/stream-variant.h"

#include "gpu/driver/assembly.h"

static __thread unsigned depth; // a function of the host that is called in one may call another

bool
variant_is_running(void) {
  return depth > 0;
}

void __attribute__((used)) variant_begin(void) {
  depth++;
}

void __attribute__((used)) variant_end(void) {
  depth--;
}

// Calls a function with the arguments that the variant was called with, whatever they are: in registers, and the first ones on the stack.
// No function has more of those than are copied here: cudaMemset3DAsync has 7 on x86-64, structures of 4 and 3.
#ifdef __x86_64__
ASSEMBLY(
    "variant_call", ".hidden variant_call\n", // of the function in r11
    "  push %rbp\n  mov %rsp, %rbp\n"
    "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n  push %r11\n"
    "  sub $8, %rsp\n"
    "  call variant_begin\n"
    "  mov -56(%rbp), %r11\n  mov -48(%rbp), %r9\n  mov -40(%rbp), %r8\n  mov -32(%rbp), %rcx\n"
    "  mov -24(%rbp), %rdx\n  mov -16(%rbp), %rsi\n  mov -8(%rbp), %rdi\n"
    "  push 72(%rbp)\n  push 64(%rbp)\n  push 56(%rbp)\n  push 48(%rbp)\n"
    "  push 40(%rbp)\n  push 32(%rbp)\n  push 24(%rbp)\n  push 16(%rbp)\n"
    "  call *%r11\n"
    "  mov %rax, -8(%rbp)\n"
    "  call variant_end\n"
    "  mov -8(%rbp), %rax\n"
    "  leave\n  ret\n");
#else
ASSEMBLY("variant_call", ".hidden variant_call\n", // of the function in x16
         "  stp x29, x30, [sp, #-112]!\n  mov x29, sp\n"
         "  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n"
         "  stp x6, x7, [sp, #64]\n  stp x8, x16, [sp, #80]\n"
         "  bl variant_begin\n"
         "  ldp x0, x1, [x29, #112]\n  ldp x2, x3, [x29, #128]\n"
         "  stp x0, x1, [sp, #-32]!\n  stp x2, x3, [sp, #16]\n"
         "  ldp x0, x1, [x29, #16]\n  ldp x2, x3, [x29, #32]\n  ldp x4, x5, [x29, #48]\n"
         "  ldp x6, x7, [x29, #64]\n  ldp x8, x16, [x29, #80]\n"
         "  blr x16\n"
         "  mov sp, x29\n"
         "  str x0, [sp, #16]\n"
         "  bl variant_end\n"
         "  ldr x0, [sp, #16]\n"
         "  ldp x29, x30, [sp], #112\n"
         "  ret\n");
#endif
