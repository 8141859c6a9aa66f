// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the parts of the language server share: the texts that are open, and what is known of each.
#pragma once

#include "sim/arch/arch.h"
#include "src/lsp/document.h"
#include "src/serve/desk.h"
#include "src/serve/rpc.h"

/**
 * SmbLspLaunch: how a text is launched.
 * @words: options of the commands
 * @is_given: whether somebody said it, and not the defaults
 * @failure: (nullable): why its line cannot be read, with the place; no command is asked then
 */
typedef struct {
  GStrv words;
  gboolean is_given;
  char *failure;
} SmbLspLaunch;

/**
 * SmbLspResult: what a launch of a text costs.
 * @document: (nullable): as analyze wrote it; %NULL: @failure
 * @failure: (nullable): why there is none
 * @advice: (nullable): as advise wrote it, once it was asked
 */
typedef struct {
  JsonNode *document;
  char *failure;
  JsonNode *advice;
} SmbLspResult;

typedef struct _SmbLspServer SmbLspServer;
typedef struct _SmbLspText SmbLspText;

/** SmbLspAnswer: answers a request about a text that is examined; @params: (nullable) */
typedef void (*SmbLspAnswer)(SmbLspText *text, SmbRpcCall *call, JsonObject *params);

/**
 * SmbLspText: a text that is open.
 * @launches: (element-type SmbLspLaunch), and their results in the same order
 * @n_open: launches of which the result is not known yet
 * @due: when it is examined again, in microseconds of g_get_monotonic_time(); 0: it is, or is being examined
 * @questions: (element-type guint): what is asked about it as it is now
 * @asked: (element-type guint64): the numbers of the requests that they are for
 * @waiting: requests that wait until it is examined
 */
struct _SmbLspText {
  SmbLspServer *server;
  SmbDocument *document;
  GPtrArray *launches, *results;
  guint n_open;
  gint64 due;
  GArray *questions, *asked;
  GArray *waiting;
};

/** SmbLspServer: @texts: (element-type utf8 SmbLspText): by URI; @is_text_only: whether nvcc is not asked */
struct _SmbLspServer {
  SmbRpc *rpc;
  SmbDesk *desk;
  GHashTable *texts;
  gboolean is_text_only;
  gboolean is_initialized, is_shut_down, has_exited;
};

// --- examine.c

/** smb_lsp_text_new: @document: (transfer full). Returns: (transfer full): a text that is due now */
SmbLspText *smb_lsp_text_new(SmbLspServer *server, SmbDocument *document);
void smb_lsp_text_free(SmbLspText *text);

/** smb_lsp_text_touch: Has it examined anew, @delay milliseconds from now; what is asked about it as it was is dropped. */
void smb_lsp_text_touch(SmbLspText *text, guint delay);

/** smb_lsp_tick: Examines what is due. Returns: milliseconds until more is; -1: nothing */
int smb_lsp_tick(gpointer server);

/** smb_lsp_text_await: Calls @answer, at once or when the text is examined; a request about no open text is answered with null. */
void smb_lsp_text_await(SmbLspServer *server, SmbRpcCall *call, JsonObject *params,
                        SmbLspAnswer answer);

/**
 * smb_lsp_text_ask:
 * @call: (nullable): for whom
 * @command: that is asked
 * @launch: index of the launch
 * @more: (array zero-terminated=1): options besides those of the launch
 * @answer, @data, @free_data: as of smb_rpc_ask(); dropped if the text changes
 */
void smb_lsp_text_ask(SmbLspText *text, SmbRpcCall *call, const SmbCommand *command, guint launch,
                      const char *const *more, SmbRpcAnswer answer, gpointer data,
                      GDestroyNotify free_data);

/** smb_lsp_text_name: Returns: (transfer full): how commands call it */
char *smb_lsp_text_name(const SmbLspText *text);

/** smb_lsp_is_of: Returns: whether a file in a result is the text; @file: (nullable) */
gboolean smb_lsp_is_of(const SmbLspText *text, const char *file);

/** smb_lsp_find_text: Returns: (transfer none) (nullable): that of "textDocument" in @params (nullable) */
SmbLspText *smb_lsp_find_text(SmbLspServer *server, JsonObject *params);

/** SmbLspVisit: called for each access to shared memory of a launch that is in the text. */
typedef void (*SmbLspVisit)(SmbLspText *text, guint launch, JsonObject *access, gpointer data);
void smb_lsp_visit_accesses(SmbLspText *text, SmbLspVisit visit, gpointer data);

/** smb_lsp_visit_counts: The same of what diagnostics are of: the instructions of the text's lines, if it was compiled. */
void smb_lsp_visit_counts(SmbLspText *text, SmbLspVisit visit, gpointer data);

/** smb_lsp_vendor: @result: (nullable): that a command wrote. Returns: whose words say its counts (sim/arch/words.h) */
SmbVendor smb_lsp_vendor(JsonObject *result);

// --- text-launch.c

/** Most launches of a text that are examined: the first ones. */
#define SMB_LSP_MOST_LAUNCHES 16

/** smb_lsp_launches: Returns: (transfer full) (element-type SmbLspLaunch): one at least; @is_saved: whether its file has the same text */
GPtrArray *smb_lsp_launches(const SmbDocument *document, gboolean is_saved);

// --- publish.c, answer.c

/** smb_lsp_publish: Sends what is known of a text; nothing, if it is closed. */
void smb_lsp_publish(const SmbLspText *text, gboolean is_open);

/** Writes a range, from and to a byte of lines from 1. */
void smb_lsp_write_range(JsonBuilder *json, const char *key, const SmbDocument *document,
                         guint line, guint column, guint end_line, guint end_column);

void smb_lsp_answer_hover(SmbLspText *text, SmbRpcCall *call, JsonObject *params);
void smb_lsp_answer_hints(SmbLspText *text, SmbRpcCall *call, JsonObject *params);
void smb_lsp_answer_actions(SmbLspText *text, SmbRpcCall *call, JsonObject *params);

/** Answers with null. */
void smb_lsp_answer_null(SmbRpcCall *call);
