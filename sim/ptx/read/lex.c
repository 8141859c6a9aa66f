// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tokens: names, directives, numbers, strings, punctuators (PTX ISA 9.0, section 4). A token is read only when it is
// needed, so a reader can look ahead by copying the lexer.
#include "sim/ptx/read/lex.h"

#include <string.h>

enum {
  NAME_START = 1, // of a name, where more must follow or not
  NAME_PART = 2,
  DIGIT = 4,
};

static const guint8 classes[256] = {
    ['a' ... 'z'] = NAME_START | NAME_PART, ['A' ... 'Z'] = NAME_START | NAME_PART,
    ['0' ... '9'] = NAME_PART | DIGIT,      ['_'] = NAME_START | NAME_PART,
    ['$'] = NAME_START | NAME_PART,
};

static gboolean
has_class(char c, guint8 class) {
  return (classes[(guchar)c] & class) != 0;
}

// A name may begin with %, which declares nothing special (section 4.4).
gsize
smb_ptx_name_length(const char *text) {
  gsize length = *text == '%';
  if (!has_class(text[length], length ? NAME_PART : NAME_START))
    return 0;
  while (has_class(text[length], NAME_PART))
    length++;
  return length;
}

// A comment begins here: after it, or NULL if it has no end. "@@DWARF" began the lines of debug sections in PTX 1.
static const char *
skip_comment(const char *at, guint32 *line) {
  if (at[1] != '*')
    return at + strcspn(at, "\n");
  const char *end = strstr(at + 2, "*/");
  for (; end && at < end; at++)
    *line += *at == '\n';
  return end ? end + 2 : NULL;
}

const char *
smb_ptx_skip_space(const char *at, guint32 *line) {
  for (;;) {
    if (*at == ' ' || (*at >= '\t' && *at <= '\r')) {
      *line += *at == '\n';
      at++;
    } else if ((*at == '/' && (at[1] == '/' || at[1] == '*')) || (*at == '@' && at[1] == '@')) {
      const char *end = skip_comment(at, line);
      if (!end)
        return at;
      at = end;
    } else {
      return at;
    }
  }
}

static void
make_bad_ptx_token(PtxToken *token, const char *problem) {
  token->kind = PTX_TOKEN_BAD;
  token->problem = problem;
}

// Reads digits of a base, and returns how many. A value over 64 bits makes the token bad.
static gsize
scan_digits(PtxToken *token, const char *at, guint base) {
  gsize length = 0;
  for (;; length++) {
    gint digit = g_ascii_xdigit_value(at[length]);
    if (digit < 0 || (guint)digit >= base)
      return length;
    if (__builtin_mul_overflow(token->bits, (guint64)base, &token->bits) ||
        __builtin_add_overflow(token->bits, (guint64)digit, &token->bits))
      make_bad_ptx_token(token, "this number does not fit into 64 bits");
  }
}

// 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX give the bits of a number (section 4.5.2).
static gsize
scan_float_bits(PtxToken *token, const char *at) {
  gboolean is_single = (at[1] | 0x20) == 'f';
  token->kind = is_single ? PTX_TOKEN_SINGLE : PTX_TOKEN_DOUBLE;
  gsize length = scan_digits(token, at + 2, 16);
  if (length != (is_single ? 8 : 16))
    make_bad_ptx_token(token, is_single ? "expected 8 hexadecimal digits after 0f"
                                        : "expected 16 hexadecimal digits after 0d");
  return 2 + length;
}

// The length of a floating-point number, 1.5 or 1e5; 0 if this is not one.
static gsize
measure_decimal(const char *at) {
  gsize digits = strspn(at, "0123456789"), length = digits;
  gboolean is_float = FALSE;
  if (at[length] == '.') {
    gsize fraction = strspn(at + length + 1, "0123456789");
    is_float = digits + fraction > 0;
    length += 1 + fraction;
  }
  if ((is_float || digits > 0) && (at[length] | 0x20) == 'e') {
    gsize sign = at[length + 1] == '+' || at[length + 1] == '-' ? 1 : 0;
    gsize exponent = strspn(at + length + 1 + sign, "0123456789");
    is_float = is_float || exponent > 0;
    length += exponent > 0 ? 1 + sign + exponent : 0;
  }
  return is_float ? length : 0;
}

static gsize
scan_decimal(PtxToken *token, const char *at, gsize length) {
  double value = g_ascii_strtod(at, NULL);
  token->kind = PTX_TOKEN_DOUBLE;
  memcpy(&token->bits, &value, sizeof value);
  return length;
}

// Hexadecimal 0x1f, binary 0b1, octal 017 and decimal numbers, with U for unsigned (section 4.5.1).
static gsize
scan_integer(PtxToken *token, const char *at) {
  char mark = at[0] == '0' ? (char)(at[1] | 0x20) : '\0';
  guint base = mark == 'x' ? 16 : mark == 'b' ? 2 : at[0] == '0' ? 8 : 10;
  gsize prefix = base == 16 || base == 2 ? 2 : 0;
  token->kind = PTX_TOKEN_INTEGER;
  gsize digits = scan_digits(token, at + prefix, base);
  if (digits == 0)
    make_bad_ptx_token(token, "expected digits");
  gsize length = prefix + digits;
  token->is_unsigned = at[length] == 'U' || token->bits > G_MAXINT64;
  return length + (at[length] == 'U');
}

static gsize
scan_number(PtxToken *token, const char *at) {
  char mark = at[0] == '0' ? (char)(at[1] | 0x20) : '\0';
  gsize decimal =
      mark == 'f' || mark == 'd' || mark == 'x' || mark == 'b' ? 0 : measure_decimal(at);
  gsize length = mark == 'f' || mark == 'd' ? scan_float_bits(token, at)
                 : decimal > 0              ? scan_decimal(token, at, decimal)
                                            : scan_integer(token, at);
  if (has_class(at[length], NAME_PART) && token->kind != PTX_TOKEN_BAD)
    make_bad_ptx_token(token, "this is not a number");
  return length;
}

static gsize
scan_string(PtxToken *token, const char *at) {
  gsize length = 1;
  while (at[length] && at[length] != '\n' && at[length] != '"')
    length += at[length] == '\\' && at[length + 1] && at[length + 1] != '\n' ? 2 : 1;
  token->kind = PTX_TOKEN_STRING;
  if (at[length] == '"')
    return length + 1;
  make_bad_ptx_token(token, "this string has no end: expected \"");
  return length;
}

// A name and what "::" joins to it.
static gsize
measure_joined(const char *at) {
  gsize length = 0;
  while (has_class(at[length], NAME_PART) ||
         (at[length] == ':' && at[length + 1] == ':' && has_class(at[length + 2], NAME_PART)))
    length += at[length] == ':' ? 2 : 1;
  return length;
}

static gsize
scan_punctuator(PtxToken *token, const char *at) {
  static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  token->kind = PTX_TOKEN_PUNCTUATOR;
  token->punctuator = (guchar)*at;
  for (guint i = 0; i < G_N_ELEMENTS(pairs); i++) {
    if (at[0] == pairs[i][0] && at[1] == pairs[i][1]) {
      token->punctuator = PTX_PAIR(at[0], at[1]);
      return 2;
    }
  }
  if (at[0] == '/' && at[1] == '*')
    make_bad_ptx_token(token, "this comment has no end: expected */");
  else if (!strchr("{}()[]<>,;:@!=+-*/%~&|^?", *at))
    make_bad_ptx_token(token, "this is not part of PTX");
  return 1;
}

void
smb_ptx_lex(PtxLexer *lexer) {
  const char *at = lexer->at = smb_ptx_skip_space(lexer->at, &lexer->line);
  PtxToken *token = &lexer->token;
  *token = (PtxToken){.start = (guint32)(at - lexer->text), .line = lexer->line};
  gsize length = smb_ptx_name_length(at);
  if (length > 0) {
    token->kind = PTX_TOKEN_NAME;
  } else if (*at == '.' && (length = measure_decimal(at)) > 0 &&
             !has_class(at[length], NAME_PART)) {
    scan_decimal(token, at, length);
  } else if (*at == '.' && (length = measure_joined(at + 1)) > 0) {
    token->kind = PTX_TOKEN_DIRECTIVE;
    length++;
  } else if (has_class(*at, DIGIT)) {
    length = scan_number(token, at);
  } else if (*at == '"') {
    length = scan_string(token, at);
  } else if (*at) {
    length = scan_punctuator(token, at);
  } else {
    token->kind = PTX_TOKEN_END;
  }
  token->length = (guint32)length;
  lexer->at = at + length;
}

void
smb_ptx_lex_modifiers(PtxLexer *lexer) {
  gsize length;
  while (*lexer->at == '.' && (length = measure_joined(lexer->at + 1)) > 0) {
    lexer->at += 1 + length;
    lexer->token.length += (guint32)(1 + length);
  }
}

const char *
smb_ptx_lexer_peek(const PtxLexer *lexer) {
  return lexer->at + strspn(lexer->at, " \t\r\n");
}

void
smb_ptx_lexer_init(PtxLexer *lexer, const char *text) {
  *lexer = (PtxLexer){.text = text, .at = text, .line = 1};
  smb_ptx_lex(lexer);
}
