// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/rewrite-predict.h"

guint64 *
rewrite_predict(const SmbOriginal *original, const SmbRewriteArray *wanted) {
  const SmbAnalysis *analysis = original->analysis;
  guint64 *wavefronts = g_new0(guint64, analysis->accesses->len + 1);
  for (guint i = 0; i < analysis->requests->len; i++) {
    const SmbAccessRequest *made = &g_array_index(analysis->requests, SmbAccessRequest, i);
    SmbRequest moved = made->request;
    guint32 lanes = smb_request_lanes(&made->request);
    guint32 offset = lanes ? made->request.offset[__builtin_ctz(lanes)] : 0;
    if (lanes && smb_program_array_at(original->kernel, offset) == wanted->array &&
        smb_layout_move(&wanted->from, &wanted->to, wanted->array->base, &made->request, &moved) !=
            SMB_LAYOUT_FITS) {
      g_free(wavefronts);
      return NULL;
    }
    wavefronts[made->access] +=
        made->count * smb_wavefronts_count(original->arch, &moved).wavefronts;
  }
  return wavefronts;
}
