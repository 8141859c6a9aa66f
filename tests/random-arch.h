// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Made-up architectures of every shape: 32 or 64 lanes, 1 to 64 banks, lane groups by any masks, rules with banks of
// their own, groups that cost something when they are empty. Each is made twice: as the text of an .ini file,
// which the reader reads, and as a table of the oracle, which knows nothing of the text.
#pragma once

#include "sim/arch/arch.h"
#include "sim/trace/pattern.h"
#include "tests/oracle.h"

// Makes an architecture: its text (transfer full), and what the oracle knows of it.
char *random_arch_text(SmbRandom *random, Oracle *oracle);

// The same, read (transfer full).
SmbArch *random_arch(SmbRandom *random, Oracle *oracle);
