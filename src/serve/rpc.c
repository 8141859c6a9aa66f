// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/serve/rpc.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "src/out/json.h"

// Processes that work at a time: no slow one keeps all others waiting.
enum {
  LEAST_JOBS = 2,
  MOST_JOBS = 4,
};

struct _SmbRpcCall {
  SmbRpc *rpc;
  JsonNode *id;
  guint64 number;
};

// What a process works on.
typedef struct {
  SmbRpcCall *call;
  SmbRpcAnswer answer;
  gpointer data;
  GDestroyNotify free_data;
} Question;

struct _SmbRpc {
  SmbCli *cli;
  const SmbRpcProtocol *protocol;
  gpointer data;
  SmbFrames *frames;
  SmbChildPool *children;
  GHashTable *questions; // of Question, by the index of their process
  GPtrArray *calls;      // of SmbRpcCall, not answered yet
  guint64 n_calls;       // that there were
  gboolean ends;
};

// --- answers

static void
send_json(SmbRpc *rpc, JsonBuilder *json) {
  json_builder_end_object(json);
  g_autoptr(JsonNode) root = json_builder_get_root(json);
  gsize length;
  g_autoptr(JsonGenerator) generator = json_generator_new();
  json_generator_set_root(generator, root);
  g_autofree char *text = json_generator_to_data(generator, &length);
  g_autoptr(GString) sent = smb_framing_wrap(rpc->protocol->framing, text, length);
  smb_spool_write(rpc->cli->out, sent->str, sent->len);
  g_object_unref(json);
}

static JsonBuilder *
begin_message(void) {
  JsonBuilder *json = json_builder_new();
  json_builder_begin_object(json);
  smb_json_text(json, "jsonrpc", "2.0");
  return json;
}

static void
send_error(SmbRpc *rpc, JsonNode *id, int code, const char *message, JsonNode *data) {
  JsonBuilder *json = begin_message();
  smb_json_copy(json, "id", id);
  smb_json_object(json, "error");
  smb_json_number(json, "code", code);
  smb_json_text(json, "message", message);
  if (data)
    smb_json_copy(json, "data", data);
  json_builder_end_object(json);
  send_json(rpc, json);
}

static void
end_call(SmbRpcCall *call) {
  g_ptr_array_remove_fast(call->rpc->calls, call);
}

static void
call_free(gpointer data) {
  SmbRpcCall *call = data;
  json_node_unref(call->id);
  g_free(call);
}

guint64
smb_rpc_call_number(const SmbRpcCall *call) {
  return call->number;
}

SmbRpcCall *
smb_rpc_find_call(SmbRpc *rpc, guint64 number) {
  for (guint i = 0; i < rpc->calls->len; i++) {
    SmbRpcCall *call = rpc->calls->pdata[i];
    if (call->number == number)
      return call;
  }
  return NULL;
}

JsonBuilder *
smb_rpc_begin_result(SmbRpcCall *call) {
  JsonBuilder *json = begin_message();
  smb_json_copy(json, "id", call->id);
  json_builder_set_member_name(json, "result");
  return json;
}

void
smb_rpc_reply(SmbRpcCall *call, JsonBuilder *json) {
  send_json(call->rpc, json);
  end_call(call);
}

void
smb_rpc_refuse(SmbRpcCall *call, int code, JsonNode *data, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  send_error(call->rpc, call->id, code, message, data);
  end_call(call);
}

JsonBuilder *
smb_rpc_begin_notification(const char *method) {
  JsonBuilder *json = begin_message();
  smb_json_text(json, "method", method);
  json_builder_set_member_name(json, "params");
  return json;
}

void
smb_rpc_notify(SmbRpc *rpc, JsonBuilder *json) {
  send_json(rpc, json);
}

// --- questions

static void
question_free(gpointer data) {
  Question *question = data;
  if (question->free_data)
    question->free_data(question->data);
  g_free(question);
}

guint
smb_rpc_ask(SmbRpc *rpc, SmbRpcCall *call, SmbChildLine *line, SmbRpcAnswer answer, gpointer data,
            GDestroyNotify free_data) {
  Question *question = g_new(Question, 1);
  *question = (Question){call, answer, data, free_data};
  guint index = smb_child_pool_add(rpc->children, line);
  g_hash_table_insert(rpc->questions, GUINT_TO_POINTER(index + 1), question);
  return index + 1;
}

void
smb_rpc_drop(SmbRpc *rpc, guint question) {
  if (question && g_hash_table_remove(rpc->questions, GUINT_TO_POINTER(question)))
    smb_child_pool_stop(rpc->children, question - 1);
}

static void
end_question(guint index, const SmbChild *child, gpointer data) {
  SmbRpc *rpc = data;
  gpointer question = NULL;
  if (!g_hash_table_steal_extended(rpc->questions, GUINT_TO_POINTER(index + 1), NULL, &question))
    return;
  ((const Question *)question)->answer(child, ((const Question *)question)->data);
  question_free(question);
}

static void
drop_questions_of(SmbRpc *rpc, const SmbRpcCall *call) {
  g_autoptr(GList) keys = g_hash_table_get_keys(rpc->questions);
  for (const GList *key = keys; key; key = key->next) {
    const Question *question = g_hash_table_lookup(rpc->questions, key->data);
    if (question->call == call)
      smb_rpc_drop(rpc, GPOINTER_TO_UINT(key->data));
  }
}

// A request that has been answered meanwhile is not found.
static void
cancel_call(SmbRpc *rpc, JsonObject *params) {
  const SmbRpcProtocol *protocol = rpc->protocol;
  JsonNode *id = params ? json_object_get_member(params, protocol->cancel_id) : NULL;
  for (guint i = 0; id && i < rpc->calls->len; i++) {
    SmbRpcCall *call = rpc->calls->pdata[i];
    if (!json_node_equal(call->id, id))
      continue;
    drop_questions_of(rpc, call);
    if (protocol->cancel_code)
      smb_rpc_refuse(call, protocol->cancel_code, NULL, "cancelled");
    else
      end_call(call);
    return;
  }
}

// --- messages

static gboolean
is_id(JsonNode *id) {
  return json_node_get_value_type(id) == G_TYPE_STRING ||
         json_node_get_value_type(id) == G_TYPE_INT64;
}

static const SmbRpcMethod *
find_rpc_method(const SmbRpcProtocol *protocol, const char *name) {
  for (const SmbRpcMethod *method = protocol->methods; method->name; method++) {
    if (strcmp(method->name, name) == 0)
      return method;
  }
  return NULL;
}

static void
take_rpc_request(SmbRpc *rpc, JsonNode *id, const char *name, JsonObject *params) {
  const SmbRpcMethod *method = find_rpc_method(rpc->protocol, name);
  SmbRpcCall *call = g_new(SmbRpcCall, 1);
  *call = (SmbRpcCall){rpc, json_node_copy(id), ++rpc->n_calls};
  g_ptr_array_add(rpc->calls, call);
  if (rpc->calls->len > SMB_RPC_MOST_CALLS)
    smb_rpc_refuse(call, SMB_RPC_INVALID_REQUEST, NULL, "more than %u requests wait for an answer",
                   SMB_RPC_MOST_CALLS);
  else if (!method || !method->request)
    smb_rpc_refuse(call, SMB_RPC_NO_METHOD, NULL, "unknown method '%s'", name);
  else if (!rpc->protocol->admit || rpc->protocol->admit(call, name, params, rpc->data))
    method->request(call, params, rpc->data);
}

static void
take_rpc_notification(SmbRpc *rpc, const char *name, JsonObject *params) {
  const SmbRpcMethod *method = find_rpc_method(rpc->protocol, name);
  if (strcmp(name, rpc->protocol->cancel) == 0)
    cancel_call(rpc, params);
  else if (method && method->notify)
    method->notify(params, rpc->data);
}

// An answer of the client: nothing was asked of it.
static gboolean
is_answer(JsonObject *message) {
  return json_object_has_member(message, "result") || json_object_has_member(message, "error");
}

static void
take_message(SmbRpc *rpc, const GString *text) {
  g_autoptr(GError) error = NULL;
  g_autoptr(JsonNode) root = NULL;
  if (g_utf8_validate_len(text->str, text->len, NULL))
    root = smb_json_parse("message", text->str, text->len, SMB_RPC_MOST_NESTING, &error);
  if (!root) {
    send_error(rpc, NULL, SMB_RPC_PARSE_ERROR, error ? error->message : "message: not UTF-8", NULL);
    return;
  }
  JsonObject *message = JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
  const char *version = smb_json_get_text(message, "jsonrpc");
  const char *method = smb_json_get_text(message, "method");
  JsonNode *id = message ? json_object_get_member(message, "id") : NULL;
  gboolean has_id = id && is_id(id);
  if (message && !method && is_answer(message))
    return;
  if (g_strcmp0(version, "2.0") != 0 || !method || (id && !has_id))
    send_error(rpc, has_id ? id : NULL, SMB_RPC_INVALID_REQUEST,
               "expected a request or notification of JSON-RPC 2.0", NULL);
  else if (id)
    take_rpc_request(rpc, id, method, smb_json_get_object(message, "params"));
  else
    take_rpc_notification(rpc, method, smb_json_get_object(message, "params"));
}

// --- the loop

SmbRpc *
smb_rpc_new(SmbCli *cli, const SmbRpcProtocol *protocol, GStrv environment, gpointer data) {
  SmbRpc *rpc = g_new0(SmbRpc, 1);
  guint jobs = CLAMP(g_get_num_processors() / 2, LEAST_JOBS, MOST_JOBS);
  *rpc = (SmbRpc){.cli = cli, .protocol = protocol, .data = data};
  rpc->frames = smb_frames_new(protocol->framing);
  rpc->children = smb_child_pool_new(jobs, environment, end_question, rpc);
  rpc->questions = g_hash_table_new_full(NULL, NULL, NULL, question_free);
  rpc->calls = g_ptr_array_new_with_free_func(call_free);
  return rpc;
}

void
smb_rpc_free(SmbRpc *rpc) {
  smb_child_pool_free(rpc->children);
  g_hash_table_unref(rpc->questions);
  g_ptr_array_unref(rpc->calls);
  smb_frames_free(rpc->frames);
  g_free(rpc);
}

void
smb_rpc_end(SmbRpc *rpc) {
  rpc->ends = TRUE;
}

// Reads what there is. FALSE: it has ended.
static gboolean
read_input(SmbRpc *rpc) {
  char bytes[1 << 16];
  ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
  if (n > 0)
    smb_frames_add(rpc->frames, bytes, (gsize)n);
  return n > 0 || (n < 0 && errno == EINTR);
}

static gboolean
take_messages(SmbRpc *rpc, GError **error) {
  while (!rpc->ends) {
    g_autoptr(GString) message = NULL;
    if (!smb_frames_take(rpc->frames, &message, error)) {
      send_error(rpc, NULL, SMB_RPC_PARSE_ERROR, (*error)->message, NULL);
      smb_cli_flush(rpc->cli, NULL);
      return FALSE;
    }
    if (!message)
      return TRUE;
    take_message(rpc, message);
  }
  return TRUE;
}

gboolean
smb_rpc_run(SmbRpc *rpc, GError **error) {
  g_autoptr(GError) failure = NULL;
  while (!rpc->ends) {
    int wait = rpc->protocol->tick ? rpc->protocol->tick(rpc->data) : -1;
    if (!smb_cli_flush(rpc->cli, error))
      return FALSE;
    if (!smb_child_pool_wait(rpc->children, STDIN_FILENO, wait))
      continue;
    if (!read_input(rpc))
      break;
    if (!take_messages(rpc, &failure)) {
      g_propagate_error(error, g_steal_pointer(&failure));
      return FALSE;
    }
  }
  return smb_cli_flush(rpc->cli, error);
}
