// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// JSON documents of schema_version 1: numbers are numbers, absent is null. A key of NULL means an
// element of an array.
#pragma once

#include <json-glib/json-glib.h>

#include "sim/base/json-member.h"
#include "src/out/spool.h"

/** Version of the schema: keys are only added to it. */
#define SMB_JSON_SCHEMA_VERSION 1

/** smb_json_begin: Returns: (transfer full): a document that says its version and the command */
JsonBuilder *smb_json_begin(const char *command);

/** Ends the document, adds it to @out, pretty and with a line feed, and releases @json. */
void smb_json_end(JsonBuilder *json, SmbSpool *out);

/**
 * smb_json_end_streamed:
 * @json: (transfer full): a document
 * @key: key of an array that becomes its last member
 * @elements: gives the elements of the array, as smb_json_end_element() wrote them
 * @out: takes the document
 *
 * As smb_json_end(), for arrays that are too long to be held in memory.
 */
void smb_json_end_streamed(JsonBuilder *json, const char *key, SmbSpool *elements, SmbSpool *out);

/** smb_json_begin_element: Returns: (transfer full): an object to be an element of such an array */
JsonBuilder *smb_json_begin_element(void);

/** Ends the element, adds it to @elements as one line, and releases @json. */
void smb_json_end_element(JsonBuilder *json, SmbSpool *elements);

/** Begins an object; ends with json_builder_end_object(). */
void smb_json_object(JsonBuilder *json, const char *key);

/** Begins an object if there is one: else null, and nothing to end. Returns: @known */
gboolean smb_json_object_if(JsonBuilder *json, const char *key, gboolean known);

/** Begins an array; ends with json_builder_end_array(). */
void smb_json_array(JsonBuilder *json, const char *key);

/** A text, or null for NULL. Bytes that are not UTF-8 are replaced. */
void smb_json_text(JsonBuilder *json, const char *key, const char *text);

void smb_json_number(JsonBuilder *json, const char *key, gint64 number);

void smb_json_double(JsonBuilder *json, const char *key, double number);

/* As these, if it is known: else null. */
void smb_json_number_if(JsonBuilder *json, const char *key, gboolean known, gint64 number);
void smb_json_double_if(JsonBuilder *json, const char *key, gboolean known, double number);
void smb_json_boolean_if(JsonBuilder *json, const char *key, gboolean known, gboolean value);
void smb_json_boolean(JsonBuilder *json, const char *key, gboolean value);
void smb_json_null(JsonBuilder *json, const char *key);

/** An array of texts (array zero-terminated=1), or of those of a GPtrArray. */
void smb_json_strv(JsonBuilder *json, const char *key, const char *const *texts);
void smb_json_texts(JsonBuilder *json, const char *key, const GPtrArray *texts);

/** An array of x, y and z. */
void smb_json_extent(JsonBuilder *json, const char *key, const guint extent[3]);

/** A value that was read, or null for NULL. */
void smb_json_copy(JsonBuilder *json, const char *key, JsonNode *node);

/** Adds what a table says of @object, as members of the object that has begun. */
void smb_json_members(JsonBuilder *json, const SmbMember *members, guint n, gconstpointer object);

/* For a document that was read: members of an object (nullable). */

/** smb_json_get_text: Returns: (nullable) (transfer none): the text; %NULL: there is none */
const char *smb_json_get_text(JsonObject *object, const char *member);

/** smb_json_get_number: Returns: the whole number; 0: there is none */
gint64 smb_json_get_number(JsonObject *object, const char *member);

/** smb_json_get_object: Returns: (nullable) (transfer none): the object; %NULL: there is none */
JsonObject *smb_json_get_object(JsonObject *object, const char *member);

/** smb_json_get_array: Returns: (nullable) (transfer none): the array; %NULL: there is none */
JsonArray *smb_json_get_array(JsonObject *object, const char *member);
