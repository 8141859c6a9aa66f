// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Computing instructions by their names. One that has a part which is not in its line is not modelled.
#include <string.h>

#include "sim/sass/decode/compute.h"

typedef struct {
  const char *name;
  const char *parts; // that it may have
  SassComputing run;
} Form;

#define COMPARES "LT LE GT GE EQ NE AND OR XOR"
#define ORDERED  "NUM NAN LTU LEU GTU GEU EQU NEU"
#define ROUNDS   "RM RP RZ"

// What is not modelled, and writes one register.
static void
compute_unknown(SassReading *reading) {
  smb_sass_take_result(reading, 1);
  reading->is_other = TRUE;
}

static const Form forms[] = {
    {"BMSK", "W", smb_sass_compute_field},
    {"BREV", "", smb_sass_compute_field},
    {"CREDUX", "MIN MAX S32", smb_sass_compute_reduction},
    {"DADD", ROUNDS, smb_sass_compute_real},
    {"DFMA", ROUNDS, smb_sass_compute_real},
    {"DMUL", ROUNDS, smb_sass_compute_real},
    {"DSETP", "MIN MAX " COMPARES " " ORDERED, smb_sass_compute_real_test},
    {"ELECT", "", smb_sass_compute_election},
    {"F2F", "F16 BF16 F32 F64 FTZ " ROUNDS, smb_sass_compute_conversion},
    {"F2FP",
     "F16 BF16 F32 E4M3 E5M2 PACK_AB PACK_AB_MERGE_C UNPACK_B UNPACK_B_MERGE_C RELU SATFINITE RZ",
     smb_sass_compute_packing},
    {"F2IP", "", compute_unknown},
    {"F2I", "F16 BF16 F64 FTZ NTZ CEIL FLOOR TRUNC S8 U8 S16 U16 S32 U32 S64 U64",
     smb_sass_compute_conversion},
    {"FADD", "FTZ SAT " ROUNDS, smb_sass_compute_real},
    {"FCHK", "", smb_sass_compute_quotient_test},
    {"FFMA", "FTZ SAT " ROUNDS, smb_sass_compute_real},
    {"FLO", "U32 SH", smb_sass_compute_field},
    {"FMNMX", "FTZ NAN XORSIGN", smb_sass_compute_real_extreme},
    {"FMNMX3", "FTZ NAN", smb_sass_compute_real_extreme},
    {"FMUL", "FTZ SAT D2 D4 D8 M2 M4 M8 " ROUNDS, smb_sass_compute_real},
    {"FRND", "F16 BF16 F32 F64 FTZ CEIL FLOOR TRUNC", smb_sass_compute_conversion},
    {"FSEL", "", smb_sass_compute_choice},
    {"FSET", "BF FTZ " COMPARES " " ORDERED, smb_sass_compute_real_test},
    {"FSETP", "FTZ " COMPARES " " ORDERED, smb_sass_compute_real_test},
    {"HADD2", "BF16_V2 F32 FTZ SAT", smb_sass_compute_half},
    {"HFMA2", "BF16_V2 FTZ MMA RELU SAT", smb_sass_compute_half},
    {"HMNMX2", "BF16_V2 FTZ NAN XORSIGN", smb_sass_compute_half},
    {"HMUL2", "BF16_V2 FTZ SAT", smb_sass_compute_half},
    {"HSET2", "BF BF16_V2 FTZ " COMPARES " " ORDERED, smb_sass_compute_half_test},
    {"HSETP2", "BF16_V2 FTZ " COMPARES " " ORDERED, smb_sass_compute_half_test},
    {"I2F", "F16 BF16 F32 F64 S8 U8 S16 U16 S32 U32 S64 U64 " ROUNDS, smb_sass_compute_conversion},
    {"I2FP", "F32 S32 U32 " ROUNDS, smb_sass_compute_conversion},
    {"I2I", "S8 U8 S16 U16 S32 U32 SAT", smb_sass_compute_conversion},
    {"I2IP", "S2 U2 S4 U4 S8 U8 S16 U16 S32 SAT", smb_sass_compute_packing},
    {"IABS", "", smb_sass_compute_absolute},
    {"IADD", "64 X", smb_sass_compute_sum},
    {"IADD3", "64 X", smb_sass_compute_sum},
    {"IDP", "2A 4A LO HI S8 U8 S16 U16", smb_sass_compute_dot},
    {"IMAD", "HI IADD MOV SHL U32 WIDE X", smb_sass_compute_product},
    {"IMNMX", "S32 U32 S64 U64", smb_sass_compute_extreme},
    {"ISETP", "EX U32 S32 64 U64 S64 " COMPARES, smb_sass_compute_comparison},
    {"LEA", "HI SX32 X", smb_sass_compute_address},
    {"LOP3", "LUT PAND", smb_sass_compute_logic},
    {"MATCH", "ALL ANY U64", smb_sass_compute_match},
    {"MOV", "64", smb_sass_compute_move},
    {"MOVM", "16 MT88", smb_sass_compute_matrix},
    {"MUFU", "COS EX2 LG2 RCP RCP64H RSQ RSQ64H SIN SQRT TANH", smb_sass_compute_function},
    {"P2R", "B1 B2 B3", smb_sass_compute_pack},
    {"PLOP3", "LUT", smb_sass_compute_predicates},
    {"POPC", "", smb_sass_compute_field},
    {"PRMT", "F4E B4E RC8 ECL ECR RC16", smb_sass_compute_permutation},
    {"R2P", "", smb_sass_compute_unpack},
    {"R2UR", "BROADCAST OR", smb_sass_compute_first},
    {"REDUX", "SUM S32 MIN MAX OR XOR AND", smb_sass_compute_reduction},
    {"RPCMOV", "32", smb_sass_compute_return},
    {"SEL", "64", smb_sass_compute_choice},
    {"SGXT", "U32 W", smb_sass_compute_field},
    {"SHF", "L R S32 U32 S64 U64 W HI", smb_sass_compute_shift},
    {"SHFL", "UP DOWN BFLY IDX", smb_sass_compute_exchange},
    {"VABSDIFF", "U32", smb_sass_compute_difference},
    {"VABSDIFF4", "S8 U8 ACC", smb_sass_compute_differences},
    {"VIADD", "16x2 U8x4 ISAT S32", smb_sass_compute_sum},
    {"VIADDMNMX", "U32 RELU S16x2 U16x2", smb_sass_compute_extreme_sum},
    {"VIMNMX", "S32 U32 RELU S16x2 U16x2 U8x4", smb_sass_compute_extreme},
    {"VIMNMX3", "S32 U32 RELU S16x2 U16x2", smb_sass_compute_extreme},
    {"VOTE", "ALL ANY EQ", smb_sass_compute_vote},
    {"VOTEU", "ALL ANY EQ", smb_sass_compute_vote},
};

static const Form *
find_form(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(forms); i++)
    if (strcmp(forms[i].name, name) == 0)
      return &forms[i];
  return NULL;
}

static gboolean
has_word(const char *words, const char *word) {
  gsize length = strlen(word);
  for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return TRUE;
  return FALSE;
}

// Results of products of matrices: data of which nothing is known. How many registers they take.
static guint
count_results(const SassDecoder *decoder) {
  static const char *const names[] = {"HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA", NULL};
  if (!smb_sass_is_one_of(decoder, names))
    return 0;
  // HMMA….F16 has two registers of pairs; IMMA.8816 and IMMA.8832 have two of 32 bits.
  gboolean is_short = smb_sass_has(decoder, "F16") && !smb_sass_has(decoder, "F32");
  gboolean is_small = smb_sass_has(decoder, "8816") || smb_sass_has(decoder, "8832");
  return is_short || is_small ? 2 : 4;
}

static SassResult
decode_matrix(SassDecoder *decoder) {
  const SassOperand *result = smb_sass_operand(decoder, 0);
  guint n = count_results(decoder);
  Row row = n > 0 && result ? smb_sass_result(decoder, result, n) : NO_ROW;
  if (row == NO_ROW)
    return SASS_OTHER;
  smb_sass_add_unknown(decoder, row, n);
  return SASS_DECODED;
}

// Of the uniform datapath: in all lanes.
static void
forget_uniform(SassDecoder *decoder, const Written *written) {
  Row row = smb_sass_scratch(decoder, 1);
  Predicate predicate = smb_sass_scratch_predicate(decoder);
  smb_sass_add_unknown(decoder, row, 1);
  smb_sass_add_unknown_predicate(decoder, predicate);
  for (guint i = 0; i < written->n; i++)
    smb_sass_add_compute(
        decoder, &(Compute){.operation = OPERATION_FIRST, .d = written->row + i, .s = {row}});
  if (written->n == 0)
    smb_sass_add_compute(decoder, &(Compute){.operation = OPERATION_FIRST_PREDICATE,
                                             .p = written->predicate,
                                             .in = {predicate}});
}

static gboolean
is_uniform_result(const SassDecoder *decoder, const Written *written) {
  if (written->n == 0)
    return written->predicate - decoder->uniform_predicates < SASS_PREDICATE_REGISTERS;
  return written->row - decoder->uniforms < SASS_UNIFORMS;
}

// Nothing is known of what it writes. The guard's predicate comes last.
static void
forget_results(SassDecoder *decoder, const SassReading *reading) {
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < reading->n_results; i++) {
      const Written *written = &reading->results[i];
      gboolean is_guard = written->n == 0 && written->predicate == decoder->guard;
      if (is_guard != (round == 1))
        continue;
      if (is_uniform_result(decoder, written))
        forget_uniform(decoder, written);
      else if (written->n > 0)
        smb_sass_add_unknown(decoder, written->row, written->n);
      else
        smb_sass_add_unknown_predicate(decoder, written->predicate);
    }
}

SassResult
smb_sass_decode_compute(SassDecoder *decoder) {
  const SassInstruction *instruction = decoder->instruction;
  if (!instruction->name)
    return SASS_OTHER;
  SassReading reading = {
      .decoder = decoder, .name = instruction->name, .is_other = !instruction->is_complete};
  const Form *form = find_form(reading.name);
  reading.is_uniform = form && strcmp(reading.name, "VOTEU") == 0;
  if (!form && reading.name[0] == 'U') {
    reading.is_uniform = TRUE;
    form = find_form(++reading.name);
  }
  if (!form)
    return decode_matrix(decoder);
  for (const char *const *part = instruction->parts; *part; part++)
    reading.is_other = reading.is_other || !has_word(form->parts, *part);
  guint n_steps = decoder->code->steps->len;
  form->run(&reading);
  if (!reading.is_other)
    return SASS_DECODED;
  g_array_set_size(decoder->code->steps, n_steps);
  forget_results(decoder, &reading);
  return reading.n_results > 0 ? SASS_DECODED : SASS_OTHER;
}
