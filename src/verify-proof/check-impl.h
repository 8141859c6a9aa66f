// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What verify-proof finds out of one claim of a result. Private to the command.
#pragma once

#include "src/verify-proof/moved-tile.h"

/**
 * SmbVerification: of a document
 * @claims: (element-type SmbVerified)
 * @work_left: steps that may still be taken. A step looks at a byte of an expression, a lane, or a vector of a space
 */
typedef struct {
  GPtrArray *claims;
  guint64 work_left;
} SmbVerification;

/**
 * SmbVerified:
 * @of: what counts the steps
 * @claim: what is claimed
 * @requests: different ones, or lane groups, that were counted again
 * @cases: values of all names together, or spaces, that were looked at
 * @open: (nullable): why nothing of it can be checked (static)
 * @failure: (nullable): what does not agree; %NULL: it holds
 */
typedef struct {
  SmbVerification *of;
  char *claim;
  guint requests;
  guint64 cases;
  const char *open;
  char *failure;
} SmbVerified;

/**
 * SMB_VERIFY_NESTING: how deep arrays and objects of a document may lie in each other
 * SMB_VERIFY_STEPS: for each byte of a document. What analyze --prove writes takes a quarter of that at most, as it runs through 2^14
 * residues of a request; the costliest certificates that were tried, a twentieth
 */
enum {
  SMB_VERIFY_NESTING = 64,
  SMB_VERIFY_STEPS = 1 << 16,
};

/**
 * smb_verify_document:
 * @root: a result of analyze --prove or layout --find, or one of check --prove, which has those of its cases
 * @bytes: of the document
 * @claims: (element-type SmbVerified): gets one for each claim
 * @error: nothing of that kind, or one that takes more than SMB_VERIFY_STEPS for each of its bytes; begins with @name
 *
 * Returns: whether there were claims. Those that do not hold are no errors
 */
gboolean smb_verify_document(const char *name, JsonNode *root, gsize bytes, GPtrArray *claims,
                             GError **error);

/** smb_verify_accesses: @result: of analyze --prove; @all: gets a claim for each access */
void smb_verify_accesses(JsonObject *result, JsonObject *proof, SmbVerification *all);

/** smb_verify_best: @found: of layout --find, in its @result */
void smb_verify_best(JsonObject *result, JsonObject *found, SmbVerification *all);

/** smb_verify_rank: a proof by rank of the best layout: the lane groups of @tile, and the spaces that K may be */
void smb_verify_rank(JsonObject *found, JsonObject *certificate, const SmbMovedTile *tile,
                     SmbVerified *verified);

/** smb_verified_add: @claim: (transfer full). Returns: (transfer none): of which nothing is known yet */
SmbVerified *smb_verified_add(SmbVerification *all, char *claim);

/** smb_verified_spend: Takes @steps. Returns: whether there were so many left; if not, nothing more is to be looked at */
gboolean smb_verified_spend(SmbVerified *verified, guint64 steps);

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
