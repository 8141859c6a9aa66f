// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/redirect/detour.h"

#include <stdint.h>
#include <string.h>

#include "gpu/driver/assembly.h"

// Code of CALL_BYTES leaves the call in a register that no argument is in (r11, x17: System V ABI, AAPCS64) and goes here. Registers
// of arguments are kept while the function is looked up.
_Static_assert(offsetof(Call, target) == 8 && offsetof(Call, resolve) == 16, "as the code has it");

#ifdef __x86_64__

void
detour_write(unsigned char *code, const void *target) {
  static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0}; // jmp *(%rip)
  memcpy(code, jump, sizeof jump);
  memcpy(code + sizeof jump, &target, sizeof target);
}

void
detour_write_near(unsigned char *code, const void *target) {
  int distance = (int)((const unsigned char *)target - (code + NEAR_JUMP_BYTES));
  code[0] = 0xe9; // jmp target
  memcpy(code + 1, &distance, sizeof distance);
}

bool
detour_reaches(const unsigned char *code, const void *target) {
  intptr_t distance = (const unsigned char *)target - (code + NEAR_JUMP_BYTES);
  return distance == (int)distance;
}

// Functions begin at multiples of 16, and what lies between them are instructions that do nothing.
bool
detour_is_nothing(const unsigned char *code) {
  static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa}, // endbr64
      padding[] = {0x66, 0x0f, 0x1f, 0x2e, 0x84, 0x80, 0x44, 0x40, 0x00, 0x90, 0xcc};
  size_t at = memcmp(code, landing, sizeof landing) == 0 ? sizeof landing : 0;
  if ((uintptr_t)code % 16 != 0 || code[at++] != 0xc3)
    return false;
  while (at < NEAR_JUMP_BYTES && memchr(padding, code[at], sizeof padding))
    at++;
  return at >= NEAR_JUMP_BYTES;
}

void
detour_write_call(unsigned char *code, Call *call) {
  static const unsigned char load[] = {0x49, 0xbb},
                             jump[] = {0x41, 0xff, 0x63, offsetof(Call, target)};
  call->target = detour_enter;
  memcpy(code, load, sizeof load); // movabs $call, %r11
  memcpy(code + sizeof load, &call, sizeof call);
  memcpy(code + sizeof load + sizeof call, jump, sizeof jump); // jmp *target(%r11)
}

// At the entry the stack is 8 bytes off its alignment of 16.
ASSEMBLY("detour_enter", ".hidden detour_enter\n",
         "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n  push %rax\n"
         "  sub $128, %rsp\n"
         "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n"
         "  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"
         "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n"
         "  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
         "  mov %r11, %rdi\n"
         "  call *16(%rdi)\n"
         "  mov %rax, %r11\n"
         "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n"
         "  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"
         "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n"
         "  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
         "  add $128, %rsp\n"
         "  pop %rax\n  pop %r9\n  pop %r8\n  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n"
         "  jmp *%r11\n");

#elif defined __aarch64__

enum {
  LOAD_X16_8 = 0x58000050,  // ldr x16, .+8
  LOAD_X17_12 = 0x58000071, // ldr x17, .+12
  LOAD_X16 = 0xf9400230,    // ldr x16, [x17, #8 n]: n << 10
  BRANCH_X16 = 0xd61f0200,  // br x16
  BRANCH = 0x14000000,      // b .+4 n: n in 26 bits
  BRANCH_BITS = 26,
  RETURN = 0xd65f03c0,
};

void
detour_write(unsigned char *code, const void *target) {
  const unsigned jump[] = {LOAD_X16_8, BRANCH_X16};
  memcpy(code, jump, sizeof jump);
  memcpy(code + sizeof jump, &target, sizeof target);
}

void
detour_write_near(unsigned char *code, const void *target) {
  intptr_t words = ((const unsigned char *)target - code) / 4;
  unsigned jump = BRANCH | ((unsigned)words & ((1u << BRANCH_BITS) - 1));
  memcpy(code, &jump, sizeof jump);
}

bool
detour_reaches(const unsigned char *code, const void *target) {
  intptr_t words = ((const unsigned char *)target - code) / 4, limit = 1 << (BRANCH_BITS - 1);
  return words >= -limit && words < limit;
}

bool
detour_is_nothing(const unsigned char *code) {
  unsigned first;
  memcpy(&first, code, sizeof first);
  return first == RETURN;
}

void
detour_write_call(unsigned char *code, Call *call) {
  const unsigned load[] = {LOAD_X17_12, LOAD_X16 | offsetof(Call, target) / 8 << 10, BRANCH_X16};
  call->target = detour_enter;
  memcpy(code, load, sizeof load);
  memcpy(code + sizeof load, &call, sizeof call);
}

ASSEMBLY("detour_enter", ".hidden detour_enter\n",
         "  hint #36\n" // bti j
         "  stp x29, x30, [sp, #-224]!\n  mov x29, sp\n"
         "  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n"
         "  stp x6, x7, [sp, #64]\n  str x8, [sp, #80]\n"
         "  stp q0, q1, [sp, #96]\n  stp q2, q3, [sp, #128]\n"
         "  stp q4, q5, [sp, #160]\n  stp q6, q7, [sp, #192]\n"
         "  mov x0, x17\n"
         "  ldr x16, [x0, #16]\n  blr x16\n"
         "  mov x16, x0\n"
         "  ldp x0, x1, [sp, #16]\n  ldp x2, x3, [sp, #32]\n  ldp x4, x5, [sp, #48]\n"
         "  ldp x6, x7, [sp, #64]\n  ldr x8, [sp, #80]\n"
         "  ldp q0, q1, [sp, #96]\n  ldp q2, q3, [sp, #128]\n"
         "  ldp q4, q5, [sp, #160]\n  ldp q6, q7, [sp, #192]\n"
         "  ldp x29, x30, [sp], #224\n"
         "  br x16\n");

#else
// cppcheck-suppress preprocessorErrorDirective ; of processors that configure leaves out
#  error "jumps are known for x86-64 and AArch64"
#endif

void
detour_flush(void *code, size_t bytes) {
  __builtin___clear_cache((char *)code, (char *)code + bytes);
}
