// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a bank map shows; src/bank-map-draw.c shows it.
#include "src/bank-map.h"

#include <string.h>

#include "sim/conflict.h"
#include "sim/data.h"
#include "src/describe.h"

static int
compare_words(gconstpointer a, gconstpointer b) {
  const SmbBankMapWord *x = a, *y = b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int
compare_lines(gconstpointer a, gconstpointer b) {
  const guint32 *x = a, *y = b;
  return *x < *y ? -1 : *x > *y;
}

static guint
find_line(GArray *lines, guint32 start) {
  guint i = 0;
  while (i < lines->len && g_array_index(lines, guint32, i) != start)
    i++;
  return i;
}

static void
add_word(SmbBankMap *map, guint bank, guint32 offset, guint32 lanes) {
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

// Notes that a lane group asks @words words of @bank for @lanes.
static void
note_bank(SmbBankMap *map, guint bank, guint words, guint32 lanes) {
  guint32 passes = 0;
  for (guint32 rest = lanes; rest && map->passes.n; rest &= rest - 1)
    passes |= 1u << map->passes.of_lane[__builtin_ctz(rest)];
  guint n = (guint)__builtin_popcount(passes);
  map->banks[bank].words = MAX(map->banks[bank].words, words);
  map->banks[bank].passes = MAX(map->banks[bank].passes, n);
  if (n < 2)
    return;
  map->banks[bank].collides = TRUE;
  for (guint i = 0; i < map->words->len; i++) {
    SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    word->collides |= word->bank == bank && (word->lanes & lanes);
  }
}

// The words of each bank of each group, which stand together.
static void
note_banks(SmbBankMap *map, const GArray *uses) {
  for (guint i = 0; i < uses->len;) {
    const SmbWordUse *first = &g_array_index(uses, SmbWordUse, i);
    guint32 lanes = 0;
    guint n = 0;
    for (; i < uses->len; i++, n++) {
      const SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
      if (use->group != first->group || use->bank != first->bank)
        break;
      lanes |= use->lanes;
    }
    note_bank(map, first->bank, n, lanes);
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
  map->n_banks = info->banks;
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
  return map->plan->conflict == SMB_CONFLICT_LOOP ? 0 : lane >> map->plan->group_shift;
}

static void
append_cost(GString *text, const SmbBankMap *map) {
  const SmbWavefronts *cost = &map->cost;
  g_string_append_printf(text, "%u wavefront%s, ideal %u", cost->wavefronts,
                         cost->wavefronts == 1 ? "" : "s", cost->ideal);
}

static char *
describe_all(const SmbBankMap *map) {
  const char *turn = map->plan->conflict == SMB_CONFLICT_LOOP ? "round" : "pass";
  const char *turns = map->plan->conflict == SMB_CONFLICT_LOOP ? "rounds" : "passes";
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%s, %u byte%s a lane: ", smb_op_name((SmbOp)map->request.op),
                         map->request.width, map->request.width == 1 ? "" : "s");
  if (smb_request_lanes(&map->request) == 0) {
    g_string_append(text, "no lane asks for anything");
  } else if (map->passes.n == 0) {
    g_string_append(text, "no pass through the banks is counted");
  } else {
    g_string_append_printf(text, "%u %s, ", map->passes.n, map->passes.n == 1 ? turn : turns);
    append_cost(text, map);
  }
  return g_string_free(text, FALSE);
}

char *
smb_bank_map_caption(const SmbBankMap *map, int pass) {
  const SmbPasses *passes = &map->passes;
  gboolean loop = map->plan->conflict == SMB_CONFLICT_LOOP;
  if (pass < 0 || (guint)pass >= passes->n)
    return describe_all(map);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%s %d of %u: ", loop ? "round" : "pass", pass + 1, passes->n);
  smb_describe_lanes(text, passes->lanes[pass]);
  if (map->plan->group_shift < 5 && !loop) {
    guint size = 1u << map->plan->group_shift, first = passes->group[pass] * size;
    g_string_append_printf(text, " (of the lane group %u-%u)", first, first + size - 1);
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
