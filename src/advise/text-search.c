// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What was searched of an array, and what is left, in sentences.
#include <string.h>

#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/advise/mode.h"
#include "src/advise/text.h"
#include "src/analysis/verdict.h"

// Elements at the end of an array without rows that the launch does not access, if it accesses all others; else 0.
static guint64
count_idle_elements(const SmbAdviseArray *array) {
  const SmbArrayUse *use = array->search->use;
  const SmbAnalysis *analysis = use->analysis;
  if (use->array->n_dimensions != 1 || use->array->is_dynamic || array->is_compiled ||
      analysis->is_sampled || analysis->requests_dropped > 0 || smb_analyze_uncounted(analysis) > 0)
    return 0;
  g_autofree guint8 *used = g_new0(guint8, use->bytes + SMB_MAX_WIDTH);
  for (guint i = 0; i < use->requests->len; i++) {
    const SmbRequest *request = &g_array_index(use->requests, SmbArrayRequest, i).made->request;
    for (SmbLanes lanes = smb_request_lanes(request); lanes; lanes &= lanes - 1) {
      guint32 offset = request->offset[smb_lanes_first(lanes)] - use->array->base;
      if (offset < use->bytes)
        memset(used + offset, 1, MIN(request->width, SMB_MAX_WIDTH));
    }
  }
  gsize n = 0, end = 0;
  for (gsize i = 0; i < use->bytes; i++) {
    n += used[i];
    end = used[i] ? i + 1 : end;
  }
  return n == end ? (use->bytes - end) / use->array->element_bytes : 0;
}

// What is known of the rows of an array that is no tile, and of its end.
static void
append_rows(GString *text, const SmbAdviseArray *array) {
  const SmbAdvice *search = array->search;
  const SmbLayout *layout = &search->original->layout;
  gboolean has_rows = search->use->bytes / layout->element_bytes > layout->columns + layout->pad;
  if (!has_rows && array->is_compiled && search->use->array->is_union)
    g_string_append_printf(
        text,
        " %s is a union, and which member some accesses mean is not known: padding was tried after "
        "every power-of-two number of bytes (--array with the name of a member takes them for "
        "its).",
        search->use->array->name);
  else if (!has_rows && array->is_compiled && !search->use->array->is_typed)
    g_string_append_printf(
        text,
        " Compiled code does not have the %s of %s: padding was tried after every power-of-two "
        "number of elements (--array %s%s=ROWSxCOLUMNSxTYPE sets them).",
        search->use->array->line > 0 ? "rows" : "arrays", search->use->array->name,
        search->use->array->name, search->use->array->inside ? "" : "[+OFFSET]");
  else if (!has_rows)
    g_string_append(text, " Its rows are not declared: padding was tried after every power-of-two "
                          "number of elements (--row N sets the row length).");
  guint64 idle = count_idle_elements(array);
  if (idle > 0)
    g_string_append_printf(text,
                           " Its last %s %s not accessed in this launch: if %s to pad rows, no "
                           "index skips %s.",
                           smb_count(idle, "element").text, smb_is_are(idle),
                           idle == 1 ? "it is" : "they are", idle == 1 ? "it" : "them");
}

// What the best layout takes.
static void
append_best(GString *text, const SmbArch *arch, const SmbAdvice *search) {
  const SmbTally *now = &search->original->total;
  const SmbCandidate *best = search->best->len ? g_ptr_array_index(search->best, 0) : NULL;
  if (!best) {
    g_string_append(text, ". None is valid.");
    return;
  }
  if (best->total.wavefronts >= now->wavefronts)
    g_string_append_printf(text, ". None takes fewer than the present %s.",
                           smb_count(now->wavefronts, smb_arch_say(arch, "wavefront")).text);
  else
    g_string_append_printf(text, ". Best: %s (now %s), reached by %s.",
                           smb_count(best->total.wavefronts, smb_arch_say(arch, "wavefront")).text,
                           smb_number(now->wavefronts).text, smb_number(search->ties).text);
  if (MIN(best->total.excess, now->excess))
    g_string_append_printf(text, " %s %s in excess: none of those searched removes all conflicts.",
                           smb_number(MIN(best->total.excess, now->excess)).text,
                           MIN(best->total.excess, now->excess) == 1 ? "remains" : "remain");
}

char *
smb_advise_describe(const SmbAdviseReport *report, const SmbAdviseArray *array) {
  const SmbArch *arch = report->arch;
  const SmbAdvice *search = array->search;
  const char *why = search->use->tile
                        ? "ask for bytes of other things at once, or for what hardware does not "
                          "find there"
                        : "split or misalign a vector access";
  GString *text = g_string_new(NULL);
  g_string_printf(text, "Searched %s", smb_count(search->searched, "layout").text);
  if (search->unfit)
    g_string_append_printf(
        text, smb_arch_say(arch, " (%s %s invalid: %s would %s, or need too much shared memory)"),
        smb_number(search->unfit).text, smb_is_are(search->unfit),
        search->unfit == 1 ? "it" : "they", why);
  append_best(text, arch, search);
  if (search->use->tile)
    smb_advise_append_tile(text, report, search->use);
  else if (search->best->len > 0)
    append_rows(text, array);
  return g_string_free(text, FALSE);
}

void
smb_advise_append_tensor_mode(GString *text, const SmbAdviseReport *report,
                              const SmbAdviseArray *array, const SmbCandidate *candidate) {
  enum {
    TENSOR_MAJOR = 9, // the first with copies of boxes of tensors, and the only one with wgmma
  };
  const SmbLayout *layout = &candidate->layout;
  guint span = candidate->tensor_span;
  gboolean has_rows = array->search->use->bytes > layout->columns * layout->element_bytes;
  guint major = smb_arch_info(report->arch)->capability_major;
  if (!span || major < TENSOR_MAJOR || candidate->mode.lines)
    return;
  g_string_append_printf(text,
                         " If a tensor map is to bring this layout, it has "
                         "CU_TENSOR_MAP_SWIZZLE_%uB",
                         span);
  if (major == TENSOR_MAJOR)
    g_string_append_printf(text,
                           ", and if wgmma is to read it, its descriptor has the value %u in bits "
                           "62-63 (%u-byte swizzle)",
                           smb_mode_bits(report->arch, span), span);
  g_string_append_printf(text, "; the array begins at a multiple of %u bytes then", 8 * span);
  if (!has_rows)
    g_string_append_printf(text, " and its rows have %u", span);
  g_string_append_c(text, '.');
}
