// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The mentions of an array that is rewritten: how each one makes its address, and where its indices stand.
// What cannot be shown to be right from the text is refused.
#include "sim/cuda/rewrite/impl.h"

#include <string.h>

// An index that is longer, in bytes, is not written twice: one of a row, and one of a whole array.
enum {
  MAX_REPEATED = 24,
  MAX_REPEATED_FLAT = 16
};

static gboolean
is_constant(const Node *node, gint64 value) {
  return node->kind == NODE_CONSTANT && node->integer == value;
}

static gboolean
strides_match(const Rewriting *rewriting, const Mention *mention, guint n) {
  for (guint i = 0; i < n; i++) {
    if (i >= mention->n_steps || mention->steps[i].stride != rewriting->stride[i])
      return FALSE;
  }
  return TRUE;
}

// Steps that say which element, or which vector of elements: those within it are left out.
static guint
count_index_steps(const Rewriting *rewriting, const Mention *mention) {
  guint n = mention->n_steps, rank = rewriting->rank;
  if (n == 0 || (n <= rank && strides_match(rewriting, mention, n)))
    return n;
  const AddressStep *last = &mention->steps[n - 1];
  guint64 around = n > 1 ? last[-1].stride : rewriting->wanted->from.element_bytes;
  gboolean constant = last->index->kind == NODE_CONSTANT && last->index->integer >= 0;
  if (constant && last->stride < around &&
      ((guint64)last->index->integer + 1) * last->stride <= around)
    n--;
  if (n > rank && strides_match(rewriting, mention, rank) &&
      is_constant(mention->steps[n - 1].index, 0))
    n--;
  return n;
}

static void
classify_mention(const Rewriting *rewriting, Place *place) {
  const Mention *mention = place->mention;
  guint rank = rewriting->rank, n = count_index_steps(rewriting, mention), zeros = 0;
  guint64 element = rewriting->wanted->from.element_bytes;
  place->form = FORM_OTHER;
  place->unit = 1;
  while (zeros < n && zeros < rank && mention->steps[zeros].stride == rewriting->stride[zeros] &&
         is_constant(mention->steps[zeros].index, 0))
    zeros++;
  if (mention->width == 0)
    return;
  if (zeros == n) {
    place->form = FORM_ORIGIN;
    return;
  }
  guint64 stride = mention->steps[n - 1].stride;
  if (stride % element != 0)
    return;
  place->unit = stride / element;
  gboolean rows = rank > 1 && strides_match(rewriting, mention, rank - 1);
  gboolean zero_column = n == rank + 1 && strides_match(rewriting, mention, rank) &&
                         is_constant(mention->steps[rank - 1].index, 0);
  if (zeros + 1 == n && !(rows && n == rank && place->unit == 1)) {
    place->form = FORM_FLAT;
    place->first = zeros;
    place->n = 1;
  } else if (rows && (n == rank || zero_column)) {
    place->form = FORM_ROWS;
    place->n = rank;
    place->first = zero_column;
  }
}

gboolean
smb_rewrite_is_within(const Rewriting *rewriting) {
  return rewriting->rank > 1 && rewriting->wanted->to.columns != rewriting->wanted->from.columns;
}

gboolean
smb_place_layouts(const Rewriting *rewriting, const Place *place, SmbLayout *from, SmbLayout *to) {
  SmbLayout now = rewriting->wanted->from;
  if (place->is_within)
    now.pad = 0;
  return smb_layout_scale(&now, place->unit, from) &&
         smb_layout_scale(&rewriting->wanted->to, place->unit, to);
}

// The index of a row that is padded within is like that of an array without rows.
static void
look_within(const Rewriting *rewriting, Place *place) {
  if (place->form != FORM_ROWS || !smb_rewrite_is_within(rewriting))
    return;
  place->form = FORM_FLAT;
  place->first += place->n - 1;
  place->n = 1;
  place->is_within = TRUE;
}

gboolean
smb_place_refuse(const Rewriting *rewriting, const Place *place, GError **error, const char *format,
                 ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *reason = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *index = smb_rewrite_describe(rewriting->wanted);
  static const char *const plain[] = {"", "[i]", "[r][c]", "[p][r][c]"};
  guint rank = MIN(rewriting->rank, SMB_ARRAY_MAX_DIMENSIONS);
  gboolean indexed = strcmp(index, plain[rank]) != 0;
  smb_source_error(rewriting->raw->kernel->program.source, place->mention->object->start, error,
                   "%s; by hand: %s%s%s%s", reason,
                   indexed ? "replace the index: " : "keep the address within one row",
                   indexed ? plain[rank] : "", indexed ? " becomes " : "", indexed ? index : "");
  return FALSE;
}

gint
smb_place_binding(const Node *index, gboolean one_word) {
  const Node *node = smb_node_written(index);
  // Parentheses around it belong to its text.
  if (node->kind == NODE_BINARY)
    return node->start < node->a->start ? BINDS_ALL : smb_kernel_operators[node->op].binding;
  gboolean loose = node->kind == NODE_AND_THEN || node->kind == NODE_OR_ELSE ||
                   node->kind == NODE_CHOICE || node->kind == NODE_ASSIGN ||
                   node->kind == NODE_COMMA || node->kind == NODE_POINTER_DIFF ||
                   (node->kind == NODE_CONSTANT && !one_word);
  return loose ? BINDS_NOTHING : BINDS_ALL;
}

gboolean
smb_place_is_repeatable(const Place *place, gboolean is_pure, const char *text) {
  return is_pure && strlen(text) <= (place->form == FORM_ROWS ? MAX_REPEATED : MAX_REPEATED_FLAT) &&
         !strchr(text, '\n') && !strstr(text, "/*");
}

guint64
smb_place_limit(const Rewriting *rewriting, const Place *place) {
  const SmbRewriteArray *wanted = rewriting->wanted;
  return wanted->array->is_dynamic ? 0 : wanted->bytes / wanted->from.element_bytes / place->unit;
}

// The text of index @number, which stands in the bracket @number of those that count.
static void
read_index(const Rewriting *rewriting, Place *place, guint number, guint bracket, guint step) {
  const RawText *raw = rewriting->raw;
  const Stretch *stretch = &place->brackets.brackets[bracket];
  const Node *index = place->mention->steps[step].index;
  guint first = (guint)smb_rewrite_raw_find(raw, stretch->start) + 1, last = first;
  while (((const Token *)g_ptr_array_index(raw->tokens, last + 1))->end < stretch->end)
    last++;
  const Token *begin = g_ptr_array_index(raw->tokens, first);
  const Token *end = g_ptr_array_index(raw->tokens, last);
  guint32 length = end->end - begin->start;
  const char *text = smb_source_text(raw->kernel->program.source) + begin->start;
  place->index[number] = (Stretch){begin->start, end->end};
  Term *term = &place->terms[number];
  term->text = smb_kernel_pool_text(raw->pool, text, length);
  term->binding = smb_place_binding(index, first == last);
  place->repeatable[number] = smb_place_is_repeatable(place, smb_kernel_is_pure(index), term->text);
  gboolean is_last = number + 1 == place->n;
  term->limit = place->form != FORM_ROWS ? smb_place_limit(rewriting, place)
                : is_last                ? rewriting->wanted->to.columns / place->unit
                                         : rewriting->dimension[number];
}

guint32
smb_mention_start(const Mention *mention) {
  return mention->object->spelled ? mention->object->spelled : mention->object->start;
}

// The token that names the array in a mention, or -1: its variable, a pointer to that, or a member of these.
static gint
find_array_name(const Rewriting *rewriting, const Mention *mention) {
  const GPtrArray *tokens = rewriting->raw->tokens;
  gint token = smb_rewrite_raw_find(rewriting->raw, smb_mention_start(mention));
  if (token < 0 ||
      !smb_token_is(g_ptr_array_index(tokens, (guint)token), mention->object->variable->name))
    return -1;
  if (!rewriting->member)
    return token;
  const Token *access = g_ptr_array_index(tokens, (guint)token + 1);
  gboolean is_access = smb_token_is(access, ".") || smb_token_is(access, "->");
  return is_access &&
                 smb_token_is(g_ptr_array_index(tokens, (guint)token + 2), rewriting->member->name)
             ? token + 2
             : -1;
}

// Whether brackets follow the name and each other with nothing in between: then they are in the same argument of a macro.
static gboolean
are_joined(const Rewriting *rewriting, const Place *place, guint n) {
  const RawText *raw = rewriting->raw;
  guint at = place->token;
  for (guint i = 0; i < n; i++) {
    const Stretch *bracket = &place->brackets.brackets[i];
    if (smb_rewrite_raw_find(raw, bracket->start) != (gint)at + 1)
      return FALSE;
    at = (guint)smb_rewrite_raw_find(raw, bracket->end - 1);
  }
  return TRUE;
}

// Finds the brackets of the indices in the text.
static gboolean
locate(const Rewriting *rewriting, Place *place, GError **error) {
  const Mention *mention = place->mention;
  const RawText *raw = rewriting->raw;
  const char *name = rewriting->wanted->array->name;
  gint token = find_array_name(rewriting, mention);
  if (token < 0)
    return smb_place_refuse(rewriting, place, error,
                            "'%s' is used through a macro or in an included file here, so it "
                            "cannot be rewritten automatically",
                            name);
  place->token = (guint)token;
  guint n = place->first + place->n;
  gboolean found = smb_rewrite_raw_brackets(raw, place->token, n, &place->brackets);
  gboolean is_argument = mention->object->spelled > 0; // whose indices are where the macro is used
  found = found && (!is_argument || are_joined(rewriting, place, n));
  for (guint i = 0; found && !is_argument && i < n; i++) {
    const Node *index = mention->steps[i].index;
    const Stretch *bracket = &place->brackets.brackets[i];
    found = index->start > bracket->start && index->end < bracket->end;
  }
  if (!found)
    return smb_place_refuse(rewriting, place, error,
                            "'%s' is used without brackets after its name here", name);
  for (guint i = 0; i < place->n; i++) {
    gboolean is_last = i + 1 == place->n;
    guint at = place->form == FORM_FLAT || is_last ? place->first + i : i;
    read_index(rewriting, place, i, at, at);
  }
  return TRUE;
}

// Whether a place can be found: by its brackets, or else by its address.
static gboolean
locate_or_move(const Rewriting *rewriting, Place *place, gboolean *changes, GError **error) {
  g_autoptr(GError) failure = NULL;
  if (locate(rewriting, place, &failure) || smb_place_move(rewriting, place, changes))
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&failure));
  return FALSE;
}

// Whether @width bytes that start at a multiple of @width stay so, and side by side. The search sees only
// those accesses that this launch makes.
static gboolean
keeps_vectors(const SmbLayout *from, const SmbLayout *to, gsize width) {
  guint64 element = from->element_bytes;
  guint64 now = from->columns + from->pad, pitch = to->columns + to->pad;
  if (width <= element || width % element != 0)
    return TRUE;
  if (to->bits > 0 && (element << to->base) % width != 0)
    return FALSE;
  return pitch == now || pitch * element % width == 0 ||
         (from->columns == to->columns && now * element % width != 0);
}

gboolean
smb_rewrite_points_at_row(const Rewriting *rewriting, const Mention *mention) {
  guint n = mention->n_steps;
  guint rows = rewriting->wanted->to.bits ? 0 : MIN(n, MAX(rewriting->rank, 1) - 1);
  gboolean at_row = strides_match(rewriting, mention, rows);
  for (guint i = rows; at_row && i < n; i++)
    at_row = is_constant(mention->steps[i].index, 0);
  return at_row;
}

static gboolean
refuse_pointer(const Rewriting *rewriting, const Place *place, GError **error) {
  return smb_place_refuse(
      rewriting, place, error,
      "'%s' is aliased by a pointer here, so it cannot be rewritten automatically",
      rewriting->wanted->array->name);
}

gboolean
smb_place_examine(const Rewriting *rewriting, Place *place, gboolean *changes, GError **error) {
  const SmbLayout *from = &rewriting->wanted->from, *to = &rewriting->wanted->to;
  const Mention *mention = place->mention;
  const char *name = rewriting->wanted->array->name;
  guint rank = rewriting->rank;
  SmbLayout scaled;
  *changes = FALSE;
  if (mention->n_steps > MENTION_MAX_STEPS)
    return smb_place_refuse(rewriting, place, error,
                            "the address of this element of '%s' has too many parts", name);
  if (mention->names || (mention->width == 0 && smb_rewrite_is_distance(rewriting, mention)))
    return TRUE;
  if (!keeps_vectors(from, to, mention->width)) {
    smb_source_error(rewriting->raw->kernel->program.source, mention->object->start, error,
                     "this %u-byte access to '%s' would be split or misaligned; search with a "
                     "launch that executes it",
                     (guint)mention->width, name);
    return FALSE;
  }
  if (smb_rewrite_keeps_counting(rewriting, mention))
    return (mention->width && smb_place_move(rewriting, place, changes)) ||
           refuse_pointer(rewriting, place, error);
  classify_mention(rewriting, place);
  look_within(rewriting, place);
  switch (place->form) {
  case FORM_ORIGIN:
    return TRUE;
  case FORM_ROWS:
    *changes = to->bits > 0;
    break;
  case FORM_FLAT:
    *changes = to->bits > 0 || to->pad != from->pad || (to->pad && to->columns != from->columns);
    break;
  case FORM_ADDRESS:
  case FORM_OTHER: {
    gboolean in_row = rank > 1 && to->bits == 0 && !smb_rewrite_is_within(rewriting) &&
                      strides_match(rewriting, mention, rank - 1) &&
                      !is_constant(mention->steps[rank - 2].index, 0);
    if (in_row || (mention->width && smb_place_move(rewriting, place, changes)))
      return TRUE;
    return mention->width
               ? smb_place_refuse(rewriting, place, error,
                                  "the indices of '%s' do not follow its rows here", name)
               : refuse_pointer(rewriting, place, error);
  }
  }
  if (*changes && place->unit > 1 &&
      (!smb_layout_scale(to, place->unit, &scaled) ||
       !smb_layout_scale(from, place->unit, &scaled)))
    return smb_place_refuse(
        rewriting, place, error,
        "%u elements of '%s' are accessed by one index here, and would be split",
        (guint)place->unit, name);
  return !*changes || locate_or_move(rewriting, place, changes, error);
}
