// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Private to host*.c.
#pragma once

#include "sim/cuda/text/host.h"
#include "sim/cuda/text/lex.h"

enum {
  MAX_HOST_EXPRESSION = 4096, // tokens
  SMB_HOST_NO_SCOPE = 0       // the parent of files: all of them
};

// Numbers that a type has.
typedef enum {
  SMB_HOST_ANY, // as they are: auto, or a type with a name of its own
  SMB_HOST_WHOLE,
  SMB_HOST_REAL,
} SmbHostKind;

// @text: an expression, or "" of a name that has no single value; @parameters: (nullable): of a function that returns it
typedef struct {
  char *text;
  SmbHostKind kind;
  char **parameters;
} SmbHostValue;

// @name: (nullable): of a structure, whose members other scopes call "NAME::member"
typedef struct {
  guint parent;
  char *name;
} SmbHostScope;

// A text being read: its tokens, the last of which is a TOKEN_END.
typedef struct {
  SmbHost *host;
  const SmbSource *source; // that has their places
  const char *file;        // the text's name
  GPtrArray *tokens;
  gboolean is_hip;
  GPtrArray *templates; // of the declaration that is being read; NULL: it is no template
  guint file_scope;
  guint scope;       // of the block
  guint nesting;     // in brackets of the declaration
  GPtrArray *spaces; // of the namespaces around it: "a::b::", or "" of what has no name
  gboolean is_raw;   // directives are among the tokens
} HostReader;

// The key of a name of a scope in SmbHost.values (transfer full).
static inline char *
smb_host_key(guint scope, const char *name) {
  return g_strdup_printf("%u:%s", scope, name);
}

static inline const Token *
smb_host_token(const HostReader *reader, guint i) {
  return reader->tokens->pdata[MIN(i, reader->tokens->len - 1)];
}

static inline gboolean
smb_host_is(const HostReader *reader, guint i, const char *text) {
  return smb_token_is(smb_host_token(reader, i), text);
}

static inline gboolean
smb_host_is_name(const HostReader *reader, guint i) {
  return smb_host_token(reader, i)->kind == TOKEN_NAME;
}

// What stands from one token up to another, which is not part of it (transfer full).
char *smb_host_slice(const HostReader *reader, guint from, guint to);

// How much deeper in brackets what follows a token is.
int smb_host_nesting(const Token *token);

// The first token from @i on that is one of @ends and in no bracket, or closes the bracket that @i is in; one of neither kind
// if there is none among the next MAX_HOST_EXPRESSION.
guint smb_host_find_end(const HostReader *reader, guint i, const char *const *ends);

// The end of the bracket that @i is in.
guint smb_host_find_closing(const HostReader *reader, guint i);

// The value of a name for a scope; NULL: nothing is said of it.
const SmbHostValue *smb_host_find_value(const SmbHost *host, guint scope, const char *name);

// A new scope in another one. @name: (nullable): of a structure
guint smb_host_add_scope(SmbHost *host, guint parent, const char *name);

// What kind of numbers words of a type name.
SmbHostKind smb_host_kind(const char *word);

// Reads what declares or changes a name, or begins or ends a block, at @i (host-declare.c). Returns the token behind it.
guint smb_host_read_declaration(HostReader *reader, guint i);

// Makes a name unknown in the scope that is being read: that of a parameter of a template.
void smb_host_hide(const HostReader *reader, const char *name);

// Adds the macros of a text, NAME and its value, to what all files say.
void smb_host_add_macro(const HostReader *reader, const char *name, const char *value);
