// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From machine code to steps: a kernel with the functions that it calls. Registers are rows, one behind the other,
// so that R4 and R5 are a pair. Those of the uniform datapath are, too; what is written to them is written in all
// lanes of the warp, whichever are active. Private to sim/sass.
#pragma once

#include "sim/exec/build.h"
#include "sim/image/cubin.h"
#include "sim/image/source-line.h"
#include "sim/sass/instruction.h"

enum {
  SASS_REGISTERS = 256, // rows, with room for what reads beyond the last one
  SASS_UNIFORMS = 256,
  SASS_PREDICATE_REGISTERS = 7,
  SASS_BARRIERS = 16, // where lanes of a warp meet
  SASS_DROPPED_ROWS = 8,
};

enum {
  SASS_BANKS = 32,
  SASS_BANK_PARAMETERS = 0,
  SASS_BANK_VARIABLES = 3,
};

// A constant bank that is a section of the image.
typedef struct {
  gboolean is_made;
  GByteArray *bytes; // with addresses put in; NULL: there is no such section
  GArray *pieces;    // BankPiece: where it lies in memory; NULL: not asked for yet
} SassBank;

// A section of code, in the addresses that code has here: those of all sections that are needed, one behind the
// other, the kernel's from 0 on.
typedef struct {
  guint section;
  guint32 base;
  guint32 bytes;
  const guint8 *code;
} SassSection;

// Where a function returns: a step that all of its returns lead to.
typedef struct {
  Row row;      // two rows: where it continues
  guint32 base; // is added
} SassReturn;

// A step that leads to an instruction, or to one of the returns of its function.
typedef struct {
  guint32 step;
  guint32 target; // an address, or the index of a return
  gboolean returns;
} SassJump;

typedef struct {
  guint chip; // 90 of sm_90a
  Code *code;
  SmbProgram *program;
  Row registers;                // of R0
  Row uniforms;                 // of UR0
  Predicate predicates;         // of P0
  Predicate uniform_predicates; // of UP0
  Predicate never;              // is false
  Row dropped;                  // rows that nobody reads: what is written to RZ and URZ
  Row answer;                   // of BAR.RED, for B2R
  Row return_address;           // the two words of Rpc
  Predicate answer_predicate;
  const SmbCubin *cubin;
  const SmbCubinFunction *kernel;
  const SmbLines *lines;
  GHashTable *addresses; // SmbProgramOptions.addresses
  guint32 stack_bytes;
  // where shared memory that is the program's own begins, as addresses of the code have it
  guint32 reserved_shared;
  SassBank banks[SASS_BANKS];
  GHashTable *presets;  // of bank 0: offset and number of rows → row
  GHashTable *specials; // number of a special register → row
  GHashTable *regions;  // symbol → its region
  GArray *sections;     // SassSection, by address
  GHashTable *placed;   // index of a section → its place in @sections, from 1
  GPtrArray *missing;   // names of functions without a body, whose addresses are behind all code
  GArray *jumps;        // SassJump
  GArray *returns;      // SassReturn, of the current function
  // Rows and predicates that one instruction needs between its steps: all of them, and how many it has taken.
  GArray *scratch;            // Row
  GArray *scratch_predicates; // Predicate
  guint n_scratch, n_scratch_predicates;
  guint8 load_boards; // scoreboards that loads of tensor memory hold open
  // where the decoder is
  const SassInstruction *instruction;
  guint argument;  // of its row's handler
  Builder builder; // of its steps: its address, and its guard
  GError **error;
} SassDecoder;

// --- the instruction (decode.c)

// NULL: there are not so many.
const SassOperand *smb_sass_operand(const SassDecoder *decoder, guint index);
static inline gboolean
smb_sass_has(const SassDecoder *decoder, SassPart part) {
  return sass_has(decoder->instruction, part);
}
// What one of its parts says.
typedef struct {
  SassPart part;
  guint value;
} SassChoice;
// The value of the first of @choices whose part it has; @otherwise: it has none of them.
guint smb_sass_choose(const SassDecoder *decoder, const SassChoice *choices, guint n,
                      guint otherwise);
#define SASS_CHOOSE(decoder, choices, otherwise)                                                   \
  smb_sass_choose(decoder, choices, G_N_ELEMENTS(choices), otherwise)

// --- operands as rows (operand.c)

// Rows for what is computed between the steps of one instruction, at most 4 side by side, and a predicate: the next
// instruction has them again.
Row smb_sass_scratch(SassDecoder *decoder, guint n);
Predicate smb_sass_scratch_predicate(SassDecoder *decoder);
// Rows that hold @bits in all lanes: one, or as many as @n_rows says (1, 2 or 4).
Row smb_sass_constant(SassDecoder *decoder, guint64 bits, guint n_rows);
// The blocks of the cluster, as bits.
Row smb_sass_cluster_mask(SassDecoder *decoder);

// Rows of a source: of a register or a uniform one, an immediate, a constant bank. What is written before it and
// after it ("-", "~", "|R3|", ".H1_H1") is not looked at. Of two rows an immediate is extended as it is written; a
// real number is the high half of a binary64. NO_ROW: it is none of these.
Row smb_sass_source(SassDecoder *decoder, const SassOperand *operand, guint n_rows);
// Rows of a result, at most 8; of RZ and URZ some that nobody reads. NO_ROW: it is no register.
Row smb_sass_result(const SassDecoder *decoder, const SassOperand *operand, guint n_rows);
// Whether what is written to it is lost: RZ, URZ, PT, UPT.
gboolean smb_sass_is_dropped(const SassOperand *operand);
gboolean smb_sass_is_register(const SassOperand *operand);  // R4, UR4
gboolean smb_sass_is_predicate(const SassOperand *operand); // P0, UP0, negated or not
// P3 or UP3, whether "!" is before it or not; PREDICATE_TRUE of PT, also as a result, which is dropped then.
Predicate smb_sass_predicate(const SassDecoder *decoder, const SassOperand *operand);
// The same of a source with "!" applied, by a step ahead; !PT is decoder->never.
Predicate smb_sass_condition(SassDecoder *decoder, const SassOperand *operand);

// --- constant banks (constant.c)
// Rows that hold what is at an offset of a bank, if that is known before the kernel runs, or when it starts.
// NO_ROW: it has to be loaded.
Row smb_sass_bank_row(SassDecoder *decoder, guint bank, gint64 offset, guint n_rows);
// Rows of c[…][…]: that one, or what a load ahead of the instruction finds.
Row smb_sass_load_bank(SassDecoder *decoder, const SassOperand *operand, guint n_rows);
// The address of c[…][…]. FALSE: there is no such place.
gboolean smb_sass_set_bank_address(SassDecoder *decoder, Transfer *transfer,
                                   const SassOperand *operand);

// --- the memory of the program (layout.c)
// Where a section of the image was placed, by its index there; NULL: it was not.
const SassSection *smb_sass_placed(const SassDecoder *decoder, guint index);
// The section of code that an address lies in; NULL: none.
const SassSection *smb_sass_section_at(const SassDecoder *decoder, guint32 address);
// Shared arrays, the stack, sections of code. FALSE with an error.
gboolean smb_sass_lay_out(SassDecoder *decoder);
const SassBank *smb_sass_bank(SassDecoder *decoder, guint bank);
// What a bank is made up of (element-type BankPiece). NULL: there is no such bank.
const GArray *smb_sass_bank_pieces(SassDecoder *decoder, guint bank);
// Whether there are variables in constant memory, which may be accessed by their addresses from now on (Code.variables).
gboolean smb_sass_has_variables(SassDecoder *decoder);

// --- memory (memory.c)
// How an opcode combines what it writes with what is there, an Atomic; @otherwise: it says nothing of that.
guint smb_sass_named_atomic(const SassDecoder *decoder, guint otherwise);
// Of words, each of which is a row.
Transfer *smb_sass_new_transfer(SassDecoder *decoder);
// An address of shared memory. FALSE: it is none, or in a form that is not modelled.
gboolean smb_sass_set_shared_address(SassDecoder *decoder, Transfer *transfer,
                                     const SassOperand *operand);
// The registers of an address of 32 bits, or of a place in a constant bank: base and uniform register. FALSE: they
// are of a form that is not modelled.
gboolean smb_sass_set_index(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand);

// --- tensor memory (tensor-core.c)
// Notes an instruction of the code, before any is decoded.
void smb_sass_note_tensor_load(SassDecoder *decoder, const SassInstruction *instruction);
// What a trap at the current instruction tells, if it is one of those that ptxas puts around tcgen05.alloc and dealloc, in words (transfer none); else NULL.
const char *smb_sass_tensor_guard(SassDecoder *decoder);
// The current instruction waits for loads, if it does.
void smb_sass_await_tensor_loads(SassDecoder *decoder);

// --- products of matrices (product.c)
// Whether one that four warps make is modelled, of factors of so many bits; sets which numbers it has.
gboolean smb_sass_is_group_product(const SassDecoder *decoder, guint bits, ProductForm *form);
gboolean smb_sass_add_group_product(SassDecoder *decoder, const ProductForm *form, guint site);

// --- steps (decode.c)
// Registers, and what the kernel does ahead of its first instruction.
void smb_sass_begin(SassDecoder *decoder);
// How an instruction continues.
typedef enum {
  GOES_ON,
  BRANCHES, // to a target; and on, if it is conditional
  JUMPS,    // to where a register says
  RETURNS,  // the same; and on, if it is conditional
  ENDS,     // the thread; the same
} Going;
Going smb_sass_going(const SassInstruction *instruction);
// An instruction, at a place: whatever there is of it. FALSE with an error.
gboolean smb_sass_decode(SassDecoder *decoder, const SassInstruction *instruction, guint32 place);

// A step of the instruction, with its guard.
Step smb_sass_step(const SassDecoder *decoder, StepOpcode opcode);
// Adds a branch to an address of the code.
void smb_sass_add_jump(SassDecoder *decoder, Step *step, guint32 target);
// A computation, under the guard.
void smb_sass_add_compute(SassDecoder *decoder, Compute *compute);
// Moves one row to one of the rows of a result: to a uniform register what the first active lane has, in all lanes.
void smb_sass_add_move(SassDecoder *decoder, const SassOperand *result, Row to, Row from);
// Results that are not modelled: nothing is known of @n rows from @row on, or of a predicate.
void smb_sass_add_unknown(SassDecoder *decoder, Row row, guint n);
// A launch that is run for its results fails there, and says that @name is not supported (transfer none).
void smb_sass_add_unsupported(SassDecoder *decoder, const char *name);
void smb_sass_add_unknown_predicate(SassDecoder *decoder, Predicate predicate);
// Sets the error at the instruction. Always FALSE.
G_GNUC_PRINTF(2, 3)
gboolean smb_sass_refuse(SassDecoder *decoder, const char *format, ...);

// --- handlers (handler.c): what the rows of sim/sass/opcodes name, each of which makes steps of the current
// instruction. FALSE with an error: it is refused. Of a form that is not modelled they make what smb_sass_unknown()
// or smb_sass_refused() makes.
#define OPCODE(number, forms, first, last, datapath, name, handler, ...)                           \
  gboolean smb_sass_##handler(SassDecoder *decoder);
#define COMPUTE(...)
#include "sim/sass/opcodes/opcodes.def"

// Of memory, what an address is of.
enum {
  SPACE_OF_SHARED,
  SPACE_OF_LOCAL,
  SPACE_OF_GLOBAL,
  SPACE_OF_ANY, // a generic address
};

// All code, as steps, with its control flow (function.c). FALSE with an error.
gboolean smb_sass_decode_code(SassDecoder *decoder);

// --- when instructions may be issued (timing.c)
// That of the next instruction of the code, which has these SASS_BYTES.
void smb_sass_add_timing(SassDecoder *decoder, const SassInstruction *instruction,
                         const guint8 *bytes);

// --- functions of the run-time system (provided.c)
// Its first step; NO_STEP: it is none of those that are known.
guint32 smb_sass_add_provided(SassDecoder *decoder, const char *name);

// --- sites (site.c)
guint smb_sass_add_site(gpointer decoder, SmbOpClass op_class, guint width); // Builder.add_site

// --- copies
// ATOMS.ARRIVE.64 R2, [barrier], before sm_90 (bulk.c).
gboolean smb_sass_arrive_early(SassDecoder *decoder, const SassOperand *d,
                               const SassOperand *address);
