// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Cooperative groups, as far as the group is the block: this_thread_block(), and what it is asked for. A variable
// for it holds nothing.
#include "sim/cuda/parse/parse.h"

typedef enum {
  GROUP_SYNC,
  GROUP_RANK, // of the thread in its block
  GROUP_SIZE, // threads of the block
  GROUP_THREAD_INDEX,
  GROUP_BLOCK_INDEX,
  GROUP_DIMENSIONS,
} Question;

static const struct {
  const char *name;
  Question question;
  gboolean is_function; // as well as a member: sync(block)
} questions[] = {
    {"sync", GROUP_SYNC, TRUE},
    {"thread_rank", GROUP_RANK, TRUE},
    {"size", GROUP_SIZE, FALSE},
    {"num_threads", GROUP_SIZE, FALSE},
    {"thread_index", GROUP_THREAD_INDEX, FALSE},
    {"group_index", GROUP_BLOCK_INDEX, FALSE},
    {"group_dim", GROUP_DIMENSIONS, FALSE},
    {"dim_threads", GROUP_DIMENSIONS, FALSE},
};

static const Type thread_block = {
    .kind = KIND_UINT, .align = 4, .size = 4, .count = 1, .name = "thread_block"};

const Type *
smb_group_find_type(const Token *name) {
  return smb_token_is(name, "thread_block") ? &thread_block : NULL;
}

gboolean
smb_group_is(const Node *node) {
  return node->type == &thread_block;
}

static gint
find_question(const Token *name) {
  for (guint i = 0; i < G_N_ELEMENTS(questions); i++) {
    if (smb_token_is(name, questions[i].name))
      return (gint)i;
  }
  return -1;
}

gboolean
smb_group_is_name(const Token *name) {
  gint question = find_question(name);
  return smb_token_is(name, "this_thread_block") ||
         (question >= 0 && questions[question].is_function);
}

gboolean
smb_group_is_outside(const Token *name) {
  static const char *const names[] = {
      "tiled_partition",
      "thread_block_tile",
      "coalesced_threads",
      "coalesced_group",
      "binary_partition",
      "labeled_partition",
      "this_grid",
      "grid_group",
      "this_multi_grid",
      "this_cluster",
      "cluster_group",
      "thread_group",
      NULL,
  };
  return smb_token_is_any(name, names);
}

static Node *
make_special(Parser *parser, const Token *name, ThreadSpecial special, guint component) {
  return smb_node_special(parser, special, component, name->start, parser->last->end);
}

// x, y and z of a special
static Node *
make_extent(Parser *parser, const Token *name, ThreadSpecial special) {
  Node **arguments = smb_kernel_pool_alloc(parser->pool, 3 * sizeof *arguments);
  for (guint i = 0; i < 3; i++)
    arguments[i] = make_special(parser, name, special, i);
  return smb_parser_make_vector(parser, name, smb_type_by_name("uint3"), arguments, 3);
}

// The product of the block's dimensions; or the thread's number, x first: (z * dim.y + y) * dim.x + x
static Node *
make_number(Parser *parser, const Token *name, gboolean is_rank) {
  Node *number = make_special(parser, name, is_rank ? SPECIAL_THREAD : SPECIAL_BLOCK_DIM, 2);
  for (guint i = 2; i-- > 0;) {
    Node *dimension = make_special(parser, name, SPECIAL_BLOCK_DIM, i);
    number = smb_node_binary(parser, OPERATOR_MUL, number, dimension);
    if (is_rank)
      number = smb_node_binary(parser, OPERATOR_ADD, number,
                               make_special(parser, name, SPECIAL_THREAD, i));
  }
  return number;
}

static Node *
answer(Parser *parser, const Token *name, Question question) {
  switch (question) {
  case GROUP_SYNC:
    return smb_parser_make_barrier(parser, name);
  case GROUP_RANK:
  case GROUP_SIZE:
    return make_number(parser, name, question == GROUP_RANK);
  case GROUP_THREAD_INDEX:
    return make_extent(parser, name, SPECIAL_THREAD);
  case GROUP_BLOCK_INDEX:
    return make_extent(parser, name, SPECIAL_BLOCK);
  case GROUP_DIMENSIONS:
    return make_extent(parser, name, SPECIAL_BLOCK_DIM);
  }
  g_assert_not_reached();
}

// call of a member = name "(" ")"
Node *
smb_group_member(Parser *parser, const Token *name) {
  gint question = find_question(name);
  if (question < 0 || !smb_parser_is(parser, "("))
    return smb_parser_fail(
        parser, name->start,
        "a thread_block has no '%s' here: expected sync(), thread_rank(), size(), "
        "thread_index(), group_index() or group_dim()",
        name->text);
  smb_parser_advance(parser);
  return smb_parser_expect(parser, ")") ? answer(parser, name, questions[question].question) : NULL;
}

Node *
smb_group_call(Parser *parser, const Token *name, Node **arguments, guint n) {
  gint question = find_question(name);
  if (!smb_parser_check_count(parser, name, question >= 0, n))
    return NULL;
  if (question < 0)
    return smb_node_integer(parser, &thread_block, 0, name->start, parser->last->end);
  if (!smb_group_is(arguments[0]))
    return smb_parser_fail(parser, arguments[0]->start, "'%s' takes a thread_block, not %s",
                           name->text, smb_type_phrase(parser->pool, arguments[0]->type));
  return answer(parser, name, questions[question].question);
}
