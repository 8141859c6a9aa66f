// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"
#include "sim/base/error.h"

#include "src/measure/measure.h"

#include <string.h>

#include "gpu/error.h"
#include "sim/arch/arch.h"
#include "sim/base/data.h"
#include "sim/base/scalar.h"
#include "sim/launch/field.h"
#include "src/analysis/warning.h"
#include "src/commands.h"
#include "src/measure/clock.h"
#include "src/measure/memory.h"
#include "src/target/captured.h"

enum {
  MAX_DEVICE = 1023,
  MAX_TIMEOUT_S = 3600,
  TIMED_LAUNCHES = 11, // with warm caches and with cold ones: odd, so that there is a median
};

/** Largest buffer of a kernel that is measured, in bytes. */
#define MAX_BUFFER_BYTES (G_GUINT64_CONSTANT(2) << 30)

/** Bytes that a buffer has at least, if it is not known how far the kernel reaches: some room for small indices. */
#define LOST_BUFFER_BYTES (G_GUINT64_CONSTANT(1) << 20)

static SmbMeasureOptions typed;

static const GOptionEntry entries[] = {
    {"device", 0, 0, G_OPTION_ARG_STRING, &typed.device, "measure on this GPU (default 0)", "N"},
    {"timeout", 0, 0, G_OPTION_ARG_STRING, &typed.timeout,
     "seconds that one measurement may take (default 30)", "N"},
    G_OPTION_ENTRY_NULL,
};

const SmbCliGroup smb_measure_group = {"Measuring", entries};

const SmbMeasureOptions *
smb_measure_options(void) {
  return &typed;
}

SmbMeter *
smb_measure_open(const SmbMeasureOptions *options, GError **error) {
  // This program again: its command line begins with the name of the worker's command.
  static const char *const worker[] = {"/proc/self/exe", SMB_WORKER_COMMAND, NULL};
  guint device = 0, timeout = SMB_METER_TIMEOUT_MS / 1000;
  if (!smb_cli_number("--device", options->device, 0, MAX_DEVICE, &device, error) ||
      !smb_cli_number("--timeout", options->timeout, 1, MAX_TIMEOUT_S, &timeout, error))
    return NULL;
  return smb_meter_new(worker, (int)device, timeout * 1000, error);
}

// Whether the launch that was asked for can be read.
static gboolean
check_measured_launch(const SmbTargetOptions *options, const char *file, const SmbArch *arch,
                      GError **error) {
  if (options && smb_captured_is_whole(options, file))
    return TRUE;
  if (options && (file || smb_target_is_launch(options))) {
    g_autoptr(SmbTarget) target = smb_target_new(options, file, arch, NULL, error);
    return target != NULL;
  }
  g_autoptr(SmbSource) source = file ? smb_source_load_any(file, error) : NULL;
  return !file || source;
}

SmbMeter *
smb_measure_open_for(const SmbMeasureOptions *options, const SmbTargetOptions *launch,
                     const char *file, const SmbArch *arch, GError **error) {
  g_autoptr(GError) failure = NULL;
  SmbMeter *meter = smb_measure_open(options, &failure);
  gboolean missing = g_error_matches(failure, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE);
  if (!meter && (!missing || check_measured_launch(launch, file, arch, error)))
    g_propagate_error(error, g_steal_pointer(&failure));
  return meter;
}

SmbArch *
smb_measure_arch(const SmbMeter *meter, GError **error) {
  const SmbMeterDevice *device = smb_meter_device(meter);
  g_autofree char *name =
      g_strdup_printf("sm_%u%u", device->capability_major, device->capability_minor);
  g_auto(GStrv) known = smb_data_list("archs", ".ini");
  if (g_strv_contains((const char *const *)known, name))
    return smb_arch_load(name, error);
  g_autofree char *list = g_strjoinv(", ", known);
  smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE,
           "there are no rules for the device, %s, an %s; there are rules for %s", device->name,
           name, list);
  return NULL;
}

static char *
describe_method(const SmbMeterDevice *device) {
  if (device->profiler)
    return g_strdup_printf("hardware counters, read with %s", device->profiler);
  return g_strdup_printf("clock64 under saturation, because %s", device->refusal);
}

SmbRecording *
smb_measure_recording(const SmbMeter *meter, const SmbArch *arch) {
  const SmbMeterDevice *device = smb_meter_device(meter);
  SmbRecording *recording = smb_recording_new();
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  recording->source = g_strdup("this device");
  recording->program = g_strdup("smembank " PACKAGE_VERSION);
  recording->date = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
  recording->gpu = g_strdup(device->name);
  recording->capability_major = device->capability_major;
  recording->capability_minor = device->capability_minor;
  recording->multiprocessors = device->multiprocessors;
  recording->driver = g_strdup(device->driver);
  recording->cuda_driver = g_strdup(device->cuda_driver);
  recording->toolkit = g_strdup(device->toolkit);
  recording->arch = g_strdup(smb_arch_info(arch)->name);
  recording->method = describe_method(device);
  recording->request_counter = device->profiler ? g_strdup(smb_meter_request_counter()) : NULL;
  return recording;
}

void
smb_measure_note_counters(const SmbMeter *meter, SmbRecording *recording) {
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    const char *counter = smb_meter_counter(meter, (SmbMetric)i);
    if (counter && !recording->counters[i])
      recording->counters[i] = g_strdup(counter);
  }
}

// A kernel and what the model says of it.
typedef struct {
  const SmbTarget *target;
  SmbGlobal *global;    // what the model's run leaves behind
  GPtrArray *arguments; // SmbMeterArgument
  gboolean is_lost;     // it reaches global memory where the model does not know
  gboolean is_cooperative;
} Subject;

static void
subject_clear(Subject *subject) {
  g_clear_pointer(&subject->global, smb_global_free);
  g_ptr_array_unref(subject->arguments);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Subject, subject_clear)

static void
argument_free(gpointer data) {
  SmbMeterArgument *argument = data;
  g_free(argument->name);
  g_bytes_unref(argument->bytes);
  g_free(argument);
}

// The contents of a buffer as far as the kernel reaches, after what @global holds.
static GBytes *
read_measured_buffer(const SmbGlobal *global, guint parameter, gsize bytes) {
  guchar *contents = g_malloc(MAX(bytes, 1));
  smb_global_read(global, parameter, 0, contents, bytes);
  return g_bytes_new_take(contents, bytes);
}

// Why what was said of a variable, or of fields of a structure, cannot be put on a device (transfer full); NULL if nothing was.
static char *
find_measured_variable(const SmbTarget *target) {
  const GPtrArray *buffers = target->launch.buffers;
  for (guint p = 0; p < smb_program_n_parameters(target->kernel); p++) {
    if (strcmp(smb_program_level(target->kernel), "text") != 0 &&
        smb_launch_has_field(&target->launch, target->kernel, p))
      return g_strdup_printf("fields of parameter %u were given: they are for predictions only; a "
                             "launch with pointers in structures is measured from its capture",
                             p);
  }
  // Those of a captured launch are put there (src/measure/memory.h).
  for (guint i = 0; buffers && !target->launch.memory && i < buffers->len; i++) {
    const SmbBuffer *buffer = g_ptr_array_index(buffers, i);
    gboolean is_parameter = FALSE;
    for (guint p = 0; p < smb_program_n_parameters(target->kernel); p++)
      is_parameter = is_parameter ||
                     smb_buffer_is_of(buffer, smb_program_parameter(target->kernel, p).name, p);
    if (!is_parameter)
      return g_strdup_printf("'%s' is a variable: --buffer sets it for predictions only",
                             buffer->name);
  }
  return NULL;
}

// Whether the buffers are of a size that can be taken; the reason if not.
static gboolean
add_arguments(Subject *subject, char **failure, GError **error) {
  const SmbProgram *kernel = subject->target->kernel;
  *failure = find_measured_variable(subject->target);
  if (*failure)
    return TRUE;
  g_autoptr(SmbGlobal) untouched = smb_global_new(kernel, &subject->target->launch);
  for (guint i = 0; i < smb_program_n_parameters(kernel); i++) {
    SmbParameter parameter = smb_program_parameter(kernel, i);
    guint64 reach =
        MAX(smb_global_reach(subject->global, i), subject->is_lost ? LOST_BUFFER_BYTES : 0);
    GBytes *bytes = NULL;
    if (reach > MAX_BUFFER_BYTES) {
      *failure = g_strdup_printf("it reaches byte %" G_GUINT64_FORMAT " of %s: more than %" //
                                 G_GUINT64_FORMAT " bytes are not measured",
                                 reach - 1, parameter.name, MAX_BUFFER_BYTES);
      return TRUE;
    }
    gboolean is_pointer = smb_launch_is_pointer(&subject->target->launch, kernel, i);
    if (is_pointer)
      bytes = read_measured_buffer(untouched, i, reach);
    else
      bytes = smb_program_argument(kernel, i, subject->target->launch.arguments, error);
    if (!bytes)
      return FALSE;
    SmbMeterArgument *argument = g_new0(SmbMeterArgument, 1);
    argument->name = g_strdup(parameter.name);
    argument->is_pointer = is_pointer;
    argument->bytes = bytes;
    argument->start = is_pointer ? smb_launch_start(&subject->target->launch, kernel, i) : 0;
    g_ptr_array_add(subject->arguments, argument);
  }
  return TRUE;
}

// An element of a buffer in words; @type is that of the parameter, such as "float4 *".
static char *
format_element(const SmbParameter *parameter, const guchar *bytes) {
  const char *type = parameter->type;
  gsize size = smb_scalar_bytes(parameter->element);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  float single;
  double real;
  guint64 number = 0;
  if (g_str_has_prefix(type, "float")) {
    memcpy(&single, bytes, sizeof single);
    return g_strdup(g_ascii_formatd(buffer, sizeof buffer, "%.9g", (double)single));
  }
  if (g_str_has_prefix(type, "double")) {
    memcpy(&real, bytes, sizeof real);
    return g_strdup(g_ascii_formatd(buffer, sizeof buffer, "%.17g", real));
  }
  memcpy(&number, bytes, size);
  if (smb_scalar_is_real(parameter->element))
    return g_strdup(g_ascii_formatd(buffer, sizeof buffer, "%.5g",
                                    smb_half_to_real(parameter->element, (guint16)number)));
  guint unused = 64 - 8 * (guint)size;
  if (type[0] == 'u' || g_str_has_prefix(type, "bool"))
    return g_strdup_printf("%" G_GUINT64_FORMAT, number);
  return g_strdup_printf("%" G_GINT64_FORMAT, (gint64)(number << unused) >> unused);
}

// "out[5] is 7, the model says 3"; of compiled code, which has no names and types: "byte 20 of parameter 0".
static char *
describe_difference(const SmbProgram *kernel, guint index, gint64 element, const guchar *measured,
                    const guchar *predicted) {
  SmbParameter parameter = smb_program_parameter(kernel, index);
  g_autofree char *is = format_element(&parameter, measured);
  g_autofree char *says = format_element(&parameter, predicted);
  if (parameter.is_unnamed)
    return g_strdup_printf("byte %" G_GINT64_FORMAT " of parameter %u is %s, the model says %s",
                           element, index, is, says);
  return g_strdup_printf("%s[%" G_GINT64_FORMAT "] is %s, the model says %s", parameter.name,
                         element, is, says);
}

// Counts the elements that are equal, and tells the first that is not. @unknown: of the elements, which are equal.
static void
compare_measured_buffer(const SmbProgram *kernel, guint index, guint64 start, GBytes *measured,
                        GBytes *predicted, gsize unknown, SmbRecordedBuffer *buffer) {
  gsize n;
  const guchar *a = g_bytes_get_data(measured, &n), *b = g_bytes_get_data(predicted, NULL);
  gsize size = smb_scalar_bytes(smb_program_parameter(kernel, index).element);
  for (gsize i = 0; i < n / size; i++) {
    if (memcmp(a + i * size, b + i * size, size) == 0)
      buffer->equal++;
    else if (!buffer->difference)
      buffer->difference = describe_difference(kernel, index, (gint64)i - (gint64)(start / size),
                                               a + i * size, b + i * size);
  }
  buffer->elements = n / size - unknown;
  buffer->equal -= unknown;
}

// Bytes (transfer full both ways) in which every NaN is the same, and what the model does not know is 0. Returns in
// @known how many it knows.
static GBytes *
take_canonical(const Subject *subject, guint parameter, GBytes *bytes, gsize *known) {
  gsize length;
  gpointer contents = g_bytes_unref_to_data(bytes, &length);
  smb_scalar_canonical(smb_program_parameter(subject->target->kernel, parameter).element, contents,
                       length);
  *known = smb_global_mask(subject->global, parameter, 0, contents, length);
  return g_bytes_new_take(contents, length);
}

static void
take_buffers(const Subject *subject, const GPtrArray *contents, SmbRecordedKernel *kernel) {
  const SmbProgram *model = subject->target->kernel;
  for (guint i = 0; i < subject->arguments->len; i++) {
    const SmbMeterArgument *argument = g_ptr_array_index(subject->arguments, i);
    GBytes *raw = g_ptr_array_index(contents, i);
    if (!argument->is_pointer || !raw || g_bytes_get_size(raw) == 0)
      continue;
    gsize bytes = g_bytes_get_size(raw), known;
    g_autoptr(GBytes) measured = take_canonical(subject, i, g_bytes_ref(raw), &known);
    g_autoptr(GBytes) predicted =
        take_canonical(subject, i, read_measured_buffer(subject->global, i, bytes), &known);
    if (known == 0)
      continue;
    SmbRecordedBuffer *buffer = smb_recorded_buffer_new(
        argument->name, bytes, g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, measured));
    compare_measured_buffer(model, i, argument->start, measured, predicted, bytes - known, buffer);
    g_ptr_array_add(kernel->buffers, buffer);
  }
}

static int
compare_times(gconstpointer a, gconstpointer b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
summarize_times(GArray *times, SmbRecordedTime *time) {
  if (times->len == 0)
    return;
  g_array_sort(times, compare_times);
  *time = (SmbRecordedTime){.median = g_array_index(times, double, times->len / 2),
                            .min = g_array_index(times, double, 0),
                            .max = g_array_index(times, double, times->len - 1),
                            .n_launches = times->len};
}

static SmbRecordedKernel *
describe_target(const SmbTarget *target) {
  SmbRecordedKernel *kernel = smb_recorded_kernel_new();
  kernel->name = g_strdup(target->name);
  kernel->shape = g_strdup(target->shape);
  kernel->file = g_strdup(target->file);
  memcpy(kernel->block, target->launch.block, sizeof kernel->block);
  memcpy(kernel->grid, target->launch.grid, sizeof kernel->grid);
  g_strfreev(kernel->defines);
  g_strfreev(kernel->args);
  kernel->defines = g_strdupv(target->defines);
  kernel->args = g_strdupv(target->args);
  g_strfreev(kernel->contents);
  kernel->contents = g_strdupv(target->buffers);
  kernel->unknown = target->launch.skips_unknown ? g_strdup("skip") : NULL;
  kernel->dynamic_bytes = target->launch.dynamic_bytes;
  kernel->launch = target->captured ? target->captured->number : 0;
  return kernel;
}

// The clock takes the place of counters that cannot be read.
static gboolean
take_cycles(SmbMeter *meter, const SmbTarget *target, const SmbArch *arch,
            SmbRecordedKernel *kernel, GError **error) {
  double cycles[SMB_N_OP_CLASSES];
  if (!smb_measure_requests(meter, target, arch, cycles, error))
    return FALSE;
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    kernel->measured[smb_metric_of(SMB_METRIC_CYCLES_LD, (SmbOpClass)c)] = cycles[c];
  return TRUE;
}

// What the site at @pc is called, if there is one.
static const char *
find_kernel_text(const SmbProgram *program, guint64 pc) {
  for (guint i = 0; i < smb_program_n_sites(program); i++) {
    const SmbSite *site = smb_program_site(program, i);
    if (site->pc == pc)
      return g_intern_string(site->expression);
  }
  return "";
}

// Each instruction of machine code, where a profiler counts them: where it does not, totals are all there is, and it is said why.
static void
take_instructions(SmbMeter *meter, const SmbTarget *target, const SmbMeterLaunch *launch,
                  SmbRecordedKernel *kernel, SmbSpool *warnings) {
  g_autoptr(GError) failure = NULL;
  if (!smb_program_is_machine_code(target->kernel) || !smb_meter_device(meter)->profiler)
    return;
  kernel->instructions = smb_meter_instructions(meter, launch, &failure);
  if (failure && warnings)
    smb_spool_printf(warnings, "only sums were measured, not single instructions: %s\n",
                     failure->message);
  for (guint i = 0; kernel->instructions && i < kernel->instructions->len; i++) {
    SmbProfileInstruction *instruction =
        &g_array_index(kernel->instructions, SmbProfileInstruction, i);
    instruction->text = find_kernel_text(target->kernel, instruction->pc);
  }
}

// Runs it on the device. A lost device is an error; a kernel that it cannot run is recorded as a failure.
static gboolean
run_on_device(SmbMeter *meter, const Subject *subject, const SmbArch *arch,
              SmbRecordedKernel *kernel, SmbSpool *warnings, GError **error) {
  const SmbTarget *target = subject->target;
  g_autoptr(GBytes) code = smb_program_device_code(target->kernel);
  g_autoptr(GArray) memory = smb_measure_memory(&target->launch);
  g_auto(SmbMeterResult) result = {.contents = NULL};
  g_autoptr(GError) local = NULL;
  SmbMeterLaunch launch = {.code = code,
                           .file = target->file,
                           .entry = smb_program_name(target->kernel),
                           .symbol = smb_program_symbol(target->kernel),
                           .defines = (const char *const *)target->defines,
                           .dynamic_bytes = target->launch.dynamic_bytes,
                           .is_cooperative = subject->is_cooperative,
                           .arguments = subject->arguments,
                           .memory = memory,
                           .n_times = TIMED_LAUNCHES};
  memcpy(launch.grid, target->launch.grid, sizeof launch.grid);
  memcpy(launch.block, target->launch.block, sizeof launch.block);
  memcpy(launch.cluster, target->launch.cluster, sizeof launch.cluster);
  gboolean good = smb_meter_kernel(meter, &launch, &result, &local);
  if (good)
    memcpy(kernel->measured, result.measured, sizeof kernel->measured);
  if (good &&
      (smb_meter_device(meter)->profiler || take_cycles(meter, target, arch, kernel, &local))) {
    for (guint i = 0; i < SMB_N_CACHES; i++)
      summarize_times(result.times[i], &kernel->times[i]);
    take_buffers(subject, result.contents, kernel);
    take_instructions(meter, target, &launch, kernel, warnings);
    return TRUE;
  }
  if (g_error_matches(local, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE)) {
    g_propagate_error(error, g_steal_pointer(&local));
    return FALSE;
  }
  kernel->failure =
      g_strconcat(local->message,
                  subject->is_lost ? " (it reaches global memory at addresses that depend on "
                                     "unknown data: --buffer gives contents)"
                                   : "",
                  NULL);
  return TRUE;
}

// The counter of the instructions that store (or load) leaves out those of matrices, for which not every chip has one (an
// H200 has none for stmatrix): of a kernel that executes such it says nothing.
static void
drop_partial_counts(SmbMeter *meter, const SmbAnalysis *analysis, SmbRecordedKernel *kernel) {
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    SmbMetric metric = smb_metric_of(SMB_METRIC_INSTRUCTIONS_LD, access->site->op_class);
    const char *counter = smb_meter_counter(meter, metric);
    gboolean is_matrix =
        access->worst.op >= SMB_OP_LDMATRIX_X1 && access->worst.op <= SMB_OP_STMATRIX_X4;
    if (is_matrix && counter && g_str_has_prefix(counter, "smsp__sass_") && !strchr(counter, '+'))
      kernel->measured[metric] = SMB_NOT_MEASURED;
  }
}

// A launch of a capture has no buffers whose values are compared: its blocks need not be run in order.
static SmbAnalysis *
predict_launch(const Subject *subject, const SmbArch *arch, GError **error) {
  const SmbTarget *target = subject->target;
  SmbAnalysisOptions options = target->options;
  options.global = target->captured ? NULL : subject->global;
  return smb_analysis_run(target->kernel, arch, &target->launch, &options, error);
}

static SmbRecordedKernel *
measure_launch(SmbMeter *meter, const SmbTarget *target, const SmbArch *arch, SmbSpool *warnings,
               SmbMeasureModel *model, GError **error) {
  g_auto(Subject) subject = {target, smb_global_new(target->kernel, &target->launch),
                             g_ptr_array_new_with_free_func(argument_free), FALSE};
  g_autoptr(SmbAnalysis) analysis = predict_launch(&subject, arch, error);
  if (!analysis)
    return NULL;
  if (warnings)
    smb_analyze_write_warnings(target, analysis, warnings);
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    subject.is_lost = subject.is_lost || analysis->missing_globals[c];
  subject.is_cooperative = analysis->is_cooperative;
  g_autoptr(SmbRecordedKernel) kernel = describe_target(target);
  if (!add_arguments(&subject, &kernel->failure, error) ||
      (!kernel->failure && !run_on_device(meter, &subject, arch, kernel, warnings, error)))
    return NULL;
  drop_partial_counts(meter, analysis, kernel);
  if (model)
    *model = (SmbMeasureModel){g_steal_pointer(&analysis), g_steal_pointer(&subject.global)};
  return g_steal_pointer(&kernel);
}

void
smb_measure_model_clear(SmbMeasureModel *model) {
  g_clear_pointer(&model->analysis, smb_analysis_free);
  g_clear_pointer(&model->global, smb_global_free);
}

SmbRecordedKernel *
smb_measure_kernel(SmbMeter *meter, const SmbTarget *target, const SmbArch *arch,
                   SmbSpool *warnings, GError **error) {
  return measure_launch(meter, target, arch, warnings, NULL, error);
}

gboolean
smb_measure_target(SmbMeter *meter, const SmbTarget *target, const SmbArch *arch,
                   SmbRecording *recording, SmbMeasureModel *model, SmbSpool *warnings,
                   GError **error) {
  SmbRecordedKernel *kernel = measure_launch(meter, target, arch, warnings, model, error);
  if (!kernel)
    return FALSE;
  g_ptr_array_add(recording->kernels, kernel);
  smb_measure_note_counters(meter, recording);
  return TRUE;
}

static guint64
count_launches(const GPtrArray *catalog) {
  guint64 n = 0;
  for (guint i = 0; i < catalog->len; i++)
    n += smb_catalog_defines(g_ptr_array_index(catalog, i), "IPAD") ? 3 : 1;
  return n;
}

// All padded kernels of the catalogue set the macro IPAD.
static gboolean
measure_entry(SmbMeter *meter, const SmbCatalogEntry *entry, const SmbShard *shard, guint64 *next,
              SmbArch *arch, SmbRecording *recording, SmbProgress *progress, GError **error) {
  static const char *const pads[][2] = {{"IPAD=0"}, {"IPAD=1"}, {"IPAD=2"}, {NULL}};
  gboolean padded = smb_catalog_defines(entry, "IPAD");
  for (guint i = padded ? 0 : 3; i < (padded ? 3 : 4); i++) {
    smb_progress_add(progress, 1);
    if (!smb_shard_has(shard, (*next)++))
      continue;
    g_autoptr(SmbTarget) target = smb_target_from_catalog(entry, pads[i], arch, error);
    if (!target || !smb_measure_target(meter, target, arch, recording, NULL, NULL, error)) {
      smb_prefix_error(error, "%s %s: ", entry->name, entry->shape);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
smb_measure_catalog(SmbMeter *meter, const char *kernel, const SmbShard *shard, SmbArch *arch,
                    SmbRecording *recording, SmbProgress *progress, GError **error) {
  guint64 next = 0;
  g_autoptr(GPtrArray) catalog = smb_catalog_load(error);
  if (!catalog || (kernel && !smb_catalog_find(catalog, kernel, NULL, NULL, error)))
    return FALSE;
  smb_progress_begin(progress, "launches", kernel ? 0 : count_launches(catalog));
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = g_ptr_array_index(catalog, i);
    if (kernel && strcmp(kernel, entry->name) != 0)
      continue;
    if (!measure_entry(meter, entry, shard, &next, arch, recording, progress, error))
      return FALSE;
  }
  return TRUE;
}
