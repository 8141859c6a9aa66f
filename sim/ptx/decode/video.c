// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Video instructions (PTX ISA 9.0, sections 9.7.19 and 9.7.20): of parts of registers, as numbers of more bits than
// they have, clamped, and put together again. They become several operations. Chips since sm_50 have nearly none of
// them: ptxas puts others in their place, which do not always do what PTX says. Forms of which they were seen not to
// (of several types at once, clamped products and shifts, results that become a part of a register), and selections
// other than the usual ones on pairs and quadruples, are not decoded: their results are not known.
#include <string.h>

#include "sim/ptx/decode/decode.h"

// A part of a register.
typedef struct {
  guint shift, bits;
} Part;

typedef struct {
  PtxDecoder *decoder;
  const char *name;  // without the number of lanes
  guint n_lanes;     // 1, 2 or 4
  gboolean d_signed; // as the opcode has types
  gboolean a_signed;
  gboolean b_signed;
  Row d, a, b, c;
  const PtxOperand *operand[4];
} Video;

static Row
emit_video(PtxDecoder *decoder, Operation operation, Row a, Row b) {
  Row d = smb_code_new_rows(decoder->code, 2);
  smb_ptx_add_operation(decoder, operation, d, a, b);
  return d;
}

// A constant.
static Row
number(PtxDecoder *decoder, gint64 value, guint bytes) {
  return smb_ptx_constant(decoder, (guint64)value, bytes);
}

// Which part of a register an operand names; of a whole one, the part of a lane.
static gboolean
find_video_part(const PtxOperand *operand, guint n_lanes, guint lane, Part *part) {
  guint component = operand->component;
  *part = (Part){.shift = 32 / n_lanes * lane, .bits = 32 / n_lanes};
  if (component >= PTX_FIRST_BYTE && component < PTX_FIRST_HALF)
    *part = (Part){8 * (component - PTX_FIRST_BYTE), 8};
  else if (component >= PTX_FIRST_HALF && component < PTX_OTHER_PARTS)
    *part = (Part){16 * (component - PTX_FIRST_HALF), 16};
  return component == 0 || (n_lanes == 1 && component < PTX_OTHER_PARTS);
}

// A part of a register, as a number of 64 bits.
static Row
extend_part(PtxDecoder *decoder, Row row, Part part, gboolean is_signed) {
  Operation operation = part.bits == 8    ? is_signed ? OPERATION_CVT_64_S8 : OPERATION_CVT_64_U8
                        : part.bits == 16 ? is_signed ? OPERATION_CVT_64_S16 : OPERATION_CVT_64_U16
                        : is_signed       ? OPERATION_CVT_64_S32
                                          : OPERATION_CVT_64_U32;
  if (part.shift)
    row = emit_video(decoder, OPERATION_SHR_U32, row, number(decoder, part.shift, 4));
  return emit_video(decoder, operation, row, 0);
}

// 1 or 0.
static Row
compare_video(PtxDecoder *decoder, Row a, Row b) {
  static const struct {
    const char *name;
    Operation operation;
    gboolean exchanged;
    guint modifiers;
  } relations[] = {
      {"eq", OPERATION_EQ_64, FALSE, 0},  {"ne", OPERATION_EQ_64, FALSE, MODIFIER_NOT},
      {"lt", OPERATION_LT_S64, FALSE, 0}, {"ge", OPERATION_LT_S64, FALSE, MODIFIER_NOT},
      {"gt", OPERATION_LT_S64, TRUE, 0},  {"le", OPERATION_LT_S64, TRUE, MODIFIER_NOT},
  };
  for (guint i = 0; i < G_N_ELEMENTS(relations); i++) {
    if (!smb_ptx_has_part(decoder, relations[i].name))
      continue;
    Compute compute = {.operation = (guint16)relations[i].operation,
                       .modifiers = (guint16)relations[i].modifiers,
                       .bytes = 4,
                       .to = SMB_SCALAR_U32,
                       .d = smb_code_new_rows(decoder->code, 1),
                       .s = {relations[i].exchanged ? b : a, relations[i].exchanged ? a : b}};
    smb_ptx_add_compute(decoder, &compute);
    Row one = emit_video(decoder, OPERATION_AND_32, compute.d, number(decoder, 1, 4));
    return emit_video(decoder, OPERATION_CVT_64_U32, one, 0);
  }
  return NO_ROW;
}

// The sum and one, halved; of a sum below 0 without the one.
static Row
average(PtxDecoder *decoder, Row sum) {
  Row sign = emit_video(decoder, OPERATION_SHR_S64, sum, number(decoder, 63, 4)); // 0 or -1
  sum = emit_video(decoder, OPERATION_ADD_64, sum, sign);
  sum = emit_video(decoder, OPERATION_ADD_64, sum, number(decoder, 1, 8));
  return emit_video(decoder, OPERATION_SHR_S64, sum, number(decoder, 1, 4));
}

// .wrap takes the low 5 bits of the amount, .clamp at most 32.
static Row
shift_video(const Video *video, Row a, Row b) {
  PtxDecoder *decoder = video->decoder;
  Row by = smb_ptx_has_part(decoder, "wrap")
               ? emit_video(decoder, OPERATION_AND_32, b, number(decoder, 31, 4))
               : emit_video(decoder, OPERATION_MIN_U32, b, number(decoder, 32, 4));
  return emit_video(decoder,
                    strcmp(video->name, "vshl") == 0 ? OPERATION_SHL_64 : OPERATION_SHR_S64, a, by);
}

// What is computed of two numbers, as one of 64 bits.
static Row
combine_video(const Video *video, Row a, Row b) {
  static const struct {
    const char *name;
    Operation operation;
  } plain[] = {
      {"vadd", OPERATION_ADD_64},  {"vavrg", OPERATION_ADD_64},    {"vsub", OPERATION_SUB_64},
      {"vmin", OPERATION_MIN_S64}, {"vabsdiff", OPERATION_SUB_64}, {"vmax", OPERATION_MAX_S64},
  };
  PtxDecoder *decoder = video->decoder;
  if (strcmp(video->name, "vset") == 0)
    return compare_video(decoder, a, b);
  if (strcmp(video->name, "vshl") == 0 || strcmp(video->name, "vshr") == 0)
    return shift_video(video, a, b);
  for (guint i = 0; i < G_N_ELEMENTS(plain); i++) {
    if (strcmp(video->name, plain[i].name) != 0)
      continue;
    Row result = emit_video(decoder, plain[i].operation, a, b);
    if (strcmp(video->name, "vabsdiff") == 0)
      return emit_video(decoder, OPERATION_MAX_S64, result,
                        emit_video(decoder, OPERATION_NEG_64, result, 0));
    return strcmp(video->name, "vavrg") == 0 ? average(decoder, result) : result;
  }
  g_assert_not_reached(); // isa/instructions.def has no other names
}

// .sat: to the range of so many bits.
static Row
clamp(const Video *video, Row value, guint bits) {
  PtxDecoder *decoder = video->decoder;
  if (!smb_ptx_has_part(decoder, "sat"))
    return value;
  gint64 range = G_GINT64_CONSTANT(1) << (video->d_signed ? bits - 1 : bits);
  value = emit_video(decoder, OPERATION_MIN_S64, value, number(decoder, range - 1, 8));
  return emit_video(decoder, OPERATION_MAX_S64, value,
                    number(decoder, video->d_signed ? -range : 0, 8));
}

// The low bits of @value in a part of @into.
static Row
insert_part(PtxDecoder *decoder, Row value, Part part, Row into) {
  enum {
    CHOOSE = 0xe4 // LOP3: of the mask's bits the first operand, else the third
  };
  guint32 mask = ((1u << part.bits) - 1) << part.shift;
  if (part.shift)
    value = emit_video(decoder, OPERATION_SHL_32, value, number(decoder, part.shift, 4));
  Compute compute = {.operation = OPERATION_LOP3,
                     .table = CHOOSE,
                     .d = smb_code_new_rows(decoder->code, 1),
                     .s = {value, into, number(decoder, mask, 4)}};
  smb_ptx_add_compute(decoder, &compute);
  return compute.d;
}

// The operation that combines the result with the third operand, both as numbers of 64 bits; else N_OPERATIONS.
static Operation
find_second(const PtxDecoder *decoder) {
  return smb_ptx_has_part(decoder, "add")   ? OPERATION_ADD_64
         : smb_ptx_has_part(decoder, "min") ? OPERATION_MIN_S64
         : smb_ptx_has_part(decoder, "max") ? OPERATION_MAX_S64
                                            : N_OPERATIONS;
}

// Whether ptxas makes of a form what PTX says of it: the low 32 bits are right, and all where the numbers have one type
// and fit into it.
static gboolean
is_certain(const Video *video, Operation second) {
  gboolean shifts = strcmp(video->name, "vshl") == 0 || strcmp(video->name, "vshr") == 0;
  gboolean chooses = strcmp(video->name, "vmin") == 0 || strcmp(video->name, "vmax") == 0;
  gboolean alike =
      video->d_signed == video->a_signed && (shifts || video->a_signed == video->b_signed);
  gboolean clamps = smb_ptx_has_part(video->decoder, "sat");
  gboolean compares = second == OPERATION_MIN_S64 || second == OPERATION_MAX_S64;
  if (strcmp(video->name, "vset") == 0)
    return video->a_signed == video->b_signed;
  if (strcmp(video->name, "vadd") == 0 || strcmp(video->name, "vsub") == 0)
    return !compares && (alike || !clamps);
  return alike && (chooses || !compares) && !(shifts && clamps);
}

// One number, which may be combined with the third operand.
static gboolean
decode_one(const Video *video, Row *result) {
  PtxDecoder *decoder = video->decoder;
  Operation second = find_second(decoder);
  Part a, b;
  if (!find_video_part(video->operand[1], 1, 0, &a) ||
      !find_video_part(video->operand[2], 1, 0, &b) || video->operand[0]->component ||
      (second == N_OPERATIONS) != (video->c == NO_ROW) || !is_certain(video, second))
    return FALSE;
  *result = combine_video(video, extend_part(decoder, video->a, a, video->a_signed),
                          extend_part(decoder, video->b, b, video->b_signed));
  if (*result == NO_ROW)
    return FALSE;
  *result = clamp(video, *result, 32);
  if (second != N_OPERATIONS)
    *result = emit_video(decoder, second, *result,
                         extend_part(decoder, video->c, (Part){0, 32}, video->d_signed));
  return TRUE;
}

// Two or four numbers beside each other, or the sum of the third operand and all of them.
static gboolean
decode_several(const Video *video, Row *result) {
  PtxDecoder *decoder = video->decoder;
  gboolean adds = smb_ptx_has_part(decoder, "add");
  if (video->c == NO_ROW || video->operand[0]->component)
    return FALSE;
  *result = video->c;
  for (guint lane = 0; lane < video->n_lanes; lane++) {
    Part a, b, d = {32 / video->n_lanes * lane, 32 / video->n_lanes};
    if (!find_video_part(video->operand[1], video->n_lanes, lane, &a) ||
        !find_video_part(video->operand[2], video->n_lanes, lane, &b))
      return FALSE;
    Row value = combine_video(video, extend_part(decoder, video->a, a, video->a_signed),
                              extend_part(decoder, video->b, b, video->b_signed));
    if (value == NO_ROW)
      return FALSE;
    value = clamp(video, value, d.bits);
    *result = adds ? emit_video(decoder, OPERATION_ADD_32, *result, value)
                   : insert_part(decoder, value, d, *result);
  }
  return TRUE;
}

// vmad d, a, b, c: a * b + c, of which the product or c may be negated, and .po adds one.
static gboolean
decode_product(const Video *video, Row *result) {
  PtxDecoder *decoder = video->decoder;
  const PtxOperand *const *operand = video->operand;
  guint by = smb_ptx_has_part(decoder, "shr7") ? 7 : smb_ptx_has_part(decoder, "shr15") ? 15 : 0;
  gboolean is_signed = video->a_signed, adds = smb_ptx_has_part(decoder, "po");
  Part a, b;
  if (video->c == NO_ROW || operand[0]->component || operand[3]->component ||
      video->a_signed != video->b_signed || smb_ptx_has_part(decoder, "sat") ||
      !find_video_part(operand[1], 1, 0, &a) || !find_video_part(operand[2], 1, 0, &b))
    return FALSE;
  gboolean negates = operand[1]->is_negated != operand[2]->is_negated;
  if (by && (adds || negates || operand[3]->is_negated))
    return FALSE;
  Row product = emit_video(decoder, OPERATION_MUL_64, extend_part(decoder, video->a, a, is_signed),
                           extend_part(decoder, video->b, b, is_signed));
  Row c = extend_part(decoder, video->c, (Part){0, 32}, is_signed);
  if (negates)
    product = emit_video(decoder, OPERATION_NEG_64, product, 0);
  product =
      emit_video(decoder, operand[3]->is_negated ? OPERATION_SUB_64 : OPERATION_ADD_64, product, c);
  if (adds)
    product = emit_video(decoder, OPERATION_ADD_64, product, number(decoder, 1, 8));
  *result = by ? emit_video(decoder, is_signed ? OPERATION_SHR_S64 : OPERATION_SHR_U64, product,
                            number(decoder, by, 4))
               : product;
  return TRUE;
}

// vadd4.u32.s32.u32, vset.s32.u32.lt: the types of the result, unless it is a truth, and of two operands.
static gboolean
read_types(Video *video) {
  gboolean types[3], sets = strcmp(video->name, "vset") == 0;
  guint n = 0;
  for (const char *const *part = video->decoder->parts + 1; *part; part++) {
    gboolean is_signed = strcmp(*part, "s32") == 0;
    if (!is_signed && strcmp(*part, "u32") != 0)
      continue;
    if (n == 3)
      return FALSE;
    types[n++] = is_signed;
  }
  if (n != (sets ? 2 : 3))
    return FALSE;
  video->d_signed = sets ? FALSE : types[0];
  video->a_signed = types[n - 2];
  video->b_signed = types[n - 1];
  return TRUE;
}

// The register that an operand is a part of, or a constant.
static Row
find_video_row(PtxDecoder *decoder, const PtxOperand *operand) {
  PtxOperand whole = *operand;
  whole.component = whole.is_negated = 0;
  return smb_ptx_row(decoder, &whole, 4, FALSE);
}

static gboolean
read_operands(Video *video) {
  PtxDecoder *decoder = video->decoder;
  Row *const rows[] = {&video->d, &video->a, &video->b, &video->c};
  guint n = decoder->instruction->n_operands;
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    video->operand[i] = smb_ptx_operand(decoder, i);
    *rows[i] = find_video_row(decoder, video->operand[i]);
    if (i < n && *rows[i] == NO_ROW)
      return FALSE;
  }
  return video->operand[0]->kind == PTX_OPERAND_REGISTER;
}

PtxResult
smb_ptx_decode_video(PtxDecoder *decoder) {
  const char *opcode = decoder->parts[0];
  gsize length = strcspn(opcode, "24");
  g_autofree char *name = g_strndup(opcode, length);
  Video video = {.decoder = decoder, .name = name, .n_lanes = 1};
  if (opcode[length])
    video.n_lanes = (guint)(opcode[length] - '0');
  Row result = NO_ROW;
  if (!read_types(&video) || !read_operands(&video) ||
      !(strcmp(video.name, "vmad") == 0 ? decode_product(&video, &result)
        : video.n_lanes == 1            ? decode_one(&video, &result)
                                        : decode_several(&video, &result)))
    return PTX_UNKNOWN;
  smb_ptx_add_operation(decoder, OPERATION_MOV_32, video.d, result, 0);
  return PTX_DECODED;
}
