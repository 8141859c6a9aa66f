// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// JSON-RPC 2.0 over standard input and output: requests, which are answered once, in any order; notifications, which are not
// answered; and questions that other processes of this program work on meanwhile. What does not follow the protocol is answered with an
// error. Knows no method.
#pragma once

#include <json-glib/json-glib.h>

#include "src/cli/child.h"
#include "src/cli/cli.h"
#include "src/serve/framing.h"

/** Error codes of JSON-RPC 2.0. */
typedef enum {
  SMB_RPC_PARSE_ERROR = -32700,
  SMB_RPC_INVALID_REQUEST = -32600,
  SMB_RPC_NO_METHOD = -32601,
  SMB_RPC_INVALID_PARAMS = -32602,
  SMB_RPC_INTERNAL_ERROR = -32603,
} SmbRpcCode;

/** Most requests that wait for an answer at a time; more are refused. */
#define SMB_RPC_MOST_CALLS 1000

/** Most objects and arrays in each other. */
#define SMB_RPC_MOST_NESTING 64

typedef struct _SmbRpc SmbRpc;

/** SmbRpcCall: a request that is to be answered. */
typedef struct _SmbRpcCall SmbRpcCall;

/**
 * SmbRpcMethod: a row of a table that ends with a row without a name.
 * @request: (nullable): takes a request: answers it, or keeps @call until it does. %NULL: it is a notification
 * @notify: (nullable): takes a notification
 *
 * @params: (nullable): %NULL: it has none, or no object
 */
typedef struct {
  const char *name;
  void (*request)(SmbRpcCall *call, JsonObject *params, gpointer data);
  void (*notify)(JsonObject *params, gpointer data);
} SmbRpcMethod;

/**
 * SmbRpcProtocol:
 * @methods: those that there are
 * @cancel: the notification that cancels a request; @cancel_id: the member of its parameters that says which
 * @cancel_code: what a cancelled request is answered with; 0: it is not answered
 * @admit: (nullable): asked of each request before its method: %FALSE: it has answered it
 * @tick: (nullable): does what is due. Returns: in how many milliseconds to call it again; -1: when something has happened
 */
typedef struct {
  SmbFraming framing;
  const SmbRpcMethod *methods;
  const char *cancel, *cancel_id;
  int cancel_code;
  gboolean (*admit)(SmbRpcCall *call, const char *method, JsonObject *params, gpointer data);
  int (*tick)(gpointer data);
} SmbRpcProtocol;

/** smb_rpc_new: @data: for the functions of the protocol; @environment: (nullable): of the processes. Returns: (transfer full) */
SmbRpc *smb_rpc_new(SmbCli *cli, const SmbRpcProtocol *protocol, GStrv environment, gpointer data);
void smb_rpc_free(SmbRpc *rpc);

/**
 * smb_rpc_run:
 * @error: standard input is no stream of messages, or standard output cannot be written
 *
 * Serves until smb_rpc_end(), or the end of standard input.
 */
gboolean smb_rpc_run(SmbRpc *rpc, GError **error);

/** Ends smb_rpc_run() once the message is done with. */
void smb_rpc_end(SmbRpc *rpc);

/** smb_rpc_call_number: Returns: what finds @call again, if it has not been answered or cancelled meanwhile */
guint64 smb_rpc_call_number(const SmbRpcCall *call);

/** smb_rpc_find_call: Returns: (transfer none) (nullable): the call of a number; %NULL: it has ended */
SmbRpcCall *smb_rpc_find_call(SmbRpc *rpc, guint64 number);

/** smb_rpc_begin_result: Returns: (transfer full): the answer to @call, whose value, "result", comes next */
JsonBuilder *smb_rpc_begin_result(SmbRpcCall *call);

/** smb_rpc_reply: Sends @json (transfer full), of smb_rpc_begin_result(), and ends @call. */
void smb_rpc_reply(SmbRpcCall *call, JsonBuilder *json);

/** smb_rpc_refuse: Answers with an error, and ends @call; @data: (nullable): more of it. */
void smb_rpc_refuse(SmbRpcCall *call, int code, JsonNode *data, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/** smb_rpc_begin_notification: Returns: (transfer full): a notification, whose value, "params", comes next */
JsonBuilder *smb_rpc_begin_notification(const char *method);

/** smb_rpc_notify: Sends @json (transfer full), of smb_rpc_begin_notification(). */
void smb_rpc_notify(SmbRpc *rpc, JsonBuilder *json);

/** Takes what a process has found out. */
typedef void (*SmbRpcAnswer)(const SmbChild *child, gpointer data);

/**
 * smb_rpc_ask:
 * @call: (nullable): for whom: if it is cancelled, so is this
 * @line: (transfer full): what a process does
 * @answer: called with @data, unless it is cancelled
 * @data: (transfer full): released with @free_data afterwards, or when it is cancelled
 *
 * Returns: a number for smb_rpc_drop(), from 1
 */
guint smb_rpc_ask(SmbRpc *rpc, SmbRpcCall *call, SmbChildLine *line, SmbRpcAnswer answer,
                  gpointer data, GDestroyNotify free_data);

/** smb_rpc_drop: Cancels what smb_rpc_ask() began; 0 and what has ended are ignored. */
void smb_rpc_drop(SmbRpc *rpc, guint question);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRpc, smb_rpc_free)
