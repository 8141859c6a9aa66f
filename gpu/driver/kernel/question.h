// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a kernel that runs asks of its process: functions of the device runtime that are the runtime's own, or that need what only it
// knows.
#pragma once

#include "gpu/driver/kernel/module.h"

enum {
  QUESTION_NUMBERS = 16,
};

typedef struct {
  Kernel *kernel; // (nullable): that one of the numbers is the address of
  uint64_t numbers[QUESTION_NUMBERS];
  size_t n;
} Question;

// Reads a question (RUN_QUESTION), and replaces it by its answer.
void question_answer(SmbPayload *payload);
