// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// JSON read strictly. What an object may have is a table of members; each says how its value is read and
// where it goes. A member that no table has is refused, and so is a value of another type: nothing is
// guessed. Private to sim/.
#pragma once

#include <json-glib/json-glib.h>

/**
 * SmbPlace: where a value stands, for messages; lives on the stack.
 * @above: the object or array that it is in; %NULL for the document
 * @name: name of the member or of the document; %NULL for an element of an array
 * @index: of an element
 */
typedef struct _SmbPlace SmbPlace;
struct _SmbPlace {
  const SmbPlace *above;
  const char *name;
  guint index;
};

/** Reads @node, which is not null, into @target; the error is SMB_ERROR_INPUT and names @place. */
typedef gboolean (*SmbMemberRead)(const SmbPlace *place, JsonNode *node, gpointer target,
                                  GError **error);

/**
 * SmbMember:
 * @name: its key
 * @required: others may be absent or null, and then leave their target as it is
 * @read: reads it
 * @offset: byte offset of its target into the struct of the object
 */
typedef struct {
  const char *name;
  gboolean required;
  SmbMemberRead read;
  gsize offset;
} SmbMember;

/** Reads an object whose members are among @members, in their order; @target is its struct. */
G_GNUC_INTERNAL gboolean smb_members_read(const SmbPlace *place, JsonNode *node,
                                          const SmbMember *members, guint n, gpointer target,
                                          GError **error);

/** Sets an SMB_ERROR_INPUT "DOCUMENT: member[3].member: text"; returns %FALSE. */
G_GNUC_INTERNAL gboolean smb_member_fail(const SmbPlace *place, GError **error, const char *format,
                                         ...) G_GNUC_PRINTF(3, 4);

/** Says that a value, which the message quotes, is not @what was expected; returns %FALSE. */
G_GNUC_INTERNAL gboolean smb_member_expected(const SmbPlace *place, JsonNode *node, GError **error,
                                             const char *what);

/** SmbMemberRead of a text without control characters: @target is a char *, which is replaced. */
G_GNUC_INTERNAL gboolean smb_member_text(const SmbPlace *place, JsonNode *node, gpointer target,
                                         GError **error);

/** SmbMemberRead of a finite number from 0: @target is a double. */
G_GNUC_INTERNAL gboolean smb_member_number(const SmbPlace *place, JsonNode *node, gpointer target,
                                           GError **error);

/** SmbMemberRead of a whole number from 0: @target is a guint64. */
G_GNUC_INTERNAL gboolean smb_member_count(const SmbPlace *place, JsonNode *node, gpointer target,
                                          GError **error);

/** SmbMemberRead of a whole number from 1: @target is a guint. */
G_GNUC_INTERNAL gboolean smb_member_some(const SmbPlace *place, JsonNode *node, gpointer target,
                                         GError **error);

/** SmbMemberRead of an array of texts: @target is a GStrv, which is replaced. */
G_GNUC_INTERNAL gboolean smb_member_texts(const SmbPlace *place, JsonNode *node, gpointer target,
                                          GError **error);

/** Reads an array of three whole numbers, each from 1 to its @max. */
G_GNUC_INTERNAL gboolean smb_member_extents(const SmbPlace *place, JsonNode *node,
                                            const guint max[3], guint extents[3], GError **error);

/**
 * smb_json_parse:
 * @source: how messages call the text
 * @max_nesting: how deep objects and arrays may be nested
 * @error: SMB_ERROR_INPUT, naming the line and the column of a syntax error
 *
 * Returns: (transfer full): the root
 */
G_GNUC_INTERNAL JsonNode *smb_json_parse(const char *source, const char *text, gsize length,
                                         guint max_nesting, GError **error);
