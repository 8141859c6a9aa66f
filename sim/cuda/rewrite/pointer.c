// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What pointers into the array, and references, are in the new layout:
//  - a pointer that is set to beginnings of rows only points at the same rows: its indices change, as those of the array do;
//  - one that is used for nothing but what it points at is set to where that lies;
//  - any other one keeps counting in the present layout, and each access by it is moved: p[i] becomes a[a_place(&p[i] - a)].
#include "sim/cuda/rewrite/impl.h"

#include <string.h>

// Keeps the mentions of the member: its place is their first step.
static void
select_member(Rewriting *rewriting) {
  for (guint i = rewriting->mentions->len; i-- > 0;) {
    Mention *mention = &g_array_index(rewriting->mentions, Mention, i);
    const AddressStep *first = mention->steps;
    if (mention->n_steps == 0 || first->stride != 1 || first->index->kind != NODE_CONSTANT) {
      mention->width = 0; // all of the structure: who knows what happens to it
      continue;
    }
    if ((gsize)first->index->integer != rewriting->member->offset) {
      g_array_remove_index(rewriting->mentions, i);
      continue;
    }
    mention->n_steps--;
    memmove(mention->steps, mention->steps + 1, sizeof(mention->steps) - sizeof(*mention->steps));
  }
}

static gboolean
is_no_structure(gpointer pointer, gpointer value G_GNUC_UNUSED, gpointer user G_GNUC_UNUSED) {
  return ((const Variable *)pointer)->type->of->kind != KIND_STRUCT;
}

// Whether places of the present layout are addresses in the new one, too: no row that is declared becomes longer.
static gboolean
keeps_counts(const Rewriting *rewriting) {
  const SmbLayout *from = &rewriting->wanted->from, *to = &rewriting->wanted->to;
  return !rewriting->member &&
         (rewriting->rank == 1 || (to->columns == from->columns && to->pad == from->pad));
}

// Whether all that is done with a pointer is to access what it points at. @seen: pointers that are looked at
static gboolean
is_of_element(const Rewriting *rewriting, const Variable *pointer, GHashTable *seen) {
  if (!g_hash_table_add(seen, (gpointer)pointer))
    return TRUE;
  for (guint i = 0; i < rewriting->mentions->len; i++) {
    const Mention *mention = &g_array_index(rewriting->mentions, Mention, i);
    if (mention->object->variable == pointer &&
        (mention->n_steps > 0 ||
         (mention->names ? !is_of_element(rewriting, mention->names, seen) : mention->width == 0)))
      return FALSE;
  }
  return TRUE;
}

// A pointer that is set to something else than the beginning of a row, and of which it is not said yet what it is; or NULL.
static const Variable *
find_stray(const Rewriting *rewriting) {
  for (guint i = 0; i < rewriting->mentions->len; i++) {
    const Mention *mention = &g_array_index(rewriting->mentions, Mention, i);
    const Variable *pointer = mention->names, *object = mention->object->variable;
    if (pointer && !g_hash_table_contains(rewriting->elements, pointer) &&
        !g_hash_table_contains(rewriting->counting, pointer) &&
        (!smb_rewrite_points_at_row(rewriting, mention) ||
         g_hash_table_contains(rewriting->elements, object) ||
         g_hash_table_contains(rewriting->counting, object)))
      return pointer;
  }
  return NULL;
}

static void
settle(Rewriting *rewriting, const Variable *stray) {
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  if (is_of_element(rewriting, stray, seen))
    g_hash_table_add(rewriting->elements, (gpointer)stray);
  else if (keeps_counts(rewriting) && stray->owner && smb_rewrite_lend(rewriting, stray->owner))
    g_hash_table_add(rewriting->counting, (gpointer)stray);
  else
    smb_aliases_drop(rewriting->aliases, rewriting->variable, stray);
}

// What a pointer to an element is set to is accessed there.
static void
note_elements(Rewriting *rewriting) {
  gsize width = rewriting->wanted->from.element_bytes;
  for (guint i = 0; i < rewriting->mentions->len; i++) {
    const Mention *mention = &g_array_index(rewriting->mentions, Mention, i);
    if (g_hash_table_contains(rewriting->elements, mention->object->variable))
      width = MAX(width, mention->width);
  }
  for (guint i = 0; i < rewriting->mentions->len; i++) {
    Mention *mention = &g_array_index(rewriting->mentions, Mention, i);
    if (mention->names && g_hash_table_contains(rewriting->elements, mention->names)) {
      mention->names = NULL;
      mention->width = width;
    }
  }
}

// Pointers that carve up dynamic memory are no other names: each names a part of its own.
static GHashTable *
find_aliases(const Rewriting *rewriting) {
  GHashTable *aliases = smb_kernel_aliases(rewriting->raw->kernel, rewriting->variable);
  for (guint i = 0; rewriting->carved && i < rewriting->carved->len; i++)
    smb_aliases_drop(aliases, rewriting->variable,
                     g_array_index(rewriting->carved, Carved, i).pointer);
  // What points at a member may point at another one.
  if (rewriting->member)
    g_hash_table_foreach_remove(aliases, is_no_structure, NULL);
  return aliases;
}

void
smb_rewrite_find_mentions(Rewriting *rewriting) {
  const Variable *stray = NULL;
  rewriting->aliases = find_aliases(rewriting);
  rewriting->elements = g_hash_table_new(NULL, NULL);
  rewriting->counting = g_hash_table_new(NULL, NULL);
  rewriting->lent = g_ptr_array_new();
  do {
    if (stray)
      settle(rewriting, stray);
    g_clear_pointer(&rewriting->mentions, g_array_unref);
    rewriting->mentions = smb_kernel_mentions(rewriting->raw->kernel, rewriting->variable,
                                              rewriting->carved, rewriting->aliases);
    if (rewriting->member)
      select_member(rewriting);
    stray = find_stray(rewriting);
  } while (stray);
  note_elements(rewriting);
}

// Whether a text ends in a member: "p[i].x".
static gboolean
ends_in_member(const char *source, const Node *text) {
  guint32 at = text->end;
  while (at > text->start && (g_ascii_isalnum(source[at - 1]) || source[at - 1] == '_'))
    at--;
  return at > text->start && at < text->end && strchr(".>", source[at - 1]);
}

// Whether an access can be moved where its text is: that is an address, or what has one by "&". A bare name is that of the pointer.
static gboolean
has_movable_text(const Rewriting *rewriting, const Mention *mention) {
  const Node *text = mention->text;
  if (!text || smb_rewrite_raw_find(rewriting->raw, text->start) < 0)
    return FALSE;
  const char *source = smb_source_text(rewriting->raw->kernel->program.source);
  return mention->is_address || source[text->start] == '*' || strchr("])", source[text->end - 1]) ||
         ends_in_member(source, text);
}

gboolean
smb_place_move(const Rewriting *rewriting, Place *place, gboolean *changes) {
  const SmbLayout *from = &rewriting->wanted->from, *to = &rewriting->wanted->to;
  const Mention *mention = place->mention;
  SmbLayout scaled;
  if (!keeps_counts(rewriting) || mention->width % from->element_bytes != 0 ||
      !has_movable_text(rewriting, mention))
    return FALSE;
  place->form = FORM_ADDRESS;
  place->unit = mention->width / from->element_bytes;
  place->terms[0].limit = smb_place_limit(rewriting, place);
  *changes = to->bits > 0 || to->pad != from->pad || (to->pad && to->columns != from->columns);
  return smb_layout_scale(from, place->unit, &scaled) && smb_layout_scale(to, place->unit, &scaled);
}

gboolean
smb_rewrite_keeps_counting(const Rewriting *rewriting, const Mention *mention) {
  return g_hash_table_contains(rewriting->counting, mention->object->variable);
}

gboolean
smb_rewrite_is_distance(const Rewriting *rewriting, const Mention *mention) {
  return mention->is_compared && keeps_counts(rewriting);
}

void
smb_place_write_moved(Rewriting *rewriting, const Place *place, const char *function) {
  const Mention *mention = place->mention;
  const Node *text = mention->text;
  const Variable *object = mention->object->variable;
  gboolean is_volatile = object != rewriting->variable && object->is_volatile;
  const char *source = smb_source_text(rewriting->raw->kernel->program.source);
  g_autofree char *address = smb_rewrite_base(rewriting, mention->function);
  g_autoptr(GString) base = g_string_new(address);
  if (place->unit > 1 || is_volatile) {
    const Type *type = mention->is_address ? text->type->of : text->type;
    g_string_printf(base, "reinterpret_cast<%s%s *>(%s)", is_volatile ? "volatile " : "",
                    type->name, address);
  }
  gboolean is_star = !mention->is_address && source[text->start] == '*';
  gboolean is_bare = *base->str != '&';
  smb_rewrite_edit_add(rewriting->edits, text->start, is_star, "%s%s%s%s[%s(%s",
                       mention->is_address ? "&" : "", is_bare ? "" : "(", base->str,
                       is_bare ? "" : ")", function,
                       is_star               ? ""
                       : mention->is_address ? "("
                                             : "&");
  smb_rewrite_edit_add(rewriting->edits, text->end, 0, "%s - %s)]", mention->is_address ? ")" : "",
                       base->str);
}
