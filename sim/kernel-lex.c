// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/kernel-lex.h"

#include <string.h>

// Longest first, so that the first match is the longest.
static const char *const punctuators[] = {
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "##", "::", "+",  "-",
    "*",   "/",   "%",   "&",  "|",  "^",  "~",  "!",  "<",  ">",  "=",  "?",  ":",
    ",",   ";",   ".",   "(",  ")",  "[",  "]",  "{",  "}",  "#",
};

typedef struct {
  const SmbSource *source;
  const char *text;
  const char *at;
  gboolean first_of_line;
  gboolean after_space;
  GError **error;
} Lexer;

gboolean
token_is(const Token *token, const char *text) {
  return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0 &&
         (token->kind == TOKEN_NAME || token->kind == TOKEN_PUNCTUATOR);
}

const char *
token_text(KernelPool *pool, const Token *token) {
  return kernel_pool_text(pool, token->text, token->length);
}

G_GNUC_PRINTF(3, 4)
static gboolean
fail(const Lexer *lexer, const char *at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  smb_source_error(lexer->source, (guint32)(at - lexer->text), lexer->error, "%s", text);
  return FALSE;
}

// A backslash that joins this line with the next: its length, or 0.
static gsize
match_continuation(const char *at) {
  if (at[0] != '\\')
    return 0;
  gsize length = 1;
  while (at[length] == ' ' || at[length] == '\t' || at[length] == '\r')
    length++;
  return at[length] == '\n' ? length + 1 : 0;
}

// Skips white space, comments and continued line ends.
static gboolean
skip_space(Lexer *lexer) {
  for (;;) {
    const char *at = lexer->at;
    gsize joined = match_continuation(at);
    if (joined) {
      lexer->at += joined;
    } else if (*at == '\n') {
      lexer->first_of_line = TRUE;
      lexer->at++;
    } else if (*at == ' ' || (*at >= '\t' && *at <= '\r')) {
      lexer->at++;
    } else if (at[0] == '/' && at[1] == '/') {
      while (*lexer->at && *lexer->at != '\n') {
        gsize skipped = match_continuation(lexer->at);
        lexer->at += skipped ? skipped : 1;
      }
    } else if (at[0] == '/' && at[1] == '*') {
      const char *end = strstr(at + 2, "*/");
      if (!end)
        return fail(lexer, at, "this comment has no end: expected */");
      lexer->at = end + 2;
    } else {
      return TRUE;
    }
    lexer->after_space = TRUE;
  }
}

static gboolean
is_name_start(char c) {
  return g_ascii_isalpha(c) || c == '_' || c == '$';
}

static gboolean
is_name_part(char c) {
  return is_name_start(c) || g_ascii_isdigit(c);
}

// A number in the sense of the preprocessor: digits, letters, points, and the sign of an exponent.
static gsize
measure_number(const char *at) {
  gboolean hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
  gsize length = 1;
  for (;; length++) {
    char c = at[length];
    char before = at[length - 1];
    gboolean exponent = !hexadecimal && (before == 'e' || before == 'E');
    if (!is_name_part(c) && c != '.' && !(exponent && (c == '+' || c == '-')))
      return length;
  }
}

static gboolean
measure_quoted(Lexer *lexer, char quote, gsize *length) {
  const char *at = lexer->at + 1;
  for (; *at && *at != '\n' && *at != quote; at++) {
    if (*at == '\\' && at[1] && at[1] != '\n')
      at++;
  }
  if (*at != quote)
    return fail(lexer, lexer->at, "this %s has no end: expected %c",
                quote == '"' ? "string" : "character", quote);
  *length = (gsize)(at + 1 - lexer->at);
  return TRUE;
}

static gsize
match_punctuator(const char *at) {
  for (guint i = 0; i < G_N_ELEMENTS(punctuators); i++) {
    gsize length = strlen(punctuators[i]);
    if (strncmp(at, punctuators[i], length) == 0)
      return length;
  }
  return 0;
}

static gboolean
scan_token(Lexer *lexer, Token *token) {
  const char *at = lexer->at;
  gsize length = 0;
  if (!*at) {
    token->kind = TOKEN_END;
  } else if (is_name_start(*at)) {
    token->kind = TOKEN_NAME;
    while (is_name_part(at[length]))
      length++;
  } else if (g_ascii_isdigit(*at) || (*at == '.' && g_ascii_isdigit(at[1]))) {
    token->kind = TOKEN_NUMBER;
    length = measure_number(at);
  } else if (*at == '"' || *at == '\'') {
    token->kind = *at == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
    if (!measure_quoted(lexer, *at, &length))
      return FALSE;
  } else {
    token->kind = TOKEN_PUNCTUATOR;
    length = match_punctuator(at);
    if (length == 0 && ((guchar)*at & 0x80))
      return fail(lexer, at,
                  "byte 0x%02x is not part of CUDA C: outside comments it takes ASCII only",
                  (guint)(guchar)*at);
    if (length == 0)
      return fail(lexer, at, "'%c' is not part of CUDA C", *at);
  }
  token->text = at;
  token->length = (guint32)length;
  token->start = (guint32)(at - lexer->text);
  token->end = token->start + token->length;
  token->first_of_line = lexer->first_of_line || token->kind == TOKEN_END;
  token->after_space = lexer->after_space;
  lexer->first_of_line = lexer->after_space = FALSE;
  lexer->at += length;
  return TRUE;
}

Token *
kernel_lex(const SmbSource *source, KernelPool *pool, guint max_tokens, GError **error) {
  Lexer lexer = {source, smb_source_text(source), smb_source_text(source), TRUE, FALSE, error};
  Token head = {0};
  Token *last = &head;
  do {
    Token *token = kernel_pool_new_struct(pool, Token);
    if (!skip_space(&lexer) || !scan_token(&lexer, token))
      return NULL;
    if (max_tokens-- == 0) {
      fail(&lexer, token->text, "the text has more tokens than are allowed (--max-tokens)");
      return NULL;
    }
    last = last->next = token;
  } while (last->kind != TOKEN_END);
  return head.next;
}
