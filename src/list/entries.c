// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// list kernels FILE: the kernels of a file of compiled code, with what a launch has to give them.
#include "src/list/list.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/capture/capture.h"
#include "sim/program/entry.h"
#include "src/cli/input.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/table.h"

// What the writers take. @several: the plain names that kernels with different symbols have
typedef struct {
  const SmbEntries *entries;
  const char *file;
  GHashTable *several;
} Contained;

static gboolean
has_block(const SmbEntry *entry) {
  return entry->block[0] > 0;
}

// "256x1x1", or "" (transfer full).
static char *
describe_block(const SmbEntry *entry) {
  return has_block(entry)
             ? g_strdup_printf("%ux%ux%u", entry->block[0], entry->block[1], entry->block[2])
             : g_strdup("");
}

// What a table says of the block (transfer full).
static char *
describe_limit(const SmbEntry *entry) {
  if (has_block(entry) || !entry->max_threads)
    return describe_block(entry);
  return g_strdup_printf("up to %" G_GUINT64_FORMAT, entry->max_threads);
}

// What --entry chooses it by: its plain name, unless another kernel has that as well.
static const char *
find_entry_name(const Contained *contained, const SmbEntry *entry) {
  return g_hash_table_contains(contained->several, entry->name) ? entry->symbol : entry->name;
}

static GHashTable *
find_several(const SmbEntries *entries) {
  g_autoptr(GHashTable) symbols = g_hash_table_new(g_str_hash, g_str_equal);
  GHashTable *several = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < entries->entries->len; i++) {
    const SmbEntry *entry = g_ptr_array_index(entries->entries, i);
    const char *first = g_hash_table_lookup(symbols, entry->name);
    if (!first)
      g_hash_table_insert(symbols, (gpointer)entry->name, (gpointer)entry->symbol);
    else if (strcmp(first, entry->symbol) != 0)
      g_hash_table_add(several, (gpointer)entry->name);
  }
  return several;
}

// The kernel stands in the first of its rows; last, since names of templates are long.
static void
end_row(SmbTable *table, const char *name, gboolean first) {
  smb_table_cell(table, SMB_STYLE_BOLD, first ? name : "");
}

static void
begin_entry_row(SmbTable *table, const SmbEntry *entry, gboolean first) {
  g_autofree char *block = describe_limit(entry);
  smb_table_cell(table, SMB_STYLE_PLAIN, first ? block : "");
}

static void
write_entry_rows(SmbTable *table, const Contained *contained, const SmbEntry *entry) {
  const char *name = find_entry_name(contained, entry);
  for (guint i = 0; i < entry->parameters->len; i++) {
    const SmbEntryItem *item = &g_array_index(entry->parameters, SmbEntryItem, i);
    begin_entry_row(table, entry, i == 0);
    smb_table_printf(table, SMB_STYLE_PLAIN, "parameter %u", i);
    smb_table_cell(table, SMB_STYLE_PLAIN, item->is_pointer ? "pointer" : item->type);
    smb_table_number(table, SMB_STYLE_PLAIN, item->bytes);
    end_row(table, name, i == 0);
  }
  for (guint i = 0; i < entry->arrays->len; i++) {
    const SmbEntryItem *item = &g_array_index(entry->arrays, SmbEntryItem, i);
    gboolean first = i + entry->parameters->len == 0;
    begin_entry_row(table, entry, first);
    smb_table_printf(table, SMB_STYLE_PLAIN, "shared %s", item->name);
    smb_table_cell(table, SMB_STYLE_PLAIN, item->type);
    if (item->bytes)
      smb_table_number(table, SMB_STYLE_PLAIN, item->bytes);
    else
      smb_table_cell(table, SMB_STYLE_PLAIN, "dynamic");
    end_row(table, name, first);
  }
  if (entry->parameters->len + entry->arrays->len == 0) {
    begin_entry_row(table, entry, TRUE);
    for (guint empty = 0; empty < 3; empty++)
      smb_table_cell(table, SMB_STYLE_PLAIN, "");
    end_row(table, name, TRUE);
  }
}

// All parameters and arrays of PTX, a row each.
static void
write_items_of_all(SmbCli *cli, const Contained *contained) {
  const GPtrArray *entries = contained->entries->entries;
  g_autoptr(SmbTable) table = smb_table_new("block|what|type|bytes>|kernel");
  for (guint i = 0; i < entries->len; i++)
    write_entry_rows(table, contained, g_ptr_array_index(entries, i));
  smb_table_write(table, cli->out, cli->colour);
}

static gboolean
is_machine_code(const SmbEntry *entry) {
  return strcmp(entry->level, "sass") == 0;
}

// "8 8 4": the sizes of the parameters (transfer full).
static char *
list_sizes(const SmbEntry *entry) {
  GString *sizes = g_string_new(NULL);
  for (guint i = 0; i < entry->parameters->len; i++)
    g_string_append_printf(sizes, "%s%" G_GUINT64_FORMAT, i > 0 ? " " : "",
                           g_array_index(entry->parameters, SmbEntryItem, i).bytes);
  return g_string_free(sizes, FALSE);
}

// PTX has none of these sizes.
static void
write_size(SmbTable *table, const SmbEntry *entry, gboolean known, guint64 size) {
  if (known)
    smb_table_number(table, SMB_STYLE_PLAIN, size);
  else
    smb_table_cell(table, SMB_STYLE_PLAIN, is_machine_code(entry) ? "-" : "");
}

// A row for each kernel and architecture: what machine code has of it.
static void
write_machine_code(SmbCli *cli, const Contained *contained) {
  const GPtrArray *entries = contained->entries->entries;
  g_autoptr(SmbTable) table =
      smb_table_new("for|registers>|shared bytes>|local bytes>|block|bytes of parameters|kernel");
  gboolean is_unlinked = FALSE;
  for (guint i = 0; i < entries->len; i++) {
    const SmbEntry *entry = g_ptr_array_index(entries, i);
    g_autofree char *block = describe_limit(entry), *sizes = list_sizes(entry);
    smb_table_printf(table, SMB_STYLE_PLAIN, "%s%s", is_machine_code(entry) ? "" : "PTX for ",
                     entry->target);
    write_size(table, entry, is_machine_code(entry), entry->registers);
    write_size(table, entry, entry->is_linked, entry->shared_bytes);
    write_size(table, entry, entry->is_linked, entry->local_bytes);
    is_unlinked = is_unlinked || (is_machine_code(entry) && !entry->is_linked);
    smb_table_cell(table, SMB_STYLE_PLAIN, block);
    smb_table_cell(table, SMB_STYLE_PLAIN, sizes);
    smb_table_cell(table, SMB_STYLE_BOLD, find_entry_name(contained, entry));
  }
  smb_table_write(table, cli->out, cli->colour);
  if (is_unlinked)
    smb_spool_puts(cli->out, "\n-: unknown until this code is linked (nvcc -dlink)\n");
}

static void
write_entries_text(SmbCli *cli, gconstpointer result) {
  const Contained *contained = result;
  const SmbEntries *entries = contained->entries;
  gboolean is_ptx = strcmp(entries->level, "ptx") == 0;
  const char *what = is_ptx                                   ? "PTX"
                     : strcmp(entries->level, "several") == 0 ? "machine code and PTX"
                                                              : "machine code";
  smb_spool_printf(cli->out, "%s: %s for %s\n\n", contained->file, what, entries->target);
  if (is_ptx)
    write_items_of_all(cli, contained);
  else
    write_machine_code(cli, contained);
}

static void
write_item(JsonBuilder *json, const SmbEntryItem *item) {
  smb_json_text(json, "name", item->name);
  smb_json_text(json, "type", item->type);
  smb_json_number_if(json, "bytes", item->bytes > 0, (gint64)item->bytes);
}

static void
write_items(JsonBuilder *json, const SmbEntry *entry) {
  smb_json_array(json, "parameters");
  for (guint i = 0; i < entry->parameters->len; i++) {
    const SmbEntryItem *item = &g_array_index(entry->parameters, SmbEntryItem, i);
    smb_json_object(json, NULL);
    smb_json_number(json, "index", i);
    write_item(json, item);
    smb_json_boolean(json, "pointer", item->is_pointer);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_array(json, "shared");
  for (guint i = 0; i < entry->arrays->len; i++) {
    const SmbEntryItem *item = &g_array_index(entry->arrays, SmbEntryItem, i);
    smb_json_object(json, NULL);
    write_item(json, item);
    smb_json_boolean(json, "dynamic", item->bytes == 0);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

static void
write_entry_json(JsonBuilder *json, const SmbEntry *entry) {
  smb_json_object(json, NULL);
  smb_json_text(json, "name", entry->name);
  smb_json_text(json, "symbol", entry->symbol);
  if (has_block(entry))
    smb_json_extent(json, "block", entry->block);
  else
    smb_json_null(json, "block");
  smb_json_number_if(json, "max_threads", entry->max_threads > 0, (gint64)entry->max_threads);
  smb_json_text(json, "level", entry->level);
  smb_json_text(json, "target", entry->target);
  smb_json_number_if(json, "registers", is_machine_code(entry), entry->registers);
  smb_json_number_if(json, "static_shared_bytes", entry->is_linked, (gint64)entry->shared_bytes);
  smb_json_number_if(json, "local_bytes", entry->is_linked, (gint64)entry->local_bytes);
  write_items(json, entry);
  json_builder_end_object(json);
}

static void
write_entries_json(SmbCli *cli, gconstpointer result) {
  const Contained *contained = result;
  const SmbEntries *entries = contained->entries;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_text(json, "file", contained->file);
  smb_json_text(json, "level", entries->level);
  smb_json_text(json, "target", entries->target);
  smb_json_array(json, "entries");
  for (guint i = 0; i < entries->entries->len; i++) {
    write_entry_json(json, g_ptr_array_index(entries->entries, i));
  }
  json_builder_end_array(json);
  smb_json_end(json, cli->out);
}

static void
begin_csv_row(SmbCsv *csv, const SmbEntry *entry) {
  g_autofree char *block = describe_block(entry);
  smb_csv_text(csv, entry->name);
  smb_csv_text(csv, entry->symbol);
  smb_csv_text(csv, entry->target);
  smb_csv_text(csv, *block ? block : NULL);
  smb_csv_number_if(csv, entry->max_threads > 0, entry->max_threads);
}

static void
end_csv_row(SmbCsv *csv, const SmbEntry *entry) {
  smb_csv_text(csv, entry->level);
  smb_csv_number_if(csv, is_machine_code(entry), entry->registers);
  smb_csv_number_if(csv, entry->is_linked, entry->shared_bytes);
  smb_csv_number_if(csv, entry->is_linked, entry->local_bytes);
  smb_csv_end_row(csv);
}

// A row for each parameter and array.
static void
write_rows(SmbCsv *csv, const SmbEntry *entry, const char *kind, const GArray *items) {
  for (guint i = 0; i < items->len; i++) {
    const SmbEntryItem *item = &g_array_index(items, SmbEntryItem, i);
    begin_csv_row(csv, entry);
    smb_csv_text(csv, kind);
    smb_csv_number(csv, i);
    smb_csv_text(csv, item->name);
    smb_csv_text(csv, item->type);
    smb_csv_number_if(csv, item->bytes > 0, item->bytes);
    end_csv_row(csv, entry);
  }
}

static void
write_entries_csv(SmbCli *cli, gconstpointer result) {
  const SmbEntries *entries = ((const Contained *)result)->entries;
  SmbCsv csv = smb_csv_begin(cli->out, "name,symbol,target,block,max_threads,kind,index,item,type,"
                                       "bytes,level,registers,static_shared_bytes,local_bytes");
  for (guint i = 0; i < entries->entries->len; i++) {
    const SmbEntry *entry = g_ptr_array_index(entries->entries, i);
    write_rows(&csv, entry, "parameter", entry->parameters);
    write_rows(&csv, entry, "shared", entry->arrays);
    if (entry->parameters->len + entry->arrays->len > 0)
      continue;
    begin_csv_row(&csv, entry);
    smb_csv_skip(&csv, 5);
    end_csv_row(&csv, entry);
  }
}

static const SmbFormat formats[] = {{"text", write_entries_text, NULL},
                                    {"json", write_entries_json, NULL},
                                    {"csv", write_entries_csv, NULL},
                                    {NULL, NULL, NULL}};

// The kernels of all images of a capture, each image once.
static SmbEntries *
read_capture(const char *file, GError **error) {
  g_autoptr(SmbCapture) capture = smb_capture_open(file, error);
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(SmbEntries) all = NULL;
  for (guint i = 0; capture && i < smb_capture_n_launches(capture); i++) {
    const SmbCaptureLaunch *launch = smb_capture_launch(capture, i);
    if (!g_hash_table_add(seen, launch->image))
      continue;
    g_autoptr(GBytes) image = smb_capture_image(capture, launch, error);
    g_autoptr(SmbSource) source = image ? smb_source_new_any(file, image, error) : NULL;
    g_autoptr(SmbEntries) own = source ? smb_entries_read(source, error) : NULL;
    if (!own)
      return NULL;
    all = all ? g_steal_pointer(&all) : smb_entries_new(own->level, own->target);
    for (guint e = 0; e < own->entries->len; e++)
      smb_entries_copy(all, g_ptr_array_index(own->entries, e));
  }
  if (capture && !all)
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no launch, and no kernel", file);
  return g_steal_pointer(&all);
}

static SmbEntries *
read_entries_file(const char *file, GError **error) {
  g_autoptr(SmbSource) source = smb_input_source(file, error);
  return source ? smb_entries_read(source, error) : NULL;
}

gboolean
smb_list_entries(SmbCli *cli, const char *file, GError **error) {
  if (!smb_cli_view(cli, "kernels FILE", formats, error))
    return FALSE;
  g_autoptr(SmbEntries) entries =
      smb_capture_recognize(file) ? read_capture(file, error) : read_entries_file(file, error);
  if (!entries)
    return FALSE;
  g_autoptr(GHashTable) several = find_several(entries);
  const Contained contained = {entries, smb_input_name(file), several};
  cli->format->write(cli, &contained);
  return TRUE;
}
