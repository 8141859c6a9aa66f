// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Any bytes as what verify-proof reads: nothing to check, or claims of which each holds, differs or is open.
#include "sim/base/json-member.h"
#include "src/verify-proof/check-impl.h"
#include "tests/fuzz/targets.h"

void
fuzz_certificate(const guint8 *data, gsize size) {
  g_autoptr(JsonNode) root =
      smb_json_parse("fuzz", (const char *)data, size, SMB_VERIFY_NESTING, NULL);
  g_autoptr(GPtrArray) verified = g_ptr_array_new_with_free_func((GDestroyNotify)smb_verified_free);
  g_autoptr(GError) error = NULL;
  if (!root)
    return;
  if (smb_verify_document("fuzz", root, size, verified, &error) != (error == NULL))
    g_error("a document has claims or is refused with a reason");
  for (guint i = 0; i < verified->len; i++) {
    const SmbVerified *one = verified->pdata[i];
    if (!one->claim || (one->failure && one->open))
      g_error("a claim has words and one outcome");
  }
}
