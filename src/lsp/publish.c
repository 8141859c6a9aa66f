// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is known of a text as diagnostics: findings of its launches, and why a launch could not be counted.
#include <string.h>

#include "src/lsp/server.h"
#include "src/out/json.h"

// Severities of the protocol.
enum {
  SEVERITY_ERROR = 1,
  SEVERITY_WARNING = 2,
  SEVERITY_NOTE = 3,
};

// A place in the text, from 1; @column 0: the whole line.
typedef struct {
  guint line, column;
} Place;

typedef struct {
  const SmbLspText *text;
  JsonBuilder *json;
  GHashTable *said; // what was written, so that launches do not say the same twice
} Writer;

static void
write_position(JsonBuilder *json, const char *key, const SmbPosition *position) {
  smb_json_object(json, key);
  smb_json_number(json, "line", position->line);
  smb_json_number(json, "character", position->character);
  json_builder_end_object(json);
}

void
smb_lsp_write_range(JsonBuilder *json, const char *key, const SmbDocument *document, guint line,
                    guint column, guint end_line, guint end_column) {
  SmbPosition start = smb_document_position(document, line, column);
  SmbPosition end = smb_document_position(document, end_line, end_column);
  smb_json_object(json, key);
  write_position(json, "start", &start);
  write_position(json, "end", &end);
  json_builder_end_object(json);
}

// --- where it is

// Bytes of what stands at a place: the access of that place, if the line has it there, or the rest of the line.
static guint
measure_place(const Writer *to, JsonObject *result, const Place *place) {
  gsize length;
  const char *line = smb_document_line(to->text->document, (gint64)place->line - 1, &length);
  if (place->column == 0 || place->column > length)
    return (guint)length;
  const char *at = line + place->column - 1;
  JsonObject *global = result ? smb_json_get_object(result, "global") : NULL;
  JsonArray *all[] = {result ? smb_json_get_array(result, "accesses") : NULL,
                      global ? smb_json_get_array(global, "accesses") : NULL};
  for (guint i = 0; i < G_N_ELEMENTS(all); i++) {
    for (guint j = 0; all[i] && j < json_array_get_length(all[i]); j++) {
      JsonObject *access = json_array_get_object_element(all[i], j);
      const char *expression = smb_json_get_text(access, "expression");
      if (smb_json_get_number(access, "line") == place->line &&
          smb_json_get_number(access, "column") == place->column && expression &&
          g_str_has_prefix(at, expression))
        return (guint)strlen(expression);
    }
  }
  return (guint)(length - (place->column - 1));
}

// The word that the first kernel begins with; NULL: there is none
static const char *
find_kernel_word(const SmbDocument *document) {
  const char *kernel = strstr(document->text->str, "__global__");
  return kernel ? kernel : strstr(document->text->str, ".entry"); // of PTX
}

// Where what has no place of its own is shown: at the first kernel.
static Place
find_first_kernel(const SmbDocument *document) {
  const char *text = document->text->str, *kernel = find_kernel_word(document);
  Place place = {1, 0};
  for (const char *at = text; kernel && (at = memchr(at, '\n', (gsize)(kernel - at))); at++)
    place.line++;
  return place;
}

// --- what is said

static void
write_diagnostic(const Writer *to, JsonObject *result, const Place *place, int severity,
                 const char *rule, const char *message) {
  g_autofree char *key =
      g_strdup_printf("%u:%u:%d:%s:%s", place->line, place->column, severity, rule, message);
  guint length = measure_place(to, result, place);
  guint column = MAX(place->column, 1);
  if (!g_hash_table_add(to->said, g_steal_pointer(&key)))
    return;
  smb_json_object(to->json, NULL);
  smb_lsp_write_range(to->json, "range", to->text->document, place->line, column, place->line,
                      column + length);
  smb_json_number(to->json, "severity", severity);
  smb_json_text(to->json, "source", "smembank");
  smb_json_text(to->json, "code", rule);
  smb_json_text(to->json, "message", message);
  json_builder_end_object(to->json);
}

static int
read_severity(const char *level) {
  return g_strcmp0(level, "error") == 0     ? SEVERITY_ERROR
         : g_strcmp0(level, "warning") == 0 ? SEVERITY_WARNING
                                            : SEVERITY_NOTE;
}

// What is in a header is said at the first kernel, with its place in front.
static void
write_found_place(const Writer *to, JsonObject *result, JsonObject *finding) {
  const char *file = smb_json_get_text(finding, "file");
  const char *message = smb_json_get_text(finding, "message");
  const char *rule = smb_json_get_text(finding, "rule");
  guint line = (guint)smb_json_get_number(finding, "line");
  Place place = {line, (guint)smb_json_get_number(finding, "column")};
  gboolean is_here = line > 0 && smb_lsp_is_of(to->text, file);
  g_autofree char *elsewhere =
      line > 0 && !is_here ? g_strdup_printf("%s:%u: %s", file, line, message) : NULL;
  if (!is_here)
    place = find_first_kernel(to->text->document);
  write_diagnostic(to, result, &place, read_severity(smb_json_get_text(finding, "level")), rule,
                   elsewhere ? elsewhere : message);
}

// "k.cu:5:11: error: 'foo' is not declared", of the text that is named so
static gboolean
read_message_place(const Writer *to, const char *line, Place *place, const char **message) {
  g_autofree char *name = smb_lsp_text_name(to->text);
  const char *at = g_str_has_prefix(line, name) ? line + strlen(name) : "";
  char *end = NULL;
  if (*at != ':' || !g_ascii_isdigit(at[1]))
    return FALSE;
  *place = (Place){(guint)g_ascii_strtoull(at + 1, &end, 10), 0};
  if (*end == ':' && g_ascii_isdigit(end[1]))
    place->column = (guint)g_ascii_strtoull(end + 1, &end, 10);
  if (!g_str_has_prefix(end, ": ") || place->line == 0)
    return FALSE;
  *message = end + strlen(": ");
  if (g_str_has_prefix(*message, "error: "))
    *message += strlen("error: ");
  return TRUE;
}

// An error of a text whose launch nobody gave is not one: the text may never have been meant to be counted. If it has no kernel, there is
// nothing to say.
static void
write_failure(const Writer *to, const SmbLspLaunch *launch, const char *failure) {
  if (!launch->is_given && !find_kernel_word(to->text->document))
    return;
  g_auto(GStrv) lines = g_strsplit(failure, "\n", -1);
  Place place = find_first_kernel(to->text->document);
  const char *message = lines[0];
  gboolean is_placed = FALSE;
  for (guint i = 0; launch->is_given && lines[i]; i++) {
    Place own;
    const char *text;
    if (!read_message_place(to, lines[i], &own, &text))
      continue;
    is_placed = TRUE;
    write_diagnostic(to, NULL, &own, SEVERITY_ERROR, "not-counted", text);
  }
  g_autofree char *hint =
      launch->is_given
          ? NULL
          : g_strdup_printf("not counted: %s (say how it is launched, in a comment: // "
                            "smembank: --block X,Y --grid X,Y --arg NAME=VALUE)",
                            message);
  if (!is_placed)
    write_diagnostic(to, NULL, &place, launch->is_given ? SEVERITY_WARNING : SEVERITY_NOTE,
                     "not-counted", hint ? hint : message);
}

static void
write_result(const Writer *to, guint index) {
  const SmbLspResult *result = to->text->results->pdata[index];
  JsonObject *document = result->document ? json_node_get_object(result->document) : NULL;
  JsonArray *findings = document ? smb_json_get_array(document, "findings") : NULL;
  if (!document && result->failure)
    write_failure(to, to->text->launches->pdata[index], result->failure);
  for (guint i = 0; findings && i < json_array_get_length(findings); i++)
    write_found_place(to, document, json_array_get_object_element(findings, i));
}

void
smb_lsp_publish(const SmbLspText *text, gboolean is_open) {
  g_autoptr(GHashTable) said = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  JsonBuilder *json = smb_rpc_begin_notification("textDocument/publishDiagnostics");
  const Writer to = {text, json, said};
  json_builder_begin_object(json);
  smb_json_text(json, "uri", text->document->uri);
  if (is_open)
    smb_json_number(json, "version", text->document->version);
  smb_json_array(json, "diagnostics");
  for (guint i = 0; is_open && text->results && i < text->results->len; i++)
    write_result(&to, i);
  json_builder_end_array(json);
  json_builder_end_object(json);
  smb_rpc_notify(text->server->rpc, json);
}
