// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The functions of cuda_fp16.h and cuda_bf16.h. What is done to two numbers at once (half2) is done to each of them.
#include <string.h>

#include "sim/cuda/parse/parse.h"

typedef enum {
  HALF_CONVERT,  // to the type of the result: a number to both of two
  HALF_MAKE,     // two numbers, of one each
  HALF_LOW,      // the first of two, converted
  HALF_HIGH,     // the second
  HALF_BITS,     // the same bits as another type
  HALF_OPERATOR, // from here on the result is of the type of the arguments
  HALF_NEGATE,
  HALF_RECIPROCAL,
  HALF_FUNCTION,
} HalfOperation;

// How a function turns its arguments into its result.
typedef struct {
  const char *name;
  HalfOperation operation;
  const char *from; // type of the arguments; NULL: a pair of halves of either kind
  const char *to;   // type of the result
} Conversion;

// @H: half or bfloat16, in names; @T: the type
#define CONVERSIONS(H, H2, T, T2)                                                                  \
  {"__float2" H, HALF_CONVERT, "float", T}, {"__float2" H "_rn", HALF_CONVERT, "float", T},        \
      {"__double2" H, HALF_CONVERT, "double", T}, {"__" H "2float", HALF_CONVERT, T, "float"},     \
      {"__int2" H "_rn", HALF_CONVERT, "int", T}, {"__uint2" H "_rn", HALF_CONVERT, "uint", T},    \
      {"__short2" H "_rn", HALF_CONVERT, "short", T},                                              \
      {"__ushort2" H "_rn", HALF_CONVERT, "ushort", T},                                            \
      {"__" H "2int_rz", HALF_CONVERT, T, "int"}, {"__" H "2uint_rz", HALF_CONVERT, T, "uint"},    \
      {"__" H "2short_rz", HALF_CONVERT, T, "short"},                                              \
      {"__" H "2ushort_rz", HALF_CONVERT, T, "ushort"},                                            \
      {"__float22" H2 "_rn", HALF_CONVERT, "float2", T2},                                          \
      {"__" H2 "2float2", HALF_CONVERT, T2, "float2"},                                             \
      {"__" H "22float2", HALF_CONVERT, T2, "float2"},                                             \
      {"__float2" H2 "_rn", HALF_CONVERT, "float", T2}, {"__" H "2" H2, HALF_CONVERT, T, T2},      \
      {"__floats2" H2 "_rn", HALF_MAKE, "float", T2}, {"__halves2" H2, HALF_MAKE, T, T2},          \
      {"make_" H2, HALF_MAKE, T, T2}, {"__low2" H, HALF_LOW, T2, T},                               \
      {"__high2" H, HALF_HIGH, T2, T}, {"__low2" H2, HALF_LOW, T2, T2},                            \
      {"__high2" H2, HALF_HIGH, T2, T2}, {"__" H "_as_ushort", HALF_BITS, T, "ushort"},            \
      {"__" H "_as_short", HALF_BITS, T, "short"}, {"__ushort_as_" H, HALF_BITS, "ushort", T}, {   \
    "__short_as_" H, HALF_BITS, "short", T                                                         \
  }

static const Conversion conversions[] = {
    CONVERSIONS("half", "half2", "half", "half2"),
    CONVERSIONS("bfloat16", "bfloat162", "__nv_bfloat16", "__nv_bfloat162"),
    {"__low2float", HALF_LOW, NULL, "float"},
    {"__high2float", HALF_HIGH, NULL, "float"},
};

// Arithmetic, of either kind of half; with a 2 in its name ("__hadd2", "h2exp", "__h2div") of two.
static const struct {
  const char *name;
  guint8 arguments;
  guint8 operation; // HalfOperation
  guint8 what;      // Operator, or Builtin
} arithmetic[] = {
    {"__hadd", 2, HALF_OPERATOR, OPERATOR_ADD},
    {"__hsub", 2, HALF_OPERATOR, OPERATOR_SUB},
    {"__hmul", 2, HALF_OPERATOR, OPERATOR_MUL},
    {"__hdiv", 2, HALF_OPERATOR, OPERATOR_DIV},
    {"__heq", 2, HALF_OPERATOR, OPERATOR_EQ},
    {"__hne", 2, HALF_OPERATOR, OPERATOR_NE},
    {"__hlt", 2, HALF_OPERATOR, OPERATOR_LT},
    {"__hle", 2, HALF_OPERATOR, OPERATOR_LE},
    {"__hgt", 2, HALF_OPERATOR, OPERATOR_GT},
    {"__hge", 2, HALF_OPERATOR, OPERATOR_GE},
    {"__hneg", 1, HALF_NEGATE, 0},
    {"__habs", 1, HALF_FUNCTION, BUILTIN_ABS},
    {"__hmin", 2, HALF_FUNCTION, BUILTIN_MIN},
    {"__hmax", 2, HALF_FUNCTION, BUILTIN_MAX},
    {"__hfma", 3, HALF_FUNCTION, BUILTIN_FMAF},
    {"hrcp", 1, HALF_RECIPROCAL, 0},
    {"hsqrt", 1, HALF_FUNCTION, BUILTIN_SQRTF},
    {"hrsqrt", 1, HALF_FUNCTION, BUILTIN_RSQRTF},
    {"hexp", 1, HALF_FUNCTION, BUILTIN_EXPF},
    {"hexp2", 1, HALF_FUNCTION, BUILTIN_EXP2F},
    {"hlog", 1, HALF_FUNCTION, BUILTIN_LOGF},
    {"hlog2", 1, HALF_FUNCTION, BUILTIN_LOG2F},
    {"hlog10", 1, HALF_FUNCTION, BUILTIN_LOG10F},
    {"hsin", 1, HALF_FUNCTION, BUILTIN_SINF},
    {"hcos", 1, HALF_FUNCTION, BUILTIN_COSF},
    {"hfloor", 1, HALF_FUNCTION, BUILTIN_FLOORF},
    {"hceil", 1, HALF_FUNCTION, BUILTIN_CEILF},
    {"htrunc", 1, HALF_FUNCTION, BUILTIN_TRUNCF},
    {"hrint", 1, HALF_FUNCTION, BUILTIN_RINTF},
};

// What is done to numbers.
typedef struct {
  const Token *name;
  HalfOperation operation;
  guint8 what;
  gsize n; // arguments
} Call;

static const Conversion *
find_conversion(const Token *name) {
  for (guint i = 0; i < G_N_ELEMENTS(conversions); i++) {
    if (smb_token_is(name, conversions[i].name))
      return &conversions[i];
  }
  return NULL;
}

// The index of an arithmetic function, or -1.
static gint
find_arithmetic(const Token *name, gboolean *is_pair) {
  g_autofree char *text = g_strdup(name->text);
  char *end = text + strlen(text) - (g_str_has_suffix(text, "_rn") ? 3 : 0);
  char *two = g_str_has_prefix(text, "h2")                      ? text + 1
              : g_str_has_prefix(text, "__h2")                  ? text + 3
              : g_str_has_prefix(text, "__h") && end[-1] == '2' ? end - 1
                                                                : NULL;
  *end = '\0';
  *is_pair = two != NULL;
  if (two)
    memmove(two, two + 1, strlen(two));
  for (guint i = 0; i < G_N_ELEMENTS(arithmetic); i++) {
    if (strcmp(arithmetic[i].name, text) == 0)
      return (gint)i;
  }
  return -1;
}

gboolean
smb_half_is_name(const Token *name) {
  gboolean is_pair;
  return find_conversion(name) || find_arithmetic(name, &is_pair) >= 0;
}

gboolean
smb_half_is_pair(const Type *type) {
  return type->kind == KIND_VECTOR && smb_type_is_half(type->of);
}

// The call for numbers that are not pairs; the result is converted to @type.
static Node *
apply_half_operator(Parser *parser, const Call *call, const Type *type, Node **a) {
  Node *result = a[0], *one;
  switch (call->operation) {
  case HALF_OPERATOR:
    result = smb_node_binary(parser, (Operator)call->what, a[0], a[1]);
    break;
  case HALF_NEGATE:
    result = smb_node_unary(parser, NODE_NEGATE, a[0], a[0]->start);
    break;
  case HALF_RECIPROCAL:
    one = smb_node_integer(parser, smb_type_scalar(KIND_INT), 1, a[0]->start, a[0]->end);
    result = smb_node_binary(parser, OPERATOR_DIV, one, a[0]);
    break;
  case HALF_FUNCTION: {
    Node **copy = smb_kernel_pool_alloc(parser->pool, call->n * sizeof *copy);
    memcpy(copy, a, call->n * sizeof *copy);
    result = smb_node_function(parser, call->name, (Builtin)call->what, copy, (guint)call->n);
    break;
  }
  case HALF_CONVERT:
  case HALF_MAKE:
  case HALF_LOW:
  case HALF_HIGH:
  case HALF_BITS:
    break;
  }
  gboolean compares = call->operation == HALF_OPERATOR && call->what >= OPERATOR_LT;
  return !result || (compares && type->kind == KIND_BOOL)
             ? result
             : smb_node_cast(parser, result, type, call->name->start);
}

// What can be evaluated again: it costs nothing and does nothing.
static gboolean
is_plain_half(const Node *node) {
  return node->kind == NODE_LOCAL || node->kind == NODE_CURRENT || node->kind == NODE_CONSTANT;
}

static Node *
take_component(Parser *parser, Node *pair, guint component) {
  return pair->type->kind == KIND_VECTOR ? smb_node_component(parser, pair, component, pair->end)
                                         : pair;
}

static Node *
make_pair(Parser *parser, const Token *name, const Type *type, Node *low, Node *high) {
  Node **parts = smb_kernel_pool_alloc(parser->pool, 2 * sizeof *parts);
  Node *node =
      smb_node_new(parser, NODE_MAKE_VECTOR, type, name->start, parser->last->end, low, high, NULL);
  if (!node)
    return NULL;
  parts[0] = low;
  parts[1] = high;
  node->a = node->b = NULL;
  node->arguments = parts;
  node->n_arguments = 2;
  return node;
}

// The call for each component of the arguments that are pairs; of the others, for the same number. Each argument is
// evaluated once.
static Node *
apply_to_pairs(Parser *parser, const Call *call, const Type *type, Node **arguments) {
  Node *before = NULL, *operands[3] = {NULL}, *parts[2];
  for (guint i = 0; i < call->n; i++) {
    operands[i] = arguments[i];
    if (is_plain_half(arguments[i]))
      continue;
    guint32 start = arguments[i]->start, end = arguments[i]->end;
    Node *copy = smb_node_temporary(parser, arguments[i]->type, start, end);
    Node *set = smb_node_set(parser, copy, arguments[i], start, end);
    before = before ? smb_node_after(parser, before, set) : set;
    operands[i] = copy;
    if (!before)
      return NULL;
  }
  for (guint c = 0; c < 2; c++) {
    Node *of[3] = {NULL};
    for (guint i = 0; i < call->n; i++) {
      of[i] = take_component(parser, operands[i], c);
      if (!of[i])
        return NULL;
    }
    parts[c] = apply_half_operator(parser, call, type->of, of);
    if (!parts[c])
      return NULL;
  }
  Node *pair = make_pair(parser, call->name, type, parts[0], parts[1]);
  return pair && before ? smb_node_after(parser, before, pair) : pair;
}

static Node *
apply_to_any(Parser *parser, const Call *call, const Type *type, Node **arguments) {
  return type->kind == KIND_VECTOR ? apply_to_pairs(parser, call, type, arguments)
                                   : apply_half_operator(parser, call, type, arguments);
}

static Node *
convert_bits(Parser *parser, Node *value, const Type *to) {
  const Type *bits = smb_type_scalar(KIND_USHORT);
  gboolean from_half = smb_type_is_half(value->type);
  if (!from_half && !(value = smb_node_cast(parser, value, bits, value->start)))
    return NULL;
  Node *node = smb_node_new(parser, NODE_BITS, from_half ? bits : to, value->start, value->end,
                            value, NULL, NULL);
  return smb_node_cast(parser, node, to, value->start);
}

static Node *
call_conversion(Parser *parser, const Token *name, const Conversion *conversion, Node **arguments,
                guint n) {
  const Type *from = conversion->from ? smb_type_by_name(conversion->from) : arguments[0]->type;
  const Type *to = smb_type_by_name(conversion->to);
  if (!conversion->from && !smb_half_is_pair(from))
    return smb_parser_fail(parser, name->start, "'%s' takes a half2 or an __nv_bfloat162, not %s",
                           conversion->name, smb_type_phrase(parser->pool, from));
  if (!smb_parser_convert(parser, arguments, 0, n, from))
    return NULL;
  const Call call = {name, HALF_CONVERT, 0, 1};
  HalfOperation operation = conversion->operation;
  if (operation == HALF_BITS)
    return convert_bits(parser, arguments[0], to);
  if (operation == HALF_MAKE) {
    Node *low = apply_half_operator(parser, &call, to->of, &arguments[0]);
    Node *high = low ? apply_half_operator(parser, &call, to->of, &arguments[1]) : NULL;
    return high ? make_pair(parser, name, to, low, high) : NULL;
  }
  Node *value = operation == HALF_CONVERT
                    ? arguments[0]
                    : take_component(parser, arguments[0], operation == HALF_HIGH);
  return value ? apply_to_any(parser, &call, to, &value) : NULL;
}

// The kind of half that the arguments of an arithmetic function are, as the first that is one says; or NULL.
static const Type *
find_operand_type(Node **arguments, guint n, gboolean is_pair) {
  for (guint i = 0; i < n; i++) {
    const Type *type = arguments[i]->type;
    if (is_pair ? smb_half_is_pair(type) : smb_type_is_half(type))
      return type;
  }
  return NULL;
}

Node *
smb_half_call(Parser *parser, const Token *name, Node **arguments, guint n) {
  gboolean is_pair;
  const Conversion *conversion = find_conversion(name);
  gint which = conversion ? -1 : find_arithmetic(name, &is_pair);
  guint wanted =
      conversion ? 1 + (conversion->operation == HALF_MAKE) : arithmetic[which].arguments;
  if (!smb_parser_check_count(parser, name, wanted, n) ||
      !smb_parser_evaluate(parser, arguments, n))
    return NULL;
  if (conversion)
    return call_conversion(parser, name, conversion, arguments, n);
  const Type *type = find_operand_type(arguments, n, is_pair);
  if (!type)
    return smb_parser_fail(parser, name->start, "'%s' takes a %s, not %s", name->text,
                           is_pair ? "half2 or an __nv_bfloat162" : "half or an __nv_bfloat16",
                           smb_type_phrase(parser->pool, arguments[0]->type));
  if (!smb_parser_convert(parser, arguments, 0, n, type))
    return NULL;
  const Call call = {name, (HalfOperation)arithmetic[which].operation, arithmetic[which].what, n};
  gboolean compares = call.operation == HALF_OPERATOR && call.what >= OPERATOR_LT;
  const Type *result = compares && !is_pair ? smb_type_scalar(KIND_BOOL) : type;
  return apply_to_any(parser, &call, result, arguments);
}

Node *
smb_half_operate(Parser *parser, gint op, Node *a, Node *b) {
  const Token name = {.text = "", .start = a->start};
  const Call call = {&name, op < 0 ? HALF_NEGATE : HALF_OPERATOR, (guint8)MAX(op, 0), b ? 2 : 1};
  Node *arguments[2] = {a, b};
  return apply_to_pairs(parser, &call, a->type, arguments);
}
