// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One instruction of machine code (since sm_70: 16 bytes), in the form that its disassembly has: a name, parts
// after it, operands in their order. The tables of sim/sass/opcodes say how its bits are read; whatever decodes
// it, or writes it as text, sees it in this form only. Private to sim/sass.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

enum {
  SASS_BYTES = 16,
  SASS_MAX_OPERANDS = 12,
  SASS_MAX_PARTS = 14,
  SASS_RZ = 255,     // reads as 0; what is written to it is dropped
  SASS_URZ = 255,    // the same, whatever number the chip gives it (63 up to sm_90)
  SASS_MACTIVE = 26, // for a barrier: the lanes that are active
  SASS_PT = 7,       // always true, of both kinds of predicates
};

// What can be written behind a name, or behind an operand: PART_WIDE is ".WIDE".
typedef enum {
  PART_UNKNOWN, // the bits have a value that is not known
  PART_NONE,    // nothing is written
#define NAME(part) PART_##part,
#include "sim/sass/opcodes/parts.def"
  N_SASS_PARTS,
} SassPart;

typedef enum {
  SASS_REGISTER,          // R0 … R254, RZ
  SASS_UNIFORM,           // UR0 …, URZ
  SASS_PREDICATE,         // P0 … P6, PT
  SASS_UNIFORM_PREDICATE, // UP0 …, UPT
  SASS_IMMEDIATE, // @value: an integer as it is written: sign-extended, or with @bytes 8 unsigned
  SASS_REAL,      // @value: bits of a number of @bytes: 2, 4 (bfloat16: the high 2) or 8
  SASS_CONSTANT,  // c[@bank][@base + @uniform + @value]; cx[@descriptor][…] if @is_bindless
  SASS_ADDRESS,   // [@base + @uniform + @value], desc[@descriptor] before it; or, with a place for
      // neither register, @base_part[@descriptor + @value]: gdesc[UR4], a matrix in shared memory
  SASS_TARGET,  // @value: byte offset in the function that a branch goes to, or a barrier waits at
  SASS_SPECIAL, // @number: S2R's: SR_TID.X is 0x21
  SASS_BARRIER, // B0 … B15: where lanes reconverge
  SASS_SCOREBOARD,  // SB0 …
  SASS_SCOREBOARDS, // {2,1}: @value: a bit each
  SASS_PREDICATES,  // PR: all of them, as bits
  SASS_WORD,        // what is neither: @part is how it is written
} SassKind;

/**
 * SassOperand:
 * @number: of a register, a predicate, a barrier …
 * @slot: of a register that is read in the place of A, B or C: 1 to 3; 0: elsewhere
 * @is_negated: "-"; @is_inverted: "~" or "!"; @is_absolute: "|R3|"
 * @part: what is written after it: "H0_H0", "64", "U32", "X4", "ROW" …; not "reuse", which has no meaning
 * @value: see SassKind; of SASS_CONSTANT and SASS_ADDRESS the offset
 * @bank: of SASS_CONSTANT
 * @base: a register, SASS_RZ if there is none; @base_part: "64", "U32", "X16" … of it
 * @uniform: a uniform register that is added; SASS_URZ if there is none
 * @has_base, @has_uniform: there is a place for it, even if it is RZ or URZ
 * @descriptor: a uniform register; SASS_URZ if there is none
 */
typedef struct {
  SassKind kind;
  guint8 number;
  gboolean is_negated;
  gboolean is_inverted;
  gboolean is_absolute;
  gboolean is_reused;
  guint8 slot;
  SassPart part;
  gint64 value;
  guint bytes;
  guint8 bank;
  gboolean is_bindless;
  guint8 base;
  SassPart base_part;
  guint8 uniform;
  gboolean has_base;
  gboolean has_uniform;
  guint8 descriptor;
} SassOperand;

/**
 * SassInstruction:
 * @offset: byte offset in its function
 * @opcode: its low 12 bits
 * @name: static: "IMAD"; NULL: the opcode is not known, and nothing else is, but the guard
 * @row: for the tables: what decodes it is the same row's handler (sim/sass/decode/handler.c)
 * @parts: (array zero-terminated=1): SassPart, in the order in which they are written; @has: the same as a set
 *   (sass_has())
 * @is_complete: all of its bits are understood: its text is what the toolkit's disassembler writes
 * @is_modelled: all of its parts are: none is UNMODELLED() in the tables
 * @board: the scoreboard that is open until its results are there (7: none); @waits: a bit for each that must not be open when it is issued
 * @guard: a predicate; SASS_PT if there is none; @guard_is_uniform: UP3; @guard_is_inverted: "@!P0"
 * @operands: results first, as the disassembly has them
 */
typedef struct {
  guint32 offset;
  guint16 opcode;
  guint16 row;
  const char *name;
  guint16 parts[SASS_MAX_PARTS + 1];
  guint64 has[N_SASS_PARTS / 64 + 1];
  gboolean is_complete;
  gboolean is_modelled;
  guint8 board, waits;
  guint8 guard;
  gboolean guard_is_uniform;
  gboolean guard_is_inverted;
  guint n_operands;
  SassOperand operands[SASS_MAX_OPERANDS];
} SassInstruction;

/**
 * smb_sass_n_lines: Returns: how many lines of the tables (sim/sass/opcodes) say how an opcode of 12 bits is read on a
 * chip: 1; 0: * it is not known
 */
guint smb_sass_n_lines(guint chip, guint opcode);

/**
 * smb_sass_read:
 * @chip: number of its architecture: 75 of sm_75, 90 of sm_90a
 * @bytes: SASS_BYTES of them
 * @offset: where they are in their function: targets are relative to it
 *
 * Returns: whether the opcode is known
 */
gboolean smb_sass_read(guint chip, const guint8 *bytes, guint32 offset,
                       SassInstruction *instruction);

/** smb_sass_add_part: Adds a part ahead of the one at @at, or at the end (name-instruction.c). */
void smb_sass_add_part(SassInstruction *instruction, guint at, SassPart part);

/** smb_sass_name_product: Names it, once it is read, if there are several names for its opcode. @words: its two words */
void smb_sass_name_product(SassInstruction *instruction, const guint64 *words);

/** smb_sass_text: Returns: (transfer full): "@!P0 IMAD.WIDE.U32 R2, R3, 0x4, R4"; targets as "0x1a0". */
char *smb_sass_text(const SassInstruction *instruction);

/** smb_sass_opcode_text: Returns: (transfer full): "IMAD.WIDE.U32". */
char *smb_sass_opcode_text(const SassInstruction *instruction);

/** smb_sass_part_name: Returns: static: how a part is written: "U32". */
const char *smb_sass_part_name(SassPart part);

/** Whether one of the parts is @part. */
static inline gboolean
sass_has(const SassInstruction *instruction, SassPart part) {
  return instruction->has[part / 64] >> part % 64 & 1;
}

G_END_DECLS
