// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/linear-check.h"

// The XOR of those vectors whose bits are set in @which.
static guint32
sum_vectors(const guint32 *vectors, guint n, guint32 which) {
  guint32 sum = 0;
  for (guint i = 0; i < n; i++)
    sum ^= which >> i & 1 ? vectors[i] : 0;
  return sum;
}

// Marks each element of a subspace. FALSE: the vectors are not independent, so that one is met twice.
static gboolean
mark_elements(const guint32 *vectors, guint n, guint bits, guint8 *marks) {
  for (guint32 which = 0; which >> n == 0; which++) {
    guint32 element = sum_vectors(vectors, n, which);
    if (element >> bits || marks[element]++)
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_linear_check(const SmbLinearSearch *certificate) {
  guint bits = certificate->bits;
  guint64 wavefronts = 0, ideal = 0;
  g_autofree guint8 *in_kernel = g_new0(guint8, (gsize)1 << bits);
  if (!mark_elements(certificate->kernel, certificate->n_kernel, bits, in_kernel) ||
      certificate->n_kernel + certificate->row_bits < bits)
    return FALSE;
  for (guint i = 0; i < certificate->n_kernel; i++) {
    if (certificate->kernel[i] & ((1u << certificate->unit_bits) - 1))
      return FALSE;
  }
  for (guint i = 0; i < certificate->groups->len; i++) {
    const SmbLinearGroup *group = &g_array_index(certificate->groups, SmbLinearGroup, i);
    guint64 together = 0;
    for (guint32 which = 0; which >> group->n == 0; which++)
      together += in_kernel[sum_vectors(group->basis, group->n, which)];
    wavefronts += together * group->weight;
    ideal += group->weight;
  }
  return wavefronts + certificate->empty == certificate->found &&
         ideal + certificate->empty == certificate->ideal;
}
