// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Names of what sim/arch declares, for headers that only point to it: they are compiled again when an
// architecture's facts or rules change only where these are read.
#pragma once

/** An architecture (sim/arch/arch.h). */
typedef struct _SmbArch SmbArch;

/** How one kind of request is counted, and for which operation and width (sim/arch/rule.h). */
typedef struct _SmbPlan SmbPlan;
typedef struct _SmbRule SmbRule;
