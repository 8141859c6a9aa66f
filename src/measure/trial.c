// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/measure/trial.h"
#include "sim/base/error.h"

#include "gpu/error.h"
#include "sim/arch/rule.h"

// Requests that the meter is given at once: many enough to keep a device busy, few enough to be done
// well within the time that a measurement may take (a count takes about 2 ms).
enum {
  CLOCKED_AT_ONCE = 1 << 20,
  COUNTED_AT_ONCE = 1000,
};

void
smb_trial_init(SmbTrial *trial, gsize capacity) {
  *trial = (SmbTrial){
      .capacity = capacity,
      .requests = g_new0(SmbRequest, capacity),
      .predicted = g_new(SmbWavefronts, capacity),
      .cycles = g_new(double, capacity),
      .wavefronts = g_new(double, capacity),
      .clock = g_new(guint8, capacity),
      .count = g_new(guint8, capacity),
  };
}

void
smb_trial_clear(SmbTrial *trial) {
  g_free(trial->requests);
  g_free(trial->predicted);
  g_free(trial->cycles);
  g_free(trial->wavefronts);
  g_free(trial->clock);
  g_free(trial->count);
}

SmbCompare
smb_trial_compare_cycles(const SmbRule *rule) {
  return rule->cycles_lower_bound ? SMB_COMPARE_AT_LEAST : SMB_COMPARE_EQUAL;
}

// Whether @measured lies in the range from @below the prediction to @above it, the upper end excluded.
static gboolean
agrees(SmbCompare compare, double predicted, double measured, double below, double above) {
  if (measured < predicted - below)
    return FALSE;
  return measured < predicted + above || compare == SMB_COMPARE_AT_LEAST;
}

gboolean
smb_trial_cycles_match(SmbCompare compare, guint predicted, double measured) {
  return agrees(compare, predicted, measured, SMB_CLOCK_BELOW, SMB_CLOCK_ABOVE);
}

gboolean
smb_trial_wavefronts_match(SmbCompare compare, guint predicted, double measured) {
  return agrees(compare, predicted, measured, SMB_COUNT_NOISE, SMB_COUNT_NOISE);
}

static const SmbRule *
find_trial_rule(const SmbArch *arch, guint instruction) {
  const SmbInstruction *known = smb_instruction(instruction);
  return smb_arch_rule(arch, known->op, known->width);
}

gboolean
smb_trial_is_bound(const SmbArch *arch, guint instruction) {
  return smb_trial_compare_cycles(find_trial_rule(arch, instruction)) != SMB_COMPARE_EQUAL;
}

void
smb_trial_begin(SmbTrial *trial, const SmbArch *arch, guint instruction, gsize n) {
  const SmbRule *rule = find_trial_rule(arch, instruction);
  g_return_if_fail(n <= trial->capacity);
  trial->instruction = instruction;
  trial->compare_clock = smb_trial_compare_cycles(rule);
  trial->n = n;
  for (gsize i = 0; i < n; i++) {
    trial->cycles[i] = trial->wavefronts[i] = SMB_NOT_MEASURED;
    trial->clock[i] = trial->count[i] = SMB_VERDICT_NONE;
  }
}

// One of the two ways to measure.
typedef struct {
  gboolean (*measure)(SmbMeter *meter, guint instruction, const SmbRequest *requests, gsize n,
                      double *values, GError **error);
  gsize at_once;
} Method;

static const Method by_clock = {smb_meter_clock, CLOCKED_AT_ONCE};
static const Method by_counter = {smb_meter_count, COUNTED_AT_ONCE};

// An error of the device ends what asked for the measurement: it says of which instruction. So does a
// count that fails where counters can be read: to go on without it would leave out what was asked for.
static void
tell_lost(const SmbTrial *trial, GError *local, GError **error) {
  smb_prefix_error(&local, "%s: ", smb_instruction(trial->instruction)->name);
  if (local->domain == SMB_GPU_ERROR && local->code != SMB_GPU_ERROR_COMPILE)
    local->code = SMB_GPU_ERROR_UNAVAILABLE;
  g_propagate_error(error, local);
}

static gboolean
measure_all(SmbMeter *meter, const SmbTrial *trial, const Method *method,
            const SmbRequest *requests, gsize n, double *values, GError **error) {
  for (gsize done = 0; done < n; done += method->at_once) {
    GError *local = NULL;
    gsize some = MIN(n - done, method->at_once);
    gboolean ok =
        method->measure(meter, trial->instruction, requests + done, some, values + done, &local);
    // Counters can be in use by somebody else for a moment: they are asked once more.
    if (g_error_matches(local, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS)) {
      g_clear_error(&local);
      ok = method->measure(meter, trial->instruction, requests + done, some, values + done, &local);
    }
    if (!ok) {
      tell_lost(trial, local, error);
      return FALSE;
    }
  }
  return TRUE;
}

// Measures the requests at @which again; those that still differ are left in it.
static gboolean
measure_again(SmbMeter *meter, SmbTrial *trial, const Method *method, GArray *which, double *values,
              guint8 *verdicts, GError **error) {
  guint n = which->len, left = 0;
  gboolean clock = method == &by_clock;
  g_autofree SmbRequest *requests = g_new(SmbRequest, n);
  g_autofree double *measured = g_new(double, n);
  for (guint i = 0; i < n; i++)
    requests[i] = trial->requests[g_array_index(which, gsize, i)];
  if (!measure_all(meter, trial, method, requests, n, measured, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    gsize at = g_array_index(which, gsize, i);
    const SmbWavefronts *model = &trial->predicted[at];
    gboolean first = verdicts[at] == SMB_VERDICT_NONE;
    values[at] = measured[i];
    gboolean match =
        clock ? smb_trial_cycles_match(trial->compare_clock, model->cycles, measured[i])
              : smb_trial_wavefronts_match(SMB_COMPARE_EQUAL, model->wavefronts, measured[i]);
    if (match) {
      verdicts[at] = first ? SMB_VERDICT_MATCH : SMB_VERDICT_UNSTEADY;
    } else {
      verdicts[at] = SMB_VERDICT_MISMATCH;
      g_array_index(which, gsize, left++) = at;
    }
  }
  g_array_set_size(which, left);
  return TRUE;
}

// The first reading of all by clock: no request is copied.
static gboolean
clock_first(SmbMeter *meter, SmbTrial *trial, GArray *differ, GError **error) {
  if (!measure_all(meter, trial, &by_clock, trial->requests, trial->n, trial->cycles, error))
    return FALSE;
  for (gsize i = 0; i < trial->n; i++) {
    gboolean match =
        smb_trial_cycles_match(trial->compare_clock, trial->predicted[i].cycles, trial->cycles[i]);
    trial->clock[i] = match ? SMB_VERDICT_MATCH : SMB_VERDICT_MISMATCH;
    if (!match)
      g_array_append_val(differ, i);
  }
  return TRUE;
}

gboolean
smb_trial_clock(SmbMeter *meter, SmbTrial *trial, GError **error) {
  g_autoptr(GArray) differ = g_array_new(FALSE, FALSE, sizeof(gsize));
  gboolean ok = clock_first(meter, trial, differ, error);
  for (guint i = 0; ok && i < SMB_TRIAL_REPEATS && differ->len > 0; i++)
    ok = measure_again(meter, trial, &by_clock, differ, trial->cycles, trial->clock, error);
  return ok;
}

gboolean
smb_trial_count(SmbMeter *meter, SmbTrial *trial, const gsize *which, gsize n, GError **error) {
  if (!smb_op_is_shared(smb_instruction(trial->instruction)->op))
    return TRUE;
  g_autoptr(GArray) differ = g_array_new(FALSE, FALSE, sizeof(gsize));
  g_array_append_vals(differ, which, (guint)n);
  gboolean ok = TRUE;
  for (guint i = 0; ok && i <= SMB_TRIAL_REPEATS && differ->len > 0; i++)
    ok = measure_again(meter, trial, &by_counter, differ, trial->wavefronts, trial->count, error);
  return ok;
}

gboolean
smb_trial_differs(const SmbTrial *trial, gsize i) {
  return trial->clock[i] == SMB_VERDICT_MISMATCH || trial->count[i] == SMB_VERDICT_MISMATCH;
}

gboolean
smb_trial_is_unsteady(const SmbTrial *trial, gsize i) {
  return !smb_trial_differs(trial, i) &&
         (trial->clock[i] == SMB_VERDICT_UNSTEADY || trial->count[i] == SMB_VERDICT_UNSTEADY);
}
