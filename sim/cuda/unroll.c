// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which accesses compilers unroll: those whose innermost loop has a bound that the text says, and no barrier within; but for
// those behind "#pragma unroll 1". Accesses to what is volatile stay as they are in any loop. That a cast alone makes a
// pointer one to volatile is not seen.
#include "sim/cuda/parse/parse.h"

typedef struct {
  GArray *sites;    // SmbSite
  gboolean unrolls; // what is marked
  gboolean waits;   // a barrier was seen
} Marking;

// Whether an address is made of a variable that is volatile.
static gboolean
is_volatile(const Node *address) {
  if (!address)
    return FALSE;
  return (address->variable && address->variable->is_volatile) || is_volatile(address->a) ||
         is_volatile(address->b);
}

static void
mark_site(const Marking *marking, const Node *node, gint site) {
  if (site >= 0)
    g_array_index(marking->sites, SmbSite, site).is_unrolled =
        marking->unrolls && !is_volatile(node->a);
}

static void
mark_node(gpointer data, const Node *node) {
  Marking *marking = data;
  if (!node)
    return;
  mark_site(marking, node, node->load_site);
  mark_site(marking, node, node->store_site);
  marking->waits |= node->kind == NODE_BUILTIN && node->builtin == BUILTIN_SYNCTHREADS;
  smb_node_visit_parts(node, mark_node, marking);
}

static const Node *
strip_casts(const Node *node) {
  while (node && node->kind == NODE_CAST)
    node = node->a;
  return node;
}

static gboolean
is_constant_bound(const Node *value) {
  const Node *node = strip_casts(value);
  return node &&
         (node->kind == NODE_CONSTANT || (node->kind == NODE_LOCAL && node->variable->is_constant));
}

// Loops within others are marked after those.
static void
mark_loops(const Statement *statement, GArray *sites) {
  for (; statement; statement = statement->next) {
    if (statement->kind == STATEMENT_LOOP) {
      const Node *until = strip_casts(statement->value);
      Marking marking = {.sites = sites};
      marking.unrolls = !statement->is_rolled && until && until->kind == NODE_BINARY &&
                        statement->step &&
                        is_constant_bound(until->a) != is_constant_bound(until->b);
      smb_statement_visit(statement->then, mark_node, &marking);
      if (marking.waits && marking.unrolls) {
        marking.unrolls = FALSE;
        smb_statement_visit(statement->then, mark_node, &marking);
      }
    }
    mark_loops(statement->first, sites);
    mark_loops(statement->then, sites);
    mark_loops(statement->otherwise, sites);
  }
}

void
smb_kernel_mark_unrolled(SmbKernel *kernel, GHashTable *functions) {
  GHashTableIter each;
  gpointer function;
  g_hash_table_iter_init(&each, functions);
  while (g_hash_table_iter_next(&each, &function, NULL))
    mark_loops(((const Function *)function)->body, kernel->program.sites);
}
