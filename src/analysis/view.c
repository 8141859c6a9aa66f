// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/view.h"

#include <string.h>

#include "sim/base/order.h"
#include "sim/base/text.h"

#define SORTS  "line|excess|wavefronts|requests|cost"
#define TABLES "shared,global,constant,other"

static gboolean option_quiet;
static char *option_top, *option_sort, *option_tables;

static const GOptionEntry entries[] = {
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &option_quiet, "show only the verdict, no tables", NULL},
    {"top", 0, 0, G_OPTION_ARG_STRING, &option_top, "show only the first N rows of each table",
     "N"},
    {"sort", 0, 0, G_OPTION_ARG_STRING, &option_sort,
     "the order of rows: by line, or the most first (default line)", SORTS},
    {"tables", 0, 0, G_OPTION_ARG_STRING, &option_tables,
     "the tables that are shown, of " TABLES " (default all)", "LIST"},
    G_OPTION_ENTRY_NULL,
};
const SmbCliGroup smb_view_group = {"What is shown", entries};

const SmbView smb_view_all = {
    .top = G_MAXUINT, .sort = SMB_SORT_LINE, .tables = (1u << SMB_N_TABLE_KINDS) - 1};

const char *
smb_view_asked(void) {
  return option_quiet    ? "--quiet"
         : option_top    ? "--top"
         : option_sort   ? "--sort"
         : option_tables ? "--tables"
                         : NULL;
}

static gboolean
parse_tables(guint *tables, GError **error) {
  g_auto(GStrv) kinds = g_strsplit(TABLES, ",", -1);
  g_auto(GStrv) names = g_strsplit(option_tables, ",", -1);
  *tables = 0;
  for (guint i = 0; names[i]; i++) {
    guint kind = 0;
    while (kinds[kind] && strcmp(kinds[kind], names[i]) != 0)
      kind++;
    if (!kinds[kind])
      return smb_cli_usage_error(error, "--tables '%s': expected some of " TABLES, option_tables);
    *tables |= 1u << kind;
  }
  return TRUE;
}

gboolean
smb_view_parse(SmbView *view, GError **error) {
  guint sort = SMB_SORT_LINE;
  *view = smb_view_all;
  view->quiet = option_quiet;
  if (!smb_cli_number("--top", option_top, 1, G_MAXINT, &view->top, error) ||
      !smb_cli_choice("--sort", option_sort, SORTS, &sort, error) ||
      (option_tables && !parse_tables(&view->tables, error)))
    return FALSE;
  view->sort = (SmbSort)sort;
  return TRUE;
}

// A row, and where it belongs. @file: when its file came first
typedef struct {
  const SmbViewRow *row;
  guint index, file;
} Place;

static int
compare_row_lines(const Place *a, const Place *b) {
  return smb_order(a->file, b->file) ?: smb_order(a->row->site->line, b->row->site->line);
}

static int
compare_view_rows(gconstpointer first, gconstpointer second, gpointer data) {
  const Place *a = first, *b = second;
  const SmbView *view = data;
  int order = 0;
  switch (view->sort) {
  case SMB_SORT_LINE:
    order = compare_row_lines(a, b);
    break;
  case SMB_SORT_EXCESS:
    order = smb_order(b->row->excess, a->row->excess);
    break;
  case SMB_SORT_WAVEFRONTS:
    order = smb_order(b->row->wavefronts, a->row->wavefronts);
    break;
  case SMB_SORT_REQUESTS:
    order = smb_order(b->row->requests, a->row->requests);
    break;
  case SMB_SORT_COST:
    order = (a->row->cost < b->row->cost) - (a->row->cost > b->row->cost);
    break;
  }
  return order ?: smb_order(a->index, b->index);
}

// When each file came first; the text of the kernel itself, which has no name, is the first one.
static guint
find_file(GHashTable *files, const char *file) {
  gpointer found = NULL;
  if (!file)
    return 0;
  if (!g_hash_table_lookup_extended(files, file, NULL, &found)) {
    found = GUINT_TO_POINTER(g_hash_table_size(files) + 1);
    g_hash_table_insert(files, (gpointer)file, found);
  }
  return GPOINTER_TO_UINT(found);
}

GArray *
smb_view_order(const SmbView *view, const GArray *rows) {
  g_autoptr(GHashTable) files = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(Place));
  GArray *order = g_array_new(FALSE, FALSE, sizeof(guint));
  for (guint i = 0; i < rows->len; i++) {
    const SmbViewRow *row = &g_array_index(rows, SmbViewRow, i);
    Place place = {row, i, find_file(files, row->site->file)};
    g_array_append_val(places, place);
  }
  g_array_sort_with_data(places, compare_view_rows, (gpointer)view);
  for (guint i = 0; i < MIN(places->len, view->top); i++)
    g_array_append_val(order, g_array_index(places, Place, i).index);
  return order;
}

void
smb_view_write_rest(const SmbView *view, guint n, SmbSpool *out) {
  if (n > view->top)
    smb_spool_printf(out, "%s not shown: --top %u\n", smb_count(n - view->top, "more row").text,
                     view->top);
}
