// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/listing.h"

#include "src/out-csv.h"
#include "src/out-json.h"
#include "src/table.h"

struct _SmbListing {
  const SmbListingColumn *columns;
  guint n_columns;
  GPtrArray *cells; // char *, row by row; NULL is absent
};

SmbListing *
smb_listing_new(const SmbListingColumn *columns, guint n_columns) {
  SmbListing *listing = g_new0(SmbListing, 1);
  listing->columns = columns;
  listing->n_columns = n_columns;
  listing->cells = g_ptr_array_new_with_free_func(g_free);
  return listing;
}

void
smb_listing_free(SmbListing *listing) {
  if (!listing)
    return;
  g_ptr_array_unref(listing->cells);
  g_free(listing);
}

void
smb_listing_text(SmbListing *listing, const char *text) {
  g_ptr_array_add(listing->cells, g_strdup(text));
}

void
smb_listing_number(SmbListing *listing, guint64 number) {
  g_ptr_array_add(listing->cells, g_strdup_printf("%" G_GUINT64_FORMAT, number));
}

static const char *
cell_text(const SmbListing *listing, guint index) {
  return g_ptr_array_index(listing->cells, index);
}

static void
write_table(const SmbListing *listing, SmbCli *cli) {
  g_autoptr(SmbTable) table = smb_table_new();
  for (guint i = 0; i < listing->n_columns; i++) {
    gboolean number = listing->columns[i].kind == SMB_LISTING_NUMBER;
    smb_table_column(table, listing->columns[i].header, number ? SMB_ALIGN_RIGHT : SMB_ALIGN_LEFT);
  }
  for (guint i = 0; i < listing->cells->len; i++) {
    const char *text = cell_text(listing, i);
    smb_table_cell(table, SMB_STYLE_PLAIN, text ? text : "");
  }
  smb_table_wrap(table);
  smb_table_write(table, cli->out, cli->colour);
}

static void
write_json_cell(JsonBuilder *json, const SmbListingColumn *column, const char *text) {
  if (!text) {
    smb_json_null(json, column->key);
    return;
  }
  switch (column->kind) {
  case SMB_LISTING_TEXT:
    smb_json_text(json, column->key, text);
    break;
  case SMB_LISTING_NUMBER:
    smb_json_number(json, column->key, (gint64)g_ascii_strtoull(text, NULL, 10));
    break;
  case SMB_LISTING_NUMBERS: {
    g_auto(GStrv) numbers = g_strsplit(text, " ", -1);
    smb_json_array(json, column->key);
    for (guint i = 0; numbers[i]; i++)
      smb_json_number(json, NULL, (gint64)g_ascii_strtoull(numbers[i], NULL, 10));
    json_builder_end_array(json);
    break;
  }
  }
}

static void
write_json(const SmbListing *listing, SmbCli *cli, const char *key) {
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_array(json, key);
  for (guint i = 0; i < listing->cells->len; i++) {
    guint column = i % listing->n_columns;
    if (column == 0)
      smb_json_object(json, NULL);
    write_json_cell(json, &listing->columns[column], cell_text(listing, i));
    if (column == listing->n_columns - 1)
      json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_end(json, cli->out);
}

static void
write_csv(const SmbListing *listing, SmbCli *cli) {
  g_autofree const char **names = g_new0(const char *, listing->n_columns + 1);
  for (guint i = 0; i < listing->n_columns; i++)
    names[i] = listing->columns[i].key;
  SmbCsv csv = smb_csv_begin(cli->out, names);
  for (guint i = 0; i < listing->cells->len; i++) {
    smb_csv_text(&csv, cell_text(listing, i));
    if (i % listing->n_columns == listing->n_columns - 1)
      smb_csv_end_row(&csv);
  }
}

void
smb_listing_write(const SmbListing *listing, SmbCli *cli, const char *key) {
  switch (cli->format) {
  case SMB_FORMAT_TEXT:
    write_table(listing, cli);
    break;
  case SMB_FORMAT_JSON:
    write_json(listing, cli, key);
    break;
  case SMB_FORMAT_CSV:
    write_csv(listing, cli);
    break;
  }
}
