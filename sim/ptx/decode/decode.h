// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From PTX to steps: a kernel with the functions that it calls. Private to sim/ptx.
#pragma once

#include "sim/compiled/run/run.h"
#include "sim/ptx/instruction.h"
#include "sim/ptx/module.h"

// A function that is decoded.
typedef struct {
  const PtxFunction *function;
  gboolean is_kernel;
  guint32 *rows;       // by register: its first row, or its predicate
  guint64 *locals;     // by variable: its byte offset in local or in shared memory
  guint64 *parameters; // likewise, in local memory; of the kernel: among the parameters
  guint64 *returns;    // likewise
  guint32 carry;       // its carry flag: a predicate
  guint32 first_step;
  guint first_barrier; // of convergence
  guint32 *starts;     // by block: its first step
  guint8 *reads;       // by register: how many operands read it, at most 255
} PtxDecoded;

typedef struct {
  const PtxModule *module;
  Code *code;
  SmbProgram *program;
  guint64 *shared;      // by variable of the module: its byte offset in shared memory
  guint32 *regions;     // by variable of the module: its region
  GPtrArray *functions; // PtxDecoded, in the order of their steps
  GHashTable *specials; // name → row
  gsize local_bytes;    // of each thread
  guint n_barriers;     // of convergence, of all functions
  // where the decoder is
  PtxDecoded *current;
  const PtxInstruction *instruction;
  PtxInstruction blank;     // stands for it where there is none
  const char *const *parts; // of its opcode
  GError **error;
} PtxDecoder;

// --- operands (operand.c)
const PtxOperand *smb_ptx_operand(const PtxDecoder *decoder, guint index);
const PtxOperand *smb_ptx_element(const PtxDecoder *decoder, const PtxOperand *operand,
                                  guint index);
// Bytes of a register; 0 of a predicate.
guint smb_ptx_register_bytes(const PtxDecoder *decoder, const PtxOperand *operand);
guint smb_ptx_type_bytes(const char *type);
// The rows of a register, of a constant or of an address: of @bytes, a real one for a literal. NO_ROW: it is no such
// thing, or is not modelled.
Row smb_ptx_row(PtxDecoder *decoder, const PtxOperand *operand, guint bytes, gboolean is_real);
Row smb_ptx_constant(PtxDecoder *decoder, guint64 bits, guint bytes);
gboolean smb_ptx_is_predicate(const PtxDecoder *decoder, const PtxOperand *operand);
// Of a register that is one, or of a result that is dropped.
Predicate smb_ptx_predicate(const PtxDecoder *decoder, const PtxOperand *operand);
// A new row, or several, of the code.
Row smb_ptx_new_rows(PtxDecoder *decoder, guint n);
Predicate smb_ptx_new_predicate(PtxDecoder *decoder);
// The address of a symbol, as a pointer of the machine; of shared memory, its offset. FALSE: it has none.
gboolean smb_ptx_address(const PtxDecoder *decoder, const PtxOperand *operand, guint64 *address);

// --- steps (decode.c)
// A step of the current instruction, with its guard.
Step smb_ptx_step(const PtxDecoder *decoder, StepKind kind, StepHandler run);
void smb_ptx_add(PtxDecoder *decoder, Step *step);
void smb_ptx_writes_row(PtxDecoder *decoder, Step *step, Row row, guint n);
void smb_ptx_writes_predicate(PtxDecoder *decoder, Step *step, Predicate predicate);
gboolean smb_ptx_has_part(const PtxDecoder *decoder, const char *part);
// Whether a part begins so.
gboolean smb_ptx_has_prefix(const PtxDecoder *decoder, const char *prefix);
const char *smb_ptx_last_part(const PtxDecoder *decoder);
// Sets the error at the current instruction. Always FALSE.
G_GNUC_PRINTF(2, 3)
gboolean smb_ptx_refuse(PtxDecoder *decoder, const char *format, ...);
void smb_ptx_add_compute(PtxDecoder *decoder, Compute *compute);

// --- kinds of instructions
typedef enum {
  PTX_DECODED,
  PTX_UNKNOWN,
  PTX_FAILED
} PtxResult;
PtxResult smb_ptx_decode_memory(PtxDecoder *decoder);  // memory.c
PtxResult smb_ptx_decode_move(PtxDecoder *decoder);    // move.c: mov, cvta, isspacep
PtxResult smb_ptx_decode_control(PtxDecoder *decoder); // control.c
PtxResult smb_ptx_decode_packed(PtxDecoder *decoder);  // packed.c: several operations
PtxResult
smb_ptx_decode_warp(PtxDecoder *decoder); // control.c: what gathers lanes before it computes
gboolean smb_ptx_decode_call(PtxDecoder *decoder); // call.c
// The targets of brx.idx, or NULL.
const PtxTable *smb_ptx_branch_table(const PtxDecoder *decoder);

// Fills in the operands that a form has (compute.c). FALSE: these are others.
gboolean smb_ptx_set_operands(PtxDecoder *decoder, const ComputeForm *form, Compute *compute);

// Any instruction (compute.c), and a function (body.c); FALSE with an error.
gboolean smb_ptx_decode_instruction(PtxDecoder *decoder);
gboolean smb_ptx_decode_function(PtxDecoder *decoder, PtxDecoded *decoded);

// --- the memory of the program (layout.c)
gboolean smb_ptx_lay_out(PtxDecoder *decoder);
gboolean smb_ptx_lay_out_function(PtxDecoder *decoder, PtxDecoded *decoded);

// --- sites (site.c)
guint smb_ptx_add_site(PtxDecoder *decoder, SmbOpClass op_class, guint width);

// --- which kernel (entry.c)
const PtxFunction *smb_ptx_choose(const PtxModule *module, const char *entry, GError **error);
// What a mangled name says (transfer full), without parameters and namespaces if @plain.
char *smb_ptx_demangle(const char *name, gboolean plain);

// The whole of it: FALSE with an error.
gboolean smb_ptx_decode(PtxDecoder *decoder, const PtxFunction *kernel);

// The first part of an opcode: "ld".
static inline const char *
smb_ptx_name(const PtxDecoder *decoder, const PtxInstruction *instruction) {
  return g_array_index(decoder->module->opcodes, PtxOpcode, instruction->opcode).parts[0];
}
