// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Machine code that goes from a function to another one, which is looked up when it is called first: x86-64 and AArch64.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
#ifdef __x86_64__
  JUMP_BYTES = 14,
  NEAR_JUMP_BYTES = 5,
  CALL_BYTES = 16,
#else
  JUMP_BYTES = 16,
  NEAR_JUMP_BYTES = 4,
  CALL_BYTES = 24,
#endif
};

// A function that is called in the place of another one.
typedef struct Call {
  struct Call *next;
  const void *target; // set by detour_write_call()
  const void *(*resolve)(
      struct Call *call); // returns the function, which it may also make the target
  const char *name, *library;
  bool is_known; // the library has it
  bool is_told;  // it was said that it has not
} Call;

// Writes a jump to @target, JUMP_BYTES, over the beginning of a function. It has to be writable.
void detour_write(unsigned char *code, const void *target);

// The same with NEAR_JUMP_BYTES, for a target that detour_reaches() from there.
void detour_write_near(unsigned char *code, const void *target);
bool detour_reaches(const unsigned char *code, const void *target);

// Whether a function does nothing but return, and has NEAR_JUMP_BYTES.
bool detour_is_nothing(const unsigned char *code);

// Code that goes to what resolve() returns, with the arguments that it is called with: of a call that is in r11 or x17.
extern const char detour_enter[] __attribute__((visibility("hidden")));

// Writes code of CALL_BYTES that goes to the function of @call, with the arguments that it is called with. Until the target is
// another one it is what resolve() returns.
void detour_write_call(unsigned char *code, Call *call);

// What was written there is what the processor executes.
void detour_flush(void *code, size_t bytes);
