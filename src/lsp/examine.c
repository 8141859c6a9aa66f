// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Has a text analyzed as it is now, launch by launch, and answers what waits for that.
#include <string.h>

#include "sim/arch/words.h"
#include "src/cli/words.h"
#include "src/commands.h"
#include "src/lsp/server.h"
#include "src/out/json.h"

// What a launch line begins with, and the same without its meaning.
#define TAG     "smembank:"
#define NEW_TAG "smembank "

// An error code of the protocol.
enum {
  CONTENT_MODIFIED = -32801,
};

typedef struct {
  guint64 number; // of a call
  JsonObject *params;
  SmbLspAnswer answer;
} Waiting;

// A question about a text, and the text that it is about.
typedef struct {
  SmbRpcAnswer answer;
  gpointer data;
  GDestroyNotify free_data;
  char *copy;
} Inquiry;

static void
clear_waiting(gpointer data) {
  json_object_unref(((Waiting *)data)->params);
}

static void
free_lsp_result(gpointer data) {
  SmbLspResult *result = data;
  g_clear_pointer(&result->document, json_node_unref);
  g_clear_pointer(&result->advice, json_node_unref);
  g_free(result->failure);
  g_free(result);
}

SmbLspText *
smb_lsp_text_new(SmbLspServer *server, SmbDocument *document) {
  SmbLspText *text = g_new0(SmbLspText, 1);
  text->server = server;
  text->document = document;
  text->questions = g_array_new(FALSE, FALSE, sizeof(guint));
  text->asked = g_array_new(FALSE, FALSE, sizeof(guint64));
  text->waiting = g_array_new(FALSE, FALSE, sizeof(Waiting));
  g_array_set_clear_func(text->waiting, clear_waiting);
  smb_lsp_text_touch(text, 0);
  return text;
}

// What a process was asked for a request is of no use any more: the client may ask again.
static void
drop_questions(SmbLspText *text) {
  for (guint i = 0; i < text->questions->len; i++)
    smb_rpc_drop(text->server->rpc, g_array_index(text->questions, guint, i));
  for (guint i = 0; i < text->asked->len; i++) {
    SmbRpcCall *call = smb_rpc_find_call(text->server->rpc, g_array_index(text->asked, guint64, i));
    if (call)
      smb_rpc_refuse(call, CONTENT_MODIFIED, NULL, "the text has changed");
  }
  g_array_set_size(text->questions, 0);
  g_array_set_size(text->asked, 0);
  text->n_open = 0;
}

// Answers each request that waits and was not cancelled.
static void
answer_waiting(SmbLspText *text, gboolean is_open) {
  g_autoptr(GArray) waiting = text->waiting;
  text->waiting = g_array_new(FALSE, FALSE, sizeof(Waiting));
  g_array_set_clear_func(text->waiting, clear_waiting);
  for (guint i = 0; i < waiting->len; i++) {
    const Waiting *one = &g_array_index(waiting, Waiting, i);
    SmbRpcCall *call = smb_rpc_find_call(text->server->rpc, one->number);
    if (call && is_open)
      one->answer(text, call, one->params);
    else if (call)
      smb_lsp_answer_null(call);
  }
}

void
smb_lsp_text_free(SmbLspText *text) {
  drop_questions(text);
  answer_waiting(text, FALSE);
  g_array_unref(text->waiting);
  g_array_unref(text->questions);
  g_array_unref(text->asked);
  g_clear_pointer(&text->launches, g_ptr_array_unref);
  g_clear_pointer(&text->results, g_ptr_array_unref);
  smb_document_free(text->document);
  g_free(text);
}

void
smb_lsp_text_touch(SmbLspText *text, guint delay) {
  drop_questions(text);
  text->due = g_get_monotonic_time() + (gint64)delay * G_TIME_SPAN_MILLISECOND;
}

char *
smb_lsp_text_name(const SmbLspText *text) {
  return text->document->path ? g_path_get_basename(text->document->path) : g_strdup("untitled.cu");
}

gboolean
smb_lsp_is_of(const SmbLspText *text, const char *file) {
  g_autofree char *name = smb_lsp_text_name(text);
  g_autofree char *other = file ? g_path_get_basename(file) : NULL;
  return g_strcmp0(name, other) == 0;
}

// --- questions

static void
free_inquiry(gpointer data) {
  Inquiry *inquiry = data;
  if (inquiry->free_data)
    inquiry->free_data(inquiry->data);
  smb_desk_clear(inquiry->copy);
  g_free(inquiry->copy);
  g_free(inquiry);
}

static void
take_inquiry(const SmbChild *child, gpointer data) {
  const Inquiry *inquiry = data;
  inquiry->answer(child, inquiry->data);
}

static gboolean
is_saved(const SmbDocument *document) {
  g_autofree char *text = NULL;
  gsize length;
  return document->path && g_file_test(document->path, G_FILE_TEST_IS_REGULAR) &&
         g_file_get_contents(document->path, &text, &length, NULL) &&
         length == document->text->len && memcmp(text, document->text->str, length) == 0;
}

// The text with lines that say no launch: the words do (transfer full).
static char *
hide_lines(const char *text) {
  char *hidden = g_strdup(text);
  for (char *at = hidden; (at = strstr(at, TAG)); at += strlen(TAG))
    memcpy(at, NEW_TAG, strlen(NEW_TAG));
  return hidden;
}

static void
note_options(G_GNUC_UNUSED const SmbCli *cli, G_GNUC_UNUSED const SmbCliUsage *usage,
             const SmbCliGroup *groups, guint n_groups, gpointer data) {
  for (guint i = 0; i < n_groups; i++) {
    for (const GOptionEntry *entry = groups[i].entries; entry->long_name; entry++)
      g_ptr_array_add(data, (gpointer)entry);
  }
}

// Options of a launch that the command does not have, as a limit is for analyze alone, are not for it.
static GStrv
join_launch_words(const SmbLspText *text, const SmbCommand *command, guint launch,
                  const char *const *more) {
  g_autoptr(GPtrArray) options = g_ptr_array_new();
  const SmbCliVisitor visitor = {note_options, options};
  SmbCli other = {.command = command->name, .visitor = &visitor};
  command->run(&other, NULL);
  const SmbLspLaunch *how = text->launches->pdata[launch];
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  for (guint i = 0; how->words[i]; i++) {
    if (smb_words_is_of(how->words[i], options))
      g_strv_builder_add(words, how->words[i]);
  }
  g_strv_builder_addv(words, (const char **)more);
  if (text->server->is_text_only)
    g_strv_builder_add(words, "--text");
  return g_strv_builder_end(words);
}

void
smb_lsp_text_ask(SmbLspText *text, SmbRpcCall *call, const SmbCommand *command, guint launch,
                 const char *const *more, SmbRpcAnswer answer, gpointer data,
                 GDestroyNotify free_data) {
  const SmbDocument *document = text->document;
  gboolean saved = is_saved(document);
  g_auto(GStrv) words = join_launch_words(text, command, launch, more);
  g_autofree char *name = smb_lsp_text_name(text);
  g_autofree char *folder = saved ? g_path_get_dirname(document->path) : NULL;
  g_autofree char *hidden = saved ? NULL : hide_lines(document->text->str);
  const SmbQuestion question = {command->name, (const char *const *)words, name, hidden, folder};
  g_autoptr(GError) error = NULL;
  Inquiry *inquiry = g_new(Inquiry, 1);
  *inquiry = (Inquiry){answer, data, free_data, NULL};
  SmbChildLine *line = smb_desk_ask(text->server->desk, &question, &inquiry->copy, &error);
  if (!line) {
    SmbChild failed = {command->name, -1, g_string_new(NULL), g_string_new(error->message), NULL};
    answer(&failed, data);
    g_string_free(failed.out, TRUE);
    g_string_free(failed.err, TRUE);
    free_inquiry(inquiry);
    return;
  }
  guint number = smb_rpc_ask(text->server->rpc, call, line, take_inquiry, inquiry, free_inquiry);
  guint64 asked = call ? smb_rpc_call_number(call) : 0;
  g_array_append_val(text->questions, number);
  if (call)
    g_array_append_val(text->asked, asked);
}

// --- the analysis

typedef struct {
  SmbLspText *text;
  guint launch;
} Examined;

// What is known of a launch is known; of the last one, it is said.
static void
end_launch(SmbLspText *text) {
  if (--text->n_open > 0)
    return;
  smb_lsp_publish(text, TRUE);
  answer_waiting(text, TRUE);
}

static void
take_analysis(const SmbChild *child, gpointer data) {
  const Examined *examined = data;
  SmbLspText *text = examined->text;
  SmbLspResult *result = text->results->pdata[examined->launch];
  result->document = smb_child_json(child);
  if (!result->document)
    result->failure = smb_child_describe_end(child);
  end_launch(text);
}

static void
examine(SmbLspText *text) {
  static const SmbCommand analyze = {"analyze", smb_cmd_analyze, NULL};
  static const char *const words[] = {"--format=json", "--no-time", NULL};
  text->due = 0;
  g_clear_pointer(&text->launches, g_ptr_array_unref);
  g_clear_pointer(&text->results, g_ptr_array_unref);
  text->launches = smb_lsp_launches(text->document, is_saved(text->document));
  text->results = g_ptr_array_new_with_free_func(free_lsp_result);
  text->n_open = text->launches->len;
  for (guint i = 0; i < text->launches->len; i++)
    g_ptr_array_add(text->results, g_new0(SmbLspResult, 1));
  for (guint i = 0; i < text->launches->len; i++) {
    const SmbLspLaunch *launch = text->launches->pdata[i];
    if (launch->failure) {
      ((SmbLspResult *)text->results->pdata[i])->failure = g_strdup(launch->failure);
      end_launch(text);
      return; // the only one
    }
    Examined *examined = g_new(Examined, 1);
    *examined = (Examined){text, i};
    smb_lsp_text_ask(text, NULL, &analyze, i, words, take_analysis, examined, g_free);
  }
}

int
smb_lsp_tick(gpointer data) {
  SmbLspServer *server = data;
  gint64 now = g_get_monotonic_time(), next = G_MAXINT64;
  GHashTableIter iterator;
  gpointer value;
  g_hash_table_iter_init(&iterator, server->texts);
  while (g_hash_table_iter_next(&iterator, NULL, &value)) {
    SmbLspText *text = value;
    if (text->due > 0 && text->due <= now)
      examine(text);
    if (text->due > 0)
      next = MIN(next, text->due);
  }
  return next == G_MAXINT64 ? -1 : (int)MAX(1, (next - now) / G_TIME_SPAN_MILLISECOND);
}

// --- requests about it

SmbLspText *
smb_lsp_find_text(SmbLspServer *server, JsonObject *params) {
  JsonObject *document = params ? smb_json_get_object(params, "textDocument") : NULL;
  const char *uri = document ? smb_json_get_text(document, "uri") : NULL;
  return uri ? g_hash_table_lookup(server->texts, uri) : NULL;
}

void
smb_lsp_text_await(SmbLspServer *server, SmbRpcCall *call, JsonObject *params,
                   SmbLspAnswer answer) {
  SmbLspText *text = smb_lsp_find_text(server, params);
  if (!text)
    smb_lsp_answer_null(call);
  else if (text->due == 0 && text->n_open == 0)
    answer(text, call, params);
  else {
    const Waiting waiting = {smb_rpc_call_number(call), json_object_ref(params), answer};
    g_array_append_val(text->waiting, waiting);
  }
}

static JsonObject *
get_result(const SmbLspText *text, guint launch) {
  const SmbLspResult *result = text->results->pdata[launch];
  return result->document ? json_node_get_object(result->document) : NULL;
}

SmbVendor
smb_lsp_vendor(JsonObject *result) {
  JsonObject *arch = result ? smb_json_get_object(result, "arch") : NULL;
  return smb_vendor_of(arch ? smb_json_get_text(arch, "name") : NULL);
}

// @accesses: (nullable)
static void
visit_accesses(SmbLspText *text, guint launch, JsonArray *accesses, SmbLspVisit visit,
               gpointer data) {
  for (guint i = 0; accesses && i < json_array_get_length(accesses); i++) {
    JsonObject *access = json_array_get_object_element(accesses, i);
    if (smb_lsp_is_of(text, smb_json_get_text(access, "file")))
      visit(text, launch, access, data);
  }
}

void
smb_lsp_visit_accesses(SmbLspText *text, SmbLspVisit visit, gpointer data) {
  for (guint i = 0; i < text->results->len; i++) {
    JsonObject *document = get_result(text, i);
    visit_accesses(text, i, document ? smb_json_get_array(document, "accesses") : NULL, visit,
                   data);
  }
}

void
smb_lsp_visit_counts(SmbLspText *text, SmbLspVisit visit, gpointer data) {
  for (guint i = 0; i < text->results->len; i++) {
    JsonObject *document = get_result(text, i);
    JsonObject *compiled = document ? smb_json_get_object(document, "compiled") : NULL;
    JsonArray *counted = compiled ? smb_json_get_array(compiled, "accesses") : NULL;
    if (!counted && document)
      counted = smb_json_get_array(document, "accesses");
    visit_accesses(text, i, counted, visit, data);
  }
}
