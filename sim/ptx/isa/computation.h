// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which operation a computing instruction of PTX is, from the parts of its opcode, and what its operands are. Neither
// memory nor control: what touches those is decoded elsewhere. instructions.def has its lines.
// Private to sim/ptx.
#pragma once

#include "sim/exec/compute/compute.h"

G_BEGIN_DECLS

typedef enum {
  ROLE_RESULT, // a register: Compute.d
  ROLE_P, // a predicate: Compute.p; of a pair "p|q" the second is Compute.q; after a row ("d|p"): only p
  ROLE_SOURCE, // a register or a constant: Compute.s[slot]
  ROLE_IN,     // a predicate, which may be negated: Compute.in[slot]
  ROLE_TABLE,  // a constant: Compute.table
  ROLE_MEMBERS, // a register or constant: the lanes that take part, which are to come together before
} FormRole;

typedef struct {
  guint8 role;
  guint8 slot;
  guint8 bytes;   // for a register or constant: 1 (of a wider register the low byte), 2, 4, 8
  guint8 is_real; // a constant is a floating-point number of these bytes
} FormOperand;

enum {
  FORM_OPERANDS = 7
};

/**
 * ComputeForm: an instruction as its opcode says it
 * @operands: in the order in which PTX writes them
 * @carries_in, @carries_out: Compute.in[0] and Compute.p are the carry flag CC.CF. Without @carries_in in[0] is to be
 *   PREDICATE_TRUE, which MODIFIER_NOT_IN makes 0
 */
typedef struct {
  guint16 operation;
  guint16 modifiers;
  guint8 table;
  guint8 from, to, bytes;
  guint8 n_operands;
  gboolean carries_in, carries_out;
  FormOperand operands[FORM_OPERANDS];
} ComputeForm;

/**
 * smb_ptx_compute_form:
 * @line: of instructions.def, which matches the opcode; PTX_NO_LINE
 * @parts: (array zero-terminated=1): "mad", "lo", "s32"
 * @result_bytes: of the register of the result, which a conversion may extend into a wider one; else 0
 *
 * Returns: whether it is an instruction that computes registers from registers, with modifiers that are known
 */
gboolean smb_ptx_compute_form(guint line, const char *const *parts, guint result_bytes,
                              ComputeForm *form);
// The same of any opcode.
gboolean smb_ptx_find_compute(const char *const *parts, guint result_bytes, ComputeForm *form);

// The number of operands of a form, and of a line. The predicate of d|p is not counted.
guint smb_ptx_form_count(const ComputeForm *form);
guint smb_ptx_computation_count(guint line);

// Fills in what the form says: all but operands, carries and index. smb_compute_prepare() comes after those.
void smb_ptx_compute_init(const ComputeForm *form, Compute *compute);

G_END_DECLS
