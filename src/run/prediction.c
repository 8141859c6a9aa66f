// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/prediction.h"

#include "src/rank/rank.h"

// @seen: (element-type utf8): launches that were predicted; @last: (nullable): what is known of the one that runs now
struct _SmbPredictions {
  GHashTable *seen;
  SmbRankRow last;
};

SmbPredictions *
smb_predictions_new(void) {
  SmbPredictions *predictions = g_new0(SmbPredictions, 1);
  predictions->seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  return predictions;
}

static void
forget_last(SmbPredictions *predictions) {
  smb_chip_free(predictions->last.chip);
  smb_time_free(predictions->last.time);
  g_free(predictions->last.untimed);
  predictions->last = (SmbRankRow){NULL};
}

void
smb_predictions_free(SmbPredictions *predictions) {
  if (!predictions)
    return;
  forget_last(predictions);
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

void
smb_predictions_look(SmbPredictions *predictions, const SmbProgram *program, const SmbArch *arch,
                     const SmbLaunch *launch) {
  forget_last(predictions);
  if (!g_hash_table_add(predictions->seen, make_prediction_key(program, launch)))
    return;
  const SmbTarget target = {.kernel = (SmbProgram *)program, .launch = *launch};
  smb_rank_time(&predictions->last, &target, arch);
}

void
smb_predictions_give(SmbPredictions *predictions, SmbRankRow *row) {
  SmbRankRow *last = predictions ? &predictions->last : NULL;
  if (!last || row->time || row->untimed || !(last->time || last->untimed))
    return;
  row->chip = g_steal_pointer(&last->chip);
  row->time = g_steal_pointer(&last->time);
  row->untimed = g_steal_pointer(&last->untimed);
}
