// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/list/listing.h"

#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/table.h"

struct _SmbListing {
  const char *key;
  const SmbListingColumn *columns;
  guint n_columns;
  SmbVendor vendor;
  GPtrArray *cells; // char *, row by row; NULL is absent
  const char *note; // in text, after the table
  SmbListing *next; // in text, behind that
};

SmbListing *
smb_listing_new(const char *key, const SmbListingColumn *columns, guint n_columns) {
  SmbListing *listing = g_new0(SmbListing, 1);
  listing->key = key;
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
  smb_listing_free(listing->next);
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

void
smb_listing_set_note(SmbListing *listing, const char *note) {
  listing->note = note;
}

void
smb_listing_set_vendor(SmbListing *listing, SmbVendor vendor) {
  for (; listing; listing = listing->next)
    listing->vendor = vendor;
}

void
smb_listing_set_next(SmbListing *listing, SmbListing *next) {
  listing->next = next;
}

static const char *
cell_text(const SmbListing *listing, guint index) {
  return g_ptr_array_index(listing->cells, index);
}

static void
write_listing_table(SmbCli *cli, const SmbListing *listing) {
  g_autoptr(SmbTable) table = smb_table_new("");
  for (guint i = 0; i < listing->n_columns; i++) {
    gboolean number = listing->columns[i].kind == SMB_LISTING_NUMBER;
    if (listing->columns[i].header)
      smb_table_column(table, smb_vendor_say(listing->vendor, listing->columns[i].header),
                       number ? SMB_ALIGN_RIGHT : SMB_ALIGN_LEFT);
  }
  for (guint i = 0; i < listing->cells->len; i++) {
    const char *text = cell_text(listing, i);
    if (listing->columns[i % listing->n_columns].header)
      smb_table_cell(table, SMB_STYLE_PLAIN, text ? text : "");
  }
  smb_table_wrap(table);
  smb_table_write(table, cli->out, cli->colour);
}

static void
write_listing_text(SmbCli *cli, gconstpointer result) {
  for (const SmbListing *listing = result; listing; listing = listing->next) {
    write_listing_table(cli, listing);
    if (listing->note) {
      smb_spool_puts(cli->out, "\n");
      smb_text_wrap(cli->out, smb_vendor_say(listing->vendor, listing->note));
    }
    if (listing->next)
      smb_spool_puts(cli->out, "\n");
  }
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
write_listing_json(SmbCli *cli, gconstpointer result) {
  const SmbListing *listing = result;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_array(json, listing->key);
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
write_listing_csv(SmbCli *cli, gconstpointer result) {
  const SmbListing *listing = result;
  g_autoptr(GString) names = g_string_new(listing->columns[0].key);
  for (guint i = 1; i < listing->n_columns; i++)
    g_string_append_printf(names, ",%s", listing->columns[i].key);
  SmbCsv csv = smb_csv_begin(cli->out, names->str);
  for (guint i = 0; i < listing->cells->len; i++) {
    smb_csv_text(&csv, cell_text(listing, i));
    if (i % listing->n_columns == listing->n_columns - 1)
      smb_csv_end_row(&csv);
  }
}

const SmbFormat smb_listing_formats[] = {{"text", write_listing_text, NULL},
                                         {"json", write_listing_json, NULL},
                                         {"csv", write_listing_csv, NULL},
                                         {NULL, NULL, NULL}};
