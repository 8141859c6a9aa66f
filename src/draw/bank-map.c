// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a bank map shows; src/draw/bank-map-draw.c shows it.
#include "src/draw/bank-map.h"

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/data.h"
#include "sim/base/order.h"
#include "sim/base/text.h"
#include "sim/count/conflict.h"
#include "sim/count/copy.h"
#include "src/out/describe.h"

static int
compare_words(gconstpointer a, gconstpointer b) {
  const SmbBankMapWord *x = a, *y = b;
  return smb_order(x->offset, y->offset);
}

static void
add_map_word(SmbBankMap *map, guint bank, guint32 offset, SmbLanes lanes) {
  for (guint i = 0; i < map->words->len; i++) {
    SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    if (word->offset == offset) {
      word->lanes |= lanes;
      return;
    }
  }
  SmbBankMapWord word = {.row = offset - offset % (map->n_banks * map->bank_bytes),
                         .bank = bank,
                         .offset = offset,
                         .lanes = lanes};
  g_array_append_val(map->words, word);
}

// Marks the words of a bank that some of @lanes access, and the bank if there are any.
static void
mark_words(SmbBankMap *map, guint bank, SmbLanes lanes) {
  for (guint i = 0; i < map->words->len; i++) {
    SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    gboolean is_meant = word->bank == bank && (word->lanes & lanes);
    word->collides |= is_meant;
    map->banks[bank].collides |= is_meant;
  }
}

static void
mark_collisions(SmbBankMap *map, guint bank, SmbLanes lanes) {
  map->banks[bank].collides = TRUE;
  mark_words(map, bank, lanes);
}

// Notes what a lane group asks of a bank: @n words, which stand together.
static void
note_bank(SmbBankMap *map, const SmbWordUse *uses, guint n) {
  SmbBankMapBank *bank = &map->banks[uses->bank];
  guint passes = smb_passes_of_bank(&map->passes, map->plan, uses, n);
  SmbLanes lanes = 0;
  bank->words = MAX(bank->words, n);
  bank->passes = MAX(bank->passes, passes);
  for (guint i = 0; i < n; i++)
    lanes |= uses[i].lanes;
  if (passes > 1 && !map->passes.is_copy)
    mark_collisions(map, uses->bank, lanes);
}

// Of a copy, the words of the lines, or lane groups, that take more wavefronts than their bytes fill.
static void
note_map_copy(SmbBankMap *map, const SmbArch *arch) {
  SmbCopy copy = smb_request_copy(arch, &map->request);
  for (guint i = 0; i < copy.n_parts; i++) {
    const SmbCopyPart *part = &copy.parts[i];
    for (guint bank = 0; bank < map->n_banks && part->wavefronts > part->ideal; bank++)
      mark_words(map, bank, part->lanes);
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
  if (smb_request_worst_bank(arch, &map->request, &worst) && !map->banks[worst.bank].collides)
    mark_collisions(map, worst.bank, worst.lanes);
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
  map->words = g_array_new(FALSE, FALSE, sizeof(SmbBankMapWord));

  g_autoptr(GArray) uses = smb_request_words(arch, request);
  for (guint i = 0; i < uses->len; i++) {
    const SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    add_map_word(map, use->bank, use->offset & ~(info->bank_bytes - 1), use->lanes);
  }
  g_array_sort(map->words, compare_words);
  note_banks(map, uses);
  if (map->passes.is_copy)
    note_map_copy(map, arch);
  else
    note_worst(map, arch);
  return map;
}

void
smb_bank_map_free(SmbBankMap *map) {
  if (!map)
    return;
  g_array_unref(map->words);
  g_free(map);
}

static char *
describe_all(const SmbBankMap *map) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%s, %s per lane: ", smb_op_name((SmbOp)map->request.op),
                         smb_count(map->request.width, "byte").text);
  if (smb_request_lanes(&map->request) == 0) {
    g_string_append(text, "no lane is active");
  } else if (map->passes.n == 0) {
    g_string_append(text, map->request.has_source
                              ? "where it goes"
                              : smb_vendor_say(map->plan->vendor, "no wavefronts are counted"));
  } else {
    if (map->plan->passes > 1 || map->plan->conflict == SMB_CONFLICT_LOOP) {
      smb_describe_turns(text, map->plan, map->passes.n);
      g_string_append(text, ", ");
    }
    g_string_append_printf(
        text, "%s, ideal %u",
        smb_count(map->cost.wavefronts, smb_vendor_say(map->plan->vendor, "wavefront")).text,
        map->cost.ideal);
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
  if (smb_plan_n_groups(map->plan) > 1 && !passes->is_copy) {
    g_string_append(text, smb_vendor_say(map->plan->vendor, " (of the lane group of "));
    smb_describe_lanes(text, smb_plan_group_lanes(map->plan, passes->group[pass]));
    g_string_append_c(text, ')');
  }
  if (passes->wavefronts > 1)
    g_string_append_printf(text, smb_vendor_say(map->plan->vendor, ", %u wavefronts"),
                           passes->wavefronts);
  return g_string_free(text, FALSE);
}

char *
smb_bank_map_style(void) {
  g_autoptr(GBytes) bytes = smb_data_load("report/map.css", NULL);
  gsize length = 0;
  const char *text = bytes ? g_bytes_get_data(bytes, &length) : "";
  return g_strndup(text, length);
}
