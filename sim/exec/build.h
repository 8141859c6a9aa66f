// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What all decoders make code with, a step after the other.
#pragma once

#include "sim/exec/code.h"

// Makes an empty program with the regions that all have; smb_program_init() has been called.
void smb_code_init(Code *code);
void smb_code_clear(Code *code);

// New registers, which nothing is known of.
Row smb_code_new_rows(Code *code, guint n);
Predicate smb_code_new_predicate(Code *code);
// A transfer and a bulk of the code, which nothing is known of yet.
Transfer *smb_code_new_transfer(Code *code);
Bulk *smb_code_new_bulk(Code *code, SmbTraffic kind, guint quantum);
// The next step of the code, and one that is there.
void smb_code_add(Code *code, Step *step);
Step *smb_code_step(Code *code, guint32 number);
// What a step that is not a computation writes: @n rows from @row on; a predicate.
void smb_code_writes_row(Code *code, Step *step, Row row, guint n);
void smb_code_writes_predicate(Code *code, Step *step, Predicate predicate);
// Once all is decoded: what the code as a whole decides. Loads and atomics of memory that other threads change become steps of
// their own, and sites of shared memory are said to be (SmbSite.is_shared).
void smb_code_finish(Code *code);
// Whether there is such a step.
gboolean smb_code_has(const Code *code, StepOpcode opcode);
// The region that malloc gives pieces of, unless there is one.
void smb_code_add_heap(Code *code);
// The next parameter: one that may be a pointer is one, unless --arg gives it a value. Compiled code has no names for
// them: @name and @type, for messages, outlive the code.
void smb_code_add_parameter(Code *code, const char *name, const char *type, ParameterPlace place,
                            gboolean is_pointer);
