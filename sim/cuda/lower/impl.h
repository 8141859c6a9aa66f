// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A text that is being lowered. Private to sim/cuda/lower.
#pragma once

#include "sim/cuda/tree/compute.h"
#include "sim/cuda/tree/ast.h"
#include "sim/exec/build.h"

// Steps of a kernel at most: functions are lowered wherever they are called.
enum {
  MAX_STEPS = 1 << 18
};

// A place in the steps that is not made yet.
typedef guint Label;

// A function that is being lowered where it is called; of the kernel itself there is none.
typedef struct _Inlined Inlined;
struct _Inlined {
  const Function *function;
  Label end;
  const Inlined *outer;
};

// Where break and continue lead.
typedef struct _Around Around;
struct _Around {
  Label leave;
  Label next;
  const Around *outer;
};

/**
 * Lower:
 * @rows: by slot of a local: its first row. A vector's components lie one behind the other
 * @asked: by slot: a thread that did not set it may read it, so that a predicate goes with it; of the pass before
 * @is_set: by slot: all threads that come here have set it. Of a place where nobody comes: all are
 * @flags: by slot: the predicate of one that is asked
 * @specials: rows of threadIdx and the like
 * @labels: guint32: the step of each, or NO_STEP
 * @row: the next row that is free; rows of expressions are free again where their statement ends
 * @current: of the old value of the assignment around
 * @loop: the innermost
 * @counted: the last STEP_COUNT, if nothing that can fail came behind it: more statements are added to it
 * @fixed: by slot: the variable is what turns an unrolled loop that is being lowered: @numbers has its value
 * @recent: by slot: likewise, of one that was assigned a number, up to the next branch
 * @arrays: by slot of an object: an array of each thread that lies in registers, or NO_ROW; @elements: its first one of @is_set, behind
 *   the locals
 * @in_memory: by slot of an object: it does not, since something else than an element is used, or one at a place that is not known;
 *   of passes before
 * @rolled: (element-type Statement): the loops around that are not unrolled
 * @deciding: Statement: loops that are worth more steps than others; of passes before. @decides: likewise, found in this one
 * @is_refused: there are too many steps
 */
typedef struct {
  const SmbKernel *kernel;
  Code *code;
  Row *rows;
  guint8 *asked;
  guint8 *is_set;
  gboolean asks_more;
  Predicate *flags;
  Row specials[4][3];
  gboolean is_read[4][3]; // of these
  GArray *labels;
  guint32 row;
  Row current;
  const Statement *loop;
  guint n_loops;
  const Inlined *inlined;
  const Around *around;
  guint32 counted;
  guint8 *fixed;
  guint8 *recent;
  gint64 *numbers;
  guint n_fixed;
  const Node
      *turning; // the old value of the assignment that turns a loop, if that is being computed
  guint n_slots;
  Row *arrays;
  guint *elements;
  guint8 *in_memory;
  GPtrArray *rolled;
  GHashTable *deciding;
  GHashTable *decides;
  GPtrArray *foreign;
  gboolean is_refused;
} Lower;

/**
 * Foreign: what the front end does itself for a step
 * @node: of a check: what is said to fail
 * @operands: their first rows, or NO_ROW
 * @outcome: of a comparison that is watched: its result, if that is no row
 */
typedef struct {
  const Node *node;
  const Variable *variable;
  guint component;
  const Function *function;
  const Type *types[4]; // of the operands
  Row operands[4];
  const Type *type; // of the result
  Row result;
  Predicate outcome;
} Foreign;

// What the lanes of a warp tell each other; @lanes take part. FALSE with the block's error (exchange.c).
gboolean smb_lowered_exchange(SmbBlock *block, const Node *node, guint warp, SmbLanes lanes,
                              const void *const *arguments, void *out);
// Takes an operation on integers or pointers to the signature of the block; @b may be NULL (watch.c).
void smb_lowered_watch(SmbBlock *block, const Node *node, SmbLanes lanes, const void *a,
                       const void *b, const void *out);

gboolean smb_foreign_run(Exec *exec, const Step *step, SmbLanes lanes);
void smb_foreign_turned_away(Exec *exec, const Step *step, gboolean verdict);

// --- emit.c

static inline guint
type_rows(const Type *type) {
  return smb_type_is_wide(type) ? 2 : 1;
}
static inline guint
value_rows(const Type *type) {
  return type->kind == KIND_VOID ? 0 : type_rows(type) * smb_type_components(type);
}
Row smb_lower_take(Lower *lower, guint n);
// Where a value goes: @d, or rows that are taken if it is NO_ROW.
Row smb_lower_give(Lower *lower, const Type *type, Row d);
// What is known to be set here, for behind what not all lanes execute; and that nothing else is there (transfer full).
guint8 *smb_lower_keep_set(const Lower *lower);
void smb_lower_take_set(Lower *lower, guint8 *kept);
Row smb_lower_number(const Lower *lower, guint64 bits, guint n_rows);
Label smb_lower_label(Lower *lower);
void smb_lower_here(Lower *lower, Label label);
void smb_lower_add(Lower *lower, Step *step, StepOpcode opcode, guint32 place);
// Where the lanes of which a predicate holds, or does not, go to a label; PREDICATE_TRUE: all. Returns: its number.
guint32 smb_lower_branch(Lower *lower, Predicate predicate, gboolean unless, Label label,
                         guint32 place);
void smb_lower_add_compute(Lower *lower, Compute compute);
// d = operation(a, b, c); NO_ROW ends them.
void smb_lower_compute(Lower *lower, Operation operation, Row d, Row a, Row b, Row c);
void smb_lower_compare(Lower *lower, Operation operation, gboolean opposite, Predicate p, Row a,
                       Row b);
void smb_lower_move(Lower *lower, const Type *type, Row to, Row from);
// p = p && q, or p || q
void smb_lower_combine(Lower *lower, gboolean is_and, Predicate p, Predicate q);
// d = p ? a : b
void smb_lower_select(Lower *lower, const Type *type, Row d, Predicate p, Row a, Row b);
// d = p ? 1 : 0
void smb_lower_truth(Lower *lower, Row d, Predicate p);
void smb_lower_set_predicate(Lower *lower, Predicate p, gboolean value);
Foreign *smb_lower_foreign(Lower *lower, StepOpcode opcode, const Node *node, guint32 place);
// One that fails where a predicate is false.
Foreign *smb_lower_check(Lower *lower, StepOpcode opcode, Predicate predicate, const Node *node,
                         guint32 place);
// It was added last: what it gives.
void smb_lower_gives(Lower *lower, Foreign *foreign, const Type *type, Row row);

// --- operation.c
// What operators, conversions and functions become. @d: the first row of the result.
void smb_lower_binary(Lower *lower, const Node *node, Row d, Row a, Row b);
void smb_lower_unary(Lower *lower, const Node *node, Row d, Row a);
// Returns: the row that has the result: @a, or @d, which is taken if it is NO_ROW.
Row smb_lower_cast(Lower *lower, const Node *node, Row d, Row a);
void smb_lower_function(Lower *lower, const Node *node, Row d, const Row *operands);
// What builtin.def says of a builtin: a function of operation.c, or an Atomic.
guint smb_lower_builtin(Builtin builtin);
gboolean smb_lower_compares(Lower *lower, const Node *node, Predicate p, Row a, Row b);
// @out: NO_ROW of a comparison, whose predicate the caller says. Returns: NULL, if it is not watched.
Foreign *smb_lower_watch(Lower *lower, const Node *node, Row a, Row b, Row out);

// --- expression.c
// What a register holds of a number.
guint64 smb_lower_bits(SmbScalar scalar, gint64 whole, double real);
// The rows of a value. @d: where it should lie, or NO_ROW: of which nothing that is evaluated on the way depends.
Row smb_lower_value(Lower *lower, const Node *node, Row d);
void smb_lower_effect(Lower *lower, const Node *node);
Predicate smb_lower_condition(Lower *lower, const Node *node);
void smb_lower_mark_set(Lower *lower, const Variable *variable, guint component, const Type *type);
// Whether evaluating it can change a variable.
gboolean smb_lower_assigns(const Node *node);

// --- known.c
// A number that is known here, though the text does not have it as a constant.
gboolean smb_lower_known(const Lower *lower, const Node *node, Node *constant);
// A variable has it now: that of a local that has one component; NULL: another one.
void smb_lower_note(Lower *lower, const Variable *variable, const Node *constant);
void smb_lower_forget_recent(Lower *lower);
// How often a loop goes round, if that is known, and what its variable is then; 0: it is not, or too often. @variable: what turns it.
guint smb_lower_trips(Lower *lower, const Statement *loop, const Variable **variable);
// Before a turn, the first one or a next one.
void smb_lower_turn(Lower *lower, const Statement *loop, const Variable *variable, guint turn);

// --- array.c
// Gives arrays of each thread registers.
void smb_lower_place_arrays(Lower *lower);
// What an access touches of such an array: its row, and the first of its slots. FALSE: it is one to memory.
gboolean smb_lower_find_element(Lower *lower, const Node *node, Row *row, guint *slot);
// It lies in memory, from the next pass on.
void smb_lower_put_in_memory(Lower *lower, const Variable *variable);

// --- memory.c
Row smb_lower_load(Lower *lower, const Node *node, Row d);
void smb_lower_store(Lower *lower, const Node *node, Row address, guint64 offset, Row value);
Row smb_lower_assign_memory(Lower *lower, const Node *node, gboolean drops);
Row smb_lower_copy(Lower *lower, const Node *node);
Row smb_lower_atomic(Lower *lower, const Node *node);

// --- statement.c
void smb_lower_statement(Lower *lower, const Statement *statement);
Row smb_lower_call(Lower *lower, const Node *node);
