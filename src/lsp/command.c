// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// lsp: a server of the Language Server Protocol (3.17) over standard input and output, for editors: findings as diagnostics, hover,
// code actions and inlay hints of texts that are open. Counts are those of the commands, which processes of their own run.
#include "config.h"

#include <string.h>

#include "src/commands.h"
#include "src/lsp/server.h"
#include "src/out/json.h"

enum {
  NOT_INITIALIZED = -32002,
  CANCELLED = -32800,
  SYNC_INCREMENTAL = 2,
  TYPING_MILLISECONDS = 300, // that must pass without an edit before a text is examined
};

static gboolean option_text, option_stdio;

static const GOptionEntry options[] = {
    {"text", 0, 0, G_OPTION_ARG_NONE, &option_text,
     "count texts as they are written: nvcc is not asked, even if there is one", NULL},
    {"stdio", 0, 0, G_OPTION_ARG_NONE, &option_stdio,
     "what editors say: standard input and output are used in any case", NULL},
    G_OPTION_ENTRY_NULL,
};

static const SmbCliUsage usage = {
    .description =
        "Serves editors in the Language Server Protocol, over standard input and output: conflicts "
        "as diagnostics, why they are there as hover, the layouts that advise finds as code "
        "actions, and counts as inlay hints.\n"
        "A kernel is launched as a line '// smembank: --block X,Y …' in its text or a case of the "
        "project file says. Programs are never run; kernels are interpreted.\n"
        "To be started by the editor: see doc/editors.md.",
    .example = "smembank lsp --text",
};

// --- the life of the server

static gboolean
admit_lsp_request(SmbRpcCall *call, const char *method, G_GNUC_UNUSED JsonObject *params,
                  gpointer data) {
  const SmbLspServer *server = data;
  gboolean is_first = strcmp(method, "initialize") == 0;
  if (server->is_shut_down || (is_first && server->is_initialized))
    smb_rpc_refuse(call, SMB_RPC_INVALID_REQUEST, NULL, "the server is %s",
                   server->is_shut_down ? "shut down" : "initialized already");
  else if (!server->is_initialized && !is_first)
    smb_rpc_refuse(call, NOT_INITIALIZED, NULL, "expected initialize first");
  else
    return TRUE;
  return FALSE;
}

static void
write_lsp_capabilities(JsonBuilder *json) {
  static const char *const kinds[] = {"quickfix", NULL};
  smb_json_object(json, "capabilities");
  smb_json_text(json, "positionEncoding", "utf-16");
  smb_json_object(json, "textDocumentSync");
  smb_json_boolean(json, "openClose", TRUE);
  smb_json_number(json, "change", SYNC_INCREMENTAL);
  smb_json_boolean(json, "save", TRUE);
  json_builder_end_object(json);
  smb_json_boolean(json, "hoverProvider", TRUE);
  smb_json_object(json, "codeActionProvider");
  smb_json_strv(json, "codeActionKinds", kinds);
  json_builder_end_object(json);
  smb_json_boolean(json, "inlayHintProvider", TRUE);
  json_builder_end_object(json);
}

static void
initialize_server(SmbRpcCall *call, G_GNUC_UNUSED JsonObject *params, gpointer data) {
  SmbLspServer *server = data;
  server->is_initialized = TRUE;
  JsonBuilder *json = smb_rpc_begin_result(call);
  json_builder_begin_object(json);
  write_lsp_capabilities(json);
  smb_json_object(json, "serverInfo");
  smb_json_text(json, "name", "smembank");
  smb_json_text(json, "version", PACKAGE_VERSION);
  json_builder_end_object(json);
  json_builder_end_object(json);
  smb_rpc_reply(call, json);
}

static void
shut_server_down(SmbRpcCall *call, G_GNUC_UNUSED JsonObject *params, gpointer data) {
  SmbLspServer *server = data;
  server->is_shut_down = TRUE;
  g_hash_table_remove_all(server->texts);
  smb_lsp_answer_null(call);
}

static void
exit_server(G_GNUC_UNUSED JsonObject *params, gpointer data) {
  SmbLspServer *server = data;
  server->has_exited = TRUE;
  smb_rpc_end(server->rpc);
}

// --- texts

// Whether a text can have kernels: others, which editors may send, are never examined.
static gboolean
is_examined(const char *uri, const char *language) {
  static const char *const languages[] = {"cuda-cpp", "cuda", "hip", "ptx", NULL};
  static const char *const ends[] = {".cu", ".hip", ".ptx"};
  gboolean is_kernel = language && g_strv_contains(languages, language);
  for (guint i = 0; i < G_N_ELEMENTS(ends); i++)
    is_kernel |= g_str_has_suffix(uri, ends[i]);
  return is_kernel;
}

static void
open_text(JsonObject *params, gpointer data) {
  SmbLspServer *server = data;
  JsonObject *item = params ? smb_json_get_object(params, "textDocument") : NULL;
  const char *uri = item ? smb_json_get_text(item, "uri") : NULL;
  const char *text = item ? smb_json_get_text(item, "text") : NULL;
  if (!server->is_initialized || server->is_shut_down || !uri || !text ||
      strlen(text) > SMB_DOCUMENT_MOST_BYTES ||
      !is_examined(uri, smb_json_get_text(item, "languageId")))
    return;
  SmbDocument *document = smb_document_new(uri, smb_json_get_number(item, "version"), text);
  g_hash_table_replace(server->texts, document->uri, smb_lsp_text_new(server, document));
}

// An edit that makes no sense leaves a text that is not the editor's: it is forgotten.
static void
change_text(JsonObject *params, gpointer data) {
  SmbLspServer *server = data;
  SmbLspText *text = smb_lsp_find_text(server, params);
  JsonArray *changes = params ? smb_json_get_array(params, "contentChanges") : NULL;
  gboolean is_good = changes != NULL;
  if (!text)
    return;
  for (guint i = 0; is_good && i < json_array_get_length(changes); i++) {
    JsonNode *change = json_array_get_element(changes, i);
    is_good = JSON_NODE_HOLDS_OBJECT(change) &&
              smb_document_edit(text->document, json_node_get_object(change));
  }
  text->document->version =
      smb_json_get_number(smb_json_get_object(params, "textDocument"), "version");
  if (is_good) {
    smb_lsp_text_touch(text, TYPING_MILLISECONDS);
    return;
  }
  smb_lsp_publish(text, FALSE);
  g_hash_table_remove(server->texts, text->document->uri);
}

static void
save_text(JsonObject *params, gpointer data) {
  SmbLspText *text = smb_lsp_find_text(data, params);
  if (text)
    smb_lsp_text_touch(text, 0);
}

static void
close_text(JsonObject *params, gpointer data) {
  SmbLspServer *server = data;
  SmbLspText *text = smb_lsp_find_text(server, params);
  if (!text)
    return;
  smb_lsp_publish(text, FALSE);
  g_hash_table_remove(server->texts, text->document->uri);
}

// A project file, or a header, that is there or not, or is another one.
static void
touch_all(G_GNUC_UNUSED JsonObject *params, gpointer data) {
  SmbLspServer *server = data;
  GHashTableIter iterator;
  gpointer text;
  g_hash_table_iter_init(&iterator, server->texts);
  while (g_hash_table_iter_next(&iterator, NULL, &text))
    smb_lsp_text_touch(text, TYPING_MILLISECONDS);
}

// --- requests about them

static void
take_hover(SmbRpcCall *call, JsonObject *params, gpointer data) {
  smb_lsp_text_await(data, call, params, smb_lsp_answer_hover);
}

static void
take_hints(SmbRpcCall *call, JsonObject *params, gpointer data) {
  smb_lsp_text_await(data, call, params, smb_lsp_answer_hints);
}

static void
take_actions(SmbRpcCall *call, JsonObject *params, gpointer data) {
  smb_lsp_text_await(data, call, params, smb_lsp_answer_actions);
}

static const SmbRpcMethod methods[] = {
    {"initialize", initialize_server, NULL},
    {"shutdown", shut_server_down, NULL},
    {"exit", NULL, exit_server},
    {"textDocument/didOpen", NULL, open_text},
    {"textDocument/didChange", NULL, change_text},
    {"textDocument/didSave", NULL, save_text},
    {"textDocument/didClose", NULL, close_text},
    {"workspace/didChangeWatchedFiles", NULL, touch_all},
    {"textDocument/hover", take_hover, NULL},
    {"textDocument/inlayHint", take_hints, NULL},
    {"textDocument/codeAction", take_actions, NULL},
    {NULL, NULL, NULL},
};

static void
free_open_text(gpointer text) {
  smb_lsp_text_free(text);
}

gboolean
smb_cmd_lsp(SmbCli *cli, GError **error) {
  static const SmbRpcProtocol protocol = {.framing = SMB_FRAMING_HEADERS,
                                          .methods = methods,
                                          .cancel = "$/cancelRequest",
                                          .cancel_id = "id",
                                          .cancel_code = CANCELLED,
                                          .admit = admit_lsp_request,
                                          .tick = smb_lsp_tick};
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  g_autoptr(SmbDesk) desk = smb_desk_new(error);
  if (!desk)
    return FALSE;
  SmbLspServer server = {.desk = desk, .is_text_only = option_text};
  g_auto(GStrv) environment = smb_serve_environment(FALSE);
  g_autoptr(SmbRpc) rpc = smb_rpc_new(cli, &protocol, environment, &server);
  g_autoptr(GHashTable) texts =
      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_open_text);
  server.rpc = rpc;
  server.texts = texts;
  gboolean served = smb_rpc_run(rpc, error);
  g_hash_table_remove_all(texts);
  // A client that goes without a word has failed.
  if (served && !(server.is_shut_down && server.has_exited))
    cli->status = SMB_EXIT_DIFFERS;
  return served;
}
