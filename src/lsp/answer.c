// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Requests about a text: hover, with what explain says of the access; hints at lines, with their counts.
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/commands.h"
#include "src/lsp/server.h"
#include "src/out/json.h"

void
smb_lsp_answer_null(SmbRpcCall *call) {
  JsonBuilder *json = smb_rpc_begin_result(call);
  json_builder_add_null_value(json);
  smb_rpc_reply(call, json);
}

// --- hover

// The access at a place: of those of its line the last one that begins before it, or else the first.
typedef struct {
  guint line, column; // of the place
  gboolean is_found;
  guint launch;
  JsonObject *access;
} Search;

static void
compare_place(G_GNUC_UNUSED SmbLspText *text, guint launch, JsonObject *access, gpointer data) {
  Search *search = data;
  gint64 column = smb_json_get_number(access, "column");
  gint64 found = search->is_found ? smb_json_get_number(search->access, "column") : 0;
  if (smb_json_get_number(access, "line") != search->line ||
      (search->is_found && (column > search->column || column <= found)))
    return;
  *search = (Search){search->line, search->column, TRUE, launch, access};
}

typedef struct {
  SmbLspServer *server;
  guint64 number; // of the call
} Hovering;

// "load of tile[x][y]: 512 requests, 16384 wavefronts, ideal 512"
static void
append_access(GString *text, SmbVendor vendor, JsonObject *access) {
  guint64 requests = (guint64)smb_json_get_number(access, "requests");
  guint64 wavefronts = (guint64)smb_json_get_number(access, "wavefronts");
  g_string_append_printf(text, "%s of %s: %s, %s, ideal %" G_GINT64_FORMAT "\n",
                         smb_json_get_text(access, "op"), smb_json_get_text(access, "expression"),
                         smb_count(requests, "request").text,
                         smb_count(wavefronts, smb_vendor_say(vendor, "wavefront")).text,
                         smb_json_get_number(access, "ideal_wavefronts"));
}

// What explain says, in its own words: of the text, but for what that was compiled to.
static void
take_explanation(const SmbChild *child, gpointer data) {
  static const char *const sentences[] = {"meeting", "sharing", "reason", "padding", "cost"};
  const Hovering *hovering = data;
  SmbRpcCall *call = smb_rpc_find_call(hovering->server->rpc, hovering->number);
  g_autoptr(JsonNode) result = smb_child_json(child);
  JsonObject *document = result ? json_node_get_object(result) : NULL;
  JsonObject *access = smb_json_get_object(document, "access");
  JsonObject *words = smb_json_get_object(document, "text");
  if (!call)
    return;
  if (!access || !words) {
    smb_lsp_answer_null(call);
    return;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  const char *compiled = smb_json_get_text(words, "compiled");
  if (compiled)
    g_string_append_printf(text, "%s\n\nIn the text: ", compiled);
  append_access(text, smb_lsp_vendor(document), access);
  for (guint i = 0; i < G_N_ELEMENTS(sentences); i++) {
    const char *sentence = smb_json_get_text(words, sentences[i]);
    if (sentence)
      g_string_append_printf(text, "\n%s\n", sentence);
  }
  JsonBuilder *json = smb_rpc_begin_result(call);
  json_builder_begin_object(json);
  smb_json_object(json, "contents");
  smb_json_text(json, "kind", "plaintext");
  smb_json_text(json, "value", text->str);
  json_builder_end_object(json);
  json_builder_end_object(json);
  smb_rpc_reply(call, json);
}

void
smb_lsp_answer_hover(SmbLspText *text, SmbRpcCall *call, JsonObject *params) {
  static const SmbCommand explain = {"explain", smb_cmd_explain, NULL};
  SmbPosition position;
  gsize length;
  if (!smb_position_read(smb_json_get_object(params, "position"), &position)) {
    smb_rpc_refuse(call, SMB_RPC_INVALID_PARAMS, NULL, "expected a position");
    return;
  }
  const char *line = smb_document_line(text->document, position.line, &length);
  gsize begin = (gsize)(line - text->document->text->str);
  Search search = {(guint)MIN(position.line, G_MAXINT32) + 1,
                   (guint)(smb_document_offset(text->document, &position) - begin) + 1, FALSE, 0,
                   NULL};
  smb_lsp_visit_accesses(text, compare_place, &search);
  if (!search.is_found) {
    smb_lsp_answer_null(call);
    return;
  }
  gint64 column = smb_json_get_number(search.access, "column");
  g_autofree char *at = g_strdup_printf("--line=%u", search.line);
  g_autofree char *in = g_strdup_printf("--column=%" G_GINT64_FORMAT, column);
  const char *const more[] = {"--format=json", "--no-time", at, column > 0 ? in : NULL, NULL};
  Hovering *hovering = g_new(Hovering, 1);
  *hovering = (Hovering){text->server, smb_rpc_call_number(call)};
  smb_lsp_text_ask(text, call, &explain, search.launch, more, take_explanation, hovering, g_free);
}

// --- hints

// What the accesses of a line take together, in the first launch that executes it.
typedef struct {
  guint launch;
  gint64 line, wavefronts, ideal;
} Hint;

typedef struct {
  GArray *hints;
  gint64 first, last; // lines that are asked for, from 1
} Hints;

static void
add_line_hint(G_GNUC_UNUSED SmbLspText *text, guint launch, JsonObject *access, gpointer data) {
  const Hints *hints = data;
  const Hint hint = {launch, smb_json_get_number(access, "line"),
                     smb_json_get_number(access, "wavefronts"),
                     smb_json_get_number(access, "ideal_wavefronts")};
  if (hint.line < hints->first || hint.line > hints->last)
    return;
  for (guint i = 0; i < hints->hints->len; i++) {
    Hint *other = &g_array_index(hints->hints, Hint, i);
    if (other->line != hint.line)
      continue;
    if (other->launch == launch) {
      other->wavefronts += hint.wavefronts;
      other->ideal += hint.ideal;
    }
    return;
  }
  g_array_append_val(hints->hints, hint);
}

static void
write_hint(JsonBuilder *json, const SmbLspText *text, const Hint *hint) {
  SmbPosition end = smb_document_position(text->document, (guint)hint->line, G_MAXUINT);
  const SmbLspResult *result = text->results->pdata[hint->launch];
  const char *unit =
      smb_vendor_say(smb_lsp_vendor(json_node_get_object(result->document)), "wavefront");
  g_autofree char *label = g_strdup_printf(
      "%s, ideal %" G_GINT64_FORMAT, smb_count((guint64)hint->wavefronts, unit).text, hint->ideal);
  smb_json_object(json, NULL);
  smb_json_object(json, "position");
  smb_json_number(json, "line", end.line);
  smb_json_number(json, "character", end.character);
  json_builder_end_object(json);
  smb_json_text(json, "label", label);
  smb_json_boolean(json, "paddingLeft", TRUE);
  json_builder_end_object(json);
}

void
smb_lsp_answer_hints(SmbLspText *text, SmbRpcCall *call, JsonObject *params) {
  JsonObject *range = smb_json_get_object(params, "range");
  SmbPosition start, end;
  if (!range || !smb_position_read(smb_json_get_object(range, "start"), &start) ||
      !smb_position_read(smb_json_get_object(range, "end"), &end)) {
    smb_rpc_refuse(call, SMB_RPC_INVALID_PARAMS, NULL, "expected a range");
    return;
  }
  g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(Hint));
  Hints hints = {found, MIN(start.line, G_MAXINT32) + 1, MIN(end.line, G_MAXINT32) + 1};
  smb_lsp_visit_counts(text, add_line_hint, &hints);
  JsonBuilder *json = smb_rpc_begin_result(call);
  json_builder_begin_array(json);
  for (guint i = 0; i < found->len; i++)
    write_hint(json, text, &g_array_index(found, Hint, i));
  json_builder_end_array(json);
  smb_rpc_reply(call, json);
}
