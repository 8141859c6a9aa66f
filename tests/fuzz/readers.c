// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a file of each format that is not a kernel. What is read without an error is used: a
// request is counted, a recording is written and read again, the numbers of a lesson are computed.
#include <glib/gstdio.h>
#include <string.h>

#include "sim/analysis/part.h"
#include "sim/arch/rule.h"
#include "sim/base/json-member.h"
#include "sim/count/wavefront.h"
#include "sim/image/triton.h"
#include "sim/measured/kernel-metrics.h"
#include "sim/measured/kernel-name.h"
#include "sim/measured/lds.h"
#include "sim/measured/profile.h"
#include "sim/measured/recording.h"
#include "sim/measured/reference.h"
#include "sim/open/catalog.h"
#include "sim/ptx/entries.h"
#include "sim/trace/pattern.h"
#include "sim/trace/trace.h"
#include "src/learn/lesson.h"
#include "tests/fuzz/targets.h"

static void
check_outcome(gboolean read, const GError *error) {
  if (read != (error == NULL))
    g_error("an input is read or refused with a reason");
}

// Every request of @text, written again.
static char *
read_trace(const void *text, gsize size, gboolean *read) {
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, NULL);
  g_autoptr(GBytes) bytes = g_bytes_new(text, size);
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_bytes(bytes);
  g_autoptr(SmbTraceReader) reader = smb_trace_reader_new(stream, "fuzz.txt", arch);
  g_autoptr(GError) error = NULL;
  g_autofree SmbTraceBatch *batch = g_new(SmbTraceBatch, 1);
  GString *again = g_string_new(NULL);
  while ((*read = smb_trace_reader_next(reader, batch, &error)) && batch->n > 0) {
    for (gsize i = 0; i < batch->n; i++) {
      smb_wavefronts_count(arch, &batch->requests[i]);
      smb_trace_append_request(again, &batch->requests[i], smb_arch_info(arch)->lanes);
      g_string_append_c(again, '\n');
    }
  }
  check_outcome(*read, error);
  return g_string_free(again, FALSE);
}

void
fuzz_trace(const guint8 *data, gsize size) {
  gboolean read;
  g_autofree char *once = read_trace(data, size, &read);
  if (!read)
    return;
  g_autofree char *twice = read_trace(once, strlen(once), &read);
  if (!read || strcmp(once, twice) != 0)
    g_error("a trace that was written reads as something else");
}

static void
count_request(const SmbArch *arch, SmbRandom *random, SmbOp op, guint width) {
  SmbRequest request;
  smb_pattern_request(random, smb_arch_info(arch)->lanes, op, width, 0, &request);
  if (!smb_arch_check_request(arch, &request, NULL))
    return;
  SmbWavefronts cost = smb_wavefronts_count(arch, &request);
  if (cost.wavefronts < cost.ideal)
    g_error("%s %u takes fewer wavefronts than are ideal", smb_op_name(op), width);
}

void
fuzz_arch(const guint8 *data, gsize size) {
  g_autofree char *text = g_strndup((const char *)data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch = smb_arch_new_from_data("fuzz", text, &error);
  check_outcome(arch != NULL, error);
  if (!arch)
    return;
  SmbRandom random = smb_random_new(1);
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++) {
      guint width = smb_width(i);
      if (smb_op_has_width((SmbOp)op, width) && smb_arch_rule(arch, (SmbOp)op, width)->defined)
        count_request(arch, &random, (SmbOp)op, width);
    }
  }
}

void
fuzz_catalog(const guint8 *data, gsize size) {
  g_autofree char *text = g_strndup((const char *)data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) catalog = smb_catalog_new_from_data(text, &error);
  check_outcome(catalog != NULL, error);
  for (guint i = 0; catalog && i < catalog->len; i++) {
    const SmbCatalogEntry *entry = catalog->pdata[i];
    if (!smb_catalog_find(catalog, entry->name, entry->shape, NULL, NULL))
      g_error("an entry of the catalogue is not found by its name");
  }
}

void
fuzz_recording(const guint8 *data, gsize size) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbRecording) recording =
      smb_recording_new_from_data("fuzz.json", (const char *)data, size, &error);
  check_outcome(recording != NULL, error);
  if (!recording)
    return;
  g_autofree char *once = smb_recording_to_json(recording);
  g_autoptr(SmbRecording) read = smb_recording_new_from_data("again", once, strlen(once), &error);
  if (!read)
    g_error("a recording that was written is refused: %s", error->message);
  g_autofree char *twice = smb_recording_to_json(read);
  if (strcmp(once, twice) != 0)
    g_error("a recording that was written reads as something else");
}

void
fuzz_published(const guint8 *data, gsize size) {
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) rows =
      smb_reference_new_from_data("fuzz.csv", (const char *)data, size, &error);
  check_outcome(rows != NULL, error);
}

void
fuzz_lds(const guint8 *data, gsize size) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbLdsCounts) counts = smb_lds_counts_new("fuzz.csv", (const char *)data, size, &error);
  check_outcome(counts != NULL, error);
  for (guint i = 0; counts && i < counts->rows->len; i++) {
    const SmbLdsCount *row = &g_array_index(counts->rows, SmbLdsCount, i);
    g_autoptr(SmbArch) arch = smb_arch_load(row->arch, NULL);
    smb_wavefronts_count(arch, &row->request);
  }
}

static const char lesson_kernel[] = "#define PAD 1\n"
                                    "__global__ void k(int *out, const int *in) {\n"
                                    "  __shared__ int a[32 + PAD];\n"
                                    "  a[threadIdx.x] = in[threadIdx.x];\n"
                                    "  __syncthreads();\n"
                                    "  out[threadIdx.x] = a[threadIdx.x ^ 1];\n"
                                    "}\n";

// What a lesson says of its runs, each of which is taken to have run the one kernel.
static void
use_lesson(const SmbLesson *lesson) {
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, NULL);
  g_autoptr(GBytes) bytes = g_bytes_new_static(lesson_kernel, strlen(lesson_kernel));
  g_autoptr(SmbSource) source = smb_source_new("k.cu", bytes, NULL);
  g_autoptr(SmbProgram) kernel =
      smb_program_read(source, &(SmbProgramOptions){.cuda_arch = 900}, NULL);
  SmbLaunch launch = {{32, 1, 1}, {1, 1, 1}, 0, NULL, NULL};
  g_autoptr(SmbAnalysis) analysis = smb_analysis_run(kernel, arch, &launch, NULL, NULL);
  SmbLessonResult results[SMB_LESSON_MAX_RUNS];
  for (guint i = 0; i < SMB_LESSON_MAX_RUNS; i++)
    results[i] = (SmbLessonResult){kernel, arch, analysis, NULL, &launch};
  g_autoptr(GError) error = NULL;
  check_outcome(smb_lesson_check(lesson, results, &error), error);
  for (guint i = 0; i < lesson->after->len; i++) {
    const SmbLessonPart *part = &g_array_index(lesson->after, SmbLessonPart, i);
    g_autoptr(GError) reason = NULL;
    if (part->kind != SMB_LESSON_TEXT)
      continue;
    g_autofree char *text = smb_lesson_text(lesson, part, results, &reason);
    check_outcome(text != NULL, reason);
  }
}

void
fuzz_lesson(const guint8 *data, gsize size) {
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_new("fuzz.lesson", bytes, &error);
  g_autoptr(SmbLesson) lesson = source ? smb_lesson_new(source, &error) : NULL;
  check_outcome(lesson != NULL, error);
  if (lesson)
    use_lesson(lesson);
}

// What operands point at is there.
static void
check_operand(const PtxModule *module, const PtxFunction *function, const PtxOperand *operand) {
  const guint limits[] = {
      [PTX_WHERE_MODULE] = module->variables->len,
      [PTX_WHERE_FUNCTION] = module->functions->len,
      [PTX_WHERE_LOCAL] = function->variables->len,
      [PTX_WHERE_PARAMETER] = function->parameters->len,
      [PTX_WHERE_RETURN] = function->returns->len,
  };
  gboolean is_there =
      operand->kind == PTX_OPERAND_REGISTER ? operand->index < function->registers->len
      : operand->kind == PTX_OPERAND_LABEL  ? operand->index < function->labels->len
      : operand->kind == PTX_OPERAND_SYMBOL
          ? operand->where < G_N_ELEMENTS(limits) && operand->index < limits[operand->where]
          : operand->n == 0 || operand->index + operand->n <= function->operands->len;
  if (!is_there)
    g_error("an operand points at nothing");
}

static void
check_function(const PtxModule *module, const PtxFunction *function) {
  for (guint i = 0; i < function->operands->len; i++)
    check_operand(module, function, &g_array_index(function->operands, PtxOperand, i));
  for (guint i = 0; i < function->instructions->len; i++) {
    const PtxInstruction *instruction = &g_array_index(function->instructions, PtxInstruction, i);
    g_autofree char *text = smb_ptx_instruction_text(module, instruction);
    if (instruction->operand + instruction->n_operands > function->operands->len || !*text)
      g_error("an instruction has operands that are not there, or no text");
  }
}

void
fuzz_ptx(const guint8 *data, gsize size) {
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_new("fuzz.ptx", bytes, &error);
  g_autoptr(PtxModule) module = source ? smb_ptx_module_read(source, &error) : NULL;
  check_outcome(module != NULL, error);
  for (guint i = 0; module && i < module->functions->len; i++)
    check_function(module, module->functions->pdata[i]);
  g_autoptr(SmbEntries) entries = module ? smb_ptx_entries(source, &error) : NULL;
  check_outcome(entries != NULL, error);
}

void
fuzz_profile(const guint8 *data, gsize size) {
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_new("fuzz.csv", bytes, &error);
  check_outcome(source != NULL, error);
  if (!source)
    return;
  g_autoptr(SmbProfile) profile = smb_profile_read(source, &error);
  check_outcome(profile != NULL, error);
  for (guint i = 0; profile && i < profile->launches->len; i++) {
    const SmbProfileLaunch *launch = g_ptr_array_index(profile->launches, i);
    if (smb_kernel_name_compare(launch->kernel, launch->kernel) != SMB_NAME_SAME ||
        !smb_profile_is_equal(launch, launch))
      g_error("a launch is itself");
  }
  g_clear_error(&error);
  g_autoptr(SmbKernelMetrics) metrics = smb_kernel_metrics_read(source, &error);
  check_outcome(metrics != NULL, error);
  for (guint i = 0; metrics && i < metrics->launches->len; i++) {
    const SmbMeasuredLaunch *launch = g_ptr_array_index(metrics->launches, i);
    if (!smb_measured_launch_is_equal(launch, launch))
      g_error("a launch is itself");
  }
}

// What is read is added to itself, and collected.
void
fuzz_part(const guint8 *data, gsize size) {
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonNode) node = smb_json_parse("fuzz.json", (const char *)data, size, 16, &error);
  SmbPart *part = node ? smb_part_read("fuzz.json", node, arch, &error) : NULL;
  check_outcome(part != NULL, error);
  if (!part)
    return;
  static const SmbLaunch launch = {.block = {32, 1, 1}, .grid = {1, 1, 1}};
  g_autoptr(GPtrArray) parts = g_ptr_array_new();
  g_ptr_array_add(parts, part);
  g_ptr_array_add(parts, part);
  g_autoptr(SmbProgram) program = smb_parts_program(parts, "fuzz", "text", "fuzz.cu", 0, &error);
  check_outcome(program != NULL, error);
  if (program)
    smb_analysis_free(smb_parts_collect(parts, program, arch, &launch, NULL));
  g_clear_pointer(&program, smb_program_free);
  smb_part_free(part);
}

// Any bytes as what Triton says of a kernel in its cache.
void
fuzz_triton(const guint8 *data, gsize size) {
  g_autoptr(GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp("smembank-XXXXXX", NULL);
  if (!folder)
    g_error("there is no folder for temporary files");
  g_autofree char *launch = g_build_filename(folder, "k.json", NULL);
  g_autofree char *code = g_build_filename(folder, "k.ptx", NULL);
  if (!g_file_set_contents(launch, (const char *)data, (gssize)size, NULL) ||
      !g_file_set_contents(code, "", 0, NULL))
    g_error("temporary files cannot be written");
  g_autoptr(SmbTriton) triton = smb_triton_find(folder, NULL, 90, &error);
  check_outcome(triton != NULL, error);
  if (triton && !g_file_test(triton->file, G_FILE_TEST_EXISTS))
    g_error("a kernel is found without its code");
  g_unlink(launch);
  g_unlink(code);
  g_rmdir(folder);
}
