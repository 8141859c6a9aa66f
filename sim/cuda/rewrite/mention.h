// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where a kernel's text mentions a __shared__ variable, and what address each mention makes. Only what is
// evaluated is seen: operands of sizeof and branches that are constants are not. Private to the library.
#pragma once

#include "sim/cuda/tree/ast.h"
#include "sim/cuda/carve.h"

// Steps of one address.
enum {
  MENTION_MAX_STEPS = 16
};

// A part of an address: the value of @index times @stride bytes.
typedef struct {
  guint64 stride;
  const Node *index;
} AddressStep;

// One mention: the variable's address, or that of a pointer that is another name of it, moved by @steps, the first of them the innermost in
// the text. @width: bytes that are accessed there; 0: the address goes elsewhere. @names: (nullable): the pointer of that kind whose value it becomes.
// @text: (nullable): whose text is what is accessed, or with @is_address its address. @is_compared: the address is only compared with others,
// or subtracted from them.
typedef struct {
  const Node *object;
  const Function *function;
  AddressStep steps[MENTION_MAX_STEPS];
  guint n_steps; // may be more than are kept
  gsize width;
  const Variable *names;
  const Node *text;
  gboolean is_address;
  gboolean is_compared;
} Mention;

// All mentions in the entry and in what it calls (element-type Mention), in the order of the text.
// @carved: (nullable) (element-type Carved): pointers whose values are no mentions. @aliases: (nullable): smb_kernel_aliases().
GArray *smb_kernel_mentions(const SmbKernel *kernel, const Variable *variable, const GArray *carved,
                            GHashTable *aliases);

// The pointers that are other names of a shared variable: of the entry and of what it calls (transfer full) (keys: Variable).
GHashTable *smb_kernel_aliases(const SmbKernel *kernel, const Variable *array);

// Takes one of them out, and those that are set to it.
void smb_aliases_drop(GHashTable *aliases, const Variable *array, const Variable *pointer);

// Whether evaluating a value twice does what evaluating it once does, and makes no other request.
gboolean smb_kernel_is_pure(const Node *node);

// The variable behind an SmbArray: of a member, the structure.
const Variable *smb_kernel_array_variable(const SmbKernel *kernel, const SmbArray *array);
