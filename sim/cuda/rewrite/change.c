// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the indices of an array's mentions become: an expression in their place, or a call of a function that
// is put before the one that they stand in.
#include "sim/cuda/rewrite/impl.h"

#include <string.h>

char *
smb_rewrite_new_name(const Rewriting *rewriting, const char *ending, guint64 number) {
  GString *name =
      g_string_new(rewriting->member ? rewriting->member->name : rewriting->variable->name);
  g_string_append(name, ending);
  if (number > 1)
    g_string_append_printf(name, "%" G_GUINT64_FORMAT, number);
  while (g_hash_table_contains(rewriting->raw->names, name->str))
    g_string_append_c(name, '_');
  return g_string_free(name, FALSE);
}

// Adds a function, unless it is there.
static void
add_function(Rewriting *rewriting, const Place *place, const char *name, guint n,
             const char *body) {
  g_autoptr(GString) text = g_string_new(NULL);
  rewriting->first_use = MIN(rewriting->first_use, place->mention->function->text.start);
  g_string_printf(text, "__device__ inline unsigned %s(", name);
  if (strstr(rewriting->helpers->str, text->str))
    return;
  for (guint i = 0; i < n; i++)
    g_string_append_printf(text, "%sunsigned %s", i ? ", " : "", smb_index_name(i));
  g_string_append_printf(text, ") {\n%s}\n\n", body);
  g_string_append(rewriting->helpers, "// The position of element [");
  for (guint i = 0; i < n; i++)
    g_string_append_printf(rewriting->helpers, "%s%s", i ? "][" : "", smb_index_name(i));
  g_string_append_printf(rewriting->helpers, "] of %s%s", place->is_within ? "a row of " : "",
                         rewriting->wanted->array->name);
  if (place->unit > 1)
    g_string_append_printf(rewriting->helpers, ", in units of %u elements", (guint)place->unit);
  g_string_append_printf(rewriting->helpers, ".\n%s", text->str);
}

static void
wrap_index(Rewriting *rewriting, const Place *place, guint number, const char *before,
           const char *after) {
  guint bracket = place->first + number;
  const Stretch *stretch = &place->brackets.brackets[bracket];
  if (*before && place->is_split)
    smb_rewrite_edit_add(rewriting->edits, place->index[number].start, 0, "%s", before);
  else if (*before)
    smb_rewrite_edit_add(rewriting->edits, stretch->start, 1, "[%s", before);
  smb_rewrite_edit_add(rewriting->edits, place->index[number].end, 0, "%s", after);
}

// The text of a row's index, if every index that is read twice may be.
static char *
write_row_flip(const Rewriting *rewriting, const Place *place) {
  SmbLayout scaled;
  gboolean uses[MAX_RANK];
  if (!smb_layout_scale(&rewriting->wanted->to, place->unit, &scaled) ||
      !smb_layout_keeps_rows(&scaled))
    return NULL;
  g_autofree char *flip =
      smb_index_write_row(&scaled, place->terms, rewriting->dimension, place->n, uses);
  for (guint i = 0; i < place->n; i++) {
    if (uses[i] && !place->repeatable[i])
      return NULL;
  }
  return g_steal_pointer(&flip);
}

static void
change_row(Rewriting *rewriting, const Place *place, const char *flip) {
  guint last = place->n - 1;
  gint binding = place->terms[last].binding;
  gboolean loose = binding != BINDS_XOR && binding < BINDS_MUL;
  g_autofree char *after = g_strconcat(loose ? ")" : "", flip, NULL);
  wrap_index(rewriting, place, last, loose ? "(" : "", after);
}

// a[i][j] becomes (&a[0][0])[a_at(i, j)].
static gboolean
call_for_row(Rewriting *rewriting, const Place *place, GError **error) {
  const Stretch *brackets = place->brackets.brackets;
  const Token *next = g_ptr_array_index(rewriting->raw->tokens, place->token + 1);
  gboolean joined = next->start == brackets[0].start;
  for (guint i = 1; i < place->n; i++) {
    gint opening = smb_rewrite_raw_find(rewriting->raw, brackets[i].start);
    const Token *before = g_ptr_array_index(rewriting->raw->tokens, (guint)opening - 1);
    joined = joined && before->end == brackets[i - 1].end;
  }
  if (place->unit > 1 || place->first > 0 || !joined)
    return smb_place_refuse(
        rewriting, place, error,
        "an index of '%s' would be evaluated twice here: store it in a variable first",
        rewriting->wanted->array->name);
  g_autofree char *function = smb_rewrite_new_name(rewriting, "_at", 1);
  g_autofree char *body =
      smb_index_write_row_body(&rewriting->wanted->to, rewriting->dimension, place->n);
  add_function(rewriting, place, function, place->n, body);
  g_autoptr(GString) origin = g_string_new(NULL);
  for (guint i = 0; i < place->n; i++)
    g_string_append(origin, "[0]");
  smb_rewrite_edit_add(rewriting->edits, smb_mention_start(place->mention), 0, "(&");
  smb_rewrite_edit_add(rewriting->edits, brackets[0].start, 1, "%s)[%s(", origin->str, function);
  for (guint i = 1; i < place->n; i++)
    smb_rewrite_edit_add(rewriting->edits, brackets[i - 1].end - 1,
                         brackets[i].start + 1 - (brackets[i - 1].end - 1), ", ");
  smb_rewrite_edit_add(rewriting->edits, brackets[place->n - 1].end - 1, 0, ")");
  return TRUE;
}

static char *
write_flat(const Rewriting *rewriting, const Place *place) {
  SmbLayout from, to;
  if (!place->repeatable[0] || !smb_place_layouts(rewriting, place, &from, &to))
    return NULL;
  return smb_index_write_flat(&from, &to, &place->terms[0]);
}

// [i] becomes [a_place(i)], and p[i] a[a_place(&p[i] - a)].
static void
call_for_flat(Rewriting *rewriting, const Place *place) {
  SmbLayout from, to;
  smb_place_layouts(rewriting, place, &from, &to);
  g_autofree char *function =
      smb_rewrite_new_name(rewriting, place->is_within ? "_column" : "_place", place->unit);
  g_autofree char *body = smb_index_write_flat_body(&from, &to, place->terms[0].limit);
  g_autofree char *before = g_strconcat(function, "(", NULL);
  add_function(rewriting, place, function, 1, body);
  if (place->form == FORM_ADDRESS)
    smb_place_write_moved(rewriting, place, function);
  else
    wrap_index(rewriting, place, 0, before, ")");
}

// Rows are longer: "128" becomes "(128 + 4)", and " << 7" " * (128 + 4)".
static void
lengthen_rows(Rewriting *rewriting, const Split *split) {
  for (guint i = 0; i < split->n_factors; i++) {
    const Factor *factor = &split->factors[i];
    gint64 more = (gint64)factor->rows * split->more;
    char sign = more < 0 ? '-' : '+';
    guint32 start = factor->text.start, end = factor->text.end;
    if (factor->is_shift) {
      smb_rewrite_edit_add(rewriting->edits, start, end - start,
                           " * (%" G_GUINT64_FORMAT " %c %" G_GINT64_FORMAT ")", factor->elements,
                           sign, ABS(more));
      continue;
    }
    if (!factor->is_sum)
      smb_rewrite_edit_add(rewriting->edits, start, 0, "(");
    smb_rewrite_edit_add(rewriting->edits, factor->is_sum ? end - 1 : end, 0,
                         " %c %" G_GINT64_FORMAT "%s", sign, ABS(more), factor->is_sum ? "" : ")");
  }
}

static gboolean
change(Rewriting *rewriting, const Place *place, gboolean by_call, GError **error) {
  g_autofree char *text = NULL;
  if (place->form == FORM_ROWS) {
    text = by_call && place->unit == 1 ? NULL : write_row_flip(rewriting, place);
    if (!text)
      return call_for_row(rewriting, place, error);
    change_row(rewriting, place, text);
    return TRUE;
  }
  if (place->is_split)
    lengthen_rows(rewriting, &place->split);
  if (place->is_split && !place->split.places_rest)
    return TRUE;
  if (by_call || place->form == FORM_ADDRESS) {
    call_for_flat(rewriting, place);
    return TRUE;
  }
  text = write_flat(rewriting, place);
  const Stretch *index = &place->index[0];
  // What stands in the index may be rewritten as well: its text stays where it is.
  gboolean xored = rewriting->wanted->to.bits > 0;
  gint least = xored ? BINDS_MUL : BINDS_ADD, binding = place->terms[0].binding;
  gboolean loose = binding < least && !(xored && binding == BINDS_XOR);
  gsize skip = index->end - index->start + (loose ? 2 : 0);
  g_autofree char *after = g_strconcat(loose ? ")" : "", text + skip, NULL);
  wrap_index(rewriting, place, 0, loose ? "(" : "", after);
  return TRUE;
}

void
smb_rewrite_note_lent(Rewriting *rewriting, const Function *function) {
  if (!function || function == rewriting->raw->kernel->entry ||
      smb_rewrite_is_lent(rewriting, function))
    return;
  g_autofree char *condition = g_strdup_printf("%s() gets no other array", function->name);
  if (!g_ptr_array_find_with_equal_func(rewriting->conditions, condition, g_str_equal, NULL))
    g_ptr_array_add(rewriting->conditions, g_steal_pointer(&condition));
}

gboolean
smb_rewrite_mentions(Rewriting *rewriting, GError **error) {
  g_autoptr(GArray) places = g_array_new(FALSE, TRUE, sizeof(Place));
  gboolean rows_by_call = FALSE, flat_by_call = FALSE;
  for (guint i = 0; i < rewriting->mentions->len; i++) {
    Place place = {.mention = &g_array_index(rewriting->mentions, Mention, i)};
    gboolean changes;
    if (!smb_place_examine(rewriting, &place, &changes, error))
      return FALSE;
    if (!changes)
      continue;
    smb_place_split(rewriting, &place);
    if (g_hash_table_contains(rewriting->aliases, place.mention->object->variable))
      smb_rewrite_note_lent(rewriting, place.mention->function);
    g_autofree char *text = place.form == FORM_ROWS   ? write_row_flip(rewriting, &place)
                            : place.form == FORM_FLAT ? write_flat(rewriting, &place)
                                                      : NULL;
    gboolean placed = !place.is_split || place.split.places_rest;
    rows_by_call = rows_by_call || (!text && place.form == FORM_ROWS);
    flat_by_call = flat_by_call || (!text && place.form == FORM_FLAT && placed);
    g_array_append_val(places, place);
  }
  for (guint i = 0; i < places->len; i++) {
    const Place *place = &g_array_index(places, Place, i);
    gboolean by_call = place->form == FORM_ROWS ? rows_by_call : flat_by_call;
    if (!change(rewriting, place, by_call, error))
      return FALSE;
  }
  return TRUE;
}
