// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/advise/proof.h"

#include <string.h>

#include "sim/advise/array-use.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"

// Global memory is compared in pieces of this size.
enum {
  PIECE_BYTES = 1 << 16
};

void
smb_proof_free(SmbProof *proof) {
  if (!proof)
    return;
  g_free(proof->failure);
  g_free(proof->condition);
  g_clear_pointer(&proof->edits, g_array_unref);
  g_free(proof->text);
  smb_analysis_free(proof->analysis);
  smb_program_free(proof->kernel);
  g_free(proof);
}

G_GNUC_PRINTF(2, 3)
static void
fail_proof(SmbProof *proof, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (!proof->failure)
    proof->failure = g_strdup_vprintf(format, arguments);
  va_end(arguments);
}

// Whether the buffers of one parameter hold the same.
static void
compare_proof_buffer(SmbProof *proof, const SmbOriginal *original, const SmbGlobal *global,
                     guint parameter) {
  SmbParameter described = smb_program_parameter(original->kernel, parameter);
  guint64 reach = smb_global_reach(original->global, parameter);
  guint64 reach_now = smb_global_reach(global, parameter);
  if (reach != reach_now)
    fail_proof(proof,
               "it accesses %" G_GUINT64_FORMAT " bytes of %s, the original %" G_GUINT64_FORMAT,
               reach_now, described.name, reach);
  g_autofree guchar *before = g_malloc(PIECE_BYTES), *now = g_malloc(PIECE_BYTES);
  for (guint64 at = 0; !proof->failure && at < reach; at += PIECE_BYTES) {
    gsize n = (gsize)MIN(PIECE_BYTES, reach - at), i = 0;
    smb_global_read(original->global, parameter, at, before, n);
    smb_global_read(global, parameter, at, now, n);
    while (i < n && before[i] == now[i])
      i++;
    if (i < n)
      fail_proof(proof, "byte %" G_GUINT64_FORMAT " of %s is not what the original leaves there",
                 at + i, described.name);
    proof->compared_bytes += n;
  }
}

// Whether each access makes as many requests as before, for as many wavefronts as was said.
static void
compare_proof_accesses(SmbProof *proof, const SmbOriginal *original, const guint64 *wavefronts) {
  const GArray *before = original->analysis->accesses, *now = proof->analysis->accesses;
  if (before->len != now->len)
    fail_proof(
        proof,
        smb_vendor_say(original->analysis->vendor, "it makes %s to shared memory, the original %u"),
        smb_count(now->len, "access").text, before->len);
  for (guint i = 0; !proof->failure && i < now->len; i++) {
    const SmbAccess *a = &g_array_index(before, SmbAccess, i);
    const SmbAccess *b = &g_array_index(now, SmbAccess, i);
    if (a->total.requests != b->total.requests || a->site->width != b->site->width ||
        a->site->op_class != b->site->op_class)
      fail_proof(proof, "the access to %s at line %u makes other requests than the original's",
                 a->site->expression, a->site->line);
    else if (b->total.wavefronts != wavefronts[i])
      fail_proof(proof,
                 smb_vendor_say(original->analysis->vendor,
                                "the access to %s at line %u takes %" G_GUINT64_FORMAT
                                " wavefront%s, not %" G_GUINT64_FORMAT " as predicted"),
                 a->site->expression, a->site->line, b->total.wavefronts,
                 smb_plural(b->total.wavefronts), wavefronts[i]);
  }
}

// Whether two requests ask for the same bytes of their arrays.
static gboolean
ask_alike(const SmbRequest *a, guint32 base_a, const SmbRequest *b, guint32 base_b) {
  gboolean alike = a->op == b->op && a->width == b->width && a->mask == b->mask;
  for (guint lane = 0; alike && lane < SMB_MAX_LANES; lane++)
    alike = !(a->mask >> lane & 1) || a->offset[lane] - base_a == b->offset[lane] - base_b;
  return alike;
}

// Whether each request for an array asks for the same elements as before, where its layout has them. Both programs make
// their requests in the same order.
static void
compare_requests(SmbProof *proof, const SmbArrayUse *before, const SmbArrayUse *now,
                 const SmbRewriteArray *array) {
  gboolean alike = now->requests->len == before->requests->len;
  for (guint i = 0; alike && i < before->requests->len; i++) {
    const SmbAccessRequest *a = g_array_index(before->requests, SmbArrayRequest, i).made;
    const SmbAccessRequest *b = g_array_index(now->requests, SmbArrayRequest, i).made;
    SmbRequest moved;
    alike = a->access == b->access && a->warp == b->warp && a->count == b->count &&
            smb_layout_move(&array->from, &array->to, before->array->base, &a->request, &moved) ==
                SMB_LAYOUT_FITS &&
            ask_alike(&moved, before->array->base, &b->request, now->array->base);
  }
  if (!alike)
    fail_proof(proof, "it accesses other elements of %s than the original", array->array->name);
}

static void
compare_arrays(SmbProof *proof, const SmbOriginal *original, const SmbRewriteArray *arrays,
               guint n_arrays) {
  g_autoptr(SmbArrayUses) before =
      smb_array_uses_new(original->kernel, &original->launch, original->analysis);
  g_autoptr(SmbArrayUses) now = smb_array_uses_new(proof->kernel, &proof->launch, proof->analysis);
  for (guint i = 0; i < before->all->len; i++) {
    const SmbArrayUse *use = g_ptr_array_index(before->all, i);
    for (guint j = 0; !proof->failure && j < n_arrays; j++) {
      if (use->array->base == arrays[j].array->base &&
          !strcmp(use->array->name, arrays[j].array->name))
        compare_requests(proof, use, g_ptr_array_index(now->all, i), &arrays[j]);
    }
  }
}

// Reads and runs the new text: the same blocks as of the original. Where these stand for others, all make the same
// requests of the elements of an array, wherever a layout has them, and so they do now.
static gboolean
evaluate_proof(SmbProof *proof, const SmbOriginal *original, SmbGlobal *global, GError **error) {
  g_autoptr(GBytes) bytes = g_bytes_new(proof->text, strlen(proof->text));
  g_autoptr(SmbSource) source = smb_source_new(smb_program_file(original->kernel), bytes, error);
  if (!source)
    return FALSE;
  proof->kernel = smb_program_read_again(original->kernel, source, NULL, error);
  if (!proof->kernel)
    return FALSE;
  SmbAnalysisOptions options = *original->options;
  options.global = global;
  options.shares = original->analysis->shares;
  options.keep_requests = TRUE;
  proof->analysis =
      smb_analysis_run(proof->kernel, original->arch, &proof->launch, &options, error);
  return proof->analysis != NULL;
}

void
smb_proof_check(SmbProof *proof, const SmbOriginal *original, const SmbRewriteArray *arrays,
                guint n_arrays, const guint64 *wavefronts) {
  if (proof->failure)
    return;
  g_autoptr(SmbGlobal) global = smb_global_new(original->kernel, &proof->launch);
  g_autoptr(GError) error = NULL;
  if (!evaluate_proof(proof, original, global, &error)) {
    g_autofree char *reason = g_strdup(error->message);
    const SmbHint *hint;
    for (guint i = 0; original->options->write_hint && (hint = smb_error_hint(error, i)); i++) {
      g_autofree char *before = reason;
      reason = original->options->write_hint(before, hint);
    }
    fail_proof(proof, "it cannot be evaluated: %s", reason);
    return;
  }
  compare_proof_accesses(proof, original, wavefronts);
  if (!proof->failure)
    compare_arrays(proof, original, arrays, n_arrays);
  for (guint i = 0; !proof->failure && i < smb_program_n_parameters(original->kernel); i++) {
    if (smb_launch_is_pointer(&original->launch, original->kernel, i))
      compare_proof_buffer(proof, original, global, i);
  }
  g_clear_pointer(&proof->analysis->requests, g_array_unref);
}

static SmbProof *
proof_new(const SmbOriginal *original) {
  SmbProof *proof = g_new0(SmbProof, 1);
  proof->launch = original->launch;
  return proof;
}

SmbProof *
smb_proof_text(const SmbOriginal *original, const char *text, gsize dynamic_bytes,
               const guint64 *wavefronts) {
  SmbProof *proof = proof_new(original);
  proof->text = g_strdup(text);
  proof->launch.dynamic_bytes = dynamic_bytes;
  smb_proof_check(proof, original, NULL, 0, wavefronts);
  return proof;
}

SmbProof *
smb_proof_write(const SmbOriginal *original, const SmbRewriteArray *arrays, guint n_arrays) {
  SmbProof *proof = proof_new(original);
  g_autoptr(GError) error = NULL;
  proof->form = arrays->form;
  proof->edits =
      smb_rewrite(original->kernel, &original->launch, arrays, n_arrays, &proof->condition, &error);
  if (!proof->edits) {
    fail_proof(proof, "%s", error->message);
    return proof;
  }
  for (guint i = 0; i < n_arrays; i++) {
    if (arrays[i].array->is_dynamic)
      proof->launch.dynamic_bytes += (gsize)smb_rewrite_growth(&arrays[i]);
  }
  proof->text = smb_rewrite_apply(smb_program_source(original->kernel), proof->edits);
  return proof;
}

SmbProof *
smb_proof_choose(const SmbOriginal *original, const SmbRewriteArray *array,
                 const guint64 *wavefronts) {
  SmbRewriteArray tried = *array;
  SmbProof *best = NULL;
  for (gint form = SMB_REWRITE_IN_ROWS; form >= SMB_REWRITE_WHOLE && !smb_proof_holds(best);
       form--) {
    tried.form = (SmbRewriteForm)form;
    g_autoptr(SmbProof) next = smb_proof_write(original, &tried, 1);
    if (best && g_strcmp0(best->text, next->text) == 0)
      continue;
    smb_proof_check(next, original, &tried, 1, wavefronts);
    smb_proof_free(best);
    best = g_steal_pointer(&next);
  }
  return best;
}
