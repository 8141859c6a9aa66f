// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A step as a line of text, for tests that compare what decoders make.
#pragma once

#include "sim/exec/code.h"

/**
 * step_text:
 *
 * Returns: (transfer full): "@!p1 add_f32.rz r3 = r1, 0x3f800000": the guard; the opcode, of a computation the operation, with what says
 *   more of it behind points; what is written; and behind = what is taken
 *
 *   r3, r4:5            rows; of one number several
 *   p1, true, !p2       predicates
 *   0x10, 0x1…          constants; one that differs by lane
 *   shared[r3 + 0x10]   an address, by its window: shared; cluster: of any block of the cluster; local; any: a generic address; memory: one
 *                       that is not in shared memory; or the name of a region, of an address that is fixed
 */
char *step_text(const Code *code, const Step *step);
