// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From PTX to steps: a kernel with the functions that it calls. Private to sim/ptx.
#pragma once

#include "sim/exec/build.h"
#include "sim/ptx/isa/computation.h"
#include "sim/ptx/isa/instruction.h"
#include "sim/ptx/isa/type.h"
#include "sim/ptx/read/module.h"

// A function that is decoded.
typedef struct {
  const PtxFunction *function;
  guint32 number; // of PtxDecoder.functions
  gboolean is_kernel;
  gboolean is_taken;       // pointers may point at it
  gboolean calls_pointers; // it calls functions through pointers
  gboolean is_recursive;   // it may be called again before it returns
  guint32 *rows;           // by register: its first row, or its predicate
  Row frame;               // two rows: the offset of its frame in local memory
  guint64 *locals; // by variable: its byte offset in the frame or in shared memory, or its region
  guint64 *parameters; // by parameter: likewise in the frame; for the kernel: among the parameters
  guint64 *returns;    // the same
  guint64 slot_bytes;  // for the frame: of what is passed and returned
  guint64 frame_bytes;
  guint32 shape; // of what is passed and returned
  guint32 carry; // its carry flag: a predicate
  guint32 first_step;
  guint32 first_barrier; // of convergence
  guint32 *starts;       // by block: its first step
  guint8 *reads;         // by register: how many operands read it, at most 255
} PtxDecoded;

typedef struct {
  const PtxModule *module;
  Code *code;
  SmbProgram *program;
  guint64 *shared;      // by variable of the module: its byte offset in shared memory
  guint32 *regions;     // by variable of the module: its region
  GPtrArray *functions; // PtxDecoded, in the order of their steps; the first is the kernel
  GHashTable *decoded;  // PtxFunction → PtxDecoded
  // name → number of a variable or function of the module, as smb_ptx_find_symbol() has it
  GHashTable *addresses; // SmbProgramOptions.addresses
  GHashTable *symbols;
  gboolean *used;       // by variable of the module: the kernel needs it
  GHashTable *specials; // name → row
  gsize local_bytes;    // of each thread: of the kernel's variables
  guint32 saved;        // the region that registers are pushed to; 0: none are
  gboolean has_stack;
  Row stack; // two rows: where the stack ends, as an offset in local memory
  // where the decoder is (smb_ptx_go_to())
  PtxDecoded *current;
  const PtxInstruction *instruction;
  PtxInstruction blank;     // stands for it where there is none
  Builder build;            // of its steps
  const char *const *parts; // of its opcode
  guint argument;           // that its line of instructions.def gives the handler
  Row members;              // the lanes that it names, or NO_ROW
  GError **error;
} PtxDecoder;

// --- operands (operand.c)
// One of the instruction, and an element of one: PTX_OPERAND_NONE, which no decoder takes for anything, where there are
// not as many; so a decoder may ask for any.
const PtxOperand *smb_ptx_operand(const PtxDecoder *decoder, guint index);
const PtxOperand *smb_ptx_element(const PtxDecoder *decoder, const PtxOperand *operand,
                                  guint index);
// What stands beside the first operand (d|p).
const PtxOperand *smb_ptx_partner(const PtxDecoder *decoder);
// The register that an operand is; NULL: it is none.
const PtxRegister *smb_ptx_register(const PtxDecoder *decoder, const PtxOperand *operand);
static inline gboolean
smb_ptx_has_operand(const PtxDecoder *decoder, guint index) {
  return index < decoder->instruction->n_operands;
}
// Bytes of a register; 0 of a predicate, and of what is no register.
guint smb_ptx_register_bytes(const PtxDecoder *decoder, const PtxOperand *operand);
// Rows of all components of a register of numbers.
guint smb_ptx_register_rows(const PtxRegister *named);
// The first row of a register of numbers, or of a component of one that is a vector; else NO_ROW.
Row smb_ptx_register_row(const PtxDecoder *decoder, const PtxOperand *operand);
// The rows of a register, of a constant or of an address: of @bytes, a real one for a literal. NO_ROW: it is no such
// thing, or is not modelled.
Row smb_ptx_row(PtxDecoder *decoder, const PtxOperand *operand, guint bytes, gboolean is_real);
Row smb_ptx_constant(PtxDecoder *decoder, guint64 bits, guint bytes);
gboolean smb_ptx_is_predicate(const PtxDecoder *decoder, const PtxOperand *operand);
// Of a register that is one; of a result that is dropped PREDICATE_TRUE, as of what is no register.
Predicate smb_ptx_predicate(const PtxDecoder *decoder, const PtxOperand *operand);
// The address of a symbol, as a pointer of the machine; of shared memory, its offset. FALSE: it has none, or one in
// each call (smb_ptx_in_frame()).
gboolean smb_ptx_address(const PtxDecoder *decoder, const PtxOperand *operand, guint64 *address);
// A variable or function of the module, by its name. FALSE: there is none.
gboolean smb_ptx_find_symbol(PtxDecoder *decoder, const char *name, PtxWhere *where,
                             guint32 *index);
// What a pointer to a function holds (CodeEntry).
static inline guint64
smb_ptx_function_address(guint32 index) {
  return (guint64)(index + 1) * CODE_ADDRESS_STEP;
}

// Of a variable in global or constant memory, by its index in the module: where the process has it, if that is known (layout.c).
guint64 smb_ptx_variable_address(const PtxDecoder *decoder, guint32 index);

// --- functions that are needed (collect.c)
void smb_ptx_collect(PtxDecoder *decoder, const PtxFunction *kernel);
// The function at an index of the module; NULL: it has no body, or is a kernel.
PtxDecoded *smb_ptx_find_decoded(const PtxDecoder *decoder, guint32 index);

// --- what a call has of its own (frame.c)
// A place in the memory of a thread: @offset behind what a row, or NO_ROW, holds; in local memory, or in another
// region.
typedef struct {
  Row base;
  guint64 offset;
  guint32 region;
} PtxPlace;
// Whether a symbol names a variable of the frame, and how far from its start.
gboolean smb_ptx_in_frame(const PtxDecoder *decoder, const PtxOperand *operand, guint64 *offset);
// Its address, as a pointer of the machine, in two rows; of 4 bytes as an offset in local memory.
Row smb_ptx_frame_row(PtxDecoder *decoder, guint64 offset, guint bytes);
// The room in a frame for what has @bytes.
guint64 smb_ptx_slot_bytes(guint64 bytes);
void smb_ptx_move_rows(PtxDecoder *decoder, gboolean loads, PtxPlace place, Row row, guint bytes);
void smb_ptx_move_predicate(PtxDecoder *decoder, gboolean loads, PtxPlace place,
                            Predicate predicate);
// The stack is used for so many bytes more, a constant, or as many as two rows say.
void smb_ptx_reserve(PtxDecoder *decoder, guint64 bytes, Row size);
// A function begins; it ends.
void smb_ptx_begin_frame(PtxDecoder *decoder);
void smb_ptx_end_frame(PtxDecoder *decoder);
// Saves the registers of the current function on the stack, and how many bytes that are; gets them back.
guint64 smb_ptx_push(PtxDecoder *decoder);
void smb_ptx_pop(PtxDecoder *decoder, guint64 bytes);

// --- addresses (memory.c)
typedef enum {
  AREA_GENERIC,
  AREA_SHARED,
  AREA_CLUSTER, // shared memory of this block or of another one
  AREA_GLOBAL,
  AREA_LOCAL,
  AREA_CONSTANT,
  AREA_PARAMETER,
} PtxArea;
// The space that an opcode names.
PtxArea smb_ptx_area(const PtxDecoder *decoder);
// How an opcode combines what it writes with what is there; @otherwise: it says nothing of that.
Atomic smb_ptx_named_atomic(const PtxDecoder *decoder, Atomic otherwise);
// What st.async stores, or red.async combines with what is there. FALSE with an error.
gboolean smb_ptx_set_async_value(PtxDecoder *decoder, const Transfer **value);
// What is in brackets. FALSE with an error.
gboolean smb_ptx_set_address(PtxDecoder *decoder, Transfer *transfer, const PtxOperand *operand,
                             PtxArea area);

// --- steps (decode.c)
// Steps that follow belong to this instruction, and have its guard. @instruction must outlive them.
void smb_ptx_go_to(PtxDecoder *decoder, const PtxInstruction *instruction);
// Steps that follow belong to no instruction, and have no guard; messages name @offset of the source.
void smb_ptx_go_beside(PtxDecoder *decoder, guint32 offset);
// The registers of an operand, if it has any.
void smb_ptx_writes_result(PtxDecoder *decoder, Step *step, const PtxOperand *operand);
gboolean smb_ptx_has_part(const PtxDecoder *decoder, const char *part);
// Whether a part begins so.
gboolean smb_ptx_has_prefix(const PtxDecoder *decoder, const char *prefix);
const char *smb_ptx_last_part(const PtxDecoder *decoder);
// Sets the error at the current instruction. Always FALSE.
G_GNUC_PRINTF(2, 3)
gboolean smb_ptx_refuse(PtxDecoder *decoder, const char *format, ...);
void smb_ptx_add_compute(PtxDecoder *decoder, const Compute *compute);
void smb_ptx_add_operation(PtxDecoder *decoder, Operation operation, Row d, Row a, Row b);

// Barriers of convergence: numbers of the current function, and a step with one: STEP_ARM, …
guint32 smb_ptx_new_barriers(PtxDecoder *decoder, guint n);
void smb_ptx_add_meeting(PtxDecoder *decoder, StepOpcode opcode, guint32 barrier, Predicate guard,
                         gboolean unless);

// --- instructions

typedef enum {
  PTX_DECODED,
  PTX_UNKNOWN, // its results are not known (smb_ptx_decode_opaque())
  PTX_FAILED,
} PtxResult;

// The handlers of instructions.def: smb_ptx_decode_HANDLER() adds the steps of the current instruction.
typedef PtxResult PtxHandler(PtxDecoder *decoder);
#define INSTRUCTION(words, operands, handler, argument, fate) PtxHandler smb_ptx_decode_##handler;
#define COMPUTATION(words, more, operation, operands, modifiers, table, handler, fate)             \
  PtxHandler smb_ptx_decode_##handler;
#include "sim/ptx/isa/instructions.def"

// What is known of an opaque instruction (PtxDecoder.argument).
enum {
  LOOKS = 1,      // it writes no memory
  ELSEWHERE = 2,  // it does not touch shared memory
  APART_ONLY = 4, // it makes no request of shared memory, but may write there, unless LOOKS
  NOT_RUN = 8,    // a launch that is run for its results is refused, though it writes nothing
};
PtxResult smb_ptx_add_opaque(PtxDecoder *decoder, guint effects);

// What wmma.load and wmma.store move (mma.c); NULL: that is not modelled.
const Fragment *smb_ptx_fragment(PtxDecoder *decoder, gboolean loads);
// An operand that is a predicate, or a constant: whether something is added. FALSE: it is neither.
gboolean smb_ptx_condition(PtxDecoder *decoder, guint index, Predicate *condition,
                           gboolean *unless);
// A product that four warps make (mma.c), whose operands are listed by a step ahead. FALSE: it is not modelled, and there is no step.
gboolean smb_ptx_add_group_product(PtxDecoder *decoder, guint site);

// What an incomplete instruction lacks (PtxDecoder.argument).
enum {
  WANTS_BARRIER,
  WANTS_SCOPE,
  WANTS_ACTION,
};

// Sets the error at the current instruction: "expected WHAT".
PtxResult smb_ptx_wants(PtxDecoder *decoder, const char *what);
// What a call calls: a function or a register; NULL: nothing.
const PtxOperand *smb_ptx_callee(const PtxFunction *function, const PtxInstruction *call);
// The targets of brx.idx, or NULL.
const PtxTable *smb_ptx_branch_table(const PtxDecoder *decoder);

// Fills in the operands that a form has (compute.c). FALSE: these are others.
gboolean smb_ptx_set_operands(PtxDecoder *decoder, const ComputeForm *form, Compute *compute);
// The form of the current instruction.
gboolean smb_ptx_find_form(const PtxDecoder *decoder, ComputeForm *form);

// Whether the instruction has so many operands (dispatch.c). FALSE with an error.
gboolean smb_ptx_check_count(PtxDecoder *decoder, guint least, guint most);
// Whether an instruction reads its first operand, if that is a register.
gboolean smb_ptx_reads_first(const PtxDecoder *decoder, const PtxInstruction *instruction);
// Calls the handler of the current instruction, without checking its operands.
// smb_ptx_decode_instruction() checks them first, and makes an unknown instruction opaque. FALSE with an error.
PtxResult smb_ptx_handle(PtxDecoder *decoder);
gboolean smb_ptx_decode_instruction(PtxDecoder *decoder);

// A function (body.c); FALSE with an error.
gboolean smb_ptx_decode_function(PtxDecoder *decoder, PtxDecoded *decoded);

// --- the memory of the program (layout.c)
gboolean smb_ptx_lay_out(PtxDecoder *decoder);
// The shape of a list of slots with one more of @bytes; 0: what is passed ends, what is returned follows.
static inline guint32
smb_ptx_shape(guint32 shape, guint64 bytes) {
  return (shape ^ (guint32)(bytes / 16 + 1)) * 16777619u; // FNV-1
}

// --- sites (site.c): Builder.add_site of a PtxDecoder
guint smb_ptx_add_site(gpointer decoder, SmbOpClass op_class, guint width);
// SmbFrontEnd.locate
void smb_ptx_locate(const SmbProgram *program, guint32 offset, GArray *frames);

// The whole of it: FALSE with an error.
gboolean smb_ptx_decode(PtxDecoder *decoder, const PtxFunction *kernel);

static inline const PtxOpcode *
smb_ptx_opcode_of(const PtxDecoder *decoder, const PtxInstruction *instruction) {
  return &g_array_index(decoder->module->opcodes, PtxOpcode, instruction->opcode);
}

// The opcode of the instruction, as it is spelled: "ld.shared.v4.f32".
static inline const char *
smb_ptx_opcode(const PtxDecoder *decoder) {
  return smb_ptx_opcode_of(decoder, decoder->instruction)->text;
}

// The first part of an opcode: "ld".
static inline const char *
smb_ptx_name(const PtxDecoder *decoder, const PtxInstruction *instruction) {
  return smb_ptx_opcode_of(decoder, instruction)->parts[0];
}
