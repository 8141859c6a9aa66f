// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // memmem()
#include "sim/image/kept-text.h"

#include <string.h>

#define SECTION  ".nv_debug_ptx_txt"
#define DECLARED ".shared .align "
#define DYNAMIC  ".extern .shared .align "

enum {
  DYNAMIC_ALIGN = 16, // at least
};

// A piece of the text, whose lines end with a 0.
typedef struct {
  const char *start;
  gsize length;
} KeptText;

static const char *
find_in(KeptText text, const char *from, const char *word) {
  return memmem(from, text.length - (gsize)(from - text.start), word, strlen(word));
}

// From the "{" of the kernel to its "}".
static KeptText
find_body(KeptText text, const char *kernel) {
  g_autofree char *head = g_strconcat(".entry ", kernel, "(", NULL);
  const char *entry = find_in(text, text.start, head);
  const char *start = entry ? find_in(text, entry, "{") : NULL;
  guint depth = 0;
  for (const char *at = start; at && at < text.start + text.length; at++) {
    depth += *at == '{';
    depth -= *at == '}';
    if (depth == 0)
      return (KeptText){start, (gsize)(at - start)};
  }
  return (KeptText){NULL, 0};
}

static gboolean
is_name_character(char c) {
  return g_ascii_isalnum(c) || c == '_' || c == '$';
}

static gboolean
names_variable(KeptText body, const char *name) {
  gsize length = strlen(name);
  const char *at = body.start;
  while ((at = find_in(body, at, name))) {
    if (!is_name_character(at[-1]) && !is_name_character(at[length]))
      return TRUE;
    at++;
  }
  return FALSE;
}

// "4 .b8 NAME[128];", or without brackets: a number of bytes. FALSE: not a variable that has a size
static gboolean
read_kept_variable(const char *text, guint64 *align, SmbKeptArray *array) {
  char *end;
  guint64 count = 1;
  *align = g_ascii_strtoull(text, &end, 10);
  if (*align == 0 || *align > 4096 || !g_str_has_prefix(end, " ."))
    return FALSE;
  guint64 bits = g_ascii_strtoull(end + 3, &end, 10); // behind the letter of ".b8"
  const char *name = end + 1, *behind = name;
  if (bits < 8 || bits > 128 || *end != ' ')
    return FALSE;
  while (is_name_character(*behind))
    behind++;
  if (*behind == '[')
    count = g_ascii_strtoull(behind + 1, &end, 10);
  gboolean ends = *behind == '[' ? g_str_has_prefix(end, "];") : *behind == ';';
  if (!ends || count == 0 || count > G_MAXUINT32)
    return FALSE;
  array->name = g_strndup(name, (gsize)(behind - name));
  array->bytes = bits / 8 * count;
  return TRUE;
}

// Adds the variables of the kernel itself, or those outside of functions that it names, behind what there is.
static void
add_variables(GArray *arrays, KeptText text, KeptText body, gboolean own) {
  for (const char *at = text.start; (at = find_in(text, at, DECLARED)); at++) {
    const char *line = at;
    SmbKeptArray array = {0};
    guint64 align;
    gboolean is_inside = at > body.start && at < body.start + body.length;
    while (line > text.start && line[-1] != '\0')
      line--;
    if (own != is_inside || g_str_has_prefix(line, ".extern") ||
        !read_kept_variable(at + strlen(DECLARED), &align, &array))
      continue;
    if (!own && !names_variable(body, array.name)) {
      g_free(array.name);
      continue;
    }
    if (arrays->len > 0) {
      const SmbKeptArray *last = &g_array_index(arrays, SmbKeptArray, arrays->len - 1);
      array.offset = (last->offset + last->bytes + align - 1) / align * align;
    }
    g_array_append_val(arrays, array);
  }
}

static void
clear_kept(gpointer data) {
  g_free(((SmbKeptArray *)data)->name);
}

// The text, and the kernel in it. FALSE: there is none.
static gboolean
find_kept_text(const SmbCubin *cubin, const char *kernel, KeptText *text, KeptText *body) {
  const SmbCubinSection *section = smb_cubin_section(cubin, SECTION);
  // It ends with a 0, so that words in it may be read as texts.
  if (!section || !section->data || section->bytes == 0 || section->data[section->bytes - 1] != 0)
    return FALSE;
  *text = (KeptText){(const char *)section->data, section->bytes};
  *body = find_body(*text, kernel);
  return body->start != NULL;
}

// The dynamic variable that a kernel names, of several the first (transfer full), or NULL. @align: (out): what it asks for
static char *
find_kept_dynamic(KeptText text, KeptText body, guint64 *align) {
  for (const char *at = text.start; (at = find_in(text, at, DYNAMIC)); at++) {
    const char *end = strstr(at, "[];"), *name = end;
    while (name && name > at && is_name_character(name[-1]))
      name--;
    g_autofree char *found = name ? g_strndup(name, (gsize)(end - name)) : NULL;
    *align = g_ascii_strtoull(at + strlen(DYNAMIC), NULL, 10);
    if (found && *found && names_variable(body, found))
      return g_steal_pointer(&found);
  }
  return NULL;
}

// Whether variables that end at byte @end take as much as the image has. Where dynamic memory follows, ptxas makes that a multiple of 16, or
// of what it is aligned to (CUDA 13.0, sm_80, sm_90 and sm_120).
static gboolean
ends_at(KeptText text, KeptText body, guint64 end, guint64 bytes) {
  guint64 align = 0;
  g_autofree char *dynamic = end < bytes ? find_kept_dynamic(text, body, &align) : NULL;
  align = MAX(align, DYNAMIC_ALIGN);
  return end == bytes || (dynamic && bytes % align == 0 && bytes - end < align);
}

GArray *
smb_kept_arrays(const SmbCubin *cubin, const char *kernel, guint64 bytes) {
  KeptText text, body;
  GArray *arrays = g_array_new(FALSE, FALSE, sizeof(SmbKeptArray));
  g_array_set_clear_func(arrays, clear_kept);
  if (!find_kept_text(cubin, kernel, &text, &body))
    return arrays;
  add_variables(arrays, text, body, TRUE);
  add_variables(arrays, text, body, FALSE);
  const SmbKeptArray *last =
      arrays->len > 0 ? &g_array_index(arrays, SmbKeptArray, arrays->len - 1) : NULL;
  if (!last || !ends_at(text, body, last->offset + last->bytes, bytes))
    g_array_set_size(arrays, 0);
  return arrays;
}

char *
smb_kept_dynamic(const SmbCubin *cubin, const char *kernel) {
  KeptText text, body;
  if (!find_kept_text(cubin, kernel, &text, &body))
    return NULL;
  guint64 align;
  return find_kept_dynamic(text, body, &align);
}
