// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/text/lex.h"

#include <string.h>

#include "sim/base/error.h"

// Longest first, so that the first match is the longest.
static const char *const punctuators[] = {
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "##", "::", "+",  "-",
    "*",   "/",   "%",   "&",  "|",  "^",  "~",  "!",  "<",  ">",  "=",  "?",  ":",
    ",",   ";",   ".",   "(",  ")",  "[",  "]",  "{",  "}",  "#",
};

typedef struct {
  const SmbSource *source;
  KernelPool *pool;
  const char *text;
  guint32 base; // offset of the text in @source
  const char *at;
  gboolean first_of_line;
  gboolean after_space;
  GError **error;
} Lexer;

gboolean
smb_token_is(const Token *token, const char *text) {
  return (token->kind == TOKEN_NAME || token->kind == TOKEN_PUNCTUATOR) &&
         strcmp(token->text, text) == 0;
}

gboolean
smb_token_is_any(const Token *token, const char *const *texts) {
  while (*texts && !smb_token_is(token, *texts))
    texts++;
  return *texts != NULL;
}

static guint32
find_text_offset(const Lexer *lexer, const char *at) {
  return lexer->base + (guint32)(at - lexer->text);
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
      if (!end) {
        smb_source_error(lexer->source, find_text_offset(lexer, at), lexer->error,
                         "this comment has no end: expected */");
        return FALSE;
      }
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

// A number in the sense of the preprocessor: digits, letters, points, the sign of an exponent, and
// the apostrophes that C++ allows between digits.
static gsize
measure_number(const char *at) {
  gboolean hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
  gsize length = 1;
  for (;; length++) {
    char c = at[length];
    char before = at[length - 1];
    gboolean exponent = !hexadecimal && (before == 'e' || before == 'E');
    gboolean separates = c == '\'' && is_name_part(before) && is_name_part(at[length + 1]);
    if (!is_name_part(c) && c != '.' && !separates && !(exponent && (c == '+' || c == '-')))
      return length;
  }
}

// What no token of CUDA C begins with, or a literal without an end, is a token of its own: it is an
// error only where the program is read that it stands in.
static void
make_bad(Token *token, const char *problem) {
  token->kind = TOKEN_BAD;
  token->problem = problem;
}

// A string or character literal; one without an end takes the rest of its line.
static gsize
measure_quoted(const Lexer *lexer, Token *token) {
  char quote = *lexer->at;
  const char *at = lexer->at + 1;
  while (*at && *at != '\n' && *at != quote) {
    gsize joined = match_continuation(at);
    at += joined ? joined : *at == '\\' && at[1] && at[1] != '\n' ? 2 : 1;
  }
  token->kind = quote == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
  if (*at == quote)
    at++;
  else
    make_bad(token, quote == '"' ? "this string has no end: expected \""
                                 : "this character has no end: expected '");
  return (gsize)(at - lexer->at);
}

// R"delimiter(text)delimiter", with its prefix: its length, or 0.
static gsize
measure_raw_string(const char *at) {
  static const char *const prefixes[] = {"R\"", "LR\"", "uR\"", "UR\"", "u8R\""};
  for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++) {
    gsize prefix = strlen(prefixes[i]);
    if (strncmp(at, prefixes[i], prefix) != 0)
      continue;
    gsize delimiter = strcspn(at + prefix, "()\\ \t\n\"");
    if (at[prefix + delimiter] != '(')
      return 0;
    g_autofree char *closing = g_strdup_printf(")%.*s\"", (int)delimiter, at + prefix);
    const char *end = strstr(at + prefix + delimiter, closing);
    return end ? (gsize)(end - at) + strlen(closing) : 0;
  }
  return 0;
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

static gsize
scan_other(const Lexer *lexer, Token *token) {
  guchar c = (guchar)*lexer->at;
  token->kind = TOKEN_PUNCTUATOR;
  gsize length = match_punctuator(lexer->at);
  if (length > 0)
    return length;
  if (c & 0x80)
    make_bad(token,
             smb_kernel_pool_printf(
                 lexer->pool,
                 "byte 0x%02x is not part of CUDA C: outside comments it takes ASCII only", c));
  else
    make_bad(token, smb_kernel_pool_printf(lexer->pool, "'%c' is not part of CUDA C", c));
  return 1;
}

static void
scan_token(Lexer *lexer, Token *token) {
  const char *at = lexer->at;
  gsize length = measure_raw_string(at);
  if (length > 0) {
    token->kind = TOKEN_STRING;
  } else if (!*at) {
    token->kind = TOKEN_END;
  } else if (is_name_start(*at)) {
    token->kind = TOKEN_NAME;
    while (is_name_part(at[length]))
      length++;
  } else if (g_ascii_isdigit(*at) || (*at == '.' && g_ascii_isdigit(at[1]))) {
    token->kind = TOKEN_NUMBER;
    length = measure_number(at);
  } else if (*at == '"' || *at == '\'') {
    length = measure_quoted(lexer, token);
  } else {
    length = scan_other(lexer, token);
  }
  token->text = smb_kernel_pool_text(lexer->pool, at, length);
  token->start = find_text_offset(lexer, at);
  token->end = token->start + (guint32)length;
  token->spelled = token->start;
  token->first_of_line = lexer->first_of_line || token->kind == TOKEN_END;
  token->after_space = lexer->after_space;
  lexer->first_of_line = lexer->after_space = FALSE;
  lexer->at += length;
}

Token *
smb_kernel_lex(const SmbSource *source, const SmbSource *part, guint32 base, KernelPool *pool,
               guint *left, GError **error) {
  static const char byte_order_mark[] = "\xef\xbb\xbf";
  const char *text = smb_source_text(part);
  Lexer lexer = {source, pool, text, base, text, TRUE, FALSE, error};
  Token head = {0};
  Token *last = &head;
  if (g_str_has_prefix(text, byte_order_mark))
    lexer.at += strlen(byte_order_mark);
  do {
    Token *token = kernel_pool_new_struct(pool, Token);
    if (!skip_space(&lexer))
      return NULL;
    scan_token(&lexer, token);
    if ((*left)-- == 0) {
      *left = 0;
      smb_source_error(source, token->start, error, "the text has more tokens than are allowed");
      smb_hint(error, SMB_HINT_LIMIT, "max_tokens", NULL);
      return NULL;
    }
    last = last->next = token;
  } while (last->kind != TOKEN_END);
  return head.next;
}
