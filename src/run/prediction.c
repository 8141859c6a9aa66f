// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/prediction.h"

#include "src/rank/rank.h"

// @seen: launches that were predicted → what was, in words
struct _SmbPredictions {
  GHashTable *seen;
};

struct _SmbPrediction {
  SmbRankRow row; // nothing, of a launch like one that was predicted before
  const char *words;
};

SmbPredictions *
smb_predictions_new(void) {
  SmbPredictions *predictions = g_new0(SmbPredictions, 1);
  predictions->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  return predictions;
}

void
smb_predictions_free(SmbPredictions *predictions) {
  if (!predictions)
    return;
  g_hash_table_unref(predictions->seen);
  g_free(predictions);
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

SmbPrediction *
smb_predictions_look(SmbPredictions *predictions, const SmbProgram *program, const SmbArch *arch,
                     const SmbLaunch *launch, gboolean (*is_cancelled)(gpointer user),
                     gpointer user) {
  char *key = make_prediction_key(program, launch);
  SmbPrediction *prediction = g_new0(SmbPrediction, 1);
  prediction->words = g_hash_table_lookup(predictions->seen, key);
  if (prediction->words) {
    g_free(key);
    return prediction;
  }
  const SmbTarget target = {.kernel = (SmbProgram *)program,
                            .launch = *launch,
                            .options = {.is_cancelled = is_cancelled, .cancel_user = user}};
  smb_rank_time(&prediction->row, &target, arch);
  char *words = describe_prediction(&prediction->row);
  g_hash_table_insert(predictions->seen, key, words);
  prediction->words = words;
  return prediction;
}

const char *
smb_prediction_words(const SmbPrediction *prediction) {
  return prediction ? prediction->words : NULL;
}

void
smb_prediction_give(SmbPrediction *prediction, SmbRankRow *row) {
  if (prediction && !row->time && !row->untimed) {
    row->chip = g_steal_pointer(&prediction->row.chip);
    row->time = g_steal_pointer(&prediction->row.time);
    row->untimed = g_steal_pointer(&prediction->row.untimed);
  }
  smb_prediction_free(prediction);
}

void
smb_prediction_free(SmbPrediction *prediction) {
  if (!prediction)
    return;
  smb_chip_free(prediction->row.chip);
  smb_time_free(prediction->row.time);
  g_free(prediction->row.untimed);
  g_free(prediction);
}
