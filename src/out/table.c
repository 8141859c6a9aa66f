// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/table.h"

#include <string.h>

#include "src/out/describe.h"

enum {
  COLUMN_GAP = 2,   // spaces between two columns
  MIN_WRAP = 40,    // columns that a broken text gets at least, else it stands below its row
  BELOW_INDENT = 4, // of a text below its row
  MIN_TEXT = 12,    // columns that a text keeps when it is cut
};

typedef struct {
  char *header;
  char *group; // what this column and those behind it are counts of, or NULL
  SmbAlign align;
  guint most; // how wide its texts are at most; 0: as wide as they are
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

// The columns of a table that stand side by side.
typedef struct {
  const SmbTable *table;
  SmbSpool *out;
  gboolean colour;
  guint *widths;   // of all columns of the table
  gboolean *shown; // whether a column is among them
  gboolean below;  // the last column stands below its row
} Block;

static void
clear_column(gpointer column) {
  g_free(((Column *)column)->header);
  g_free(((Column *)column)->group);
}

static void
clear_cell(gpointer cell) {
  g_free(((Cell *)cell)->text);
}

SmbTable *
smb_table_new(const char *columns) {
  SmbTable *table = g_new0(SmbTable, 1);
  table->columns = g_array_new(FALSE, FALSE, sizeof(Column));
  table->cells = g_array_new(FALSE, FALSE, sizeof(Cell));
  g_array_set_clear_func(table->columns, clear_column);
  g_array_set_clear_func(table->cells, clear_cell);
  smb_table_columns(table, columns);
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

static void
add_column(SmbTable *table, const char *group, const char *header, SmbAlign align) {
  g_return_if_fail(table->cells->len == 0);
  Column column = {g_strdup(header), g_strdup(group), align};
  g_array_append_val(table->columns, column);
}

void
smb_table_column(SmbTable *table, const char *header, SmbAlign align) {
  add_column(table, NULL, header, align);
}

void
smb_table_columns(SmbTable *table, const char *columns) {
  g_auto(GStrv) headers = g_strsplit(columns, "|", -1);
  for (guint i = 0; headers[i]; i++) {
    gboolean number = g_str_has_suffix(headers[i], ">");
    if (number)
      headers[i][strlen(headers[i]) - 1] = '\0';
    g_auto(GStrv) parts = g_strsplit(headers[i], ": ", 2);
    gboolean grouped = parts[0] && parts[1];
    add_column(table, grouped ? parts[0] : NULL, grouped ? parts[1] : headers[i],
               number ? SMB_ALIGN_RIGHT : SMB_ALIGN_LEFT);
  }
}

static void
take_table_cell(SmbTable *table, SmbStyle style, char *text) {
  Cell cell = {text, style, table->rule_pending};
  table->rule_pending = FALSE;
  g_array_append_val(table->cells, cell);
}

void
smb_table_cell(SmbTable *table, SmbStyle style, const char *text) {
  take_table_cell(table, style, smb_text_show_line(text));
}

void
smb_table_number(SmbTable *table, SmbStyle style, guint64 number) {
  take_table_cell(table, style, g_strdup_printf("%" G_GUINT64_FORMAT, number));
}

void
smb_table_place(SmbTable *table, const SmbSite *site) {
  g_autofree char *file = site->file ? smb_describe_file(site->file) : NULL;
  if (file)
    smb_table_printf(table, SMB_STYLE_DIM, "%s:%u", file, site->line);
  else if (site->line)
    smb_table_number(table, SMB_STYLE_DIM, site->line);
  else
    smb_table_printf(table, SMB_STYLE_DIM, "0x%x", site->opcode ? site->pc : site->offset);
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
smb_table_limit(SmbTable *table, guint column, guint most) {
  g_array_index(table->columns, Column, column).most = most;
}

static void
write_styled(SmbSpool *out, SmbStyle style, gboolean colour, const char *text) {
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

// A text on one line (transfer full): line feeds before and after it are taken off and counted, others shown as "\n".
static char *
take_cell_line(const char *text, gsize *before, gsize *behind) {
  *before = strspn(text, "\n");
  gsize end = strlen(text);
  while (end > *before && text[end - 1] == '\n')
    end--;
  *behind = strlen(text) - end;
  g_autofree char *inner = g_strndup(text + *before, end - *before);
  return smb_text_escape_lines(inner);
}

void
smb_style_write(SmbSpool *out, SmbStyle style, gboolean colour, const char *text) {
  gsize before, behind;
  g_autofree char *line = take_cell_line(text, &before, &behind);
  smb_spool_fill(out, '\n', before);
  write_styled(out, style, colour, line);
  smb_spool_fill(out, '\n', behind);
}

// The text with line feeds between words, so that no line but one long word is wider than @width; the first
// has @column columns already, the others begin at @indent.
static char *
break_lines(const char *text, guint width, guint indent, guint column) {
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  g_autofree char *margin = g_strnfill(indent, ' ');
  GString *lines = g_string_new(NULL);
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
smb_text_wrap_at(SmbSpool *out, const char *text, guint column, guint indent) {
  guint columns = smb_spool_columns(out);
  gsize before, behind;
  g_autofree char *paragraph = take_cell_line(text, &before, &behind);
  g_autofree char *lines =
      break_lines(paragraph, columns - MIN(columns, indent), indent, column - MIN(column, indent));
  smb_spool_fill(out, '\n', before);
  smb_spool_puts(out, lines);
  smb_spool_fill(out, '\n', behind + 1);
}

void
smb_text_wrap(SmbSpool *out, const char *text) {
  smb_text_wrap_at(out, text, 0, 0);
}

void
smb_text_wrap_printf(SmbSpool *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = smb_text_format(format, arguments);
  va_end(arguments);
  smb_text_wrap(out, text);
}

static const Column *
get_column(const SmbTable *table, guint i) {
  return &g_array_index(table->columns, Column, i);
}

static guint *
measure_columns(const SmbTable *table) {
  guint n = table->columns->len;
  guint *widths = g_new0(guint, n);
  for (guint i = 0; i < n; i++)
    widths[i] = smb_text_width(get_column(table, i)->header);
  for (guint i = 0; i < table->cells->len; i++)
    widths[i % n] = MAX(widths[i % n], smb_text_width(g_array_index(table->cells, Cell, i).text));
  for (guint i = 0; i < n; i++)
    if (get_column(table, i)->most)
      widths[i] = MIN(widths[i], get_column(table, i)->most);
  return widths;
}

// Columns that those below @n which are shown take, with the gaps between them.
static guint
sum_widths(const Block *block, guint n) {
  guint sum = 0;
  for (guint i = 0; i < n; i++) {
    if (block->shown[i])
      sum += block->widths[i] + (sum > 0 ? COLUMN_GAP : 0);
  }
  return sum;
}

// Takes columns from the widest texts, below @n, until the row is no wider than @most.
static gboolean
cut_texts(const Block *block, guint n, guint most) {
  while (sum_widths(block, n) > most) {
    guint widest = n;
    for (guint i = 0; i < n; i++) {
      if (block->shown[i] && get_column(block->table, i)->align == SMB_ALIGN_LEFT &&
          block->widths[i] > MAX(MIN_TEXT, smb_text_width(get_column(block->table, i)->header)) &&
          (widest == n || block->widths[i] > block->widths[widest]))
        widest = i;
    }
    if (widest == n)
      return FALSE;
    block->widths[widest]--;
  }
  return TRUE;
}

// The end of a text, of at most @width columns.
static const char *
find_cut_tail(const char *text, guint width) {
  while (*text && smb_text_width(text) > width)
    text = g_utf8_next_char(text);
  return text;
}

// A text that is no wider than @width: its end becomes "…"; of the name of an instance the middle, since others of the template begin
// like it.
static char *
cut_text(const char *text, guint width) {
  if (smb_text_width(text) <= width)
    return g_strdup(text);
  gboolean is_instance = strchr(text, '<') && strchr(">)", text[strlen(text) - 1]);
  const char *tail = is_instance ? find_cut_tail(text, width / 2) : "";
  width -= smb_text_width(tail);
  GString *cut = g_string_new(NULL);
  for (const char *at = text; *at; at = g_utf8_next_char(at)) {
    gsize length = cut->len;
    g_string_append_unichar(cut, g_utf8_get_char(at));
    if (smb_text_width(cut->str) + 1 > width) {
      g_string_truncate(cut, length);
      break;
    }
  }
  g_string_append(cut, "…");
  g_string_append(cut, tail);
  return g_string_free(cut, FALSE);
}

// The gap that is due before a cell is kept in @pending until something follows it.
static void
write_cell(const Block *block, const Cell *cell, SmbAlign align, guint width, guint *pending) {
  g_autofree char *text = cut_text(cell->text, width);
  guint room = width - MIN(width, smb_text_width(text));
  if (!*text) {
    *pending += width + COLUMN_GAP;
    return;
  }
  smb_spool_fill(block->out, ' ', *pending + (align == SMB_ALIGN_RIGHT ? room : 0));
  write_styled(block->out, cell->style, block->colour, text);
  *pending = COLUMN_GAP + (align == SMB_ALIGN_RIGHT ? 0 : room);
}

// The last cell of a row, broken into lines: beside the others, or below them.
static void
write_broken_cell(const Block *block, const Cell *cell, guint pending) {
  guint n = block->table->columns->len, columns = smb_spool_columns(block->out);
  guint indent = block->below ? BELOW_INDENT : sum_widths(block, n - 1) + (n > 1 ? COLUMN_GAP : 0);
  guint room = MAX(columns - MIN(columns, indent), MIN_WRAP);
  if (!*cell->text)
    return;
  g_autofree char *lines = break_lines(cell->text, room, indent, 0);
  if (block->below)
    smb_spool_puts(block->out, "\n");
  smb_spool_fill(block->out, ' ', block->below ? indent : pending);
  write_styled(block->out, cell->style, block->colour, lines);
}

static void
write_rule(const Block *block) {
  guint total = sum_widths(block, block->table->columns->len);
  g_autofree char *line = g_strnfill(MIN(total, smb_spool_columns(block->out)), '-');
  smb_style_write(block->out, SMB_STYLE_DIM, block->colour, line);
  smb_spool_puts(block->out, "\n");
}

static gboolean
is_broken(const Block *block, guint column) {
  return block->table->wrap && column == block->table->columns->len - 1;
}

// What the columns are counts of, above their headers: where the first of a run begins, or further left so that the
// title ends with the last.
static void
write_column_groups(const Block *block) {
  const SmbTable *table = block->table;
  guint at = 0, written = 0;
  for (guint i = 0; i < table->columns->len;) {
    const char *title = get_column(table, i)->group;
    guint width = title ? smb_text_width(title) : 0, start = 0, end = 0;
    do {
      const Column *column = get_column(table, i);
      if (!block->shown[i])
        continue;
      guint room = block->widths[i] - smb_text_width(column->header);
      start = end ? start : at + (column->align == SMB_ALIGN_RIGHT ? room : 0);
      end = at + block->widths[i];
      at = end + COLUMN_GAP;
    } while (++i < table->columns->len && !get_column(table, i)->group);
    start = MIN(start, end - MIN(width, end));
    start = MAX(start, written + (written ? COLUMN_GAP : 0));
    if (!width || start + width > end)
      continue;
    smb_spool_fill(block->out, ' ', start - written);
    smb_style_write(block->out, SMB_STYLE_DIM, block->colour, title);
    written = start + width;
  }
  if (written)
    smb_spool_puts(block->out, "\n");
}

static void
write_headers(const Block *block) {
  guint pending = 0;
  write_column_groups(block);
  for (guint i = 0; i < block->table->columns->len; i++) {
    const Column *column = get_column(block->table, i);
    Cell cell = {column->header, SMB_STYLE_BOLD, FALSE};
    if (block->shown[i] && !(block->below && is_broken(block, i)))
      write_cell(block, &cell, column->align, block->widths[i], &pending);
  }
  smb_spool_puts(block->out, "\n");
  write_rule(block);
}

static void
write_table_block(const Block *block) {
  const SmbTable *table = block->table;
  guint n = table->columns->len, pending = 0;
  write_headers(block);
  for (guint i = 0; i < table->cells->len; i++) {
    const Cell *cell = &g_array_index(table->cells, Cell, i);
    guint column = i % n;
    if (column == 0 && cell->rule_before)
      write_rule(block);
    if (column == 0)
      pending = 0;
    if (is_broken(block, column))
      write_broken_cell(block, cell, pending);
    else if (block->shown[column])
      write_cell(block, cell, get_column(table, column)->align, block->widths[column], &pending);
    if (column == n - 1 || i == table->cells->len - 1)
      smb_spool_puts(block->out, "\n");
  }
}

// Columns that say what a row is about: the first, and the first text if that is a number.
static guint
count_keys(const SmbTable *table) {
  gboolean numbered = table->columns->len > 2 && get_column(table, 0)->align == SMB_ALIGN_RIGHT &&
                      get_column(table, 1)->align == SMB_ALIGN_LEFT;
  return numbered ? 2 : 1;
}

// A table that is too wide, in parts below each other; each begins with what the rows are about.
static void
write_cell_parts(Block *block, guint most) {
  guint n = block->table->columns->len, keys = count_keys(block->table);
  for (guint next = keys; next < n;) {
    guint first = next;
    for (guint i = 0; i < n; i++)
      block->shown[i] = i < keys;
    do
      block->shown[next++] = TRUE;
    while (next < n && sum_widths(block, n) + COLUMN_GAP + block->widths[next] <= most);
    if (first > keys)
      smb_spool_puts(block->out, "\n");
    write_table_block(block);
  }
}

void
smb_table_write(const SmbTable *table, SmbSpool *out, gboolean colour) {
  guint n = table->columns->len, most = smb_spool_table_columns(out);
  g_autofree guint *widths = measure_columns(table);
  g_autofree gboolean *shown = g_new(gboolean, MAX(n, 1));
  Block block = {table, out, colour, widths, shown, FALSE};
  for (guint i = 0; i < n; i++)
    shown[i] = TRUE;
  gboolean fits = sum_widths(&block, n) <= most;
  if (!fits && table->wrap && n > 1) {
    // Beside a text that is broken the others are cut a little; else it goes below.
    guint others = most - MIN(most, MIN_WRAP + COLUMN_GAP);
    g_autofree guint *whole = g_memdup2(widths, n * sizeof *widths);
    fits = cut_texts(&block, n - 1, others);
    if (fits) {
      widths[n - 1] = MIN(widths[n - 1], most - sum_widths(&block, n - 1) - COLUMN_GAP);
    } else {
      memcpy(widths, whole, n * sizeof *widths);
      block.below = TRUE;
      shown[n - 1] = FALSE;
    }
  }
  if (fits || cut_texts(&block, n, most))
    write_table_block(&block);
  else
    write_cell_parts(&block, most);
}
