// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/explain/lane.h"

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/layout/tile.h"
#include "src/out/describe.h"
#include "src/out/table.h"

enum {
  MAX_MEETING = 6, // lanes that meet, and that are shown
  MAX_OTHERS = 4,  // lanes besides them
};

// The element that a byte of an array belongs to.
static void
find_element(SmbExplainLane *lane, guint32 offset, guint width) {
  const SmbArray *array = lane->array;
  guint32 at = offset - array->base;
  guint64 element = at / array->element_bytes;
  if (array->is_union) {
    lane->elements = 1;
    lane->skipped = at;
    return;
  }
  lane->skipped = at % array->element_bytes;
  lane->elements = (lane->skipped + width + array->element_bytes - 1) / array->element_bytes;
  guint32 number = array->tile ? smb_tile_find(array->tile, at) : SMB_TILE_NONE;
  if (number != SMB_TILE_NONE) {
    lane->n_indices = array->tile->rank;
    smb_tile_coordinate(array->tile, number, lane->index);
    if (smb_element_is_packed(array->tile->element))
      lane->elements = 8 * width / array->tile->element->bits;
    return;
  }
  lane->n_indices = array->n_dimensions;
  for (guint i = array->n_dimensions; i-- > 1;) {
    lane->index[i] = element % array->dimension[i];
    element /= array->dimension[i];
  }
  lane->index[0] = element;
}

static SmbLanes
find_sharers(const SmbExplanation *e, guint lane) {
  SmbLanes sharers = 0;
  for (guint i = 0; i < e->words->len; i++) {
    const SmbWordUse *use = &g_array_index(e->words, SmbWordUse, i);
    if (use->lanes >> lane & 1)
      sharers |= use->lanes;
  }
  return sharers & ~((SmbLanes)1 << lane);
}

SmbExplainLane
smb_explain_lane(const SmbExplanation *e, guint number) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  const guint *block = e->target->launch.block;
  guint thread = e->warp * info->lanes + number;
  guint32 offset = e->request.offset[number];
  SmbExplainLane lane = {
      .lane = number,
      .thread = {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]},
      .array = smb_launch_array_of(&e->target->launch, e->target->kernel, offset, e->request.width,
                                   e->access->site->opcode),
      .offset = offset,
      .word = offset / info->bank_bytes,
      .n_words = MAX(e->request.width, info->bank_bytes) / info->bank_bytes,
      .bank = offset / info->bank_bytes % e->plan->banks,
      .group = smb_plan_group(e->plan, number),
      .pass = e->passes.n ? e->passes.of_lane[number] : 0,
      .sharers = find_sharers(e, number),
  };
  if (lane.array)
    find_element(&lane, offset, e->request.width);
  return lane;
}

char *
smb_explain_element(const SmbExplainLane *lane) {
  if (!lane->array)
    return g_strdup("");
  if (lane->array->is_union)
    return smb_array_byte_name(lane->array, lane->offset);
  GString *text = g_string_new(lane->array->name);
  for (guint i = 0; i < lane->n_indices; i++) {
    guint64 last = lane->index[i] + lane->elements - 1;
    if (i + 1 == lane->n_indices && lane->elements > 1)
      g_string_append_printf(text, "[%s..%s]", smb_number(lane->index[i]).text,
                             smb_number(last).text);
    else
      g_string_append_printf(text, "[%s]", smb_number(lane->index[i]).text);
  }
  if (lane->skipped)
    g_string_append_printf(text, " + %u bytes", lane->skipped);
  return g_string_free(text, FALSE);
}

// How the indices of the element make its byte offset: "(1 * 33 + 0) * 4".
static void
append_offset(GString *text, const SmbExplainLane *lane) {
  const SmbArray *array = lane->array;
  guint n = lane->n_indices;
  if (array->tile) {
    g_string_append_printf(text, "%u", lane->offset - array->base);
    return;
  }
  if (array->is_union) {
    g_string_append_printf(text, array->base ? "%u + %u" : "%.0u%u", array->base, lane->skipped);
    return;
  }
  if (array->base || n == 0)
    g_string_append_printf(text, "%u%s", array->base, n ? " + " : "");
  for (guint i = 1; i < n; i++)
    g_string_append_c(text, '(');
  for (guint i = 0; i < n; i++) {
    g_string_append_printf(text, "%s%s%s", i ? " + " : "", smb_number(lane->index[i]).text,
                           i ? ")" : "");
    if (i + 1 < n)
      g_string_append_printf(text, " * %s", smb_number(array->dimension[i + 1]).text);
  }
  if (n)
    g_string_append_printf(text, " * %u", array->element_bytes);
  if (lane->skipped)
    g_string_append_printf(text, " + %u", lane->skipped);
}

// The first lane whose word is beyond the first row of the banks, so that mod does something; else the second:
// all numbers of the first often are 0.
static guint
choose_example(const SmbExplanation *e, SmbLanes lanes) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  for (SmbLanes rest = lanes; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    if (e->request.offset[lane] >= e->plan->banks * info->bank_bytes)
      return lane;
  }
  SmbLanes later = lanes & (lanes - 1);
  return smb_lanes_first(later ? later : lanes);
}

char *
smb_explain_example(const SmbExplanation *e) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  SmbLanes active = smb_request_lanes(&e->request);
  SmbLanes meeting = e->collides ? e->collision.lanes : active;
  if (!active)
    return NULL;
  SmbExplainLane lane = smb_explain_lane(e, choose_example(e, meeting));
  g_autofree char *element = smb_explain_element(&lane);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, smb_arch_say(e->arch, "Lane %u of warp %u is thread (%u,%u,%u)"),
                         lane.lane, e->warp, lane.thread[0], lane.thread[1], lane.thread[2]);
  if (lane.array) {
    g_string_append_printf(text, ". It accesses %s, at byte ", element);
    append_offset(text, &lane);
    if (!lane.array->tile)
      g_string_append_printf(text, " = %u", lane.offset);
  } else {
    g_string_append_printf(text, ". It accesses byte %u", lane.offset);
  }
  g_string_append_printf(text, ": word %u / %u = %u", lane.offset, info->bank_bytes, lane.word);
  if (lane.offset % info->bank_bytes)
    g_string_append_printf(text, " (%u over)", lane.offset % info->bank_bytes);
  g_string_append_printf(text, ", bank %u mod %u = %u", lane.word, e->plan->banks, lane.bank);
  if (lane.n_words == 2)
    g_string_append(text, ", and the next");
  else if (lane.n_words > 2)
    g_string_append_printf(text, ", and the next %u", lane.n_words - 1);
  g_string_append_c(text, '.');
  return g_string_free(text, FALSE);
}

// What the columns of the table depend on.
typedef struct {
  SmbVendor vendor;
  guint bank_bytes;
  gboolean has_groups, has_part, has_rows, has_pass, shares, addresses;
} Columns;

static Columns
choose_lane_columns(const SmbExplanation *e) {
  const SmbArchInfo *info = smb_arch_info(e->arch);
  Columns columns = {.vendor = (SmbVendor)info->vendor,
                     .bank_bytes = info->bank_bytes,
                     .has_pass = e->passes.n > 0};
  columns.has_part = info->bank_bytes > 4 && e->request.width <= 4;
  columns.addresses = smb_describe_counts_addresses(e->plan, &e->request);
  columns.has_rows = 1u << e->plan->row_shift > e->plan->banks * info->bank_bytes;
  columns.has_groups = smb_plan_n_groups(e->plan) > 1 && e->passes.n > 0 && !e->passes.is_copy;
  for (guint i = 0; i < e->words->len; i++) {
    SmbLanes lanes = g_array_index(e->words, SmbWordUse, i).lanes;
    columns.shares |= (lanes & (lanes - 1)) != 0;
  }
  return columns;
}

static SmbTable *
begin_lane_table(const Columns *columns, const char *turn) {
  SmbTable *table = smb_table_new("lane>|threadIdx|element|byte>");
  smb_table_column(table, columns->bank_bytes == 8 ? "8-byte word" : "word", SMB_ALIGN_RIGHT);
  if (columns->has_part)
    smb_table_columns(table, "half>");
  if (columns->has_rows)
    smb_table_columns(table, "row>");
  smb_table_columns(table, "bank>");
  if (columns->has_groups)
    smb_table_columns(table, smb_vendor_say(columns->vendor, "group>"));
  if (columns->has_pass)
    smb_table_column(table, turn, SMB_ALIGN_RIGHT);
  if (columns->shares)
    smb_table_column(table, columns->addresses ? "same address" : "same word", SMB_ALIGN_LEFT);
  return table;
}

// A number, or the first and last of several that follow each other.
static void
write_span(SmbTable *table, SmbStyle style, guint first, guint n) {
  if (n == 1)
    smb_table_number(table, style, first);
  else
    smb_table_printf(table, style, "%u-%u", first, first + n - 1);
}

static void
write_lane_row(SmbTable *table, const SmbExplanation *e, const Columns *columns, guint number) {
  SmbExplainLane lane = smb_explain_lane(e, number);
  SmbStyle style =
      e->collides && e->collision.lanes >> number & 1 ? SMB_STYLE_BAD : SMB_STYLE_PLAIN;
  g_autofree char *element = smb_explain_element(&lane);
  smb_table_number(table, SMB_STYLE_PLAIN, number);
  smb_table_printf(table, SMB_STYLE_DIM, "(%u,%u,%u)", lane.thread[0], lane.thread[1],
                   lane.thread[2]);
  smb_table_cell(table, SMB_STYLE_PLAIN, element);
  smb_table_number(table, SMB_STYLE_PLAIN, lane.offset);
  write_span(table, SMB_STYLE_PLAIN, lane.word, lane.n_words);
  if (columns->has_part)
    smb_table_number(table, SMB_STYLE_PLAIN, lane.offset % columns->bank_bytes / 4);
  if (columns->has_rows)
    smb_table_number(table, SMB_STYLE_PLAIN, lane.offset >> e->plan->row_shift);
  write_span(table, style, lane.bank, lane.n_words);
  if (columns->has_groups)
    smb_table_number(table, SMB_STYLE_PLAIN, lane.group);
  if (columns->has_pass)
    smb_table_number(table, style, lane.pass + 1);
  if (!columns->shares)
    return;
  g_autoptr(GString) sharers = g_string_new(NULL);
  if (lane.sharers)
    smb_describe_lanes(sharers, lane.sharers);
  smb_table_cell(table, SMB_STYLE_PLAIN, sharers->str);
}

static void
write_lane_rows(SmbTable *table, const SmbExplanation *e, const Columns *columns, SmbLanes lanes) {
  for (; lanes; lanes &= lanes - 1)
    write_lane_row(table, e, columns, smb_lanes_first(lanes));
}

// The first lanes of a set.
static SmbLanes
take_lanes(SmbLanes lanes, guint n) {
  SmbLanes taken = 0;
  for (; lanes && n > 0; lanes &= lanes - 1, n--)
    taken |= lanes & -lanes;
  return taken;
}

// Lanes beside those that meet: the next ones, and the last.
static SmbLanes
choose_others(SmbLanes active, SmbLanes meeting) {
  SmbLanes rest = active & ~meeting;
  SmbLanes near = rest & (meeting << 1 | meeting >> 1);
  SmbLanes chosen = take_lanes(near, MAX_OTHERS - 1);
  guint missing = MAX_OTHERS - 1 - smb_lanes_count(chosen);
  chosen |= take_lanes(rest & ~chosen, missing);
  return rest ? chosen | (SmbLanes)1 << smb_lanes_last(rest) : 0;
}

void
smb_explain_write_chain(SmbCli *cli, const SmbExplanation *e, SmbLanes lanes) {
  Columns columns = choose_lane_columns(e);
  g_autoptr(SmbTable) table = begin_lane_table(&columns, smb_describe_turn(e->plan));
  SmbLanes active = smb_request_lanes(&e->request);
  SmbLanes meeting = e->collides ? e->collision.lanes : 0;
  SmbLanes asked = lanes & active;
  SmbLanes shown = lanes ? asked & meeting : take_lanes(meeting, MAX_MEETING);
  SmbLanes others = lanes ? asked & ~meeting : choose_others(active, meeting);
  write_lane_rows(table, e, &columns, shown);
  if (shown && others)
    smb_table_rule(table);
  write_lane_rows(table, e, &columns, others);
  smb_table_write(table, cli->out, cli->colour);
  guint left = smb_lanes_count(active & ~(shown | others));
  if (lanes && !asked)
    smb_spool_puts(cli->out, "None of the lanes asked for is active.\n");
  if (left)
    smb_spool_printf(cli->out, "%u more %s: --all-lanes shows %s.\n", left,
                     left == 1 ? "lane" : "lanes", left == 1 ? "it" : "them");
}
