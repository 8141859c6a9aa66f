// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A rewriting as a whole: the declaration, the functions that the new text calls, and the edits in order.
#include "sim/cuda/rewrite/rewrite.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/cuda/rewrite/impl.h"

// Parts of dynamic shared memory grow by whole rows of the banks: those behind them stay in their banks.
enum {
  CARVED_BYTES = 128
};

static void
edit_clear(gpointer data) {
  g_free(((SmbEdit *)data)->text);
}

GArray *
smb_edits_new(void) {
  GArray *edits = g_array_new(FALSE, FALSE, sizeof(SmbEdit));
  g_array_set_clear_func(edits, edit_clear);
  return edits;
}

static int
compare_edits(gconstpointer a, gconstpointer b) {
  const SmbEdit *x = a, *y = b;
  return (x->offset > y->offset) - (x->offset < y->offset);
}

void
smb_edits_sort(GArray *edits) {
  g_array_sort(edits, compare_edits); // it is stable
}

void
smb_rewrite_edit_add(GArray *edits, guint32 offset, guint32 length, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  SmbEdit edit = {offset, length, g_strdup_vprintf(format, arguments)};
  va_end(arguments);
  g_array_append_val(edits, edit);
}

gboolean
smb_rewrite_raw_lex(RawText *raw, const SmbSource *source, guint max_tokens, GError **error) {
  raw->pool = smb_kernel_pool_new();
  raw->tokens = g_ptr_array_new();
  guint left = max_tokens;
  Token *token = smb_kernel_lex(source, source, 0, raw->pool, &left, error);
  raw->names = g_hash_table_new(g_str_hash, g_str_equal);
  for (; token; token = token->kind == TOKEN_END ? NULL : token->next) {
    g_ptr_array_add(raw->tokens, token);
    if (token->kind == TOKEN_NAME)
      g_hash_table_add(raw->names, (gpointer)token->text);
  }
  return raw->tokens->len > 0;
}

// The tokens of a program's text.
static gboolean
raw_read(RawText *raw, const SmbProgram *program, GError **error) {
  raw->kernel = smb_cuda_kernel(program);
  if (!raw->kernel) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "'%s' is compiled code: write the layout into its source, and compile it again",
             program->file);
    return FALSE;
  }
  return smb_rewrite_raw_lex(raw, program->source, program->limits.max_tokens, error);
}

void
smb_rewrite_raw_clear(RawText *raw) {
  if (!raw->pool)
    return;
  g_ptr_array_unref(raw->tokens);
  g_hash_table_unref(raw->names);
  smb_kernel_pool_free(raw->pool);
}

gint
smb_rewrite_raw_find(const RawText *raw, guint32 offset) {
  guint low = 0, high = raw->tokens->len;
  while (high - low > 1) {
    guint middle = (low + high) / 2;
    if (((const Token *)g_ptr_array_index(raw->tokens, middle))->start <= offset)
      low = middle;
    else
      high = middle;
  }
  return ((const Token *)g_ptr_array_index(raw->tokens, low))->start == offset ? (gint)low : -1;
}

gboolean
smb_rewrite_raw_brackets(const RawText *raw, guint at, guint n, Brackets *brackets) {
  brackets->n = 0;
  for (at++; brackets->n < n; at++) {
    const Token *token = g_ptr_array_index(raw->tokens, at);
    if (smb_token_is(token, ")"))
      continue;
    if (!smb_token_is(token, "["))
      return FALSE;
    Stretch *stretch = &brackets->brackets[brackets->n++];
    stretch->start = token->start;
    for (guint depth = 1; depth > 0;) {
      token = g_ptr_array_index(raw->tokens, ++at);
      if (token->kind == TOKEN_END)
        return FALSE;
      depth += smb_token_is(token, "[");
      depth -= smb_token_is(token, "]");
    }
    stretch->end = token->end;
  }
  return TRUE;
}

gboolean
smb_rewrite_raw_is_loose(const RawText *raw, const Stretch *bracket) {
  gboolean loose = FALSE;
  gint depth = 0;
  for (guint at = (guint)smb_rewrite_raw_find(raw, bracket->start) + 1;; at++) {
    const Token *token = g_ptr_array_index(raw->tokens, at);
    if (token->end >= bracket->end)
      return loose;
    depth += smb_token_is(token, "(") - smb_token_is(token, ")");
    loose = loose ||
            (depth == 0 && token->kind == TOKEN_PUNCTUATOR && !strchr("+-*/%.()", *token->text));
  }
}

void
smb_rewrite_edit_dimension(GArray *edits, const Stretch *bracket, gboolean is_loose, gint64 more) {
  if (is_loose)
    smb_rewrite_edit_add(edits, bracket->start + 1, 0, "(");
  smb_rewrite_edit_add(edits, bracket->end - 1, 0, "%s %c %" G_GINT64_FORMAT, is_loose ? ")" : "",
                       more < 0 ? '-' : '+', ABS(more));
}

static void
change_dimension(Rewriting *rewriting, const Stretch *bracket, gint64 more) {
  smb_rewrite_edit_dimension(rewriting->edits, bracket,
                             smb_rewrite_raw_is_loose(rewriting->raw, bracket), more);
}

// Elements that the array has as it lies now, without padding.
static guint64
count_elements(const SmbRewriteArray *wanted) {
  const SmbLayout *from = &wanted->from;
  guint64 places = wanted->bytes / from->element_bytes, pitch = from->columns + from->pad;
  return places / pitch * from->columns + MIN(places % pitch, from->columns);
}

gsize
smb_rewrite_bytes(const SmbRewriteArray *wanted) {
  return (gsize)smb_layout_bytes(&wanted->to, count_elements(wanted));
}

// The declaration does not stand in the text itself.
static gboolean
refuse_declaration(const Rewriting *rewriting, GError **error) {
  const SmbSource *source = rewriting->raw->kernel->program.source;
  const Variable *variable = rewriting->variable;
  const char *file = smb_source_file(source, variable->start);
  g_autofree char *name = file ? g_path_get_basename(file) : NULL;
  g_autofree char *where = name ? g_strdup_printf("in the included file %s", name) : NULL;
  smb_source_error(source, variable->start, error,
                   "'%s' is declared %s, so it cannot be rewritten automatically", variable->name,
                   where ? where : "by a macro");
  return FALSE;
}

static gboolean
change_declaration(Rewriting *rewriting, GError **error) {
  const SmbRewriteArray *wanted = rewriting->wanted;
  const Variable *variable = rewriting->variable;
  const SmbLayout *to = &wanted->to;
  guint rank = rewriting->rank;
  Brackets brackets;
  const Member *member = rewriting->member;
  gint name = smb_rewrite_raw_find(rewriting->raw, member ? member->start : variable->start);
  if (name < 0 ||
      !smb_token_is(g_ptr_array_index(rewriting->raw->tokens, (guint)name),
                    member ? member->name : variable->name) ||
      !smb_rewrite_raw_brackets(rewriting->raw, (guint)name, rank, &brackets)) {
    return refuse_declaration(rewriting, error);
  }
  gboolean dynamic = variable->storage == STORAGE_DYNAMIC;
  gint64 places = (gint64)(smb_rewrite_bytes(wanted) / to->element_bytes), rows = 1, more;
  for (guint i = 1; i < rank; i++)
    rows *= (gint64)rewriting->dimension[i];
  if (rank > 1) {
    guint64 parts = wanted->from.columns / to->columns;
    gint64 pitch = (gint64)(parts * (to->columns + to->pad)),
           now = (gint64)rewriting->dimension[rank - 1];
    if (pitch != now)
      change_dimension(rewriting, &brackets.brackets[rank - 1], pitch - now);
    rows = rows / now * pitch;
  }
  more = (places + rows - 1) / rows - (gint64)rewriting->dimension[0];
  if (!dynamic && (more > 0 || (more < 0 && rank == 1)))
    change_dimension(rewriting, &brackets.brackets[0], more);
  return TRUE;
}

gssize
smb_rewrite_growth(const SmbRewriteArray *wanted) {
  gssize more = (gssize)smb_rewrite_bytes(wanted) - (gssize)wanted->bytes;
  if (!wanted->array->is_carved)
    return more;
  if (wanted->is_last)
    return MAX(more, 0);
  return more > 0 ? (more + CARVED_BYTES - 1) / CARVED_BYTES * CARVED_BYTES : 0;
}

// How much farther a pointer points when the array that is rewritten has grown.
static gssize
find_move(const Rewriting *rewriting, const Variable *pointer, gssize growth) {
  guint64 own = 0, other = 0;
  gboolean found = FALSE;
  for (guint i = 0; i < rewriting->carved->len; i++) {
    const Carved *carved = &g_array_index(rewriting->carved, Carved, i);
    own = carved->pointer == rewriting->variable ? carved->offset : own;
    other = carved->pointer == pointer ? carved->offset : other;
    found = found || carved->pointer == pointer;
  }
  return found && other > own ? growth : 0;
}

// Moves the pointers that point behind the array: "&sram[n]" becomes "&sram[n] + 32".
static gboolean
move_pointers(Rewriting *rewriting, GError **error) {
  gssize growth = smb_rewrite_growth(rewriting->wanted);
  for (guint i = 0; i < rewriting->carved->len; i++) {
    const Carved *carved = &g_array_index(rewriting->carved, Carved, i);
    gssize move =
        find_move(rewriting, carved->pointer, growth) - find_move(rewriting, carved->from, growth);
    gssize element = (gssize)carved->pointer->type->of->size;
    if (move % element != 0 || smb_rewrite_raw_find(rewriting->raw, carved->value->start) < 0) {
      smb_source_error(rewriting->raw->kernel->program.source, carved->value->start, error,
                       "'%s' cannot be moved by %" G_GSSIZE_FORMAT " bytes automatically",
                       carved->pointer->name, move);
      return FALSE;
    }
    if (move)
      smb_rewrite_edit_add(rewriting->edits, carved->value->end, 0, " %c %" G_GSSIZE_FORMAT,
                           move < 0 ? '-' : '+', ABS(move) / element);
  }
  return TRUE;
}

// Rows that a pointer counts by are as long as those of the array: "float (*p)[32]" becomes "(*p)[32 + 1]".
static void
change_pointer(Rewriting *rewriting, const Variable *pointer) {
  const SmbLayout *to = &rewriting->wanted->to;
  guint n = 0;
  for (const Type *type = pointer->type->of; type->kind == KIND_ARRAY; type = type->of)
    n++;
  gint name = smb_rewrite_raw_find(rewriting->raw, pointer->start);
  if (n == 0 || name < 0 ||
      !smb_token_is(g_ptr_array_index(rewriting->raw->tokens, (guint)name), pointer->name))
    return;
  const Token *next = g_ptr_array_index(rewriting->raw->tokens, (guint)name + 1);
  n += smb_token_is(next, "["); // a parameter "p[][32]"
  Brackets brackets;
  guint64 pitch = rewriting->wanted->from.columns / to->columns * (to->columns + to->pad);
  gint64 more = (gint64)pitch - (gint64)rewriting->dimension[rewriting->rank - 1];
  if (more == 0 || !smb_rewrite_raw_brackets(rewriting->raw, (guint)name, n, &brackets))
    return;
  change_dimension(rewriting, &brackets.brackets[n - 1], more);
  smb_rewrite_note_lent(rewriting, pointer->owner);
}

static int
compare_pointers(gconstpointer a, gconstpointer b) {
  const Variable *x = *(const Variable *const *)a, *y = *(const Variable *const *)b;
  return (x->start > y->start) - (x->start < y->start);
}

// Those that the text declares once are changed once: instances of a function have the same.
static void
change_pointers(Rewriting *rewriting) {
  g_autoptr(GPtrArray) pointers = g_ptr_array_new();
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init(&iter, rewriting->aliases);
  while (g_hash_table_iter_next(&iter, &key, NULL))
    g_ptr_array_add(pointers, key);
  g_ptr_array_sort(pointers, compare_pointers);
  for (guint i = 0; i < pointers->len; i++) {
    const Variable *pointer = g_ptr_array_index(pointers, i);
    if (i == 0 || pointer->start != ((Variable *)g_ptr_array_index(pointers, i - 1))->start)
      change_pointer(rewriting, pointer);
  }
}

// The member that an array is; NULL of a union, or of what is in another structure.
static const Member *
find_written_member(const Variable *variable, const char *name) {
  const Type *type = variable->type;
  const char *dot = strchr(name, '.');
  for (gsize i = 0; dot && type->kind == KIND_STRUCT && !type->is_union && i < type->count; i++) {
    if (strcmp(type->members[i].name, dot + 1) == 0)
      return &type->members[i];
  }
  return NULL;
}

static gboolean
prepare(Rewriting *rewriting, GError **error) {
  const SmbKernel *kernel = rewriting->raw->kernel;
  const SmbArray *array = rewriting->wanted->array;
  const SmbLayout *from = &rewriting->wanted->from, *to = &rewriting->wanted->to;
  rewriting->variable = smb_kernel_array_variable(kernel, array);
  const Type *type = rewriting->variable->type;
  if (array->variable) {
    rewriting->member = find_written_member(rewriting->variable, array->name);
    if (!rewriting->member)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                      "%s:%u:%u: '%s' cannot be rewritten: it is a member of a union, or of a "
                      "structure within another",
                      smb_program_file(&kernel->program), array->line, array->column, array->name);
    type = rewriting->member->type;
  }
  for (; type->kind == KIND_ARRAY; type = type->of) {
    if (rewriting->rank == MAX_RANK)
      break;
    rewriting->dimension[rewriting->rank] = type->count;
    rewriting->stride[rewriting->rank++] = type->of->size;
  }
  if (array->is_carved) {
    type = type->of;
    rewriting->dimension[0] = rewriting->wanted->bytes / type->size;
    rewriting->stride[rewriting->rank++] = type->size;
  }
  const char *problem = NULL;
  if (rewriting->rank == 0 || type->kind == KIND_ARRAY)
    problem = rewriting->rank == 0 ? "it is not an array" : "it has too many dimensions";
  else if (from->bits)
    problem = "it is swizzled already";
  else if (smb_rewrite_is_within(rewriting) && (to->bits || from->columns % to->columns))
    problem = "padding would cross its rows";
  guint n_dynamic = 0;
  for (guint i = 0; i < smb_program_n_arrays(&kernel->program); i++)
    n_dynamic += smb_program_array(&kernel->program, i)->is_dynamic;
  if (!problem && array->is_dynamic && n_dynamic > 1)
    problem = "other extern arrays share its memory";
  if (problem)
    smb_source_error(kernel->program.source, rewriting->variable->start, error,
                     "'%s' cannot be rewritten: %s", array->name, problem);
  return problem == NULL;
}

static gboolean
rewrite_array(Rewriting *rewriting, GError **error) {
  gboolean carved = rewriting->wanted->array->is_carved;
  guint first = rewriting->edits->len;
  if (!prepare(rewriting, error) ||
      !(carved ? move_pointers(rewriting, error) : change_declaration(rewriting, error)))
    return FALSE;
  smb_rewrite_find_mentions(rewriting);
  change_pointers(rewriting);
  gboolean ok =
      smb_rewrite_mentions(rewriting, error) && smb_rewrite_copy_lent(rewriting, first, error);
  g_ptr_array_unref(rewriting->lent);
  g_array_unref(rewriting->mentions);
  g_hash_table_unref(rewriting->aliases);
  g_hash_table_unref(rewriting->elements);
  g_hash_table_unref(rewriting->counting);
  return ok;
}

// Where a function can be put so that the one at @start can call it: before its linkage, too.
static guint32
find_insertion(const RawText *raw, guint32 start) {
  gint at = smb_rewrite_raw_find(raw, start);
  if (at >= 2) {
    const Token *linkage = g_ptr_array_index(raw->tokens, (guint)at - 1);
    const Token *word = g_ptr_array_index(raw->tokens, (guint)at - 2);
    if (linkage->kind == TOKEN_STRING && smb_token_is(word, "extern"))
      return word->start;
  }
  return start;
}

// Whether the first line ends in a carriage return: new lines are to end like those of the text.
static gboolean
ends_lines_with_return(const char *text) {
  const char *feed = strchr(text, '\n');
  return feed && feed > text && feed[-1] == '\r';
}

static char *
join_conditions(const GPtrArray *conditions) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < conditions->len; i++)
    g_string_append_printf(text, "%s%s", smb_comma_and(i, conditions->len),
                           (const char *)g_ptr_array_index(conditions, i));
  return g_string_free(text, conditions->len == 0);
}

GArray *
smb_rewrite(const SmbProgram *program, const SmbLaunch *launch, const SmbRewriteArray *arrays,
            guint n_arrays, char **conditions, GError **error) {
  g_auto(RawText) raw = {0};
  g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GArray) edits = smb_edits_new();
  g_autoptr(GString) helpers = g_string_new(NULL);
  if (!raw_read(&raw, program, error))
    return NULL;
  g_autoptr(GArray) carved = launch ? smb_carve(raw.kernel, launch) : NULL;
  guint32 first_use = G_MAXUINT32;
  for (guint i = 0; i < n_arrays; i++) {
    g_return_val_if_fail(carved || !arrays[i].array->is_carved, NULL);
    Rewriting rewriting = {.wanted = &arrays[i],
                           .raw = &raw,
                           .launch = launch,
                           .edits = edits,
                           .helpers = helpers,
                           .conditions = found};
    rewriting.carved = arrays[i].array->is_carved ? carved : NULL;
    rewriting.first_use = first_use;
    if (!rewrite_array(&rewriting, error))
      return NULL;
    first_use = rewriting.first_use;
  }
  if (ends_lines_with_return(smb_source_text(program->source)))
    g_string_replace(helpers, "\n", "\r\n", 0);
  if (helpers->len > 0)
    smb_rewrite_edit_add(edits, find_insertion(&raw, first_use), 0, "%s", helpers->str);
  smb_edits_sort(edits);
  if (conditions)
    *conditions = join_conditions(found);
  return g_steal_pointer(&edits);
}

char *
smb_rewrite_apply_within(const SmbSource *source, const GArray *edits, const Stretch *stretch) {
  const char *text = smb_source_text(source);
  GString *out = g_string_new(NULL);
  guint32 at = stretch->start;
  for (guint i = 0; i < edits->len; i++) {
    const SmbEdit *edit = &g_array_index(edits, SmbEdit, i);
    g_string_append_len(out, text + at, edit->offset - at);
    g_string_append(out, edit->text);
    at = edit->offset + edit->length;
  }
  g_string_append_len(out, text + at, stretch->end - at);
  return g_string_free(out, FALSE);
}

char *
smb_rewrite_apply(const SmbSource *source, const GArray *edits) {
  Stretch all = {0, (guint32)strlen(smb_source_text(source))};
  return smb_rewrite_apply_within(source, edits, &all);
}

// @tokens: of each name (element-type utf8 GPtrArray), in their order
struct SmbRewriteNames {
  const SmbProgram *program;
  RawText raw;
  GHashTable *tokens;
};

SmbRewriteNames *
smb_rewrite_names_new(const SmbProgram *program) {
  SmbRewriteNames *names = g_new0(SmbRewriteNames, 1);
  names->program = program;
  names->tokens =
      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
  if (!raw_read(&names->raw, program, NULL))
    return names;
  for (guint i = 0; i < names->raw.tokens->len; i++) {
    Token *token = g_ptr_array_index(names->raw.tokens, i);
    if (token->kind != TOKEN_NAME)
      continue;
    GPtrArray *same = g_hash_table_lookup(names->tokens, token->text);
    if (!same) {
      same = g_ptr_array_new();
      g_hash_table_insert(names->tokens, (gpointer)token->text, same);
    }
    g_ptr_array_add(same, token);
  }
  return names;
}

void
smb_rewrite_names_free(SmbRewriteNames *names) {
  if (!names)
    return;
  g_hash_table_unref(names->tokens);
  smb_rewrite_raw_clear(&names->raw);
  g_free(names);
}

GArray *
smb_rewrite_unseen(const SmbRewriteNames *names, const SmbArray *array) {
  GArray *lines = g_array_new(FALSE, FALSE, sizeof(guint));
  const GPtrArray *tokens =
      names->raw.kernel ? g_hash_table_lookup(names->tokens, array->name) : NULL;
  if (!tokens || array->variable)
    return lines;
  const Variable *variable = smb_kernel_array_variable(names->raw.kernel, array);
  const Function *owner = variable->owner;
  g_autoptr(GArray) mentions = smb_kernel_mentions(names->raw.kernel, variable, NULL, NULL);
  guint last = 0, next = 0;
  guint32 seen = 0; // the end of the mentions that began before
  for (guint i = 0; i < tokens->len; i++) {
    const Token *token = g_ptr_array_index(tokens, i);
    for (; next < mentions->len; next++) {
      const Node *object = g_array_index(mentions, Mention, next).object;
      if (object->start > token->start)
        break;
      seen = MAX(seen, object->end);
    }
    if (token->start < seen || token->start == variable->start ||
        (owner && (token->start < owner->text.start || token->start >= owner->text.end)))
      continue;
    if (owner && token->start == owner->start)
      continue; // the function has the same name
    guint line, column;
    smb_source_locate(names->program->source, token->start, &line, &column);
    if (line != last)
      g_array_append_val(lines, line);
    last = line;
  }
  return lines;
}
