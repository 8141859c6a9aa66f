// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The hardware counters of the made-up GPU. A session takes two passes, each of which counts every
// second metric. A launch adds one wavefront of its own to the sum over all operations: so does an H200.
#include "tests/fake-impl.h"

#include <string.h>

#include "gpu/error.h"

enum {
  PASSES = 2,
  LAUNCH_WAVEFRONTS = 1,
};

// A metric: what it counts, of one class of operations or of all; and what it leaves out of that.
typedef struct {
  const char *name;
  FakeCount count;
  gint8 op_class;
  FakeCount without; // FAKE_WAVEFRONTS, the first: nothing
} Metric;

#define ALL   -1
#define LOAD  SMB_OP_CLASS_LOAD
#define STORE SMB_OP_CLASS_STORE
#define ATOM  SMB_OP_CLASS_ATOMIC

static const Metric metrics[] = {
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", FAKE_WAVEFRONTS, ALL},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", FAKE_WAVEFRONTS, LOAD},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", FAKE_WAVEFRONTS, STORE},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", FAKE_WAVEFRONTS, ATOM},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", FAKE_EXCESS, ALL},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", FAKE_EXCESS, LOAD},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", FAKE_EXCESS, STORE},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", FAKE_EXCESS, ATOM},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum", FAKE_WAVEFRONTS, ALL},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", FAKE_WAVEFRONTS, LOAD,
     FAKE_MATRIX_WAVEFRONTS},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", FAKE_MATRIX_WAVEFRONTS,
     LOAD},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", FAKE_WAVEFRONTS, STORE,
     FAKE_MATRIX_WAVEFRONTS},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum", FAKE_MATRIX_WAVEFRONTS,
     STORE},
    {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", FAKE_WAVEFRONTS, ATOM},
    {"smsp__sass_inst_executed_op_shared_ld.sum", FAKE_INSTRUCTIONS, LOAD,
     FAKE_MATRIX_INSTRUCTIONS},
    {"smsp__sass_inst_executed_op_ldsm.sum", FAKE_MATRIX_INSTRUCTIONS, LOAD},
    {"smsp__sass_inst_executed_op_shared_st.sum", FAKE_INSTRUCTIONS, STORE,
     FAKE_MATRIX_INSTRUCTIONS},
    {"smsp__sass_inst_executed_op_stsm.sum", FAKE_MATRIX_INSTRUCTIONS, STORE},
    {"smsp__sass_inst_executed_op_shared_atom.sum", FAKE_INSTRUCTIONS, ATOM},
    {"smsp__inst_executed_op_shared_ld.sum", FAKE_INSTRUCTIONS, LOAD},
    {"smsp__inst_executed_op_shared_st.sum", FAKE_INSTRUCTIONS, STORE},
    {"smsp__inst_executed_op_shared_atom.sum", FAKE_INSTRUCTIONS, ATOM},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", FAKE_SECTORS, LOAD},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", FAKE_SECTORS, STORE},
};

struct _SmbProfilerSession {
  GArray *metrics; // const Metric *
  guint max_ranges;
  guint pass;     // from 0; PASSES: all are done
  guint n_ranges; // of this pass so far
  gboolean in_pass, in_range;
  double *values; // by range, then by metric
};

// The session that counts, as a device has one at most.
static SmbProfilerSession **
find_current(void) {
  static SmbProfilerSession *current;
  return &current;
}

static gboolean
fail(GError **error, const char *message) {
  g_set_error_literal(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, message);
  return FALSE;
}

static const Metric *
find_metric(const char *name) {
  if (fake_machine()->fault == FAKE_NO_STSM && strstr(name, "executed_op_stsm"))
    return NULL;
  if (fake_machine()->fault == FAKE_NO_SASS && g_str_has_prefix(name, "smsp__sass_"))
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS(metrics); i++) {
    if (strcmp(metrics[i].name, name) == 0)
      return &metrics[i];
  }
  return NULL;
}

static void
close_session(SmbProfilerSession *session) {
  if (!session)
    return;
  if (*find_current() == session)
    *find_current() = NULL;
  g_array_unref(session->metrics);
  g_free(session->values);
  g_free(session);
}

static SmbProfilerSession *
open_session(int device, const char *const *names, guint n_metrics, guint max_ranges,
             GError **error) {
  g_assert(device == 0 && n_metrics > 0 && max_ranges > 0);
  g_assert(!*find_current());
  if (fake_machine()->fault == FAKE_NO_CUPTI) {
    fail(error, "libcupti.so.13 not found");
    return NULL;
  }
  if (fake_machine()->fault == FAKE_NO_PERMISSION) {
    fail(error, "this user may not read hardware counters (made up)");
    return NULL;
  }
  SmbProfilerSession *session = g_new0(SmbProfilerSession, 1);
  session->metrics = g_array_new(FALSE, FALSE, sizeof(const Metric *));
  session->max_ranges = max_ranges;
  session->values = g_new0(double, (gsize)max_ranges *n_metrics);
  for (guint i = 0; i < n_metrics; i++) {
    const Metric *metric = find_metric(names[i]);
    if (!metric) {
      g_set_error(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "the made-up GPU has no metric %s",
                  names[i]);
      close_session(session);
      return NULL;
    }
    g_array_append_val(session->metrics, metric);
  }
  *find_current() = session;
  return session;
}

static gboolean
begin_pass(SmbProfilerSession *session, GError **error) {
  if (session->in_pass || session->pass == PASSES)
    return fail(error, "a pass begins within a pass, or after the last");
  session->in_pass = TRUE;
  session->n_ranges = 0;
  return TRUE;
}

static gboolean
push_range(SmbProfilerSession *session, G_GNUC_UNUSED const char *range, GError **error) {
  if (!session->in_pass || session->in_range)
    return fail(error, "a range begins within a range, or outside of a pass");
  if (session->n_ranges == session->max_ranges)
    return fail(error, "a pass has more ranges than the session was opened for");
  session->in_range = TRUE;
  return TRUE;
}

static gboolean
pop_range(SmbProfilerSession *session, GError **error) {
  if (!session->in_range)
    return fail(error, "a range ends that did not begin");
  session->in_range = FALSE;
  session->n_ranges++;
  return TRUE;
}

static gboolean
end_pass(SmbProfilerSession *session, gboolean *more, GError **error) {
  if (!session->in_pass || session->in_range)
    return fail(error, "a pass ends that did not begin, or within a range");
  if (fake_machine()->fault == FAKE_DROPPED)
    return fail(error, "CUPTI dropped 1 range");
  session->in_pass = FALSE;
  session->pass++;
  *more = session->pass < PASSES;
  return TRUE;
}

static gboolean
read_range(SmbProfilerSession *session, guint range, double *values, GError **error) {
  guint n = session->metrics->len;
  if (session->pass < PASSES || range >= session->n_ranges)
    return fail(error, "a range is read before the last pass, or was never counted");
  memcpy(values, session->values + (gsize)range * n, n * sizeof *values);
  return TRUE;
}

// --- instructions, one by one

static GArray **
find_counts(void) {
  static GArray *counts; // NULL: nobody counts them
  return &counts;
}

static gboolean
count_instructions(int device, const SmbInstructionMetric *metric, const char *symbol,
                   const SmbProfilerLaunch *launch, GArray *counts, GError **error) {
  g_assert(device == 0 && symbol && !*find_current());
  g_assert_cmpstr(metric->names[0], ==, "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared");
  if (fake_machine()->fault == FAKE_NO_SASS) {
    g_set_error(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "the made-up GPU has no metric %s",
                metric->names[0]);
    return FALSE;
  }
  *find_counts() = counts;
  gboolean launched = launch->run(launch->data, error);
  *find_counts() = NULL;
  return launched;
}

void
fake_profiler_add_instructions(const SmbAnalysis *analysis, gboolean is_spoilt) {
  GArray *counts = *find_counts();
  for (guint i = 0; counts && i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    const SmbInstructionCount count = {.pc = access->site->pc,
                                       .value = access->total.wavefronts + is_spoilt};
    g_array_append_val(counts, count);
  }
}

const SmbProfiler *
fake_profiler(guint index) {
  static const SmbProfiler profiler = {
      .name = "made-up counters",
      .open = open_session,
      .begin_pass = begin_pass,
      .push = push_range,
      .pop = pop_range,
      .end_pass = end_pass,
      .read = read_range,
      .close = close_session,
      .instructions = count_instructions,
  };
  return index == 0 ? &profiler : NULL;
}

gboolean
fake_profiler_counts(void) {
  const SmbProfilerSession *session = *find_current();
  return session && session->in_range;
}

static double
sum_metric(const Metric *metric, const FakeCounts *counts) {
  const guint64 *numbers = counts->of[metric->count], *without = counts->of[metric->without];
  double sum = 0;
  for (int i = 0; i < SMB_N_OP_CLASSES; i++) {
    if (metric->op_class != ALL && metric->op_class != i)
      continue;
    sum += (double)numbers[i] - (metric->without ? (double)without[i] : 0);
  }
  return sum;
}

void
fake_profiler_add(const FakeCounts *counts) {
  const SmbProfilerSession *session = *find_current();
  if (!fake_profiler_counts())
    return;
  double *values = session->values + (gsize)session->n_ranges * session->metrics->len;
  for (guint i = session->pass; i < session->metrics->len; i += PASSES) {
    const Metric *metric = g_array_index(session->metrics, const Metric *, i);
    gboolean is_total = metric == &metrics[0];
    values[i] += sum_metric(metric, counts) + (is_total ? LAUNCH_WAVEFRONTS : 0);
  }
}
