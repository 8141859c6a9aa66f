// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The arithmetic behind a request: what its strides do to the banks. Said of the lane group that is looked
// at, and only where its offsets have a structure; everything that is counted is counted from the request.
#include "sim/arch/rule.h"
#include "sim/base/text.h"
#include "src/explain/words.h"
#include "src/out/describe.h"

enum {
  MAX_RUNS = 4, // runs whose banks are told one by one
};

// The banks of all words that some lanes access.
static SmbBanks
find_worst_banks(const SmbExplanation *e, SmbLanes lanes) {
  SmbLanes banks = 0;
  for (guint i = 0; i < e->words->len; i++) {
    const SmbWordUse *use = &g_array_index(e->words, SmbWordUse, i);
    if (use->lanes & lanes)
      banks |= (SmbLanes)1 << use->bank;
  }
  return banks;
}

static void
append_lane_banks(GString *text, const SmbExplanation *e, SmbLanes lanes) {
  smb_describe_banks(text, find_worst_banks(e, lanes), e->plan->banks);
}

// Distinct words that some lanes access: where one lane asks for several words of a bank each, as many units.
static guint
count_units(const SmbExplanation *e, SmbLanes lanes) {
  guint n = 0;
  for (guint i = 0; i < e->words->len; i++) {
    const SmbWordUse *use = &g_array_index(e->words, SmbWordUse, i);
    gboolean first = use->offset % e->plan->unit_bytes < smb_arch_info(e->arch)->bank_bytes;
    n += (use->lanes & lanes) != 0 && first;
  }
  return n;
}

// "132 bytes (33 words)", "16 bytes (1 times 16 bytes)", "3 bytes".
static void
append_distance(GString *text, const SmbExplanation *e, gint64 bytes) {
  SmbStride stride;
  guint unit = e->plan->unit_bytes;
  guint64 size = (guint64)ABS(bytes);
  g_string_append_printf(text, "%s", smb_count(size, "byte").text);
  if (bytes == 0 || !smb_affine_stride(e->plan, bytes, &stride))
    return;
  guint64 units = (guint64)ABS(stride.units);
  if (unit == smb_arch_info(e->arch)->bank_bytes)
    g_string_append_printf(text, " (%s)", smb_count(units, "word").text);
  else
    g_string_append_printf(text, " (%s times %u bytes)", smb_number(units).text, unit);
}

static void
append_step(GString *text, const SmbExplanation *e, const char *from, gint64 bytes) {
  g_string_append(text, from);
  if (bytes == 0) {
    g_string_append(text, " the offset stays the same");
    return;
  }
  g_string_append_printf(text, " the offset %s by ", bytes < 0 ? "shrinks" : "grows");
  append_distance(text, e, bytes);
}

// Lanes from the first to the last.
static guint
count_span(SmbLanes lanes) {
  return lanes ? 1 + smb_lanes_last(lanes) - smb_lanes_first(lanes) : 0;
}

// gcd of a stride and the banks: which @items ("lanes", "runs") can meet; @n: how many there are, @span: as far
// as their numbers reach, which is more where a mask leaves some out.
static void
append_gcd(GString *text, const SmbExplanation *e, const SmbStride *stride, const char *items,
           guint n, guint span) {
  guint64 units = (guint64)ABS(stride->units);
  gboolean wide = e->plan->unit_bytes > smb_arch_info(e->arch)->bank_bytes;
  const char *banks = wide ? "banks" : "bank";
  g_string_append_printf(text, " gcd(%s, %u) = %u", smb_number(units).text, stride->banks,
                         stride->gcd);
  if (wide)
    g_string_append_printf(text, " (all banks together hold %u times %u bytes)", stride->banks,
                           e->plan->unit_bytes);
  if (stride->reach == 1)
    g_string_append_printf(text, ": all %s fall into the same %s.", items, banks);
  else if (stride->reach >= span)
    g_string_append_printf(text,
                           ": %s fall into the same %s only if they are a multiple of %u / %u = %u "
                           "apart, and ",
                           items, banks, stride->banks, stride->gcd, stride->reach);
  else
    g_string_append_printf(text,
                           ": two %s fall into the same %s if they are a multiple of %u / %u = %u "
                           "apart, and only then.",
                           items, banks, stride->banks, stride->gcd, stride->reach);
  if (stride->reach >= span && n == span)
    g_string_append_printf(text, "these are %u.", n);
  else if (stride->reach >= span)
    g_string_append(text, "no two of these are.");
}

// What these lanes access, counted.
static void
append_bank_sum(GString *text, const SmbExplanation *e, SmbLanes lanes) {
  guint units = count_units(e, lanes);
  g_string_append_c(text, ' ');
  gsize start = text->len;
  smb_describe_lanes(text, lanes);
  text->str[start] = 'L';
  g_string_append_printf(text, "%s %u %s", lanes & (lanes - 1) ? " access" : " accesses", units,
                         units == 1 ? "" : "different ");
  if (smb_describe_counts_addresses(e->plan, &e->request))
    g_string_append_printf(text, "%s in ", smb_noun(units, "address").text);
  else if (e->plan->unit_bytes == smb_arch_info(e->arch)->bank_bytes)
    g_string_append_printf(text, "word%s of ", smb_plural(units));
  else
    g_string_append_printf(text, "piece%s of %u bytes in ", smb_plural(units), e->plan->unit_bytes);
  append_lane_banks(text, e, lanes);
  g_string_append_c(text, '.');
}

// A stride that is no whole number of words; @what it is called, " That" or " The step within a run".
static void
append_uneven(GString *text, const SmbExplanation *e, const char *what, gint64 bytes) {
  guint unit = e->plan->unit_bytes;
  guint64 size = (guint64)ABS(bytes);
  if (size < unit && unit % size == 0)
    g_string_append_printf(text, " So a word of %u bytes holds what %s neighbouring lanes access.",
                           unit, smb_number(unit / size).text);
  else if (size < unit)
    g_string_append_printf(text, "%s is less than a word of %u bytes: neighbours often share one.",
                           what, unit);
  else
    g_string_append_printf(
        text, "%s is not a whole number of words: neighbouring lanes are %s or %s words apart.",
        what, smb_number(size / unit).text, smb_number(size / unit + 1).text);
}

static void
append_stride(GString *text, const SmbExplanation *e) {
  SmbStride stride;
  gint64 bytes = e->affine.stride;
  append_step(text, e, "From lane to lane", bytes);
  g_string_append_c(text, '.');
  if (bytes == 0) {
    append_bank_sum(text, e, e->affine.lanes);
    return;
  }
  if (smb_affine_stride(e->plan, bytes, &stride))
    append_gcd(text, e, &stride, "lanes", smb_lanes_count(e->affine.lanes),
               count_span(e->affine.lanes));
  else
    append_uneven(text, e, " That", bytes);
  append_bank_sum(text, e, e->affine.lanes);
}

// The banks in which a run asks for a row that another run does not ask for: mostly, for another word.
static SmbBanks
find_rows_alone(const SmbExplanation *e, SmbLanes one, SmbLanes two) {
  SmbLanes banks = 0;
  for (guint i = 0; i < e->words->len; i++) {
    const SmbWordUse *use = &g_array_index(e->words, SmbWordUse, i);
    gboolean alone = (use->lanes & one) != 0;
    for (guint j = 0; j < e->words->len && alone; j++) {
      const SmbWordUse *other = &g_array_index(e->words, SmbWordUse, j);
      alone = !(other->lanes & two && other->bank == use->bank && other->row == use->row);
    }
    banks |= (SmbBanks)alone << use->bank;
  }
  return banks;
}

// Two runs of the same group: do they get in each other's way?
static void
append_pair(GString *text, const SmbExplanation *e, SmbLanes one, SmbLanes two) {
  SmbLanes common = find_worst_banks(e, one) & find_worst_banks(e, two);
  SmbLanes clashes = common & (find_rows_alone(e, one, two) | find_rows_alone(e, two, one));
  guint n_banks = e->plan->banks;
  guint n = smb_lanes_count(common);
  const SmbArchInfo *info = smb_arch_info(e->arch);
  gboolean rows = 1u << e->plan->row_shift > e->plan->banks * info->bank_bytes;
  if (!common) {
    g_string_append(text, " They have no bank in common.");
    return;
  }
  g_string_append_printf(text, " They have %s in common (", smb_count(n, "bank").text);
  smb_describe_banks(text, common, n_banks);
  g_string_append_c(text, ')');
  if (!clashes)
    g_string_append_printf(text, ", and access %s there.",
                           rows ? "words of the same rows" : "the same words");
  else if (clashes == common)
    g_string_append_printf(text, ", and access %s there.",
                           rows ? "words of different rows" : "different words");
  else
    g_string_append_printf(text, ", and access %s in %u of them.",
                           rows ? "words of different rows" : "different words",
                           smb_lanes_count(clashes));
}

// What each of a few runs takes.
static void
append_few_runs(GString *text, const SmbExplanation *e, const SmbLanes *runs, guint n) {
  for (guint i = 0; i < n; i++) {
    guint units = count_units(e, runs[i]);
    g_string_append(text, i ? smb_comma_and(i, n) : " ");
    gsize start = text->len;
    smb_describe_lanes(text, runs[i]);
    if (i == 0)
      text->str[start] = 'L';
    g_string_append(text, i == 0 ? " take " : " ");
    append_lane_banks(text, e, runs[i]);
    guint places = smb_lanes_count(find_worst_banks(e, runs[i])) *
                   smb_arch_info(e->arch)->bank_bytes / e->plan->unit_bytes;
    if (units > places)
      g_string_append_printf(text, " with %u %s", units,
                             smb_describe_counts_addresses(e->plan, &e->request) ? "addresses"
                                                                                 : "words");
  }
  g_string_append_c(text, '.');
  if (n == 2)
    append_pair(text, e, runs[0], runs[1]);
}

// Two runs by their lanes: whether the first is a whole one, nobody can see. More by their length.
static void
append_run_strides(GString *text, const SmbExplanation *e, const SmbLanes *runs, guint n) {
  const SmbAffine *affine = &e->affine;
  if (n == 2) {
    guint first = smb_lanes_first(runs[0]), second = smb_lanes_first(runs[1]);
    g_autofree char *jump = g_strdup_printf("; from lane %u to lane %u", first, second);
    g_string_append(text, "The lanes go in two runs, ");
    smb_describe_lanes(text, runs[0]);
    g_string_append(text, " and ");
    smb_describe_lanes(text, runs[1]);
    append_step(text, e, ": within a run,", affine->stride);
    g_string_append(text, affine->stride ? " from lane to lane" : "");
    append_step(text, e, jump,
                (gint64)e->request.offset[second] - (gint64)e->request.offset[first]);
  } else {
    g_string_append_printf(text, "The lanes go in runs of %u", affine->run);
    append_step(text, e, ": within a run,", affine->stride);
    g_string_append(text, affine->stride ? " from lane to lane" : "");
    append_step(text, e, "; from the start of a run to that of the next,", affine->run_stride);
  }
  g_string_append_c(text, '.');
}

static void
append_runs(GString *text, const SmbExplanation *e) {
  SmbStride inner, outer;
  SmbLanes runs[SMB_MAX_LANES];
  guint n = smb_affine_runs(&e->affine, runs), most = 0, longest = 0;
  const SmbAffine *affine = &e->affine;
  for (guint i = 0; i < n; i++) {
    most = MAX(most, smb_lanes_count(runs[i]));
    longest = MAX(longest, count_span(runs[i]));
  }
  append_run_strides(text, e, runs, n);
  if (affine->stride && smb_affine_stride(e->plan, affine->stride, &inner))
    append_gcd(text, e, &inner, "lanes of a run", most, longest);
  else if (affine->stride)
    append_uneven(text, e, " The step within a run", affine->stride);
  if (n <= MAX_RUNS) {
    append_few_runs(text, e, runs, n);
    return;
  }
  if (affine->run_stride && smb_affine_stride(e->plan, affine->run_stride, &outer)) {
    g_string_append(text, affine->stride ? " From run to run:" : "");
    append_gcd(text, e, &outer, "runs", n, smb_affine_run_span(affine));
  }
  append_bank_sum(text, e, affine->lanes);
}

char *
smb_explain_reason(const SmbExplanation *e) {
  GString *text = g_string_new(NULL);
  guint n = smb_lanes_count(e->affine.lanes);
  SmbLanes active = smb_request_lanes(&e->request);
  if (e->affine.lanes != active) {
    smb_describe_lanes(text, e->affine.lanes);
    text->str[0] = 'L';
    g_string_append_printf(text, " %s served together. ", smb_is_are(n));
  }
  switch (e->affine.kind) {
  case SMB_AFFINE_STRIDE:
    append_stride(text, e);
    break;
  case SMB_AFFINE_RUNS:
    append_runs(text, e);
    break;
  case SMB_AFFINE_IRREGULAR:
    if (n < 3)
      g_string_append_printf(text, "%s active: there is no stride.",
                             n == 0   ? "No lane is"
                             : n == 1 ? "Only one lane is"
                                      : "Only two lanes are");
    else
      g_string_append(
          text,
          "The offsets have neither one stride nor runs of lanes with one (XOR, "
          "other divisions, or data make such indices), so there is no arithmetic reason to give.");
    break;
  }
  return g_string_free(text, FALSE);
}
