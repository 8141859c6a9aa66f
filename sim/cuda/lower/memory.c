// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Accesses to memory. Addresses are pointers of the machine; what is added to them at a fixed place is an offset of the request.
#include "sim/cuda/lower/impl.h"
#include "sim/cuda/lower/lower.h"

// The address of a node, without what is always added to it. @later: (nullable): is evaluated before the access is made.
static Row
lower_address(Lower *lower, const Node *address, const Node *later, guint64 *offset) {
  while (!(later && smb_lower_assigns(later)) && address->kind == NODE_POINTER_ADD &&
         !address->is_watched && address->b->kind == NODE_CONSTANT) {
    *offset += (guint64)address->integer * (guint64)address->b->integer;
    address = address->a;
  }
  return smb_lower_value(lower, address, NO_ROW);
}

static gboolean
is_parameter(const SmbKernel *kernel, const Variable *variable) {
  const Function *entry = kernel->entry;
  for (guint i = 0; i < entry->n_parameters; i++) {
    if (entry->parameters[i] == variable)
      return TRUE;
  }
  return FALSE;
}

// Whether an address is known before the kernel runs: that of a variable, of a structure that is a parameter, or so many
// bytes further.
static gboolean
is_fixed(const SmbKernel *kernel, const Node *address) {
  NodeKind kind = (NodeKind)address->kind;
  if (kind == NODE_POINTER_ADD || kind == NODE_BINARY)
    return is_fixed(kernel, address->a) && is_fixed(kernel, address->b);
  if (kind == NODE_CAST || (kind == NODE_DEREFERENCE && address->type->kind == KIND_STRUCT))
    return is_fixed(kernel, address->a);
  if (kind == NODE_LOCAL)
    return address->variable->is_reference && is_parameter(kernel, address->variable);
  return kind == NODE_CONSTANT || kind == NODE_OBJECT;
}

// What a node does to memory, as the machine is told it.
static Move
make_move(const SmbKernel *kernel, const Node *node, gint site, SmbOpClass op_class) {
  const Type *type = node->type, *component = smb_type_component(type);
  guint width = node_access_bytes(node);
  return (Move){
      .place = node->start,
      .site = (guint)site,
      .op_class = op_class,
      .op = op_class == SMB_OP_CLASS_STORE ? SMB_OP_ST : SMB_OP_LD,
      .kind = smb_cuda_scalar(component->kind),
      .components = (guint)(width / component->size),
      .width = width,
      .align = MIN(width, type->align),
      .reads = op_class != SMB_OP_CLASS_STORE,
      .constant_bytes =
          op_class == SMB_OP_CLASS_LOAD && !(node->a && is_fixed(kernel, node->a))
              ? smb_constant_bytes((guint)component->size, (guint)(width / component->size))
              : 0,
  };
}

static Transfer *
make_transfer(const Lower *lower, const Node *node, gint site, SmbOpClass op_class, Row address,
              guint64 offset) {
  Transfer *transfer = smb_code_new_transfer(lower->code);
  transfer->move = make_move(lower->kernel, node, site, op_class);
  transfer->address = address;
  transfer->address_rows = 2;
  transfer->offset = offset;
  transfer->rows = type_rows(smb_type_component(node->type));
  transfer->n_components = transfer->move.components;
  return transfer;
}

static void
add_move(Lower *lower, const Node *node, Transfer *transfer, Row data) {
  Step step = {.transfer = transfer, .argument = (guint32)node->type->size};
  transfer->data[0] = data;
  transfer->move.padding = node->padding;
  transfer->offset += (guint64)node->integer;
  if (transfer->move.reads)
    smb_code_writes_row(lower->code, &step, data, value_rows(node->type));
  smb_lower_add(lower, &step, transfer->move.reads ? STEP_READ : STEP_WRITE, node->start);
}

static void
load(Lower *lower, const Node *node, Row address, guint64 offset, Row d) {
  add_move(lower, node,
           make_transfer(lower, node, node->load_site, SMB_OP_CLASS_LOAD, address, offset), d);
}

// An element of an array in registers that all have set. NO_ROW: it lies in memory, or will from the next pass on.
static Row
find_set_element(Lower *lower, const Node *node) {
  Row row;
  guint slot;
  if (!smb_lower_find_element(lower, node, &row, &slot))
    return NO_ROW;
  for (guint c = 0; c < smb_type_components(node->type); c++) {
    if (!lower->is_set[slot + c])
      return NO_ROW;
  }
  return row;
}

Row
smb_lower_load(Lower *lower, const Node *node, Row d) {
  guint64 offset = 0;
  Row element = find_set_element(lower, node);
  if (element != NO_ROW) {
    d = d == NO_ROW ? smb_lower_take(lower, value_rows(node->type)) : d;
    smb_lower_move(lower, node->type, d, element);
    return d;
  }
  Row address = lower_address(lower, node->a, NULL, &offset);
  if (d == NO_ROW)
    d = smb_lower_take(lower, value_rows(node->type));
  if (!lower->is_refused)
    load(lower, node, address, offset, d);
  return d;
}

void
smb_lower_store(Lower *lower, const Node *node, Row address, guint64 offset, Row value) {
  add_move(lower, node,
           make_transfer(lower, node, node->store_site, SMB_OP_CLASS_STORE, address, offset),
           value);
}

// The same of an element in registers. @drops: nobody uses the result.
static Row
assign_element(Lower *lower, const Node *node, Row row, guint slot, gboolean drops) {
  const Type *type = node->a->type;
  Row old = row, outer = lower->current;
  gboolean alone = !smb_lower_assigns(node->b);
  if (node->special && !(drops && alone)) {
    old = smb_lower_take(lower, value_rows(type));
    smb_lower_move(lower, type, old, row);
  }
  lower->current = old;
  Row value = smb_lower_value(lower, node->b, drops && alone ? row : NO_ROW);
  lower->current = outer;
  smb_lower_move(lower, type, row, value);
  for (guint c = 0; c < smb_type_components(type); c++)
    lower->is_set[slot + c] = TRUE;
  return node->is_post ? old : value;
}

Row
smb_lower_assign_memory(Lower *lower, const Node *node, gboolean drops) {
  const Node *target = node->a;
  guint64 offset = 0;
  Row row;
  guint slot;
  gboolean is_element = node->special ? (row = find_set_element(lower, target)) != NO_ROW &&
                                            smb_lower_find_element(lower, target, &row, &slot)
                                      : smb_lower_find_element(lower, target, &row, &slot);
  if (is_element)
    return assign_element(lower, node, row, slot, drops);
  Row address = lower_address(lower, target->a, node->b, &offset);
  Row old = NO_ROW, outer = lower->current;
  if (lower->is_refused)
    return 0;
  if (node->special) {
    old = smb_lower_take(lower, value_rows(target->type));
    load(lower, target, address, offset, old);
  }
  lower->current = old;
  Row value = smb_lower_value(lower, node->b, NO_ROW);
  lower->current = outer;
  if (!lower->is_refused)
    smb_lower_store(lower, target, address, offset, value);
  return node->is_post ? old : value;
}

// A structure is moved piece by piece. The result is the address of the copy.
Row
smb_lower_copy(Lower *lower, const Node *node) {
  Row to = smb_lower_value(lower, node->a, NO_ROW), from = smb_lower_value(lower, node->b, NO_ROW);
  for (guint i = 0; !lower->is_refused && i < node->n_arguments; i += 2) {
    const Node *taken = node->arguments[i];
    Row piece = smb_lower_take(lower, value_rows(taken->type));
    load(lower, taken, from, 0, piece);
    smb_lower_store(lower, node->arguments[i + 1], to, 0, piece);
  }
  return to;
}

static gboolean
increments(const Node *node) {
  const Node *value = node->arguments[1];
  return smb_lower_builtin((Builtin)node->builtin) == ATOMIC_ADD && node->result_unused &&
         node->type->size == 4 && value->kind == NODE_CONSTANT && value->integer == 1;
}

SmbOp
smb_lowered_atomic_op(const SmbArch *arch, const Node *node) {
  Atomic atomic = (Atomic)smb_lower_builtin((Builtin)node->builtin);
  return smb_atomic_op(arch, atomic, smb_cuda_scalar(node->type->kind), increments(node));
}

Row
smb_lower_atomic(Lower *lower, const Node *node) {
  Atomic atomic = (Atomic)smb_lower_builtin((Builtin)node->builtin);
  Row operands[3] = {NO_ROW, NO_ROW, NO_ROW}, d = smb_lower_take(lower, value_rows(node->type));
  for (guint i = 0; i < node->n_arguments; i++)
    operands[i] = smb_lower_value(lower, node->arguments[i], NO_ROW);
  if (lower->is_refused)
    return d;
  Transfer *transfer =
      make_transfer(lower, node, node->store_site, SMB_OP_CLASS_ATOMIC, operands[0], 0);
  transfer->move.atomic = atomic;
  transfer->move.reads = !(atomic == ATOMIC_EXCHANGE && node->result_unused);
  transfer->increments = increments(node);
  transfer->data[0] = d;
  transfer->operands[0] = operands[1];
  transfer->swap = operands[2];
  Step step = {.transfer = transfer};
  smb_code_writes_row(lower->code, &step, d, value_rows(node->type));
  smb_lower_add(lower, &step, STEP_UPDATE, node->start);
  return d;
}
