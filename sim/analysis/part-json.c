// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A part of a launch as JSON: the tables of members, from the innermost objects outwards.
#include "sim/analysis/part-row.h"
#include "sim/base/json-member.h"

#define AT(type, field) G_STRUCT_OFFSET(type, field)
#define MEMBERS(table)  table, G_N_ELEMENTS(table)

// --- kinds of values

// An array of whole numbers (GArray of guint64).
static gboolean
read_numbers(const SmbPlace *place, JsonNode *node, gpointer target, GError **error) {
  GArray **numbers = target;
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return smb_member_expected(place, node, error, "an array of whole numbers");
  JsonArray *array = json_node_get_array(node);
  g_clear_pointer(numbers, g_array_unref);
  *numbers = g_array_new(FALSE, FALSE, sizeof(guint64));
  for (guint i = 0; i < json_array_get_length(array); i++) {
    SmbPlace element = {place, NULL, i};
    guint64 number = 0;
    if (!smb_member_count(&element, json_array_get_element(array, i), &number, error))
      return FALSE;
    g_array_append_val(*numbers, number);
  }
  return TRUE;
}

static gboolean
write_numbers(GString *json, gconstpointer value) {
  const GArray *numbers = *(GArray *const *)value;
  for (guint i = 0; numbers && i < numbers->len; i++)
    g_string_append_printf(json, "%s%" G_GUINT64_FORMAT, i ? "," : "[",
                           g_array_index(numbers, guint64, i));
  if (numbers)
    g_string_append(json, numbers->len ? "]" : "[]");
  return numbers != NULL;
}

#define COUNT   smb_member_count, smb_member_write_count
#define NUMBERS read_numbers, write_numbers

// --- arrays of objects

static void
clear_row(gpointer row, const SmbMember *members, guint n) {
  for (guint i = 0; i < n; i++) {
    gpointer value = (char *)row + members[i].offset;
    if (members[i].read == smb_member_words)
      g_clear_pointer((char **)value, g_free);
    else if (members[i].read == read_numbers)
      g_clear_pointer((GArray **)value, g_array_unref);
    else if (members[i].read == smb_member_texts)
      g_clear_pointer((GStrv *)value, g_strfreev);
    else if (members[i].read != smb_member_count && members[i].read != smb_member_flag)
      g_clear_pointer((GPtrArray **)value, g_ptr_array_unref);
  }
}

static gboolean
read_rows(const SmbPlace *place, JsonNode *node, GPtrArray *rows, gsize size,
          const SmbMember *members, guint n, GError **error) {
  if (!JSON_NODE_HOLDS_ARRAY(node))
    return smb_member_expected(place, node, error, "an array");
  JsonArray *array = json_node_get_array(node);
  for (guint i = 0; i < json_array_get_length(array); i++) {
    SmbPlace element = {place, NULL, i};
    gpointer row = g_malloc0(size);
    g_ptr_array_add(rows, row);
    if (!smb_members_read(&element, json_array_get_element(array, i), members, n, row, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_rows(GString *json, const GPtrArray *rows, const SmbMember *members, guint n) {
  for (guint i = 0; rows && i < rows->len; i++) {
    g_string_append(json, i ? ",{" : "[{");
    smb_members_write(json, members, n, rows->pdata[i], ",");
    g_string_append(json, "}");
  }
  if (rows)
    g_string_append(json, rows->len ? "]" : "[]");
  return rows != NULL;
}

// The functions of an array of objects with the members NAME_members: a GPtrArray of Row.
#define ROWS(name, Row)                                                                            \
  static void free_##name(gpointer row) {                                                          \
    clear_row(row, MEMBERS(name##_members));                                                       \
    g_free(row);                                                                                   \
  }                                                                                                \
  static GPtrArray *new_##name(void) {                                                             \
    return g_ptr_array_new_with_free_func(free_##name);                                            \
  }                                                                                                \
  static gboolean read_##name(const SmbPlace *place, JsonNode *node, gpointer target,              \
                              GError **error) {                                                    \
    GPtrArray **rows = target;                                                                     \
    g_clear_pointer(rows, g_ptr_array_unref);                                                      \
    *rows = new_##name();                                                                          \
    return read_rows(place, node, *rows, sizeof(Row), MEMBERS(name##_members), error);             \
  }                                                                                                \
  static gboolean write_##name(GString *json, gconstpointer value) {                               \
    return write_rows(json, *(GPtrArray *const *)value, MEMBERS(name##_members));                  \
  }

static const SmbMember frame_members[] = {
    {"file", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(FrameRow, file)},
    {"line", MEMBER_REQUIRED, COUNT, AT(FrameRow, line)},
};
ROWS(frame, FrameRow)

static const SmbMember site_members[] = {
    {"site", MEMBER_REQUIRED, COUNT, AT(SiteRow, site)},
    {"file", MEMBER_ABSENT, SMB_MEMBER_WORDS, AT(SiteRow, file)},
    {"line", MEMBER_REQUIRED, COUNT, AT(SiteRow, line)},
    {"column", MEMBER_REQUIRED, COUNT, AT(SiteRow, column)},
    {"offset", MEMBER_REQUIRED, COUNT, AT(SiteRow, offset)},
    {"expression", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(SiteRow, expression)},
    {"op_class", MEMBER_REQUIRED, COUNT, AT(SiteRow, op_class)},
    {"width", MEMBER_REQUIRED, COUNT, AT(SiteRow, width)},
    {"no_rule", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(SiteRow, no_rule)},
    {"may_merge", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(SiteRow, may_merge)},
    {"opcode", MEMBER_ABSENT, SMB_MEMBER_WORDS, AT(SiteRow, opcode)},
    {"pc", MEMBER_REQUIRED, COUNT, AT(SiteRow, pc)},
    {"frames", MEMBER_REQUIRED, read_frame, write_frame, AT(SiteRow, frames)},
    {"data_source", MEMBER_ABSENT, SMB_MEMBER_WORDS, AT(SiteRow, data_source)},
    {"data_address", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(SiteRow, data_address)},
};
ROWS(site, SiteRow)

static const SmbMember shared_members[] = {
    {"site", MEMBER_REQUIRED, COUNT, AT(SharedRow, site)},
    {"array", MEMBER_ABSENT, SMB_MEMBER_WORDS, AT(SharedRow, array)},
    {"first_block", MEMBER_REQUIRED, COUNT, AT(SharedRow, first_block)},
    {"uncounted", MEMBER_REQUIRED, COUNT, AT(SharedRow, uncounted)},
    {"no_source", MEMBER_REQUIRED, COUNT, AT(SharedRow, no_source)},
    {"lanes", MEMBER_REQUIRED, COUNT, AT(SharedRow, lanes)},
    {"worst", MEMBER_ABSENT, SMB_MEMBER_WORDS, AT(SharedRow, worst)},
    {"source", MEMBER_ABSENT, NUMBERS, AT(SharedRow, source)},
    {"worst_block", MEMBER_REQUIRED, COUNT, AT(SharedRow, worst_block)},
    {"worst_warp", MEMBER_REQUIRED, COUNT, AT(SharedRow, worst_warp)},
    {"loops", MEMBER_REQUIRED, NUMBERS, AT(SharedRow, loops)},
    {"warps", MEMBER_REQUIRED, NUMBERS, AT(SharedRow, warps)},
};
ROWS(shared, SharedRow)

static const SmbMember global_members[] = {
    {"site", MEMBER_REQUIRED, COUNT, AT(GlobalRow, site)},
    {"buffer", MEMBER_ABSENT, SMB_MEMBER_WORDS, AT(GlobalRow, buffer)},
    {"first_block", MEMBER_REQUIRED, COUNT, AT(GlobalRow, first_block)},
    {"numbers", MEMBER_REQUIRED, NUMBERS, AT(GlobalRow, numbers)},
};
ROWS(global, GlobalRow)

static const SmbMember constant_members[] = {
    {"site", MEMBER_REQUIRED, COUNT, AT(ConstantRow, site)},
    {"variable", MEMBER_ABSENT, SMB_MEMBER_WORDS, AT(ConstantRow, variable)},
    {"first_block", MEMBER_REQUIRED, COUNT, AT(ConstantRow, first_block)},
    {"uncounted", MEMBER_REQUIRED, COUNT, AT(ConstantRow, uncounted)},
    {"tally", MEMBER_REQUIRED, NUMBERS, AT(ConstantRow, tally)},
};
ROWS(constant, ConstantRow)

static const SmbMember traffic_members[] = {
    {"site", MEMBER_REQUIRED, COUNT, AT(TrafficRow, site)},
    {"kind", MEMBER_REQUIRED, COUNT, AT(TrafficRow, kind)},
    {"executions", MEMBER_REQUIRED, COUNT, AT(TrafficRow, executions)},
    {"unsized", MEMBER_REQUIRED, COUNT, AT(TrafficRow, unsized)},
    {"bytes", MEMBER_REQUIRED, COUNT, AT(TrafficRow, bytes)},
};
ROWS(traffic, TrafficRow)

static const SmbMember warning_members[] = {
    {"kind", MEMBER_REQUIRED, COUNT, AT(WarningRow, kind)},
    {"site", MEMBER_REQUIRED, COUNT, AT(WarningRow, site)},
    {"other", MEMBER_REQUIRED, COUNT, AT(WarningRow, other)},
    {"block", MEMBER_REQUIRED, COUNT, AT(WarningRow, block)},
    {"message", MEMBER_REQUIRED, SMB_MEMBER_WORDS, AT(WarningRow, message)},
};
ROWS(warning, WarningRow)

static gboolean read_part(const SmbPlace *place, JsonNode *node, gpointer target, GError **error);
static gboolean write_part(GString *json, gconstpointer value);

static const SmbMember part_members[] = {
    {"blocks", MEMBER_REQUIRED, COUNT, AT(PartRow, blocks)},
    {"in_order", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(PartRow, in_order)},
    {"misses_others", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(PartRow, misses_others)},
    {"by_instruction", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(PartRow, by_instruction)},
    {"irregular", MEMBER_ABSENT, SMB_MEMBER_WORDS, AT(PartRow, irregular)},
    {"idle", MEMBER_ABSENT, SMB_MEMBER_WORDS, AT(PartRow, idle)},
    {"idle_place", MEMBER_REQUIRED, NUMBERS, AT(PartRow, idle_place)},
    {"parameters", MEMBER_REQUIRED, SMB_MEMBER_TEXTS, AT(PartRow, parameters)},
    {"sites", MEMBER_REQUIRED, read_site, write_site, AT(PartRow, sites)},
    {"shared", MEMBER_REQUIRED, read_shared, write_shared, AT(PartRow, shared)},
    {"global", MEMBER_REQUIRED, read_global, write_global, AT(PartRow, global)},
    {"constant", MEMBER_REQUIRED, read_constant, write_constant, AT(PartRow, constant)},
    {"traffic", MEMBER_REQUIRED, read_traffic, write_traffic, AT(PartRow, traffic)},
    {"warnings", MEMBER_REQUIRED, read_warning, write_warning, AT(PartRow, warnings)},
    {"variants", MEMBER_ABSENT, read_part, write_part, AT(PartRow, variants)},
};
ROWS(part, PartRow)

PartRow *
smb_part_row_new(void) {
  PartRow *row = g_new0(PartRow, 1);
  row->sites = new_site();
  row->shared = new_shared();
  row->global = new_global();
  row->constant = new_constant();
  row->traffic = new_traffic();
  row->warnings = new_warning();
  return row;
}

GPtrArray *
smb_frame_rows_new(void) {
  return new_frame();
}

GPtrArray *
smb_variant_rows_new(void) {
  return new_part();
}

void
smb_part_row_free(PartRow *row) {
  if (row)
    free_part(row);
}

void
smb_part_row_write(const PartRow *row, GString *json) {
  g_string_append_c(json, '{');
  smb_members_write(json, MEMBERS(part_members), row, ",");
  g_string_append_c(json, '}');
}

PartRow *
smb_part_row_read(const SmbPlace *place, JsonNode *node, GError **error) {
  PartRow *row = g_new0(PartRow, 1);
  if (!smb_members_read(place, node, MEMBERS(part_members), row, error))
    g_clear_pointer(&row, smb_part_row_free);
  return row;
}
