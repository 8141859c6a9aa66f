// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Random requests of whatever an architecture has, and how tests show one.
#pragma once

#include "sim/arch/arch.h"
#include "sim/trace/pattern.h"

// Makes a random request that @arch has a rule for; now and then one without an active lane.
void random_request(SmbRandom *random, const SmbArch *arch, SmbRequest *request);

// Makes @n random requests of every architecture, and of some that are made up, and has @check look at each.
void check_random_requests(guint64 seed, guint n,
                           void (*check)(const SmbArch *arch, const SmbRequest *request));

// A request as a line of a trace (transfer full).
char *format_request(const SmbRequest *request);
