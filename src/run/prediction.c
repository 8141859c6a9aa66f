// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/prediction.h"

#include "src/rank/rank.h"

// @seen: (element-type utf8): launches that were predicted
struct _SmbPredictions {
  GHashTable *seen;
};

struct _SmbPrediction {
  SmbRankRow row;
};

SmbPredictions *
smb_predictions_new(void) {
  SmbPredictions *predictions = g_new0(SmbPredictions, 1);
  predictions->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
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

SmbPrediction *
smb_predictions_look(SmbPredictions *predictions, const SmbProgram *program, const SmbArch *arch,
                     const SmbLaunch *launch) {
  if (!g_hash_table_add(predictions->seen, make_prediction_key(program, launch)))
    return NULL;
  SmbPrediction *prediction = g_new0(SmbPrediction, 1);
  const SmbTarget target = {.kernel = (SmbProgram *)program, .launch = *launch};
  smb_rank_time(&prediction->row, &target, arch);
  return prediction;
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
