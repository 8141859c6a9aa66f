// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The best layout of a kind, in the notations of CuTe, Triton and C, and the proof that none is better.
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/layout/linear-check.h"
#include "src/layout/report.h"
#include "src/out/json.h"

void
smb_layout_found_free(SmbLayoutFound *found) {
  if (!found)
    return;
  g_free(found->holds_for);
  g_free(found->proof);
  g_free(found->cute);
  g_free(found->triton);
  g_free(found->c);
  g_free(found);
}

static guint
log2_of(guint64 n) {
  return (guint)g_bit_storage(n) - 1;
}

// --- the layout in other notations

// "[[0, 1], [0, 2], …]": the coordinate of each bit of the place.
static char *
write_offsets(const SmbTile *tile, const guint32 *offsets, guint bits) {
  GString *text = g_string_new("[");
  for (guint bit = 0; bit < bits; bit++) {
    guint64 coordinate[SMB_TUPLE_MAX_RANK];
    smb_tile_coordinate(tile, offsets[bit], coordinate);
    g_string_append_printf(text, "%s[", bit ? ", " : "");
    for (guint i = 0; i < tile->rank; i++)
      g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, i ? ", " : "", coordinate[i]);
    g_string_append_c(text, ']');
  }
  g_string_append_c(text, ']');
  return g_string_free(text, FALSE);
}

static char *
write_shared_linear(const SmbTile *tile, const guint32 *offsets, guint bits) {
  g_autofree char *list = write_offsets(tile, offsets, bits);
  return g_strdup_printf("#ttg.shared_linear<{offset = %s, block = []}, alignment = 16>", list);
}

// A swizzle of rows as swizzled_shared, if it is one: it changes units of a row by bits of the number of the row.
static char *
write_swizzled_shared(const SmbTile *tile, const SmbLayout *layout) {
  guint64 columns = layout->columns;
  guint row = log2_of(columns);
  if (tile->rank != 2 || columns & (columns - 1) || layout->shift <= 0 ||
      layout->base + (guint)layout->shift < row || layout->base + layout->bits > row)
    return NULL;
  return g_strdup_printf(
      "#ttg.swizzled_shared<{vec = %u, perPhase = %u, maxPhase = %u, order = [1, 0]}>",
      1u << layout->base, 1u << (layout->base + (guint)layout->shift - row), 1u << layout->bits);
}

static char *
write_padded_shared(const SmbTile *tile, const SmbLayout *layout) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(
      text, "#ttg.padded_shared<[%" G_GUINT64_FORMAT ":+%" G_GUINT64_FORMAT "] {order = [",
      layout->columns, layout->pad);
  for (guint i = 0; i < tile->rank; i++)
    g_string_append_printf(text, "%s%u", i ? ", " : "", tile->rank - 1 - i);
  g_string_append(text, "], shape = [");
  for (guint i = 0; i < tile->rank; i++)
    g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, i ? ", " : "", tile->extent[i]);
  g_string_append(text, "]}>");
  return g_string_free(text, FALSE);
}

// The place of an element with the number i, row by row, in C.
static char *
write_layout_in_c(const SmbLayout *layout) {
  GString *text = g_string_new(NULL);
  if (layout->pad) {
    g_string_append_printf(text, "i + i / %" G_GUINT64_FORMAT " * %" G_GUINT64_FORMAT,
                           layout->columns, layout->pad);
  } else if (layout->bits) {
    guint source = layout->base + (layout->shift > 0 ? (guint)layout->shift : 0);
    guint target = layout->base + (layout->shift < 0 ? (guint)-layout->shift : 0);
    g_string_append_printf(text, "i ^ (i >> %u & %u) << %u", source, (1u << layout->bits) - 1,
                           target);
  } else {
    g_string_append_c(text, 'i');
  }
  return g_string_free(text, FALSE);
}

// A linear layout: bits that stay where they are in one term, each other bit chooses a constant.
static char *
write_bases_in_c(const guint32 *bases, guint bits) {
  GString *text = g_string_new(NULL);
  guint32 kept = 0;
  for (guint bit = 0; bit < bits; bit++)
    kept |= bases[bit] == 1u << bit ? 1u << bit : 0;
  g_string_append_printf(text, "(i & %u)", kept);
  for (guint bit = 0; bit < bits; bit++) {
    if (!(kept >> bit & 1))
      g_string_append_printf(text, " ^ (i >> %u & 1) * %u", bit, bases[bit]);
  }
  return g_string_free(text, FALSE);
}

// --- which layout it is

static void
take_candidate(SmbLayoutFound *found, const SmbTile *tile, const SmbCandidate *candidate) {
  const SmbLayout *layout = &candidate->layout;
  found->layout = *layout;
  found->wavefronts = candidate->total.wavefronts;
  found->excess = candidate->total.excess;
  found->cute = smb_layout_name(tile, layout);
  found->triton = layout->pad    ? write_padded_shared(tile, layout)
                  : layout->bits ? write_swizzled_shared(tile, layout)
                                 : NULL;
  found->c = write_layout_in_c(layout);
}

// A linear layout that is none of CuTe's swizzles; %FALSE: the counter does not agree with the search.
static gboolean
take_linear(SmbLayoutFound *found, const SmbTile *tile, const SmbLinearSearch *linear,
            const SmbTarget *target, const SmbArch *arch) {
  guint32 offsets[SMB_LINEAR_MAX_BITS], bases[SMB_LINEAR_MAX_BITS];
  smb_linear_search_offsets(linear, offsets);
  smb_linear_search_bases(linear, bases);
  g_autofree char *triton = write_shared_linear(tile, offsets, linear->bits);
  g_autofree char *layout = g_strdup_printf("%s x%s", triton, tile->element->name);
  SmbTally total;
  if (!smb_layout_recount(target, arch, layout, &total) || total.wavefronts != linear->found)
    return FALSE;
  found->is_linear = TRUE;
  found->wavefronts = total.wavefronts;
  found->excess = total.excess;
  found->triton = g_steal_pointer(&triton);
  found->c = write_bases_in_c(bases, linear->bits);
  return TRUE;
}

// --- why none is better

static void
prove_ideal(SmbLayoutFound *found) {
  found->is_proved = TRUE;
  found->by = "ideal";
  found->holds_for = g_strdup("every layout that keeps what one lane moves together");
  found->proof = g_strdup_printf(
      "Each lane group takes a wavefront in any layout, and takes no more in this one: %s for as "
      "many lane groups.",
      smb_count(found->wavefronts, "wavefront").text);
}

static void
prove_pad(SmbLayoutFound *found, const SmbLayoutOthers *others, const SmbArch *arch) {
  guint row = smb_arch_info(arch)->row_bytes;
  found->is_proved = !others->advice->given_up;
  found->by = "exhaustive";
  found->holds_for = g_strdup("rows with any padding");
  found->proof = g_strdup_printf(
      "All paddings of less than the %u bytes of a row of the banks were counted, %s. A padding "
      "that is larger by so much moves each row of the tile by whole rows of the banks, which "
      "changes no bank and makes no two words one.",
      row, smb_count(others->advice->searched, "layout").text);
}

// A basis as coordinates of the tile: "(0,8), (1,0)".
static char *
name_basis(const SmbTile *tile, const guint32 *basis, guint n) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = smb_tile_name(tile, basis[i]);
    g_string_append_printf(text, "%s%s", i ? ", " : "", name);
  }
  return g_string_free(text, FALSE);
}

// The space is what all XOR swizzles are in, so that CuTe's with the same count need no search of their own.
static void
prove_linear(SmbLayoutFound *found, const SmbTile *tile, const SmbLinearSearch *linear) {
  g_autofree char *kernel = name_basis(tile, linear->kernel, linear->n_kernel);
  found->is_proved = found->wavefronts <= linear->least && smb_linear_check(linear);
  found->by = found->is_proved ? "rank" : NULL;
  found->holds_for =
      g_strdup("every layout that is linear over F2 (all XOR swizzles) and keeps together "
               "what one lane moves, and words of the banks");
  found->proof = g_strdup_printf(
      "Such a layout is decided by the elements whose places differ by whole rows of the banks: a "
      "subspace of dimension %u. A lane group whose elements are a coset of A takes 2^dim(A ∩ K) "
      "wavefronts. %s of such A were distinguished. For K with the basis %s, all groups together "
      "take %s; every other K takes %s or more (%s looked at).",
      linear->n_kernel, smb_count(linear->groups->len, "space").text, kernel,
      smb_count(linear->found, "wavefront").text, smb_number(linear->least).text,
      smb_count(linear->tried, "case").text);
}

static void
prove_swizzle(SmbLayoutFound *found, const SmbTile *tile, const SmbLayoutOthers *others) {
  const SmbLinearSearch *linear = others->linear;
  if (!linear->failure) {
    prove_linear(found, tile, linear);
    return;
  }
  found->is_proved = !others->advice->given_up;
  found->by = "exhaustive";
  found->holds_for = g_strdup("Swizzle<B,M,S> of the tile row by row");
  found->proof =
      g_strdup_printf("All %s were counted. Other XOR layouts were not decided: %s.",
                      smb_count(others->advice->searched, "layout").text, linear->failure);
}

SmbLayoutFound *
smb_layout_find_best(const SmbLayoutOthers *others, const SmbTarget *target, const SmbArch *arch,
                     SmbLayoutFind what, GError **error) {
  const SmbTile *tile = smb_layout_program_tile(target->kernel);
  if (others->failure || others->advice->best->len == 0) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%-s",
             others->failure ? others->failure : "no such layout serves all accesses");
    return NULL;
  }
  const SmbCandidate *best = g_ptr_array_index(others->advice->best, 0);
  const SmbLinearSearch *linear = others->linear;
  g_autoptr(SmbLayoutFound) found = g_new0(SmbLayoutFound, 1);
  found->what = what;
  gboolean is_linear =
      what == SMB_LAYOUT_FIND_SWIZZLE && !linear->failure && linear->found < best->total.wavefronts;
  if (!is_linear || !take_linear(found, tile, linear, target, arch))
    take_candidate(found, tile, best);
  if (found->excess == 0)
    prove_ideal(found);
  else if (what == SMB_LAYOUT_FIND_PAD)
    prove_pad(found, others, arch);
  else
    prove_swizzle(found, tile, others);
  return g_steal_pointer(&found);
}

// --- JSON

void
smb_layout_found_json(JsonBuilder *json, const SmbLayoutFound *found,
                      const SmbLayoutOthers *others) {
  smb_json_object(json, "found");
  smb_json_number(json, "wavefronts", (gint64)found->wavefronts);
  smb_json_number(json, "excess_wavefronts", (gint64)found->excess);
  smb_json_text(json, "cute", found->cute);
  smb_json_text(json, "triton", found->triton);
  smb_json_text(json, "c", found->c);
  smb_json_object(json, "proof");
  smb_json_boolean(json, "proved", found->is_proved);
  smb_json_text(json, "by", found->by);
  smb_json_text(json, "holds_for", found->holds_for);
  smb_json_text(json, "argument", found->proof);
  if (found->is_proved)
    smb_layout_certificate_json(json, found, others);
  else
    smb_json_null(json, "certificate");
  json_builder_end_object(json);
  json_builder_end_object(json);
}
