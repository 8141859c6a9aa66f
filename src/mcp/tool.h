// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The tools that agents call: a schema for each, and the options that arguments become. An argument never becomes
// anything but the value of its own option, so nothing in it can name another one.
#pragma once

#include <json-glib/json-glib.h>

/** The tools, in the order of tool.def. */
typedef enum {
#define TOOL(name, command, words, text_words, title, description) SMB_TOOL_##name,
#include "src/mcp/tool.def"
#undef TOOL
  SMB_N_TOOLS
} SmbToolKind;

/**
 * SmbTool:
 * @command: the command that answers
 * @words, @text_words: an option that it is always given, and one of the text; empty: none
 */
typedef struct {
  const char *name, *command, *words, *text_words, *title, *description;
} SmbTool;

extern const SmbTool smb_tools[SMB_N_TOOLS];

/** smb_tool_find: Returns: (nullable) (transfer none): the tool of a name; %NULL: there is none */
const SmbTool *smb_tool_find(const char *name, gboolean runs);

/** smb_tools_json: Adds the member "tools": their names, descriptions and schemas; @runs: run among them. */
void smb_tools_json(JsonBuilder *json, gboolean runs);

/**
 * SmbToolCall: the arguments of a call.
 * @words: options
 * @file: (nullable): the kernel's file, or what a text is called, or the layout
 * @source: (nullable): the text
 * @rest: what follows "--": a program and its arguments
 */
typedef struct {
  GStrv words;
  char *file, *source;
  GStrv rest;
} SmbToolCall;

/**
 * smb_tool_call_read:
 * @arguments: (nullable): as the agent gave them
 * @call: (out): to be cleared if it is read
 * @error: SMB_ERROR_USAGE: an argument that the tool does not have, of another type, or that is missing
 */
gboolean smb_tool_call_read(const SmbTool *tool, JsonObject *arguments, SmbToolCall *call,
                            GError **error);
void smb_tool_call_clear(SmbToolCall *call);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbToolCall, smb_tool_call_clear)
