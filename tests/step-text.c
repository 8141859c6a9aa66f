// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What each kind of step has to say.
#include "tests/step-text.h"
#include "tests/step-text-impl.h"

#include "sim/cuda/lower/impl.h"

// --- words

static const char *
scalar_name(guint scalar) {
  static const char *const names[] = {
      [SMB_SCALAR_BOOL] = "bool", [SMB_SCALAR_I8] = "s8",     [SMB_SCALAR_U8] = "u8",
      [SMB_SCALAR_I16] = "s16",   [SMB_SCALAR_U16] = "u16",   [SMB_SCALAR_I32] = "s32",
      [SMB_SCALAR_U32] = "u32",   [SMB_SCALAR_I64] = "s64",   [SMB_SCALAR_U64] = "u64",
      [SMB_SCALAR_F16] = "f16",   [SMB_SCALAR_BF16] = "bf16", [SMB_SCALAR_F32] = "f32",
      [SMB_SCALAR_F64] = "f64"};
  return names[scalar];
}

static void
add_lower(GString *text, const char *name) {
  for (; *name; name++)
    g_string_append_c(text, g_ascii_tolower(*name));
}

// What comes between two operands, or ahead of the first: @n counts them.
static void
add_comma(GString *text, guint *n) {
  g_string_append(text, (*n)++ ? ", " : " ");
}

void
step_text_add_predicate(GString *text, Predicate predicate, gboolean is_negated) {
  if (predicate == PREDICATE_TRUE)
    g_string_append(text, is_negated ? "false" : "true");
  else
    g_string_append_printf(text, "%sp%u", is_negated ? "!" : "", predicate);
}

static const guint32 *
constant_lanes(const Code *code, Row row) {
  return &g_array_index(code->constants->values, guint32,
                        row_index(row) * code->constants->n_lanes);
}

// A number of @n rows.
void
step_text_add_rows(GString *text, const Code *code, Row row, guint n) {
  if (row == NO_ROW) {
    g_string_append_c(text, '_');
    return;
  }
  if (!(row & ROW_CONSTANT)) {
    g_string_append_printf(text, n > 1 ? "r%u:%u" : "r%u", row, row + n - 1);
    return;
  }
  const guint32 *low = constant_lanes(code, row);
  guint64 value = low[0] | (n > 1 ? (guint64)constant_lanes(code, row + 1)[0] << 32 : 0);
  gboolean differs = low[1] != low[0];
  g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "x%s", value, differs ? "…" : "");
}

// Components of @n rows each, in braces if there are several.
static void
add_components(GString *text, const Code *code, const Row *rows, guint n_components, guint n) {
  g_string_append(text, n_components == 1 ? "" : "{");
  for (guint i = 0; i < n_components; i++) {
    g_string_append(text, i ? ", " : "");
    step_text_add_rows(text, code, rows[i], n);
  }
  g_string_append(text, n_components == 1 ? "" : "}");
}

// --- computations

// Those that are no bits of their own, roundings and combinations, are told from the mask.
static const struct {
  guint mask, bits;
  const char *name;
} modifiers[] = {
    {MODIFIER_ROUND, MODIFIER_ZERO, "rz"},
    {MODIFIER_ROUND, MODIFIER_DOWN, "rm"},
    {MODIFIER_ROUND, MODIFIER_UP, "rp"},
    {MODIFIER_AWAY, MODIFIER_AWAY, "rna"},
    {MODIFIER_INTEGER, MODIFIER_INTEGER, "integer"},
    {MODIFIER_FLUSH, MODIFIER_FLUSH, "ftz"},
    {MODIFIER_SATURATE, MODIFIER_SATURATE, "sat"},
    {MODIFIER_FINITE, MODIFIER_FINITE, "satfinite"},
    {MODIFIER_RELU, MODIFIER_RELU, "relu"},
    {MODIFIER_NAN, MODIFIER_NAN, "nan"},
    {MODIFIER_XOR_SIGN, MODIFIER_XOR_SIGN, "xorsign"},
    {MODIFIER_ABSOLUTE, MODIFIER_ABSOLUTE, "abs"},
    {MODIFIER_APPROXIMATE, MODIFIER_APPROXIMATE, "unknown"},
    {MODIFIER_NOT, MODIFIER_NOT, "not"},
    {MODIFIER_COMBINE, MODIFIER_AND, "and"},
    {MODIFIER_COMBINE, MODIFIER_OR, "or"},
    {MODIFIER_COMBINE, MODIFIER_XOR, "xor"},
};

static void
add_operation(GString *text, const Compute *compute, const OperationInfo *info) {
  add_lower(text, info->name);
  for (guint i = 0; i < G_N_ELEMENTS(modifiers); i++) {
    if ((compute->modifiers & modifiers[i].mask) == modifiers[i].bits)
      g_string_append_printf(text, ".%s", modifiers[i].name);
  }
  if (compute->bytes > 0)
    g_string_append_printf(text, ".%s", scalar_name(compute->to));
  if (compute->bytes > 0 && info->result != SHAPE_PREDICATE)
    g_string_append_printf(text, ".%s", scalar_name(compute->from));
}

static void
add_compute(GString *text, const Code *code, const Compute *compute) {
  const OperationInfo *info = smb_operation_info((Operation)compute->operation);
  gboolean has_row = info->result != SHAPE_PREDICATE || compute->bytes > 0;
  guint n = 0;
  add_operation(text, compute, info);
  if (has_row) {
    add_comma(text, &n);
    step_text_add_rows(text, code, compute->d, shape_rows((Shape)info->result));
  }
  if (compute->p != PREDICATE_TRUE || !has_row) {
    add_comma(text, &n);
    step_text_add_predicate(text, compute->p, FALSE);
  }
  if (compute->q != PREDICATE_TRUE) {
    g_string_append_c(text, '|');
    step_text_add_predicate(text, compute->q, FALSE);
  }
  g_string_append(text, " =");
  n = 0;
  for (guint i = 0; i < COMPUTE_SOURCES && info->sources[i] != SHAPE_NONE; i++) {
    add_comma(text, &n);
    step_text_add_rows(text, code, compute->s[i], shape_rows((Shape)info->sources[i]));
  }
  for (guint i = 0; i < G_N_ELEMENTS(compute->in); i++) {
    gboolean is_negated = i == 0 && compute->modifiers & MODIFIER_NOT_IN;
    if (compute->in[i] == PREDICATE_TRUE && !is_negated)
      continue;
    add_comma(text, &n);
    step_text_add_predicate(text, compute->in[i], is_negated);
  }
  if (compute->table)
    g_string_append_printf(text, "%s table 0x%x", n ? "," : "", compute->table);
}

// --- memory

static void
add_window(GString *text, const Code *code, const Transfer *transfer) {
  const GArray *regions = code->program.regions;
  guint64 number = transfer->offset >> POINTER_OFFSET_BITS;
  if (transfer->window == WINDOW_SHARED)
    g_string_append(text, transfer->is_cluster ? "cluster" : "shared");
  else if (transfer->window == WINDOW_LOCAL)
    g_string_append(text, "local");
  else if (number > 0 && number <= regions->len)
    g_string_append(text, g_array_index(regions, Region, number - 1).name);
  else
    g_string_append(text, transfer->is_generic ? "any" : "memory");
}

static void
add_address(GString *text, const Code *code, const Transfer *transfer) {
  gboolean is_fixed =
      transfer->window == WINDOW_GENERIC && transfer->offset >> POINTER_OFFSET_BITS != 0;
  guint64 offset = transfer->offset;
  if (is_fixed)
    offset = (offset & ((G_GUINT64_CONSTANT(1) << POINTER_OFFSET_BITS) - 1)) - POINTER_BIAS;
  add_window(text, code, transfer);
  g_string_append_c(text, '[');
  if (transfer->address_rows > 0)
    step_text_add_rows(text, code, transfer->address, transfer->address_rows);
  if (transfer->address_rows > 0 && offset)
    g_string_append(text, " + ");
  if (transfer->address_rows == 0 || offset)
    g_string_append_printf(text, "0x%" G_GINT64_MODIFIER "x", offset);
  g_string_append_c(text, ']');
}

static void
add_width(GString *text, const Transfer *transfer) {
  static const char *const orders[] = {[ORDER_WEAK] = "",
                                       [ORDER_BLOCK] = ".block",
                                       [ORDER_STRONG] = ".strong",
                                       [ORDER_ACQUIRE] = ".acquire"};
  if (transfer->n_components > 1)
    g_string_append_printf(text, ".%ux%u", transfer->n_components, transfer->bytes);
  else
    g_string_append_printf(text, ".%u", transfer->bytes);
  g_string_append_printf(text, "%s%s", transfer->is_signed ? ".signed" : "",
                         orders[transfer->order]);
}

static void
add_atomic(GString *text, const Code *code, const Step *step) {
  static const char *const names[] = {[ATOMIC_ADD] = "add",
                                      [ATOMIC_SUB] = "sub",
                                      [ATOMIC_EXCHANGE] = "exchange",
                                      [ATOMIC_MIN] = "min",
                                      [ATOMIC_MAX] = "max",
                                      [ATOMIC_AND] = "and",
                                      [ATOMIC_OR] = "or",
                                      [ATOMIC_XOR] = "xor",
                                      [ATOMIC_INCREMENT] = "increment",
                                      [ATOMIC_CAS] = "cas",
                                      [ATOMIC_DECREMENT] = "decrement"};
  const Transfer *transfer = step->transfer;
  gboolean has_result = FALSE;
  for (guint c = 0; c < transfer->n_components; c++)
    has_result = has_result || transfer->data[c] != NO_ROW;
  g_string_append_printf(text, ".%s.%s", names[transfer->move.atomic],
                         scalar_name(transfer->move.kind));
  add_width(text, transfer);
  g_string_append_c(text, ' ');
  if (step->opcode == STEP_CAST && step->compute.d == NO_ROW)
    step_text_add_predicate(text, step->compute.p, FALSE);
  else if (step->opcode == STEP_CAST)
    step_text_add_rows(text, code, step->compute.d, 1);
  else if (has_result)
    add_components(text, code, transfer->data, transfer->n_components, transfer->rows);
  g_string_append(text, has_result || step->opcode == STEP_CAST ? " = " : "");
  add_address(text, code, transfer);
  g_string_append(text, ", ");
  add_components(text, code, transfer->operands, transfer->n_components, transfer->rows);
  if (transfer->swap != NO_ROW) {
    g_string_append(text, ", ");
    step_text_add_rows(text, code, transfer->swap, transfer->rows);
  }
  g_string_append(text, transfer->increments ? ", counts" : "");
}

static void
add_copy(GString *text, const Code *code, const Step *step) {
  const Transfer *from = step->source;
  g_string_append_printf(text, ".%u%s ", step->transfer->move.width,
                         step->transfer->move.op == SMB_OP_CP_ASYNC_CG ? ".cg" : "");
  add_address(text, code, step->transfer);
  g_string_append(text, " = ");
  add_address(text, code, from);
  if (from->data[0] != NO_ROW) {
    g_string_append(text, ", bytes ");
    step_text_add_rows(text, code, from->data[0], 1);
  }
}

static void
add_access(GString *text, const Code *code, const Step *step) {
  static const char *const values[][3] = {{"", ".transposed", ".bytes"}, {"", ".4", ".6"}};
  const Transfer *transfer = step->transfer;
  gboolean stores = transfer->move.op_class == SMB_OP_CLASS_STORE;
  if (step->opcode == STEP_LOAD_MATRIX || step->opcode == STEP_STORE_MATRIX)
    g_string_append_printf(text, "%s%s", values[0][step->argument & MATRIX_LAYOUT],
                           values[1][step->argument / MATRIX_OF_4]);
  add_width(text, transfer);
  g_string_append_c(text, ' ');
  if (stores)
    add_address(text, code, transfer);
  else
    add_components(text, code, transfer->data, transfer->n_components, MAX(transfer->rows, 1));
  g_string_append(text, " = ");
  if (stores)
    add_components(text, code, transfer->data, transfer->n_components, MAX(transfer->rows, 1));
  else
    add_address(text, code, transfer);
}

static void
add_transfer(GString *text, const Code *code, const Step *step) {
  if (step->opcode == STEP_COPY)
    add_copy(text, code, step);
  else if (step->transfer->move.op_class == SMB_OP_CLASS_ATOMIC)
    add_atomic(text, code, step);
  else
    add_access(text, code, step);
}

// --- shared memory apart from requests

// The registers that are stored, or combined with what is there.
static void
add_value(GString *text, const Code *code, const Transfer *value) {
  gboolean reduces = value->move.op_class == SMB_OP_CLASS_ATOMIC;
  for (guint i = 0; i < value->n_components; i++) {
    g_string_append(text, i > 0 ? " " : reduces ? " with " : " = ");
    step_text_add_rows(text, code, (reduces ? value->operands : value->data)[i],
                       MAX(value->bytes, 4) / 4);
  }
}

static void
add_bulk(GString *text, const Code *code, const Step *step) {
  const Bulk *bulk = step->bulk;
  if (bulk->kind != SMB_TRAFFIC_BULK)
    g_string_append_printf(text, ".%s", smb_traffic_name(bulk->kind));
  g_string_append_c(text, ' ');
  if (bulk->to)
    add_address(text, code, bulk->to);
  g_string_append(text, bulk->to && (bulk->from || bulk->is_zeros) ? " = " : "");
  if (bulk->value)
    add_value(text, code, bulk->value);
  if (bulk->from)
    add_address(text, code, bulk->from);
  if (bulk->is_zeros)
    g_string_append(text, "zeros");
  if (step->opcode == STEP_FRAGMENT)
    add_address(text, code, step->transfer);
  if (bulk->size != NO_ROW) {
    g_string_append(text, ", bytes ");
    step_text_add_rows(text, code, bulk->size, 1);
  }
  if (bulk->bytes == SMB_BYTES_UNKNOWN)
    g_string_append(text, "of unknown bytes");
  else if (bulk->bytes)
    g_string_append_printf(text, "%sof %" G_GUINT64_FORMAT " bytes",
                           step->opcode == STEP_FRAGMENT ? " " : "", bulk->bytes);
  g_string_append(text, bulk->is_lost ? ", unknown" : "");
  if (bulk->barrier) {
    g_string_append(text, ", completes ");
    add_address(text, code, bulk->barrier);
  }
}

static void
add_mbarrier(GString *text, const Code *code, const Step *step) {
  static const char *const actions[] = {[MBARRIER_INIT] = "init",
                                        [MBARRIER_INVALIDATE] = "invalidate",
                                        [MBARRIER_ARRIVE] = "arrive",
                                        [MBARRIER_DROP] = "drop",
                                        [MBARRIER_ARRIVE_EXPECT] = "arrive_expect",
                                        [MBARRIER_DROP_EXPECT] = "drop_expect",
                                        [MBARRIER_EXPECT] = "expect",
                                        [MBARRIER_COMPLETE] = "complete",
                                        [MBARRIER_COMMIT] = "commit",
                                        [MBARRIER_TOUCH] = "touch"};
  gboolean waits = step->opcode == STEP_MBARRIER_WAIT, parity = step->argument == MBARRIER_PARITY;
  if (waits)
    g_string_append(text, parity ? ".parity " : ".state ");
  else
    g_string_append_printf(text, ".%s%s%s ", actions[step->argument & MBARRIER_ACTION],
                           step->argument & MBARRIER_WORDS ? ".words" : "",
                           step->argument & MBARRIER_LANES ? ".lanes" : "");
  if (waits)
    step_text_add_predicate(text, step->compute.p, FALSE);
  else if (step->compute.d != NO_ROW)
    step_text_add_rows(text, code, step->compute.d, 2);
  g_string_append(text, waits || step->compute.d != NO_ROW ? " = " : "");
  add_address(text, code, step->transfer);
  if (step->compute.s[0] != NO_ROW) {
    g_string_append(text, ", ");
    step_text_add_rows(text, code, step->compute.s[0], waits && !parity ? 2 : 1);
  }
}

// --- all others

static void
add_barrier(GString *text, const Code *code, const Step *step) {
  static const char *const actions[] = {[BARRIER_SYNC] = "sync",
                                        [BARRIER_ARRIVE] = "arrive",
                                        [BARRIER_POPC] = "popc",
                                        [BARRIER_AND] = "and",
                                        [BARRIER_OR] = "or"};
  const Compute *compute = &step->compute;
  g_string_append_printf(text, ".%s ", actions[step->argument]);
  if (step->argument == BARRIER_POPC)
    step_text_add_rows(text, code, compute->d, 1);
  else if (step->argument > BARRIER_POPC)
    step_text_add_predicate(text, compute->p, FALSE);
  g_string_append(text, step->argument >= BARRIER_POPC ? " = " : "");
  step_text_add_rows(text, code, compute->s[0], 1);
  if (compute->s[1] != NO_ROW) {
    g_string_append(text, ", threads ");
    step_text_add_rows(text, code, compute->s[1], 1);
  }
  if (step->argument >= BARRIER_POPC) {
    g_string_append(text, ", ");
    step_text_add_predicate(text, compute->in[0], compute->modifiers & MODIFIER_NOT_IN);
  }
}

// Which operands a step has: d Compute.d, and D two rows; = behind that; s Compute.s[0], S two rows, u Compute.s[1] of two; # the number
// Step.argument; > Step.target, or a list of them.
static const char *const operands[N_STEPS] = {
    [STEP_ALLOCATE] = "D=S",
    [STEP_PRINT] = "d=S",
    [STEP_FREE] = "S",
    [STEP_SERVICE] = "d=s",
    [STEP_CONDITION] = "S",
    [STEP_CLOCK] = "d=#",
    [STEP_BRANCH] = ">",
    [STEP_BRANCH_ANY... STEP_BRANCH_ALL] = ">",
    [STEP_BRANCH_DIVIDED] = "s#>",
    [STEP_SWITCH] = "s>",
    [STEP_JUMP] = "S#",
    [STEP_BRANCH_AROUND] = ">",
    [STEP_CALL] = ">",
    [STEP_CALL_POINTER] = "S#",
    [STEP_CALL_CODE] = ">",
    [STEP_CALL_ADDRESS] = "S#",
    [STEP_RETURN_TO] = "S#",
    [STEP_RESERVE] = "#",
    [STEP_RESERVE_ROWS] = "u",
    [STEP_ARM] = "#",
    [STEP_ENTER] = "#",
    [STEP_SYNC] = "#",
    [STEP_BREAK] = "#",
    [STEP_SAVE_BARRIER] = "d=#",
    [STEP_CLEAR_BARRIER] = "#",
    [STEP_RESTORE_BARRIER] = "#=s",
    [STEP_GATHER] = "s",
    [STEP_AWAIT] = "#",
    [STEP_RESIZE] = "#",
    [STEP_COUNT] = "#",
    [STEP_ENTER_LOOP] = "#",
};

static void
add_targets(GString *text, const Step *step) {
  g_string_append(text, "to ");
  gboolean is_asked = step->opcode == STEP_BRANCH && step->targets;
  if (!step->targets || is_asked)
    g_string_append_printf(text, "%u", step->target);
  g_string_append(text, is_asked ? ", look at " : "");
  for (guint i = 0; step->targets && i < step->targets->len; i++)
    g_string_append_printf(text, "%s%u", i ? ", " : "",
                           g_array_index(step->targets, SwitchTarget, i).step);
}

static void
add_operands(GString *text, const Code *code, const Step *step) {
  const char *letters = operands[step->opcode] ? operands[step->opcode] : "";
  for (const char *letter = letters; *letter; letter++) {
    g_string_append(text, letter == letters || *letter == '=' || letter[-1] == '=' || *letter == '>'
                              ? " "
                              : ", ");
    switch (*letter) {
    case '=':
      g_string_append_c(text, '=');
      break;
    case '#':
      if (step->opcode == STEP_AWAIT && step->argument == PENDING_NONE)
        g_string_append(text, "all");
      else
        g_string_append_printf(text, "%u", step->argument & ~BARRIER_OF_CALL);
      break;
    case '>':
      add_targets(text, step);
      break;
    case 'd':
    case 'D':
      step_text_add_rows(text, code, step->compute.d, *letter == 'D' ? 2 : 1);
      break;
    case 's':
    case 'S':
      step_text_add_rows(text, code, step->compute.s[0], *letter == 'S' ? 2 : 1);
      break;
    case 'u':
      step_text_add_rows(text, code, step->compute.s[1], 2);
      break;
    }
  }
}

// What only a text has: of which variable or function it is, of whose operands, and the result.
static void
add_foreign(GString *text, const Code *code, const Foreign *foreign) {
  const Node *node = foreign->node;
  guint n = 0;
  if (foreign->variable)
    g_string_append_printf(text, " %s", foreign->variable->name);
  if (foreign->function)
    g_string_append_printf(text, " %s", foreign->function->name);
  if (node && node->kind == NODE_BUILTIN)
    g_string_append_printf(text, " %s", smb_kernel_builtin_name((Builtin)node->builtin));
  for (guint i = 0; i < G_N_ELEMENTS(foreign->operands); i++) {
    if (foreign->operands[i] == NO_ROW)
      continue;
    add_comma(text, &n);
    step_text_add_rows(text, code, foreign->operands[i],
                       smb_type_is_wide(foreign->types[i]) ? 2 : 1);
  }
}

// What an instruction that is not modelled may do.
static void
add_effects(GString *text, const Step *step) {
  guint effects = step->opcode == STEP_OPAQUE || step->sampling ? step->argument : 0;
  g_string_append(text, effects & OPAQUE_SHARED ? ".shared" : "");
  g_string_append(text, effects & OPAQUE_GLOBAL ? ".global" : "");
  g_string_append(text, effects & OPAQUE_FENCE ? ".fence" : "");
  guint orders = step->opcode == STEP_FENCE ? step->argument : FENCE_BLOCK;
  static const char *const fences[] = {
      "",        ".async",       ".grid", ".trigger", ".permit", ".tensor-loads", ".tensor-stores",
      ".commit", ".commit-sends"};
  if (orders >= FENCE_AWAIT_SENDS)
    g_string_append_printf(text, ".await-sends%u", orders - FENCE_AWAIT_SENDS);
  else if (orders >= FENCE_AWAIT)
    g_string_append_printf(text, ".await%u", orders - FENCE_AWAIT);
  else
    g_string_append(text, fences[orders]);
}

// What a step writes that the line does not show otherwise.
static void
add_writes(GString *text, const Code *code, const Step *step) {
  for (guint i = 0; step->writes && i < step->writes->len; i++) {
    const Written *written = &g_array_index(step->writes, Written, i);
    g_string_append(text, i == 0 ? " writes " : ", ");
    if (written->n == 0)
      step_text_add_predicate(text, written->predicate, FALSE);
    else
      step_text_add_rows(text, code, written->row, written->n);
  }
}

// --- products of matrices

void
step_text_add_product_rows(GString *text, const Code *code, const char *before, guint n,
                           const Row *rows) {
  for (guint i = 0; i < n; i++) {
    g_string_append(text, i ? " " : before);
    step_text_add_rows(text, code, rows[i], 1);
  }
}

// Of one whose results are in registers: its shape, its numbers as ProductNumber, its registers.
static void
add_product(GString *text, const Code *code, const Product *product) {
  const ProductForm *form = &product->form;
  guint n = smb_product_registers_of_sum(form);
  g_string_append_printf(text, ".%ux%ux%u.%u.%u.%u%s%s%s", form->rows, form->columns, form->depth,
                         form->a, form->b, form->sum, form->saturates ? ".sat" : "",
                         form->is_and ? ".and" : "", form->is_published ? ".published" : "");
  step_text_add_product_rows(text, code, " ", n, product->d);
  gboolean has_left = product->left != NO_MATRIX, has_right = product->right != NO_MATRIX;
  step_text_add_product_rows(text, code, " = ", has_left ? 1 : smb_product_registers_of_a(form),
                             has_left ? &product->left : product->a);
  step_text_add_product_rows(text, code, ", ", has_right ? 1 : smb_product_registers_of_b(form),
                             has_right ? &product->right : product->b);
  step_text_add_product_rows(text, code, ", ", n, product->c);
  step_text_add_scales(text, code, product);
}

char *
step_text(const Code *code, const Step *step) {
  const StepInfo *info = smb_step_info(step->opcode);
  GString *text = g_string_new(NULL);
  if (step->guard != PREDICATE_TRUE) {
    g_string_append_c(text, '@');
    step_text_add_predicate(text, step->guard, step->unless);
    g_string_append_c(text, ' ');
  }
  if (info->kind == KIND_COMPUTE)
    add_compute(text, code, &step->compute);
  else
    add_lower(text, info->name);
  if (info->kind == KIND_MEETING && step->argument & BARRIER_OF_CALL)
    g_string_append(text, "_own");
  if (step->opcode == STEP_EXCHANGE) {
    g_string_append(text, ", among ");
    step_text_add_rows(text, code, step->argument, 1);
  } else if (info->kind == KIND_TRANSFER)
    add_transfer(text, code, step);
  else if (step->product)
    add_product(text, code, step->product);
  else if (step->tensor)
    step_text_add_tensor(text, code, step);
  else if (step->sampling)
    step_text_add_sampling(text, code, step->sampling);
  else if (step->opcode == STEP_TENSOR_ALLOCATE || step->opcode == STEP_TENSOR_FREE)
    step_text_add_tensor_columns(text, code, step);
  else if (step->opcode == STEP_MBARRIER_EACH) {
    add_mbarrier(text, code, step);
    g_string_append(text, ", blocks ");
    step_text_add_rows(text, code, step->bulk->blocks, 1);
  } else if (step->bulk)
    add_bulk(text, code, step);
  else if (info->kind == KIND_APART)
    add_mbarrier(text, code, step);
  else if (step->opcode == STEP_BARRIER)
    add_barrier(text, code, step);
  else if (step->opcode >= STEP_TEXT_SET && step->opcode <= STEP_TEXT_WATCH)
    add_foreign(text, code, step->callee);
  else
    add_operands(text, code, step);
  add_effects(text, step);
  if (step->opcode == STEP_OPAQUE || step->opcode == STEP_TEXT_WARP || step->bulk || step->sampling)
    add_writes(text, code, step);
  if (step->opcode == STEP_MISSING || step->opcode == STEP_ASSERT ||
      step->opcode == STEP_UNSUPPORTED || step->opcode == STEP_SERVICE)
    g_string_append_printf(text, " %s", (const char *)step->callee);
  g_string_append(text, step->kind == KIND_FRAME && info->kind != KIND_FRAME ? " (stack)" : "");
  return g_string_free(text, FALSE);
}
