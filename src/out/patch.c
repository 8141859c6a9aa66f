// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The fewest lines that are removed and added, by E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986).
// Where too many differ for that, all lines between the first and the last that differ are.
#include "src/out/patch.h"

#include <string.h>

enum {
  MAX_CHANGES = 1000, // lines that the search may remove and add
  CONTEXT = 3         // lines around a change
};

// With its line feed, if it has one.
typedef struct {
  const char *text;
  gsize length;
} Line;

// A line of a patch: ' ' of both texts, '-' of the first, '+' of the second.
typedef struct {
  char kind;
  const Line *line;
} Step;

static GArray *
split_lines(const char *text) {
  GArray *lines = g_array_new(FALSE, FALSE, sizeof(Line));
  while (*text) {
    const char *end = strchr(text, '\n');
    Line line = {text, end ? (gsize)(end - text) + 1 : strlen(text)};
    g_array_append_val(lines, line);
    text += line.length;
  }
  return lines;
}

static gboolean
alike(const Line *a, const Line *b) {
  return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

// Two texts from a line on.
typedef struct {
  const Line *a, *b;
  int n, m;
} Pair;

// How far in @a a diagonal gets with @d changes, where @reach has that of d - 1.
static int
advance_path(const Pair *pair, const int *reach, int d, int k) {
  int x = k == -d || (k != d && reach[k - 1] < reach[k + 1]) ? reach[k + 1] : reach[k - 1] + 1;
  while (x < pair->n && x - k < pair->m && alike(&pair->a[x], &pair->b[x - k]))
    x++;
  return x;
}

// Marks the lines that go and come, back from the end, by how far each number of changes got.
static void
walk_path_back(const Pair *pair, const GPtrArray *reaches, gboolean *gone, gboolean *come) {
  int x = pair->n, y = pair->m;
  for (int d = (int)reaches->len - 1; d > 0; d--) {
    const int *reach = (const int *)reaches->pdata[d - 1] + MAX_CHANGES + 1;
    int k = x - y;
    gboolean comes = k == -d || (k != d && reach[k - 1] < reach[k + 1]);
    int before = comes ? k + 1 : k - 1;
    x = reach[before];
    y = x - before;
    if (comes)
      come[y] = TRUE;
    else
      gone[x] = TRUE;
  }
}

static void
mark_all(gboolean *marks, int n) {
  for (int i = 0; i < n; i++)
    marks[i] = TRUE;
}

// Marks the fewest lines that are removed and added.
static void
compare_texts(const Pair *pair, gboolean *gone, gboolean *come) {
  g_autoptr(GPtrArray) reaches = g_ptr_array_new_with_free_func(g_free);
  g_autofree int *room = g_new0(int, 2 * MAX_CHANGES + 3);
  int *reach = room + MAX_CHANGES + 1;
  for (int d = 0; d <= MAX_CHANGES; d++) {
    gboolean done = FALSE;
    for (int k = -d; k <= d && !done; k += 2) {
      reach[k] = advance_path(pair, reach, d, k);
      done = reach[k] >= pair->n && reach[k] - k >= pair->m;
    }
    g_ptr_array_add(reaches, g_memdup2(room, (2 * MAX_CHANGES + 3) * sizeof *room));
    if (done) {
      walk_path_back(pair, reaches, gone, come);
      return;
    }
  }
  mark_all(gone, pair->n);
  mark_all(come, pair->m);
}

// All lines of both texts, in the order of the patch (element-type Step).
static GArray *
list_steps(const GArray *before, const GArray *after) {
  const Line *a = (const Line *)(gconstpointer)before->data,
             *b = (const Line *)(gconstpointer)after->data;
  guint same = 0, end = 0, least = MIN(before->len, after->len);
  while (same < least && alike(&a[same], &b[same]))
    same++;
  while (end < least - same && alike(&a[before->len - 1 - end], &b[after->len - 1 - end]))
    end++;
  const Pair pair = {a + same, b + same, (int)(before->len - same - end),
                     (int)(after->len - same - end)};
  g_autofree gboolean *gone = g_new0(gboolean, before->len + 1);
  g_autofree gboolean *come = g_new0(gboolean, after->len + 1);
  compare_texts(&pair, gone + same, come + same);
  GArray *steps = g_array_new(FALSE, FALSE, sizeof(Step));
  for (guint i = 0, j = 0; i < before->len || j < after->len;) {
    gboolean goes = i < before->len && gone[i], comes = !goes && j < after->len && come[j];
    Step step = {goes ? '-' : comes ? '+' : ' ', comes ? &b[j] : &a[i]};
    g_array_append_val(steps, step);
    i += !comes;
    j += !goes;
  }
  return steps;
}

static char
kind_of(const GArray *steps, guint i) {
  return g_array_index(steps, Step, i).kind;
}

// The end of the hunk that the change at @i begins: where more lines are the same than two changes share as context.
static guint
find_path_end(const GArray *steps, guint i) {
  guint last = i;
  for (; i < steps->len && i - last <= 2 * CONTEXT; i++) {
    if (kind_of(steps, i) != ' ')
      last = i;
  }
  return MIN(last + 1 + CONTEXT, steps->len);
}

// "3,7": the first of the lines, from 1, and their number; of none the line before.
static void
append_range(GString *patch, char sign, guint first, guint n) {
  g_string_append_printf(patch, "%c%u", sign, n ? first + 1 : first);
  if (n != 1)
    g_string_append_printf(patch, ",%u", n);
}

// @at: lines of each text before the hunk; moved behind it.
static void
append_hunk(GString *patch, const GArray *steps, guint from, guint to, guint at[2]) {
  guint n[2] = {0, 0};
  for (guint i = from; i < to; i++) {
    n[0] += kind_of(steps, i) != '+';
    n[1] += kind_of(steps, i) != '-';
  }
  g_string_append(patch, "@@ ");
  append_range(patch, '-', at[0], n[0]);
  g_string_append_c(patch, ' ');
  append_range(patch, '+', at[1], n[1]);
  g_string_append(patch, " @@\n");
  for (guint i = from; i < to; i++) {
    const Line *line = g_array_index(steps, Step, i).line;
    g_string_append_c(patch, kind_of(steps, i));
    g_string_append_len(patch, line->text, (gssize)line->length);
    if (line->text[line->length - 1] != '\n')
      g_string_append(patch, "\n\\ No newline at end of file\n");
  }
  at[0] += n[0];
  at[1] += n[1];
}

// "--- a/NAME": a name that would end the line, or be taken for a quoted one, is quoted as in C; behind one with spaces there is a tab.
static void
append_name(GString *patch, const char *sign, const char *name) {
  g_autofree char *escaped = g_strescape(name, NULL);
  if (strcmp(escaped, name) != 0)
    g_string_append_printf(patch, "%.3s \"%s%s\"\n", sign, sign + 4, escaped);
  else
    g_string_append_printf(patch, "%s%s%s\n", sign, name, strchr(name, ' ') ? "\t" : "");
}

static char *
find_patch_name(const char *path) {
  g_autofree char *whole = g_canonicalize_filename(path, NULL), *folder = g_get_current_dir();
  gsize length = strlen(folder);
  gboolean is_below = strncmp(whole, folder, length) == 0 && whole[length] == '/';
  return g_strdup(whole + (is_below ? length + 1 : 1));
}

char *
smb_patch_new(const char *path, const char *before, const char *after) {
  g_autoptr(GArray) a = split_lines(before), b = split_lines(after);
  g_autoptr(GArray) steps = list_steps(a, b);
  g_autofree char *name = find_patch_name(path);
  GString *patch = g_string_new(NULL);
  guint at[2] = {0, 0}, done = 0;
  for (guint i = 0; i < steps->len; i++) {
    if (kind_of(steps, i) == ' ')
      continue;
    if (patch->len == 0) {
      append_name(patch, "--- a/", name);
      append_name(patch, "+++ b/", name);
    }
    guint from = MAX(done, i > CONTEXT ? i - CONTEXT : 0);
    at[0] += from - done;
    at[1] += from - done;
    done = find_path_end(steps, i);
    append_hunk(patch, steps, from, done, at);
    i = done - 1;
  }
  return g_string_free(patch, FALSE);
}
