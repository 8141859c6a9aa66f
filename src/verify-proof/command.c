// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// verify-proof FILE…: checks the certificates of analyze --prove and layout --find again. It shares no code with what proves: neither the
// counter of requests, nor the search for layouts, nor expressions.
#include <stdarg.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/json-member.h"
#include "sim/base/source.h"
#include "sim/base/text.h"
#include "src/commands.h"
#include "src/out/json.h"
#include "src/out/table.h"
#include "src/verify-proof/check-impl.h"

enum {
  MAX_BYTES = 1 << 30,
};

static const SmbCliUsage usage = {
    .arguments = "FILE…",
    .description =
        "Checks proofs again, without the code that made them. FILEs are what analyze --prove, "
        "check --prove or layout --find wrote with --format json. Every request of a certificate "
        "is counted for all "
        "residues of what is not known, and what is claimed has to follow. The exit status is 1 if "
        "a claim does not. Claims without a certificate are listed as open. That the requests are "
        "those of the kernel is not checked.",
    .min_arguments = 1,
    .max_arguments = G_MAXUINT,
    .example = "smembank verify-proof proof.json",
};

SmbVerified *
smb_verified_add(SmbVerification *all, char *claim) {
  SmbVerified *one = g_new0(SmbVerified, 1);
  one->of = all;
  one->claim = claim;
  g_ptr_array_add(all->claims, one);
  return one;
}

gboolean
smb_verified_spend(SmbVerified *verified, guint64 steps) {
  guint64 *left = &verified->of->work_left;
  *left = *left > steps ? *left - steps : 0;
  return *left > 0;
}

void
smb_verified_free(SmbVerified *one) {
  g_free(one->claim);
  g_free(one->failure);
  g_free(one);
}

void
smb_verified_fail(SmbVerified *verified, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *failure = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  if (!verified->failure)
    verified->failure = g_steal_pointer(&failure);
}

guint
smb_verify_length(JsonArray *array) {
  return array ? json_array_get_length(array) : 0;
}

JsonObject *
smb_verify_object(JsonArray *array, guint index) {
  JsonNode *node = json_array_get_element(array, index);
  return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

gint64
smb_verify_number(JsonArray *array, guint index) {
  JsonNode *node = json_array_get_element(array, index);
  return JSON_NODE_HOLDS_VALUE(node) ? json_node_get_int(node) : 0;
}

// Returns: whether a result has proofs.
static gboolean
verify_result(JsonObject *result, SmbVerification *all) {
  JsonObject *proof = smb_json_get_object(result, "proof");
  JsonObject *found = smb_json_get_object(result, "found");
  if (proof)
    smb_verify_accesses(result, proof, all);
  if (found)
    smb_verify_best(result, found, all);
  return proof || found;
}

gboolean
smb_verify_document(const char *name, JsonNode *root, gsize bytes, GPtrArray *claims,
                    GError **error) {
  SmbVerification all = {claims, SMB_VERIFY_STEPS * (guint64)bytes};
  JsonObject *document = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  JsonArray *cases = smb_json_get_array(document, "cases");
  gboolean has_proof = verify_result(document, &all);
  for (guint i = 0; i < smb_verify_length(cases); i++) {
    JsonObject *result = smb_json_get_object(smb_verify_object(cases, i), "result");
    has_proof = verify_result(result, &all) || has_proof;
  }
  if (has_proof && all.work_left == 0)
    return smb_fail(
        error, SMB_ERROR, SMB_ERROR_INPUT,
        "%s: it is no certificate of this program: checking it takes more than %d steps "
        "for each of its bytes",
        name, SMB_VERIFY_STEPS);
  return has_proof || smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                               "%s: expected what analyze --prove, check --prove or layout --find "
                               "writes with --format json",
                               name);
}

static void
write_claims(SmbCli *cli, const char *name, const GPtrArray *verified) {
  guint n_open = 0, n_failed = 0;
  for (guint i = 0; i < verified->len; i++) {
    const SmbVerified *one = verified->pdata[i];
    n_failed += one->failure != NULL;
    n_open += !one->failure && one->open;
    if (one->failure)
      smb_text_wrap_printf(cli->out, "- %s: differs: %s", one->claim, one->failure);
    else if (one->open)
      smb_text_wrap_printf(cli->out, "- %s: open: %s", one->claim, one->open);
    else
      smb_text_wrap_printf(cli->out, "- %s: holds: %s, %s", one->claim,
                           smb_count(one->requests, "request").text,
                           smb_count(one->cases, "case").text);
  }
  if (n_failed)
    cli->status = SMB_EXIT_DIFFERS;
  guint n_held = verified->len - n_open - n_failed;
  smb_text_wrap_printf(cli->out, "%s: %s: %u %s, %u open, %u %s", name,
                       smb_count(verified->len, "claim").text, n_held,
                       n_held == 1 ? "holds" : "hold", n_open, n_failed,
                       n_failed == 1 ? "differs" : "differ");
}

static gboolean
verify_file(SmbCli *cli, const char *path, GError **error) {
  gsize length = 0;
  g_autoptr(GBytes) bytes = smb_source_read_bytes(path, MAX_BYTES, error);
  const char *text = bytes ? g_bytes_get_data(bytes, &length) : NULL;
  g_autoptr(JsonNode) root =
      bytes ? smb_json_parse(path, text ? text : "", length, SMB_VERIFY_NESTING, error) : NULL;
  g_autoptr(GPtrArray) verified = g_ptr_array_new_with_free_func((GDestroyNotify)smb_verified_free);
  if (!root || !smb_verify_document(path, root, length, verified, error))
    return FALSE;
  write_claims(cli, path, verified);
  return TRUE;
}

gboolean
smb_cmd_verify_proof(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, NULL, error))
    return FALSE;
  for (guint i = 0; i < cli->n_arguments; i++) {
    if (!verify_file(cli, cli->arguments[i], error))
      return FALSE;
  }
  return TRUE;
}
