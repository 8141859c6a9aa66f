// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Built-in functions that are expressions of operators: each uses its arguments once.
#include "sim/cuda/parse/parse.h"

typedef enum {
  COMPOSE_MUL24, // the low 24 bits of both, multiplied
  COMPOSE_MUL_HIGH,
  COMPOSE_FUNNEL_LEFT, // the high half of hi:lo, shifted to the left by up to 31
  COMPOSE_FUNNEL_RIGHT,
  COMPOSE_BITS, // the same bits as another type
  COMPOSE_OPERATOR,
  COMPOSE_RECIPROCAL,
} Composition;

static const struct {
  const char *name;
  guint8 composition;
  guint8 arguments;
  guint8 from; // type of the arguments
  guint8 to;   // of the result
  guint8 op;
  gboolean clamps; // a funnel shift by more than 31 shifts by 32
} compositions[] = {
    {"__mul24", COMPOSE_MUL24, 2, KIND_INT, KIND_INT, 0, FALSE},
    {"__umul24", COMPOSE_MUL24, 2, KIND_UINT, KIND_UINT, 0, FALSE},
    {"__mulhi", COMPOSE_MUL_HIGH, 2, KIND_INT, KIND_LONG, 0, FALSE},
    {"__umulhi", COMPOSE_MUL_HIGH, 2, KIND_UINT, KIND_ULONG, 0, FALSE},
    {"__funnelshift_l", COMPOSE_FUNNEL_LEFT, 3, KIND_UINT, KIND_UINT, 0, FALSE},
    {"__funnelshift_lc", COMPOSE_FUNNEL_LEFT, 3, KIND_UINT, KIND_UINT, 0, TRUE},
    {"__funnelshift_r", COMPOSE_FUNNEL_RIGHT, 3, KIND_UINT, KIND_UINT, 0, FALSE},
    {"__funnelshift_rc", COMPOSE_FUNNEL_RIGHT, 3, KIND_UINT, KIND_UINT, 0, TRUE},
    {"__float_as_int", COMPOSE_BITS, 1, KIND_FLOAT, KIND_INT, 0, FALSE},
    {"__float_as_uint", COMPOSE_BITS, 1, KIND_FLOAT, KIND_UINT, 0, FALSE},
    {"__int_as_float", COMPOSE_BITS, 1, KIND_INT, KIND_FLOAT, 0, FALSE},
    {"__uint_as_float", COMPOSE_BITS, 1, KIND_UINT, KIND_FLOAT, 0, FALSE},
    {"__double_as_longlong", COMPOSE_BITS, 1, KIND_DOUBLE, KIND_LONG, 0, FALSE},
    {"__longlong_as_double", COMPOSE_BITS, 1, KIND_LONG, KIND_DOUBLE, 0, FALSE},
    {"__fadd_rn", COMPOSE_OPERATOR, 2, KIND_FLOAT, KIND_FLOAT, OPERATOR_ADD, FALSE},
    {"__fsub_rn", COMPOSE_OPERATOR, 2, KIND_FLOAT, KIND_FLOAT, OPERATOR_SUB, FALSE},
    {"__fmul_rn", COMPOSE_OPERATOR, 2, KIND_FLOAT, KIND_FLOAT, OPERATOR_MUL, FALSE},
    {"__fdiv_rn", COMPOSE_OPERATOR, 2, KIND_FLOAT, KIND_FLOAT, OPERATOR_DIV, FALSE},
    {"__frcp_rn", COMPOSE_RECIPROCAL, 1, KIND_FLOAT, KIND_FLOAT, 0, FALSE},
};

static gint
find_composition(const Token *name) {
  for (guint i = 0; i < G_N_ELEMENTS(compositions); i++) {
    if (smb_token_is(name, compositions[i].name))
      return (gint)i;
  }
  return -1;
}

gboolean
smb_composition_is_name(const Token *name) {
  return find_composition(name) >= 0;
}

// a operator number, in the type of @a
static Node *
apply_number(Parser *parser, Operator op, Node *a, gint64 number) {
  return a ? smb_node_binary(parser, op, a,
                             smb_node_integer(parser, a->type, number, a->start, a->end))
           : NULL;
}

// Sign- or zero-extended by its type.
static Node *
take_24_bits(Parser *parser, Node *a) {
  return apply_number(parser, OPERATOR_SHR, apply_number(parser, OPERATOR_SHL, a, 8), 8);
}

static Node *
multiply_high(Parser *parser, Node **arguments, const Type *wide, const Type *type) {
  Node *a = smb_node_cast(parser, arguments[0], wide, arguments[0]->start);
  Node *b = smb_node_cast(parser, arguments[1], wide, arguments[1]->start);
  Node *product = smb_node_binary(parser, OPERATOR_MUL, a, b);
  return smb_node_cast(parser, apply_number(parser, OPERATOR_SHR, product, 32), type,
                       arguments[0]->start);
}

// lo, hi, by
static Node *
shift_funnel(Parser *parser, Node **arguments, gboolean left, gboolean clamps) {
  const Type *wide = smb_type_scalar(KIND_ULONG);
  Node *low = smb_node_cast(parser, arguments[0], wide, arguments[0]->start);
  Node *high = smb_node_cast(parser, arguments[1], wide, arguments[1]->start);
  Node *both =
      smb_node_binary(parser, OPERATOR_OR, apply_number(parser, OPERATOR_SHL, high, 32), low);
  Node *by = clamps ? smb_node_minimum(parser, arguments[2], 32)
                    : apply_number(parser, OPERATOR_AND, arguments[2], 31);
  both = smb_node_binary(parser, left ? OPERATOR_SHL : OPERATOR_SHR, both, by);
  if (left)
    both = apply_number(parser, OPERATOR_SHR, both, 32);
  return smb_node_cast(parser, both, smb_type_scalar(KIND_UINT), arguments[0]->start);
}

static Node *
compose(Parser *parser, guint which, Node **arguments) {
  const Type *from = smb_type_scalar(compositions[which].from),
             *to = smb_type_scalar(compositions[which].to);
  switch ((Composition)compositions[which].composition) {
  case COMPOSE_MUL24: {
    Node *a = take_24_bits(parser, arguments[0]), *b = take_24_bits(parser, arguments[1]);
    return smb_node_binary(parser, OPERATOR_MUL, a, b);
  }
  case COMPOSE_MUL_HIGH:
    return multiply_high(parser, arguments, to, from);
  case COMPOSE_FUNNEL_LEFT:
  case COMPOSE_FUNNEL_RIGHT:
    return shift_funnel(parser, arguments, compositions[which].composition == COMPOSE_FUNNEL_LEFT,
                        compositions[which].clamps);
  case COMPOSE_BITS:
    return smb_node_new(parser, NODE_BITS, to, arguments[0]->start, arguments[0]->end, arguments[0],
                        NULL, NULL);
  case COMPOSE_OPERATOR:
    return smb_node_binary(parser, (Operator)compositions[which].op, arguments[0], arguments[1]);
  case COMPOSE_RECIPROCAL: {
    Node *one = smb_node_integer(parser, smb_type_scalar(KIND_INT), 1, arguments[0]->start,
                                 arguments[0]->end);
    return smb_node_binary(parser, OPERATOR_DIV, one, arguments[0]);
  }
  }
  g_assert_not_reached();
}

Node *
smb_composition_call(Parser *parser, const Token *name, Node **arguments, guint n) {
  guint which = (guint)find_composition(name);
  if (!smb_parser_check_count(parser, name, compositions[which].arguments, n) ||
      !smb_parser_convert(parser, arguments, 0, n, smb_type_scalar(compositions[which].from)))
    return NULL;
  Node *node = compose(parser, which, arguments);
  if (!node)
    return NULL;
  node->start = name->start;
  node->end = parser->last->end;
  return node;
}
