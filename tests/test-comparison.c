// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How a recording compares: setRowReadColPad in its square shape has 32 loads and 32 stores, each of one
// wavefront, when it is padded by a word.
#include "src/validate/comparison.h"

#include <check.h>
#include <string.h>

#include "sim/base/error.h"
#include "src/validate/comparison-report.h"
#include "tests/suite.h"

static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";

// A recording of one launch, of which nothing is measured yet.
static SmbRecording *
make_recording(SmbRecordedKernel **kernel) {
  static const char *const defines[] = {"BDIMX=32", "BDIMY=32", "IPAD=1", NULL};
  SmbRecording *recording = smb_recording_new();
  SmbRecordedKernel *launch = smb_recorded_kernel_new();
  recording->source = g_strdup("r.json");
  recording->gpu = g_strdup("No device");
  recording->arch = g_strdup("sm_90");
  recording->method = g_strdup("by hand");
  recording->capability_major = 9;
  launch->name = g_strdup("setRowReadColPad");
  launch->shape = g_strdup("square");
  launch->file = g_strdup("data/kernels/setRowReadColPad.cu");
  launch->block[0] = launch->block[1] = 32;
  g_strfreev(launch->defines);
  launch->defines = g_strdupv((GStrv)(gpointer)defines);
  g_ptr_array_add(recording->kernels, launch);
  *kernel = launch;
  return recording;
}

static const SmbComparisonRow *
find_row(const SmbComparison *comparison, const char *metric) {
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (row->kind != SMB_ROW_PUBLISHED && strcmp(row->metric, metric) == 0)
      return row;
  }
  return NULL;
}

static void
compare(SmbComparison *comparison, const SmbRecording *recording) {
  g_autoptr(GError) error = NULL;
  ck_assert_msg(smb_comparison_add_recording(comparison, recording, NULL, &error), "%s",
                error ? error->message : "");
}

// What was measured of the loads, and what is said of their wavefronts and instructions.
static const struct {
  double wavefronts;
  double instructions;
  SmbOutcome wavefronts_outcome;
  SmbOutcome instructions_outcome;
  const char *wavefronts_note;
  const char *instructions_note;
} loads[] = {
    {32, 32, SMB_OUTCOME_MATCH, SMB_OUTCOME_MATCH, NULL, NULL},
    {32, 33, SMB_OUTCOME_MATCH, SMB_OUTCOME_EXPLAINED, NULL,
     "1 more executed, with every lane predicated off: they take no "
     "wavefront"},
    {32, 8, SMB_OUTCOME_MATCH, SMB_OUTCOME_EXPLAINED, NULL,
     "the compiler merged or removed 24 of 32 accesses"},
    {32, 0, SMB_OUTCOME_MATCH, SMB_OUTCOME_EXPLAINED, NULL,
     "the compiler merged or removed 32 of 32 accesses"},
    {31, 32, SMB_OUTCOME_MISMATCH, SMB_OUTCOME_MATCH, NULL, NULL},
    {31, 31, SMB_OUTCOME_MISMATCH, SMB_OUTCOME_MISMATCH,
     "the compiler changed the instructions: instructions_ld (31 executed, 32 "
     "predicted)",
     "the compiler merged or removed 1 of 32 accesses"},
    {33, 31, SMB_OUTCOME_MISMATCH, SMB_OUTCOME_MISMATCH,
     "the compiler changed the instructions: instructions_ld (31 executed, 32 "
     "predicted)",
     "their wavefronts differ as well"},
    {31, 33, SMB_OUTCOME_MISMATCH, SMB_OUTCOME_MISMATCH,
     "the compiler changed the instructions: instructions_ld (33 executed, 32 "
     "predicted)",
     "their wavefronts differ as well"},
    {32.05, 32, SMB_OUTCOME_MISMATCH, SMB_OUTCOME_MATCH, NULL, NULL},
    {SMB_NOT_MEASURED, 31, SMB_OUTCOME_UNMEASURED, SMB_OUTCOME_MISMATCH, NULL,
     "their wavefronts, which could explain it, were not measured"},
    {32, SMB_NOT_MEASURED, SMB_OUTCOME_MATCH, SMB_OUTCOME_UNMEASURED, NULL, NULL},
};

START_TEST(test_loads) {
  SmbRecordedKernel *kernel;
  g_autoptr(SmbRecording) recording = make_recording(&kernel);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  recording->counters[SMB_METRIC_WAVEFRONTS_LD] = g_strdup("w");
  recording->counters[SMB_METRIC_INSTRUCTIONS_LD] = g_strdup("i");
  kernel->measured[SMB_METRIC_WAVEFRONTS_LD] = loads[_i].wavefronts;
  kernel->measured[SMB_METRIC_INSTRUCTIONS_LD] = loads[_i].instructions;
  compare(comparison, recording);
  ck_assert_uint_eq(comparison->rows->len, 2);
  const SmbComparisonRow *wavefronts = find_row(comparison, "wavefronts_ld");
  const SmbComparisonRow *instructions = find_row(comparison, "instructions_ld");
  ck_assert_uint_eq(wavefronts->outcome, loads[_i].wavefronts_outcome);
  ck_assert_uint_eq(instructions->outcome, loads[_i].instructions_outcome);
  ck_assert_pstr_eq(wavefronts->note, loads[_i].wavefronts_note);
  ck_assert_pstr_eq(instructions->note, loads[_i].instructions_note);
  ck_assert_double_eq(instructions->predicted, 32);
  ck_assert_uint_eq(comparison->compared,
                    comparison->matched + comparison->explained + comparison->mismatched);
  ck_assert_uint_eq(comparison->compared + comparison->unmeasured, 2);
}
END_TEST

// What was measured of a load without conflicts, of one wavefront and one cycle.
static const struct {
  double wavefronts;
  SmbOutcome wavefronts_outcome;
  double cycles;
  SmbOutcome cycles_outcome;
} requests[] = {
    {1, SMB_OUTCOME_MATCH, 1, SMB_OUTCOME_MATCH},
    {1.109, SMB_OUTCOME_MATCH, 1.499, SMB_OUTCOME_MATCH},
    {1.111, SMB_OUTCOME_MISMATCH, 1.5, SMB_OUTCOME_MISMATCH},
    {0.891, SMB_OUTCOME_MATCH, 0.801, SMB_OUTCOME_MATCH},
    {0.889, SMB_OUTCOME_MISMATCH, 0.799, SMB_OUTCOME_MISMATCH},
    {2, SMB_OUTCOME_MISMATCH, 2, SMB_OUTCOME_MISMATCH},
    {SMB_NOT_MEASURED, SMB_OUTCOME_UNMEASURED, 1.1, SMB_OUTCOME_MATCH},
};

START_TEST(test_requests) {
  SmbRecordedKernel *kernel;
  g_autoptr(SmbRecording) recording = make_recording(&kernel);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  SmbRecordedRequest request = {.request = {.mask = 0xffffffff, .op = SMB_OP_LD, .width = 4},
                                .wavefronts = requests[_i].wavefronts,
                                .cycles = requests[_i].cycles};
  g_array_append_val(recording->requests, request);
  compare(comparison, recording);
  const SmbComparisonRow *row = find_row(comparison, "wavefronts");
  ck_assert_uint_eq(row->outcome, requests[_i].wavefronts_outcome);
  ck_assert_str_eq(row->place, "r.json: requests[0]");
  ck_assert_uint_eq(find_row(comparison, "cycles")->outcome, requests[_i].cycles_outcome);
}
END_TEST

// A request that was not timed has no row for it; with a filter there are no requests.
START_TEST(test_filter) {
  SmbRecordedKernel *kernel;
  g_autoptr(SmbRecording) recording = make_recording(&kernel);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  SmbRecordedRequest request = {.request = {.mask = 1, .op = SMB_OP_LD, .width = 4},
                                .wavefronts = 1,
                                .cycles = SMB_NOT_MEASURED};
  g_array_append_val(recording->requests, request);
  kernel->measured[SMB_METRIC_SECTORS_ST] = 128;
  compare(comparison, recording);
  ck_assert_uint_eq(comparison->matched, 2);
  ck_assert_ptr_null(find_row(comparison, "cycles"));
  ck_assert(smb_comparison_add_recording(comparison, recording, "setRowReadColPad", NULL));
  ck_assert_uint_eq(comparison->matched, 3);
  ck_assert(smb_comparison_add_recording(comparison, recording, "setRowReadCol", NULL));
  ck_assert_uint_eq(comparison->rows->len, 3);
}
END_TEST

// Lines of 128 bytes are not compared with sectors.
START_TEST(test_sectors) {
  SmbRecordedKernel *kernel;
  g_autoptr(SmbRecording) recording = make_recording(&kernel);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  g_free(recording->arch);
  recording->arch = g_strdup("sm_20");
  kernel->measured[SMB_METRIC_SECTORS_ST] = 128;
  compare(comparison, recording);
  const SmbComparisonRow *row = find_row(comparison, "sectors_st");
  ck_assert_uint_eq(row->outcome, SMB_OUTCOME_SHOWN);
  ck_assert_double_eq(row->predicted, SMB_NO_PREDICTION);
  ck_assert_str_eq(row->note, "sm_20 moves segments of 128 bytes, not sectors");
  ck_assert_uint_eq(comparison->compared, 0);
}
END_TEST

// Elements that were equal when it was recorded, and what is said if the digest is not the model's.
static const struct {
  guint64 equal;
  const char *difference;
  const char *note;
} values[] = {
    {1023, "out[1] is 5, the model says 32", "out[1] is 5, the model says 32"},
    {1023, NULL, "the digests differ"},
    {1024, NULL,
     "the digests differ: the values were equal when recorded, so the model has changed"},
};

START_TEST(test_values) {
  SmbRecordedKernel *kernel;
  g_autoptr(SmbRecording) recording = make_recording(&kernel);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  SmbRecordedBuffer *buffer = smb_recorded_buffer_new("out", 4096, g_strdup(zeros));
  buffer->elements = 1024;
  buffer->equal = values[_i].equal;
  buffer->difference = g_strdup(values[_i].difference);
  g_ptr_array_add(kernel->buffers, buffer);
  compare(comparison, recording);
  const SmbComparisonRow *row = find_row(comparison, "values");
  ck_assert_uint_eq(row->outcome, SMB_OUTCOME_MISMATCH);
  ck_assert_str_eq(row->parameter, "out");
  ck_assert_double_eq(row->predicted, 1024);
  ck_assert_double_eq(row->measured, (double)values[_i].equal);
  ck_assert_str_eq(row->note, values[_i].note);
}
END_TEST

// What cannot be replayed: a field of the launch that is replaced, and the message.
static const struct {
  const char *name;
  const char *shape;
  const char *file;
  const char *define;
  const char *message;
} broken[] = {
    {"setRowReadColPad", "round", "data/kernels/setRowReadColPad.cu", NULL,
     "kernel 'setRowReadColPad' has no shape 'round': expected one of square, rect"},
    {"k", NULL, "/nowhere/k.cu", NULL, "/nowhere/k.cu: No such file or directory"},
    {"k", NULL, "data/kernels/none.cu", NULL, "data/kernels/none.cu: "},
    {"tile", NULL, "data/kernels/tile.cu", "ELEM=long double", "data/kernels/tile.cu:"},
};

START_TEST(test_broken) {
  SmbRecordedKernel *kernel;
  g_autoptr(SmbRecording) recording = make_recording(&kernel);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  g_free(kernel->name);
  g_free(kernel->shape);
  g_free(kernel->file);
  kernel->name = g_strdup(broken[_i].name);
  kernel->shape = g_strdup(broken[_i].shape);
  kernel->file = g_strdup(broken[_i].file);
  if (broken[_i].define) {
    g_free(kernel->defines[0]);
    kernel->defines[0] = g_strdup(broken[_i].define);
  }
  g_autoptr(GError) error = NULL;
  g_autofree char *start =
      g_strdup_printf("r.json: kernels[0] (%s): %s", broken[_i].name, broken[_i].message);
  ck_assert(!smb_comparison_add_recording(comparison, recording, NULL, &error));
  ck_assert(g_error_matches(error, SMB_ERROR, SMB_ERROR_INPUT));
  ck_assert_msg(g_str_has_prefix(error->message, start), "%s", error->message);
}
END_TEST

// A buffer that cannot be compared.
static const struct {
  const char *parameter;
  guint64 bytes;
  const char *message;
} buffers[] = {
    {"in", 4, "buffer 'in': the kernel has no such pointer parameter"},
    {"out", SMB_COMPARISON_MAX_BUFFER_BYTES + 1,
     "buffer 'out' has 1073741825 bytes: at most 1073741824 are compared"},
};

START_TEST(test_buffers) {
  SmbRecordedKernel *kernel;
  g_autoptr(SmbRecording) recording = make_recording(&kernel);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  g_ptr_array_add(kernel->buffers, smb_recorded_buffer_new(buffers[_i].parameter, buffers[_i].bytes,
                                                           g_strdup(zeros)));
  g_autoptr(GError) error = NULL;
  g_autofree char *message =
      g_strdup_printf("r.json: kernels[0] (setRowReadColPad): %s", buffers[_i].message);
  ck_assert(!smb_comparison_add_recording(comparison, recording, NULL, &error));
  ck_assert_str_eq(error->message, message);
}
END_TEST

// Published counts stand beside the recorded ones of the same launch only.
START_TEST(test_published) {
  SmbRecordedKernel *kernel;
  g_autoptr(SmbRecording) recording = make_recording(&kernel);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  kernel->measured[SMB_METRIC_WAVEFRONTS_LD] = 32;
  compare(comparison, recording);
  kernel->grid[0] = 2; // not what was published
  kernel->measured[SMB_METRIC_WAVEFRONTS_LD] = 64;
  compare(comparison, recording);
  ck_assert(smb_comparison_add_published(comparison, "setRowReadColPad", NULL));
  g_autoptr(SmbComparison) kepler = smb_comparison_new();
  recording->capability_major = 3; // another family
  kernel->grid[0] = 1;
  compare(kepler, recording);
  ck_assert(smb_comparison_add_published(kepler, "setRowReadColPad", NULL));
  ck_assert_ptr_null(find_row(kepler, "wavefronts_ld")->published);
  const SmbComparisonRow *same = g_ptr_array_index(comparison->rows, 0);
  const SmbComparisonRow *other = g_ptr_array_index(comparison->rows, 1);
  ck_assert_ptr_nonnull(same->published);
  g_autofree char *text = smb_comparison_published(same);
  ck_assert_str_eq(text, "32 (RTX 3080)");
  ck_assert_ptr_null(other->published);
  ck_assert_uint_eq(comparison->mismatched, 0);
}
END_TEST

// What was measured a moment ago is told apart from what is kept.
START_TEST(test_this_device) {
  SmbRecordedKernel *kernel;
  g_autoptr(SmbRecording) recording = make_recording(&kernel);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  compare(comparison, recording);
  ck_assert_ptr_null(comparison->device);
  g_free(recording->source);
  recording->source = g_strdup(SMB_RECORDING_THIS_DEVICE);
  kernel->measured[SMB_METRIC_WAVEFRONTS_LD] = 32;
  compare(comparison, recording);
  ck_assert_str_eq(comparison->device, "No device");
  g_autofree char *text = smb_comparison_provenance(comparison);
  ck_assert_str_eq(text, "this GPU, No device (by hand)");
}
END_TEST

Suite *
suite_comparison(void) {
  TCase *cases = tcase_create("comparison");
  tcase_add_loop_test(cases, test_loads, 0, G_N_ELEMENTS(loads));
  tcase_add_loop_test(cases, test_requests, 0, G_N_ELEMENTS(requests));
  tcase_add_test(cases, test_filter);
  tcase_add_test(cases, test_sectors);
  tcase_add_loop_test(cases, test_values, 0, G_N_ELEMENTS(values));
  tcase_add_loop_test(cases, test_broken, 0, G_N_ELEMENTS(broken));
  tcase_add_loop_test(cases, test_buffers, 0, G_N_ELEMENTS(buffers));
  tcase_add_test(cases, test_published);
  tcase_add_test(cases, test_this_device);
  Suite *suite = suite_create("comparison");
  suite_add_tcase(suite, cases);
  return suite;
}
