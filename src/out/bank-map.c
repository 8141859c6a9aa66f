// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a bank map shows; src/out/bank-map-draw.c shows it.
#include "src/out/bank-map.h"

#include "sim/arch/rule.h"
#include "sim/base/text.h"
#include "sim/count/conflict.h"
#include "sim/base/data.h"
#include "sim/base/order.h"
#include "src/cli/describe.h"

static int
compare_words(gconstpointer a, gconstpointer b) {
  const SmbBankMapWord *x = a, *y = b;
  return smb_order(x->offset, y->offset);
}

static int
compare_lines(gconstpointer a, gconstpointer b) {
  const guint32 *x = a, *y = b;
  return smb_order(*x, *y);
}

static guint
find_line(GArray *lines, guint32 start) {
  guint i = 0;
  while (i < lines->len && g_array_index(lines, guint32, i) != start)
    i++;
  return i;
}

static void
add_word(SmbBankMap *map, guint bank, guint32 offset, SmbLanes lanes) {
  for (guint i = 0; i < map->words->len; i++) {
    SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    if (word->offset == offset) {
      word->lanes |= lanes;
      return;
    }
  }
  SmbBankMapWord word = {.bank = bank, .offset = offset, .lanes = lanes};
  guint32 start = offset - offset % (map->n_banks * map->bank_bytes);
  if (find_line(map->lines, start) == map->lines->len)
    g_array_append_val(map->lines, start);
  g_array_append_val(map->words, word);
}

// Notes what a lane group asks of a bank: @n words, which stand together.
static void
note_bank(SmbBankMap *map, const SmbWordUse *uses, guint n) {
  SmbBankMapBank *bank = &map->banks[uses->bank];
  guint passes = smb_passes_of_bank(&map->passes, map->plan, uses, n);
  SmbLanes lanes = 0;
  bank->words = MAX(bank->words, n);
  bank->passes = MAX(bank->passes, passes);
  bank->collides |= passes > 1;
  for (guint i = 0; i < n; i++)
    lanes |= uses[i].lanes;
  for (guint i = 0; i < map->words->len && passes > 1; i++) {
    SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    word->collides |= word->bank == uses->bank && (word->lanes & lanes);
  }
}

// The words of each bank of each group.
static void
note_banks(SmbBankMap *map, const GArray *uses) {
  for (guint i = 0; i < uses->len;) {
    const SmbWordUse *first = &g_array_index(uses, SmbWordUse, i);
    guint n = 0;
    while (i + n < uses->len && first[n].group == first->group && first[n].bank == first->bank)
      n++;
    note_bank(map, first, n);
    i += n;
  }
}

// A loop whose rounds let every lane through at once may still load in several wavefronts.
static void
note_worst(SmbBankMap *map, const SmbArch *arch) {
  SmbCollision worst;
  if (!smb_request_worst_bank(arch, &map->request, &worst) || map->banks[worst.bank].collides)
    return;
  map->banks[worst.bank].collides = TRUE;
  for (guint i = 0; i < map->words->len; i++) {
    SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    word->collides |= word->bank == worst.bank && (word->lanes & worst.lanes);
  }
}

SmbBankMap *
smb_bank_map_new(const SmbArch *arch, const SmbRequest *request) {
  const SmbArchInfo *info = smb_arch_info(arch);
  SmbBankMap *map = g_new0(SmbBankMap, 1);
  map->request = *request;
  map->plan = smb_wavefronts_plan(arch, request);
  map->passes = smb_request_passes(arch, request);
  map->cost = smb_wavefronts_count(arch, request);
  map->n_banks = map->plan->banks;
  map->bank_bytes = info->bank_bytes;
  map->lines = g_array_new(FALSE, FALSE, sizeof(guint32));
  map->words = g_array_new(FALSE, FALSE, sizeof(SmbBankMapWord));

  g_autoptr(GArray) uses = smb_request_words(arch, request);
  for (guint i = 0; i < uses->len; i++) {
    const SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    add_word(map, use->bank, use->offset & ~(info->bank_bytes - 1), use->lanes);
  }
  g_array_sort(map->words, compare_words);
  g_array_sort(map->lines, compare_lines);
  for (guint i = 0; i < map->words->len; i++) {
    SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    word->line =
        find_line(map->lines, word->offset - word->offset % (map->n_banks * map->bank_bytes));
  }
  note_banks(map, uses);
  note_worst(map, arch);
  return map;
}

void
smb_bank_map_free(SmbBankMap *map) {
  if (!map)
    return;
  g_array_unref(map->lines);
  g_array_unref(map->words);
  g_free(map);
}

guint
smb_bank_map_group(const SmbBankMap *map, guint lane) {
  return smb_plan_group(map->plan, lane);
}

static void
append_cost(GString *text, const SmbBankMap *map) {
  const SmbWavefronts *cost = &map->cost;
  g_string_append_printf(text, "%u wavefront%s, ideal %u", cost->wavefronts,
                         smb_plural(cost->wavefronts), cost->ideal);
}

static char *
describe_all(const SmbBankMap *map) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%s, %u byte%s per lane: ", smb_op_name((SmbOp)map->request.op),
                         map->request.width, smb_plural(map->request.width));
  if (smb_request_lanes(&map->request) == 0) {
    g_string_append(text, "no lane is active");
  } else if (map->passes.n == 0) {
    g_string_append(text, "no wavefronts are counted");
  } else {
    if (map->plan->passes != 1 || map->plan->conflict == SMB_CONFLICT_LOOP) {
      smb_describe_turns(text, map->plan, map->passes.n);
      g_string_append(text, ", ");
    }
    append_cost(text, map);
  }
  return g_string_free(text, FALSE);
}

char *
smb_bank_map_caption(const SmbBankMap *map, int pass) {
  const SmbPasses *passes = &map->passes;
  if (pass < 0 || (guint)pass >= passes->n)
    return describe_all(map);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%s %d of %u: ", smb_describe_turn(map->plan), pass + 1, passes->n);
  if (passes->lanes[pass])
    smb_describe_lanes(text, passes->lanes[pass]);
  else
    g_string_append(text, "no lane");
  if (smb_plan_n_groups(map->plan) > 1) {
    g_string_append(text, " (of the lane group of ");
    smb_describe_lanes(text, smb_plan_group_lanes(map->plan, passes->group[pass]));
    g_string_append_c(text, ')');
  }
  if (passes->wavefronts > 1)
    g_string_append_printf(text, ", %u wavefronts", passes->wavefronts);
  return g_string_free(text, FALSE);
}

char *
smb_bank_map_style(void) {
  g_autoptr(GBytes) bytes = smb_data_load("report/map.css", NULL);
  gsize length = 0;
  const char *text = bytes ? g_bytes_get_data(bytes, &length) : "";
  return g_strndup(text, length);
}
