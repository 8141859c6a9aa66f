// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/table.h"

#include <string.h>

enum {
  COLUMN_GAP = 2, // spaces between two columns
  MIN_WRAP = 40,  // columns that a broken text gets at least
};

typedef struct {
  char *header;
  SmbAlign align;
} Column;

typedef struct {
  char *text;
  SmbStyle style;
  gboolean rule_before; // first cell of a row: a line is drawn above it
} Cell;

struct _SmbTable {
  GArray *columns; // Column
  GArray *cells;   // Cell, row by row
  gboolean rule_pending;
  gboolean wrap; // the last column is broken into lines
};

static void
clear_column(gpointer column) {
  g_free(((Column *)column)->header);
}

static void
clear_cell(gpointer cell) {
  g_free(((Cell *)cell)->text);
}

SmbTable *
smb_table_new(void) {
  SmbTable *table = g_new0(SmbTable, 1);
  table->columns = g_array_new(FALSE, FALSE, sizeof(Column));
  table->cells = g_array_new(FALSE, FALSE, sizeof(Cell));
  g_array_set_clear_func(table->columns, clear_column);
  g_array_set_clear_func(table->cells, clear_cell);
  return table;
}

void
smb_table_free(SmbTable *table) {
  if (!table)
    return;
  g_array_unref(table->columns);
  g_array_unref(table->cells);
  g_free(table);
}

void
smb_table_column(SmbTable *table, const char *header, SmbAlign align) {
  g_return_if_fail(table->cells->len == 0);
  Column column = {g_strdup(header), align};
  g_array_append_val(table->columns, column);
}

static void
take_cell(SmbTable *table, SmbStyle style, char *text) {
  Cell cell = {text, style, table->rule_pending};
  table->rule_pending = FALSE;
  g_array_append_val(table->cells, cell);
}

void
smb_table_cell(SmbTable *table, SmbStyle style, const char *text) {
  take_cell(table, style, smb_text_show_line(text));
}

void
smb_table_number(SmbTable *table, SmbStyle style, guint64 number) {
  take_cell(table, style, g_strdup_printf("%" G_GUINT64_FORMAT, number));
}

void
smb_table_printf(SmbTable *table, SmbStyle style, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  smb_table_cell(table, style, text);
}

void
smb_table_end_row(SmbTable *table) {
  while (table->columns->len > 0 && table->cells->len % table->columns->len != 0)
    smb_table_cell(table, SMB_STYLE_PLAIN, "");
}

void
smb_table_rule(SmbTable *table) {
  smb_table_end_row(table);
  table->rule_pending = TRUE;
}

void
smb_table_wrap(SmbTable *table) {
  table->wrap = TRUE;
}

void
smb_style_write(SmbSpool *out, SmbStyle style, gboolean colour, const char *text) {
  // ECMA-48, SGR: the colours of the terminal's own palette, so that they suit its background.
  static const char *const codes[] = {
      [SMB_STYLE_PLAIN] = "",      [SMB_STYLE_GOOD] = "\033[32m", [SMB_STYLE_BAD] = "\033[31m",
      [SMB_STYLE_DIM] = "\033[2m", [SMB_STYLE_BOLD] = "\033[1m",
  };
  static const char reset[] = "\033[0m";
  gboolean styled = colour && style != SMB_STYLE_PLAIN && *text;
  if (styled)
    smb_spool_write(out, codes[style], strlen(codes[style]));
  smb_spool_puts(out, text);
  if (styled)
    smb_spool_write(out, reset, strlen(reset));
}

// The text with line feeds between words, so that no line but one long word is wider than @width.
static char *
break_lines(const char *text, guint width, guint indent) {
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  g_autofree char *margin = g_strnfill(indent, ' ');
  GString *lines = g_string_new(NULL);
  guint column = 0;
  for (guint i = 0; words[i]; i++) {
    guint length = smb_text_width(words[i]);
    if (i > 0 && column + 1 + length > width) {
      g_string_append_printf(lines, "\n%s", margin);
      column = 0;
    } else if (i > 0) {
      g_string_append_c(lines, ' ');
      column++;
    }
    g_string_append(lines, words[i]);
    column += length;
  }
  return g_string_free(lines, FALSE);
}

void
smb_text_wrap_at(SmbSpool *out, const char *text, guint indent) {
  guint columns = smb_spool_columns(out);
  g_autofree char *lines = break_lines(text, columns - MIN(columns, indent), indent);
  smb_spool_puts(out, lines);
  smb_spool_puts(out, "\n");
}

void
smb_text_wrap(SmbSpool *out, const char *text) {
  smb_text_wrap_at(out, text, 0);
}

static guint *
measure_columns(const SmbTable *table) {
  guint n = table->columns->len;
  guint *widths = g_new0(guint, n);
  for (guint i = 0; i < n; i++)
    widths[i] = smb_text_width(g_array_index(table->columns, Column, i).header);
  for (guint i = 0; i < table->cells->len; i++)
    widths[i % n] = MAX(widths[i % n], smb_text_width(g_array_index(table->cells, Cell, i).text));
  return widths;
}

// The gap that is due before a cell is kept in @pending until something follows it.
static void
write_cell(SmbSpool *out, const Cell *cell, SmbAlign align, guint width, gboolean colour,
           guint *pending) {
  guint room = width - MIN(width, smb_text_width(cell->text));
  if (!*cell->text) {
    *pending += width + COLUMN_GAP;
    return;
  }
  smb_spool_fill(out, ' ', *pending + (align == SMB_ALIGN_RIGHT ? room : 0));
  smb_style_write(out, cell->style, colour, cell->text);
  *pending = COLUMN_GAP + (align == SMB_ALIGN_RIGHT ? 0 : room);
}

// Columns in front of the last one.
static guint
measure_indent(const guint *widths, guint n) {
  guint indent = 0;
  for (guint i = 0; i + 1 < n; i++)
    indent += widths[i] + COLUMN_GAP;
  return indent;
}

static void
write_last_cell(SmbSpool *out, const Cell *cell, const guint *widths, guint n, gboolean colour,
                guint *pending) {
  guint indent = measure_indent(widths, n);
  guint columns = smb_spool_columns(out), room = columns - MIN(columns, indent);
  g_autofree char *lines = break_lines(cell->text, MAX(room, MIN_WRAP), indent);
  Cell broken = {lines, cell->style, FALSE};
  write_cell(out, &broken, SMB_ALIGN_LEFT, widths[n - 1], colour, pending);
}

static void
write_rule(SmbSpool *out, const guint *widths, guint n, gboolean colour) {
  guint total = n > 0 ? (n - 1) * COLUMN_GAP : 0;
  for (guint i = 0; i < n; i++)
    total += widths[i];
  g_autofree char *line = g_strnfill(MIN(total, smb_spool_columns(out)), '-');
  smb_style_write(out, SMB_STYLE_DIM, colour, line);
  smb_spool_puts(out, "\n");
}

void
smb_table_write(const SmbTable *table, SmbSpool *out, gboolean colour) {
  guint n = table->columns->len;
  g_autofree guint *widths = measure_columns(table);
  guint pending = 0;
  for (guint i = 0; i < n; i++) {
    const Column *column = &g_array_index(table->columns, Column, i);
    Cell cell = {column->header, SMB_STYLE_BOLD, FALSE};
    write_cell(out, &cell, column->align, widths[i], colour, &pending);
  }
  smb_spool_puts(out, "\n");
  write_rule(out, widths, n, colour);
  for (guint i = 0; i < table->cells->len; i++) {
    const Cell *cell = &g_array_index(table->cells, Cell, i);
    if (i % n == 0 && cell->rule_before)
      write_rule(out, widths, n, colour);
    if (i % n == 0)
      pending = 0;
    if (table->wrap && i % n == n - 1)
      write_last_cell(out, cell, widths, n, colour, &pending);
    else
      write_cell(out, cell, g_array_index(table->columns, Column, i % n).align, widths[i % n],
                 colour, &pending);
    if (i % n == n - 1 || i == table->cells->len - 1)
      smb_spool_puts(out, "\n");
  }
}
