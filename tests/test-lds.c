// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counts of AMD's LDS: the files that come with the program are what the model says, broken ones are refused, and
// latencies grow with the cycles.
#include "sim/measured/lds.h"

#include <check.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/data.h"
#include "sim/base/error.h"
#include "tests/suite.h"

static SmbLdsCounts *
read_text(const char *text, GError **error) {
  return smb_lds_counts_new("x.csv", text, strlen(text), error);
}

// Every number that is in data/measured, to the last cycle.
START_TEST(test_measured) {
  g_auto(GStrv) names = smb_data_list("measured", ".csv");
  guint n = 0;
  for (guint f = 0; names[f]; f++) {
    g_autofree char *path = g_strdup_printf("measured/%s.csv", names[f]);
    g_autoptr(GBytes) bytes = smb_data_load(path, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(SmbLdsCounts) counts =
        smb_lds_counts_new(path, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), &error);
    ck_assert_msg(counts != NULL, "%s", error ? error->message : "");
    for (guint i = 0; i < counts->rows->len; i++, n++) {
      const SmbLdsCount *row = &g_array_index(counts->rows, SmbLdsCount, i);
      g_autoptr(SmbArch) arch = smb_arch_load(row->arch, NULL);
      SmbWavefronts cost = smb_wavefronts_count(arch, &row->request);
      ck_assert_msg(smb_lds_predict(row->counter, &cost) == row->value, "%s:%u", path, row->line);
    }
  }
  ck_assert_uint_ge(n, 4077);
}
END_TEST

typedef struct {
  const char *series;
  const char *arch;
  const char *instruction;
  guint bytes;
  double time;
} Latency;

static const Latency latencies[] = {
#define LATENCY(series, arch, instruction, bytes, time) {series, arch, instruction, bytes, time},
#include "tests/lds-latencies.def"
#undef LATENCY
};

static guint
count_cycles(const Latency *latency) {
  g_autoptr(SmbArch) arch = smb_arch_load(latency->arch, NULL);
  guint lanes = smb_arch_info(arch)->lanes, width;
  SmbRequest request = {.mask = smb_lanes_below(lanes)};
  SmbOp op;
  ck_assert(smb_lds_instruction(latency->instruction, &op, &width));
  request.op = (guint8)op;
  request.width = (guint8)width;
  for (guint lane = 0; lane < lanes; lane++)
    request.offset[lane] = lane * latency->bytes;
  return smb_wavefronts_count(arch, &request).wavefronts;
}

// What takes more cycles in the model took longer.
START_TEST(test_latencies) {
  guint compared = 0;
  for (guint i = 0; i < G_N_ELEMENTS(latencies); i++) {
    guint cycles = count_cycles(&latencies[i]);
    for (guint j = 0; j < G_N_ELEMENTS(latencies); j++) {
      if (strcmp(latencies[i].series, latencies[j].series) != 0 ||
          cycles >= count_cycles(&latencies[j]))
        continue;
      ck_assert_msg(latencies[i].time < latencies[j].time, "%s: %u and %u bytes",
                    latencies[i].series, latencies[i].bytes, latencies[j].bytes);
      compared++;
    }
  }
  ck_assert_uint_gt(compared, 200);
}
END_TEST

START_TEST(test_instructions) {
  static const struct {
    const char *name;
    gboolean known;
    SmbOp op;
    guint width;
  } cases[] = {
      {"ds_read_b32", TRUE, SMB_OP_LD, 4},
      {"ds_load_b96", TRUE, SMB_OP_LD, 12},
      {"ds_read_u16", TRUE, SMB_OP_LD, 2},
      {"ds_write_b8", TRUE, SMB_OP_ST, 1},
      {"ds_store_b128", TRUE, SMB_OP_ST, 16},
      {"ds_read_i8", TRUE, SMB_OP_LD, 1},
      {"ds_read_b48", FALSE, 0, 0},
      {"ds_read_b", FALSE, 0, 0},
      {"ds_read_", FALSE, 0, 0},
      {"ds_read2_b32", FALSE, 0, 0},
      {"ds_write_f32", FALSE, 0, 0},
      {"LDS.128", FALSE, 0, 0},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    SmbOp op = SMB_N_OPS;
    guint width = 0;
    ck_assert_msg(smb_lds_instruction(cases[i].name, &op, &width) == cases[i].known, "%s",
                  cases[i].name);
    if (cases[i].known)
      ck_assert(op == cases[i].op && width == cases[i].width);
  }
}
END_TEST

#define COLUMNS "instruction,lanes,bytes_apart,counter,value\n"
#define HEAD    "# made up: what for\n# gpu: G\n# arch: mi300x\n# source: S\n" COLUMNS

START_TEST(test_rows) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbLdsCounts) counts =
      read_text(HEAD "ds_read_b64, 5 ,16,SQ_LDS_IDX_ACTIVE,4\r\n\n# arch: gfx1100\n# plain\n"
                     "ds_store_b8,80000000,1,SQC_LDS_BANK_CONFLICT>0,0",
                &error);
  ck_assert_msg(counts != NULL, "%s", error ? error->message : "");
  ck_assert_uint_eq(counts->rows->len, 2);
  const SmbLdsCount *first = &g_array_index(counts->rows, SmbLdsCount, 0), *second = first + 1;
  ck_assert_str_eq(first->gpu, "G");
  ck_assert_str_eq(first->arch, "gfx942");
  ck_assert_str_eq(first->source, "S");
  ck_assert(first->line == 6 && first->request.mask == 5 && first->request.offset[2] == 32);
  ck_assert(first->counter == SMB_LDS_IDX_ACTIVE && first->value == 4);
  ck_assert_str_eq(second->arch, "gfx1100");
  ck_assert_str_eq(second->counter_name, "SQC_LDS_BANK_CONFLICT>0");
  ck_assert(second->request.op == SMB_OP_ST && second->request.width == 1);
}
END_TEST

static const struct {
  const char *text;
  const char *message;
} refused[] = {
    {"", "x.csv: no line names the columns"},
    {"ds_read_b32,1,4,SQ_LDS_IDX_ACTIVE,2\n",
     "x.csv:1:1: expected a line of column names, instruction,lanes,bytes_apart,counter,value"},
    {"# arch: gfx1\n", "x.csv:1:1: no architecture 'gfx1'"},
    {COLUMNS "ds_read_b32,1,4,SQ_LDS_IDX_ACTIVE,2\n", "x.csv:2:1: no comment '# gpu: …' above"},
    {"# gpu: g\n" COLUMNS "ds_read_b32,1,4,SQ_LDS_IDX_ACTIVE,2\n",
     "x.csv:3:1: no comment '# arch: …' above"},
    {"# gpu: g\n# arch: gfx942\n" COLUMNS "ds_read_b32,1,4,SQ_LDS_IDX_ACTIVE,2\n",
     "x.csv:4:1: no comment '# source: …' above"},
    {HEAD "ds_read_b32,1,4\n", "x.csv:6:1: 3 fields: expected 5, instruction,"},
    {HEAD "ld,1,4,SQ_LDS_IDX_ACTIVE,2\n", "x.csv:6:1: 'ld' is not an instruction such as"},
    {HEAD "ds_read_b32,1,4,LDS_IDX_ACTIVE,2\n", "x.csv:6:1: 'LDS_IDX_ACTIVE' is none of: SQ_LDS_"},
    {HEAD "ds_read_b32,0,4,SQ_LDS_IDX_ACTIVE,2\n", "x.csv:6:1: lanes: '0' is not a lane mask"},
    {HEAD "ds_read_b32,1,-4,SQ_LDS_IDX_ACTIVE,2\n", "x.csv:6:1: bytes_apart: '-4' is not a number"},
    {HEAD "ds_read_b32,3,2,SQ_LDS_IDX_ACTIVE,2\n", "x.csv:6:1: offset 2 of lane 1 is misaligned"},
    {HEAD "ds_read_b32,1,4,SQ_LDS_IDX_ACTIVE,1.5\n",
     "x.csv:6:1: value: '1.5' is not a whole number"},
    {"# gpu: g\n# arch: gfx1100\n# source: s\n" COLUMNS
     "ds_read_b32,100000000,4,SQC_LDS_IDX_ACTIVE,2\n",
     "x.csv:5:1: lane 32 is active"},
    {"# gpu: g\n# arch: sm_10\n# source: s\n" COLUMNS "ds_read_b96,1,4,SQ_LDS_IDX_ACTIVE,2\n",
     "x.csv:5:1: sm_10 has no rule for ld of 12 bytes"},
};

START_TEST(test_refused) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(read_text(refused[_i].text, &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_msg(g_str_has_prefix(error->message, refused[_i].message), "%s", error->message);
}
END_TEST

START_TEST(test_zero_byte) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_lds_counts_new("x.csv", "a\0b", 3, &error));
  ck_assert_str_eq(error->message, "x.csv:1:1: a zero byte: not a text file");
}
END_TEST

Suite *
suite_lds(void) {
  Suite *suite = suite_create("lds");
  TCase *tcase = tcase_create("lds");
  tcase_add_test(tcase, test_measured);
  tcase_add_test(tcase, test_latencies);
  tcase_add_test(tcase, test_instructions);
  tcase_add_test(tcase, test_rows);
  tcase_add_loop_test(tcase, test_refused, 0, G_N_ELEMENTS(refused));
  tcase_add_test(tcase, test_zero_byte);
  suite_add_tcase(suite, tcase);
  return suite;
}
