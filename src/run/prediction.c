// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/prediction.h"

#include <math.h>

#include "src/rank/rank.h"

// By which part numbers may differ of launches that take as long.
#define SAME_WORK 0.02

// @seen: launches by what they are given → GPtrArray of SmbPrediction
struct _SmbPredictions {
  GHashTable *seen;
};

struct _SmbPrediction {
  SmbLaunchWork work;
  SmbRankRow row; // only its time
  char *words;    // that
};

static void
free_prediction(gpointer data) {
  SmbPrediction *prediction = data;
  smb_chip_free(prediction->row.chip);
  smb_time_free(prediction->row.time);
  g_free(prediction->row.untimed);
  g_free(prediction->words);
  g_free(prediction);
}

SmbPredictions *
smb_predictions_new(void) {
  SmbPredictions *predictions = g_new0(SmbPredictions, 1);
  predictions->seen =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  return predictions;
}

void
smb_predictions_free(SmbPredictions *predictions) {
  if (!predictions)
    return;
  g_hash_table_unref(predictions->seen);
  g_free(predictions);
}

SmbLaunchWork
smb_launch_work_of(const SmbAnalysis *analysis, const GArray *lengths) {
  SmbLaunchWork work = {.instructions = (double)analysis->instructions};
  for (guint i = 0; i < lengths->len; i++) {
    double length = g_array_index(lengths, guint32, i);
    work.longest = MAX(work.longest, length);
    work.spread += length * length;
  }
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
    work.wavefronts[c] = (double)analysis->totals[c].wavefronts;
    work.requests[c] = (double)analysis->global_totals[c].requests;
    work.segments[c] = (double)analysis->global_totals[c].segments;
  }
  return work;
}

static gboolean
is_within_tolerance(double a, double b) {
  return fabs(a - b) <= SAME_WORK * MAX(a, b);
}

static gboolean
is_same_work(const SmbLaunchWork *a, const SmbLaunchWork *b) {
  gboolean same = is_within_tolerance(a->instructions, b->instructions) &&
                  is_within_tolerance(a->longest, b->longest) &&
                  is_within_tolerance(a->spread, b->spread);
  for (guint c = 0; same && c < SMB_N_OP_CLASSES; c++)
    same = is_within_tolerance(a->wavefronts[c], b->wavefronts[c]) &&
           is_within_tolerance(a->requests[c], b->requests[c]) &&
           is_within_tolerance(a->segments[c], b->segments[c]);
  return same;
}

static char *
make_prediction_key(const SmbProgram *program, const SmbLaunch *launch) {
  gsize n = 0;
  const guchar *data = g_bytes_get_data(launch->parameters, &n);
  GString *key = g_string_new(smb_program_name(program));
  g_string_append_printf(key, " %p %" G_GSIZE_FORMAT, (gconstpointer)program,
                         (gsize)launch->dynamic_bytes);
  for (guint i = 0; i < 3; i++)
    g_string_append_printf(key, " %u %u %u", launch->grid[i], launch->block[i], launch->cluster[i]);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf(key, "%02x", data[i]);
  return g_string_free(key, FALSE);
}

// What a row says of a time.
static char *
describe_prediction(const SmbRankRow *row) {
  return row->time ? g_strdup_printf("%.2e %.2e", row->time->cycles, row->time->without)
                   : g_strdup(row->untimed ? row->untimed : "");
}

const SmbPrediction *
smb_predictions_find(const SmbPredictions *predictions, const SmbProgram *program,
                     const SmbLaunch *launch, const SmbLaunchWork *work) {
  g_autofree char *key = make_prediction_key(program, launch);
  const GPtrArray *alike = g_hash_table_lookup(predictions->seen, key);
  for (guint i = 0; alike && i < alike->len; i++) {
    const SmbPrediction *prediction = g_ptr_array_index(alike, i);
    if (is_same_work(&prediction->work, work))
      return prediction;
  }
  return NULL;
}

const SmbPrediction *
smb_predictions_make(SmbPredictions *predictions, const SmbProgram *program, const SmbArch *arch,
                     const SmbLaunch *launch, const SmbLaunchWork *work,
                     gboolean (*is_cancelled)(gpointer user), gpointer user) {
  char *key = make_prediction_key(program, launch);
  GPtrArray *alike = g_hash_table_lookup(predictions->seen, key);
  if (alike) {
    g_free(key);
  } else {
    alike = g_ptr_array_new_with_free_func(free_prediction);
    g_hash_table_insert(predictions->seen, key, alike);
  }
  const SmbTarget target = {.kernel = (SmbProgram *)program,
                            .launch = *launch,
                            .options = {.is_cancelled = is_cancelled, .cancel_user = user}};
  SmbPrediction *prediction = g_new0(SmbPrediction, 1);
  prediction->work = *work;
  smb_rank_time(&prediction->row, &target, arch);
  prediction->words = describe_prediction(&prediction->row);
  g_ptr_array_add(alike, prediction);
  return prediction;
}

const char *
smb_prediction_words(const SmbPrediction *prediction) {
  return prediction ? prediction->words : NULL;
}

void
smb_prediction_give(const SmbPrediction *prediction, SmbRankRow *row) {
  if (!prediction || row->time || row->untimed)
    return;
  row->chip = smb_chip_ref(prediction->row.chip);
  row->time = smb_time_ref(prediction->row.time);
  row->untimed = g_strdup(prediction->row.untimed);
}
