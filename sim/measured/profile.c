// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/measured/profile.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/measured/cells.h"

// The columns that are read.
typedef enum {
  COLUMN_ADDRESS,
  COLUMN_TEXT,
  COLUMN_EXECUTED,
  COLUMN_THREADS,
  N_NEEDED_COLUMNS,
  COLUMN_WAVEFRONTS = N_NEEDED_COLUMNS, // a kernel without shared memory has none
  COLUMN_IDEAL,
  N_COLUMNS
} Column;

static const char *const column_names[N_COLUMNS] = {
    [COLUMN_ADDRESS] = "Address",
    [COLUMN_TEXT] = "Source",
    [COLUMN_EXECUTED] = "Instructions Executed",
    [COLUMN_THREADS] = "Predicated-On Thread Instructions Executed",
    [COLUMN_WAVEFRONTS] = "L1 Wavefronts Shared",
    [COLUMN_IDEAL] = "L1 Wavefronts Shared Ideal",
};

#define NO_COLUMN G_MAXUINT

typedef struct {
  SmbSource *source;
  SmbProfile *profile;
  SmbProfileLaunch *launch; // whose table is read, or NULL
  guint columns[N_COLUMNS]; // where they are in its rows, or NO_COLUMN
  gboolean has_columns;
  guint64 base;     // address of its first instruction
  guint line;       // that is read, from 1
  GPtrArray *cells; // of that line
  GError **error;
} Reader;

static void
profile_launch_free(gpointer data) {
  SmbProfileLaunch *launch = data;
  g_array_unref(launch->instructions);
  g_free(launch);
}

void
smb_profile_free(SmbProfile *profile) {
  if (!profile)
    return;
  g_ptr_array_unref(profile->launches);
  g_string_chunk_free(profile->strings);
  g_free(profile);
}

static gboolean
fail_profile(const Reader *reader, const char *text) {
  return smb_fail(reader->error, SMB_ERROR, SMB_ERROR_INPUT, "%s:%u:1: %s",
                  smb_source_name(reader->source), reader->line, text);
}

static gboolean
split_line(Reader *reader, const char *line) {
  const char *wrong = smb_cells_split(line, reader->cells);
  return !wrong || fail_profile(reader, wrong);
}

static void
begin_launch(Reader *reader) {
  SmbProfile *profile = reader->profile;
  reader->launch = g_new0(SmbProfileLaunch, 1);
  reader->launch->kernel =
      g_string_chunk_insert(profile->strings, g_ptr_array_index(reader->cells, 1));
  reader->launch->line = reader->line;
  reader->launch->instructions = g_array_new(FALSE, TRUE, sizeof(SmbProfileInstruction));
  reader->has_columns = FALSE;
  g_ptr_array_add(profile->launches, reader->launch);
}

static gboolean
find_columns(Reader *reader) {
  for (guint i = 0; i < N_COLUMNS; i++) {
    guint at = 0;
    while (at < reader->cells->len &&
           strcmp(g_ptr_array_index(reader->cells, at), column_names[i]) != 0)
      at++;
    g_autofree char *text = g_strdup_printf(
        "no column \"%s\": expected what 'ncu --page source --csv --print-source sass' writes",
        column_names[i]);
    if (at == reader->cells->len && i < N_NEEDED_COLUMNS)
      return fail_profile(reader, text);
    reader->columns[i] = at < reader->cells->len ? at : NO_COLUMN;
  }
  reader->has_columns = TRUE;
  return TRUE;
}

// A whole number, in groups of three or not; 0 where the table has no such column.
static gboolean
read_profile_number(Reader *reader, Column column, guint base, guint64 *number) {
  *number = 0;
  if (reader->columns[column] == NO_COLUMN)
    return TRUE;
  g_auto(GStrv) groups =
      g_strsplit(g_ptr_array_index(reader->cells, reader->columns[column]), ",", -1);
  g_autofree char *digits = g_strjoinv("", groups);
  const char *start = base == 16 && g_str_has_prefix(digits, "0x") ? digits + 2 : digits;
  if (g_ascii_string_to_unsigned(start, base, 0, G_MAXUINT64, number, NULL))
    return TRUE;
  g_autofree char *text = g_strdup_printf(
      "\"%s\" under \"%s\": expected a whole number",
      (char *)g_ptr_array_index(reader->cells, reader->columns[column]), column_names[column]);
  return fail_profile(reader, text);
}

static gboolean
add_instruction(Reader *reader) {
  GArray *instructions = reader->launch->instructions;
  SmbProfileInstruction read = {.pc = 0};
  guint64 address;
  for (guint i = 0; i < N_COLUMNS; i++) {
    if (reader->columns[i] != NO_COLUMN && reader->columns[i] >= reader->cells->len)
      return fail_profile(reader, "fewer cells than the table has columns");
  }
  if (!read_profile_number(reader, COLUMN_ADDRESS, 16, &address) ||
      !read_profile_number(reader, COLUMN_EXECUTED, 10, &read.executed) ||
      !read_profile_number(reader, COLUMN_THREADS, 10, &read.threads) ||
      !read_profile_number(reader, COLUMN_WAVEFRONTS, 10, &read.wavefronts) ||
      !read_profile_number(reader, COLUMN_IDEAL, 10, &read.ideal))
    return FALSE;
  if (instructions->len == 0)
    reader->base = address;
  read.pc = address - reader->base;
  guint n = instructions->len;
  if (n > 0 && (address < reader->base ||
                read.pc <= g_array_index(instructions, SmbProfileInstruction, n - 1).pc))
    return fail_profile(reader, "an address that is not above the previous one");
  char *text = g_ptr_array_index(reader->cells, reader->columns[COLUMN_TEXT]);
  read.text = g_string_chunk_insert_const(reader->profile->strings, g_strstrip(text));
  g_array_append_val(instructions, read);
  return TRUE;
}

static gboolean
read_profile_line(Reader *reader, const char *line) {
  static const char quoted[] = "\"Kernel Name\",", bare[] = "Kernel Name,", mark[] = "\xef\xbb\xbf";
  if (reader->line == 1 && g_str_has_prefix(line, mark))
    line += strlen(mark);
  gboolean begins = g_str_has_prefix(line, quoted) || g_str_has_prefix(line, bare);
  if ((!reader->launch && !begins) || !*line)
    return TRUE;
  if (!split_line(reader, line))
    return FALSE;
  if (begins)
    begin_launch(reader);
  else if (!reader->has_columns)
    return find_columns(reader);
  else
    return add_instruction(reader);
  return TRUE;
}

// Whether each table is there twice: behind itself, or in a second half that is like the first.
static gboolean
has_twins(const SmbProfile *profile, gboolean by_halves) {
  guint n = profile->launches->len;
  for (guint i = 0; i < n / 2; i++) {
    const SmbProfileLaunch *one = g_ptr_array_index(profile->launches, by_halves ? i : 2 * i);
    const SmbProfileLaunch *other =
        g_ptr_array_index(profile->launches, by_halves ? i + n / 2 : 2 * i + 1);
    if (strcmp(one->kernel, other->kernel) != 0 || !smb_profile_is_equal(one, other))
      return FALSE;
  }
  return n % 2 == 0;
}

// Of a program with the runtime's interface ncu writes each table twice. A kernel that was really launched twice with
// the same counts gives the same result.
static void
merge_twins(SmbProfile *profile) {
  guint n = profile->launches->len;
  gboolean by_halves = has_twins(profile, TRUE);
  profile->is_doubled = n > 1 && (by_halves || has_twins(profile, FALSE));
  for (guint i = n; profile->is_doubled && i > 0; i--) {
    if (by_halves ? i > n / 2 : i % 2 == 0)
      g_ptr_array_remove_index(profile->launches, i - 1);
  }
}

SmbProfile *
smb_profile_read(SmbSource *source, GError **error) {
  g_autoptr(SmbProfile) profile = g_new0(SmbProfile, 1);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  profile->launches = g_ptr_array_new_with_free_func(profile_launch_free);
  profile->strings = g_string_chunk_new(4096);
  Reader reader = {.source = source, .profile = profile, .cells = cells, .error = error};
  for (guint i = 1; i <= smb_source_n_lines(source); i++) {
    g_autofree char *line = smb_source_line(source, i);
    reader.line = i;
    if (!read_profile_line(&reader, line))
      return NULL;
  }
  if (profile->launches->len == 0) {
    smb_fail(
        error, SMB_ERROR, SMB_ERROR_INPUT,
        "%s: no table of a kernel: expected what 'ncu --page source --csv --print-source sass' "
        "writes, what 'ncu --metrics …' writes as text or CSV, or a report (.ncu-rep)",
        smb_source_name(source));
    return NULL;
  }
  for (guint i = 0; i < profile->launches->len; i++) {
    const SmbProfileLaunch *launch = g_ptr_array_index(profile->launches, i);
    if (launch->instructions->len > 0)
      continue;
    reader.line = launch->line;
    fail_profile(&reader, "no instruction of this kernel");
    return NULL;
  }
  merge_twins(profile);
  return g_steal_pointer(&profile);
}

gboolean
smb_profile_is_equal(const SmbProfileLaunch *a, const SmbProfileLaunch *b) {
  gboolean equal = a->instructions->len == b->instructions->len;
  for (guint i = 0; equal && i < a->instructions->len; i++) {
    const SmbProfileInstruction *x = &g_array_index(a->instructions, SmbProfileInstruction, i);
    const SmbProfileInstruction *y = &g_array_index(b->instructions, SmbProfileInstruction, i);
    equal = x->pc == y->pc && strcmp(x->text, y->text) == 0 && x->executed == y->executed &&
            x->threads == y->threads && x->wavefronts == y->wavefronts;
  }
  return equal;
}
