// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// mcp: a server of the Model Context Protocol over standard input and output: the tools of tool.def. It speaks revision 2026-07-28,
// of which each request says all that it needs, and those before it that begin with "initialize". What a tool is asked is asked of a command of this
// program, in a process of its own: once for its text and once for its JSON.
#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>

#include "src/commands.h"
#include "src/mcp/tool.h"
#include "src/cli/hint.h"
#include "src/out/json.h"
#include "src/serve/desk.h"
#include "src/serve/rpc.h"

#define META           "io.modelcontextprotocol/"
#define MODERN_VERSION "2026-07-28"

// Error codes of the protocol.
enum {
  UNSUPPORTED_VERSION = -32022,
};

enum {
  MOST_OUTPUT_BYTES = 64 << 10, // of a program that is run, in its text: the last ones
  LIST_MILLISECONDS = 3600000,  // how long a client may keep the list of tools, which never changes
};

// Revisions that begin with "initialize", the newest first.
static const char *const legacy_versions[] = {"2025-11-25", "2025-06-18", NULL};

static const char instructions[] =
    "smembank counts bank conflicts of shared memory in CUDA kernels exactly, by running them on a "
    "model: no GPU is needed, and "
    "counts are not estimates. Begin with count; explain says why an access conflicts; advise "
    "finds a layout without "
    "conflicts and checks it. A kernel needs its launch: block, grid and the values of scalar "
    "parameters. wavefronts - ideal = excess: "
    "what conflicts cost. Counts are not times: ask time what a conflict costs before you change a "
    "kernel for it. Predicted times "
    "are estimates, and say how far they are off. A result that is not exact says so in its "
    "warnings. If a tool "
    "fails, its text says what is missing: mostly a launch, or the value of a parameter.";

static gboolean option_run;

static const GOptionEntry options[] = {
    {"run", 0, 0, G_OPTION_ARG_NONE, &option_run,
     "offer the tool run: agents may then run programs with your rights", NULL},
    G_OPTION_ENTRY_NULL,
};

static const SmbCliUsage usage = {
    .description = "Answers agents in the Model Context Protocol, over standard input and output: "
                   "tools count, explain, advise, time, layout and, "
                   "with --run, run. Programs are never run without --run; "
                   "kernels are interpreted.\n"
                   "To be started by the agent's program: see doc/agents.md.",
    .example = "smembank mcp --run",
};

typedef struct {
  SmbRpc *rpc;
  SmbDesk *desk;
  gboolean is_legacy; // a client of a revision before the modern one said "initialize"
} Server;

// A call of a tool, until its processes have answered: the one that writes text, and then the one that writes JSON, so that no call
// keeps two others waiting.
typedef struct {
  Server *server;
  SmbRpcCall *call;
  gboolean is_modern;
  gboolean is_run;
  guint n_held;       // those who hold this
  SmbChildLine *next; // the process that writes JSON; NULL: it has been started
  char *copy;         // of a text, or the folder of a run's result
  gboolean is_error;
  GString *text;    // that the agent reads
  JsonNode *result; // the document
} Asking;

// --- results

static void
write_implementation(JsonBuilder *json, const char *key) {
  smb_json_object(json, key);
  smb_json_text(json, "name", "smembank");
  smb_json_text(json, "version", PACKAGE_VERSION);
  json_builder_end_object(json);
}

static void
write_capabilities(JsonBuilder *json) {
  smb_json_object(json, "capabilities");
  smb_json_object(json, "tools");
  json_builder_end_object(json);
  json_builder_end_object(json);
}

static JsonBuilder *
begin_tool_result(SmbRpcCall *call, gboolean is_modern) {
  JsonBuilder *json = smb_rpc_begin_result(call);
  json_builder_begin_object(json);
  if (is_modern) {
    smb_json_object(json, "_meta");
    write_implementation(json, META "serverInfo");
    json_builder_end_object(json);
    smb_json_text(json, "resultType", "complete");
  }
  return json;
}

static void
end_tool_result(SmbRpcCall *call, JsonBuilder *json) {
  json_builder_end_object(json);
  smb_rpc_reply(call, json);
}

static void
write_lifetime(JsonBuilder *json) {
  smb_json_number(json, "ttlMs", LIST_MILLISECONDS);
  smb_json_text(json, "cacheScope", "public");
}

// --- which revision is spoken

static JsonObject *
find_meta(JsonObject *params) {
  return params ? smb_json_get_object(params, "_meta") : NULL;
}

// Whether a request says its own revision, and so all that is to be known of it.
static gboolean
says_revision(JsonObject *params) {
  JsonObject *meta = find_meta(params);
  return meta && json_object_has_member(meta, META "protocolVersion");
}

// @version: (nullable): that a request says. Those that begin with "initialize" are none that a request can say.
static void
refuse_version(SmbRpcCall *call, const char *version) {
  gboolean is_known = version && g_strv_contains(legacy_versions, version);
  g_autoptr(JsonBuilder) json = json_builder_new();
  json_builder_begin_object(json);
  smb_json_array(json, "supported");
  json_builder_add_string_value(json, MODERN_VERSION);
  json_builder_end_array(json);
  smb_json_text(json, "requested", version);
  json_builder_end_object(json);
  g_autoptr(JsonNode) data = json_builder_get_root(json);
  smb_rpc_refuse(call, UNSUPPORTED_VERSION, data, "unsupported protocol version%s",
                 is_known ? " of a request: it begins with initialize" : "");
}

static gboolean
admit_request(SmbRpcCall *call, const char *method, JsonObject *params, gpointer data) {
  const Server *server = data;
  JsonObject *meta = find_meta(params);
  gboolean is_handshake = strcmp(method, "initialize") == 0 || strcmp(method, "ping") == 0;
  if (!says_revision(params)) {
    if (is_handshake || server->is_legacy)
      return TRUE;
    smb_rpc_refuse(call, SMB_RPC_INVALID_PARAMS, NULL,
                   "expected _meta with " META "protocolVersion, or initialize before");
    return FALSE;
  }
  const char *version = smb_json_get_text(meta, META "protocolVersion");
  if (g_strcmp0(version, MODERN_VERSION) != 0)
    refuse_version(call, version);
  else if (!smb_json_get_object(meta, META "clientCapabilities"))
    smb_rpc_refuse(call, SMB_RPC_INVALID_PARAMS, NULL,
                   "expected _meta with " META "clientCapabilities");
  else if (is_handshake)
    smb_rpc_refuse(call, SMB_RPC_NO_METHOD, NULL, "revision " MODERN_VERSION " has no '%s'",
                   method);
  else
    return TRUE;
  return FALSE;
}

static void
take_initialize(SmbRpcCall *call, JsonObject *params, gpointer data) {
  Server *server = data;
  const char *wanted = params ? smb_json_get_text(params, "protocolVersion") : NULL;
  gboolean is_known = wanted && g_strv_contains(legacy_versions, wanted);
  server->is_legacy = TRUE;
  JsonBuilder *json = begin_tool_result(call, FALSE);
  smb_json_text(json, "protocolVersion", is_known ? wanted : legacy_versions[0]);
  write_capabilities(json);
  write_implementation(json, "serverInfo");
  smb_json_text(json, "instructions", instructions);
  end_tool_result(call, json);
}

static void
take_discover(SmbRpcCall *call, G_GNUC_UNUSED JsonObject *params, G_GNUC_UNUSED gpointer data) {
  JsonBuilder *json = begin_tool_result(call, TRUE);
  smb_json_array(json, "supportedVersions");
  json_builder_add_string_value(json, MODERN_VERSION);
  json_builder_end_array(json);
  write_capabilities(json);
  smb_json_text(json, "instructions", instructions);
  write_lifetime(json);
  end_tool_result(call, json);
}

static void
take_ping(SmbRpcCall *call, G_GNUC_UNUSED JsonObject *params, G_GNUC_UNUSED gpointer data) {
  end_tool_result(call, begin_tool_result(call, FALSE));
}

static void
take_tools_list(SmbRpcCall *call, JsonObject *params, G_GNUC_UNUSED gpointer data) {
  JsonBuilder *json = begin_tool_result(call, says_revision(params));
  smb_tools_json(json, option_run);
  if (says_revision(params))
    write_lifetime(json);
  end_tool_result(call, json);
}

// --- calls of tools

static void
release_asking(gpointer data) {
  Asking *asking = data;
  if (--asking->n_held > 0)
    return;
  smb_desk_clear(asking->copy);
  g_free(asking->copy);
  g_clear_pointer(&asking->next, smb_child_line_free);
  g_string_free(asking->text, TRUE);
  g_clear_pointer(&asking->result, json_node_unref);
  g_free(asking);
}

static void
write_tool_text(JsonBuilder *json, const char *text) {
  smb_json_array(json, "content");
  smb_json_object(json, NULL);
  smb_json_text(json, "type", "text");
  smb_json_text(json, "text", text);
  json_builder_end_object(json);
  json_builder_end_array(json);
}

static void
finish_asking(Asking *asking) {
  JsonBuilder *json = begin_tool_result(asking->call, asking->is_modern);
  write_tool_text(json, asking->text->str);
  if (asking->result)
    smb_json_copy(json, "structuredContent", asking->result);
  smb_json_boolean(json, "isError", asking->is_error);
  end_tool_result(asking->call, json);
}

static gboolean
has_exited(const SmbChild *child) {
  return child->status != -1 && WIFEXITED(child->status);
}

static void
fail_asking(Asking *asking, const SmbChild *child) {
  g_autofree char *why = smb_child_describe_end(child);
  g_string_printf(asking->text, "exit status %d: %s",
                  has_exited(child) ? WEXITSTATUS(child->status) : SMB_EXIT_INPUT, why);
  asking->is_error = TRUE;
  finish_asking(asking);
}

static void
take_tool_json(const SmbChild *child, gpointer data) {
  Asking *asking = data;
  asking->result = smb_child_json(child);
  if (asking->result)
    finish_asking(asking);
  else
    fail_asking(asking, child);
}

static void
take_tool_text(const SmbChild *child, gpointer data) {
  Asking *asking = data;
  g_auto(GStrv) messages = smb_child_messages(child);
  g_autofree char *said = g_strjoinv("\n", messages);
  if (!smb_child_has_result(child)) {
    fail_asking(asking, child);
    return;
  }
  g_string_append(asking->text, child->out->str);
  if (*said)
    g_string_append_printf(asking->text, "\n%s\n", said);
  asking->n_held++;
  smb_rpc_ask(asking->server->rpc, asking->call, g_steal_pointer(&asking->next), take_tool_json,
              asking, release_asking);
}

// Adds what a program wrote: the end of it, if it is long.
static void
append_output(GString *text, const char *title, const GString *output) {
  gsize skipped = output->len > MOST_OUTPUT_BYTES ? output->len - MOST_OUTPUT_BYTES : 0;
  g_autofree char *shown =
      g_utf8_make_valid(output->str + skipped, (gssize)(output->len - skipped));
  g_string_append_printf(text, "%s%s\n%s\n", title, skipped ? " (the end of it)" : "", shown);
}

// A program's own exit status is that of its run. What it wrote is there, whatever that is, and before the result.
static void
take_run(const SmbChild *child, gpointer data) {
  Asking *asking = data;
  g_autofree char *bytes = NULL;
  gsize length = 0;
  gboolean has_result = g_file_get_contents(asking->copy, &bytes, &length, NULL);
  if (has_result)
    asking->result = smb_json_parse("result", bytes, length, SMB_RPC_MOST_NESTING, NULL);
  if (!has_exited(child)) {
    fail_asking(asking, child);
    return;
  }
  g_string_append_printf(asking->text, "exit status %d\n", WEXITSTATUS(child->status));
  append_output(asking->text, "standard output:", child->out);
  append_output(asking->text, "standard error:", child->err);
  asking->is_error = !asking->result && WEXITSTATUS(child->status) != 0;
  finish_asking(asking);
}

static Asking *
begin_asking(Server *server, SmbRpcCall *call, gboolean is_modern) {
  Asking *asking = g_new0(Asking, 1);
  *asking = (Asking){.server = server,
                     .call = call,
                     .is_modern = is_modern,
                     .n_held = 1,
                     .text = g_string_new(NULL)};
  return asking;
}

// The words of a call, with some more.
static GStrv
add_format_words(const GStrv words, const char *first, const char *second) {
  g_autoptr(GStrvBuilder) all = g_strv_builder_new();
  g_strv_builder_addv(all, (const char **)words);
  g_strv_builder_add(all, first);
  if (*second)
    g_strv_builder_add(all, second);
  return g_strv_builder_end(all);
}

// Asks a command for its text and its JSON. FALSE with an error: the text cannot be written.
static gboolean
ask_twice(Server *server, SmbRpcCall *call, gboolean is_modern, const SmbTool *tool,
          const SmbToolCall *given, GError **error) {
  g_auto(GStrv) as_text = add_format_words(given->words, "--color=never", tool->text_words);
  g_auto(GStrv) as_json = add_format_words(given->words, "--format=json", "");
  SmbQuestion question = {.command = tool->command,
                          .words = (const char *const *)as_text,
                          .file = given->file,
                          .text = given->source};
  char *copy = NULL;
  SmbChildLine *text_line = smb_desk_ask(server->desk, &question, &copy, error);
  if (!text_line)
    return FALSE;
  // The same text, where it is now.
  g_autofree char *name = copy ? g_path_get_basename(copy) : NULL;
  question = (SmbQuestion){.command = tool->command,
                           .words = (const char *const *)as_json,
                           .file = copy ? name : given->file,
                           .folder = text_line->folder};
  char *none = NULL;
  Asking *asking = begin_asking(server, call, is_modern);
  asking->copy = copy;
  asking->next = smb_desk_ask(server->desk, &question, &none, error);
  smb_rpc_ask(server->rpc, call, text_line, take_tool_text, asking, release_asking);
  return TRUE;
}

// Runs a program, once: its text follows what the program writes to standard output, and its JSON goes to a file.
static gboolean
ask_run(Server *server, SmbRpcCall *call, gboolean is_modern, const SmbToolCall *given,
        GError **error) {
  const SmbQuestion nothing = {.command = "run", .file = "result.json", .text = ""};
  char *copy = NULL;
  SmbChildLine *place = smb_desk_ask(server->desk, &nothing, &copy, error);
  if (!place)
    return FALSE;
  smb_child_line_free(place);
  g_unlink(copy); // its folder stays
  g_autofree char *document = g_strconcat("--json=", copy, NULL);
  g_autoptr(GStrvBuilder) words = g_strv_builder_new();
  g_strv_builder_add(words, "run");
  g_strv_builder_addv(words, (const char **)given->words);
  g_strv_builder_add_many(words, "--color=never", document, NULL);
  if (given->file)
    g_strv_builder_add(words, given->file);
  g_strv_builder_add(words, "--");
  g_strv_builder_addv(words, (const char **)given->rest);
  Asking *asking = begin_asking(server, call, is_modern);
  asking->copy = copy;
  smb_rpc_ask(server->rpc, call, smb_child_line_new(g_strv_builder_end(words), NULL), take_run,
              asking, release_asking);
  return TRUE;
}

// What is wrong with arguments is an error of the tool, which the agent sees and can mend.
static void
reject_arguments(SmbRpcCall *call, gboolean is_modern, const char *message) {
  JsonBuilder *json = begin_tool_result(call, is_modern);
  write_tool_text(json, message);
  smb_json_boolean(json, "isError", TRUE);
  end_tool_result(call, json);
}

static void
take_tool_call(SmbRpcCall *call, JsonObject *params, gpointer data) {
  Server *server = data;
  g_autoptr(GError) error = NULL;
  g_auto(SmbToolCall) given = {0};
  const char *name = params ? smb_json_get_text(params, "name") : NULL;
  const SmbTool *tool = name ? smb_tool_find(name, option_run) : NULL;
  if (!tool) {
    smb_rpc_refuse(call, SMB_RPC_INVALID_PARAMS, NULL, "unknown tool '%s'", name ? name : "");
    return;
  }
  if (!smb_tool_call_read(tool, smb_json_get_object(params, "arguments"), &given, &error) ||
      !(tool == &smb_tools[SMB_TOOL_run]
            ? ask_run(server, call, says_revision(params), &given, &error)
            : ask_twice(server, call, says_revision(params), tool, &given, &error)))
    reject_arguments(call, says_revision(params), error->message);
}

static void
ignore_notification(G_GNUC_UNUSED JsonObject *params, G_GNUC_UNUSED gpointer data) {
}

static const SmbRpcMethod methods[] = {
    {"initialize", take_initialize, NULL},
    {"notifications/initialized", NULL, ignore_notification},
    {"ping", take_ping, NULL},
    {"server/discover", take_discover, NULL},
    {"tools/list", take_tools_list, NULL},
    {"tools/call", take_tool_call, NULL},
    {NULL, NULL, NULL},
};

gboolean
smb_cmd_mcp(SmbCli *cli, GError **error) {
  static const SmbRpcProtocol protocol = {.framing = SMB_FRAMING_LINES,
                                          .methods = methods,
                                          .cancel = "notifications/cancelled",
                                          .cancel_id = "requestId",
                                          .admit = admit_request};
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  g_autoptr(SmbDesk) desk = smb_desk_new(error);
  if (!desk)
    return FALSE;
  Server server = {.desk = desk};
  g_auto(GStrv) environment = smb_serve_environment(option_run);
  environment = g_environ_setenv(environment, SMB_HINT_VARIABLE, SMB_HINT_ARGUMENTS, TRUE);
  g_autoptr(SmbRpc) rpc = smb_rpc_new(cli, &protocol, environment, &server);
  server.rpc = rpc;
  return smb_rpc_run(rpc, error);
}
