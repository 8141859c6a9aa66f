// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What verify-proof finds out of one claim of a result. Private to the command.
#pragma once

#include "src/verify-proof/moved-tile.h"

/**
 * SmbVerified:
 * @claim: what is claimed
 * @requests: different ones, or lane groups, that were counted again
 * @cases: values of all names together, or spaces, that were looked at
 * @open: (nullable): why nothing of it can be checked (static)
 * @failure: (nullable): what does not agree; %NULL: it holds
 */
typedef struct {
  char *claim;
  guint requests;
  guint64 cases;
  const char *open;
  char *failure;
} SmbVerified;

/** SMB_VERIFY_NESTING: how deep arrays and objects of a document may lie in each other */
enum {
  SMB_VERIFY_NESTING = 64
};

/**
 * smb_verify_document:
 * @root: a result of analyze --prove or layout --find, or one of check --prove, which has those of its cases
 * @verified: (element-type SmbVerified): gets one for each claim
 * @error: nothing of that kind; begins with @name
 *
 * Returns: whether there were claims. Those that do not hold are no errors
 */
gboolean smb_verify_document(const char *name, JsonNode *root, GPtrArray *verified, GError **error);

/** smb_verify_accesses: @result: of analyze --prove; @verified: (element-type SmbVerified): gets one for each access */
void smb_verify_accesses(JsonObject *result, JsonObject *proof, GPtrArray *verified);

/** smb_verify_best: @found: of layout --find, in its @result */
void smb_verify_best(JsonObject *result, JsonObject *found, GPtrArray *verified);

/** smb_verify_rank: a proof by rank of the best layout: the lane groups of @tile, and the spaces that K may be */
void smb_verify_rank(JsonObject *found, JsonObject *certificate, const SmbMovedTile *tile,
                     SmbVerified *verified);

/** smb_verified_add: @claim: (transfer full). Returns: (transfer none): of which nothing is known yet */
SmbVerified *smb_verified_add(GPtrArray *verified, char *claim);

/** smb_verified_free: @one: (transfer full) */
void smb_verified_free(SmbVerified *one);

/** smb_verified_fail: of several reasons the first one counts */
void smb_verified_fail(SmbVerified *verified, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** smb_verify_object: Returns: (nullable) (transfer none): an element of an array, if it is an object */
JsonObject *smb_verify_object(JsonArray *array, guint index);

/** smb_verify_number: Returns: an element of an array, if it is a number, or 0 */
gint64 smb_verify_number(JsonArray *array, guint index);

/** smb_verify_length: Returns: of an array; 0 of %NULL */
guint smb_verify_length(JsonArray *array);
