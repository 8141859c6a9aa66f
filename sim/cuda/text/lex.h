// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The tokens of CUDA C. Every token remembers where it stands in the file; one that a macro made
// remembers where the macro was used. Private to the kernel language.
#pragma once

#include "sim/cuda/pool.h"
#include "sim/base/source.h"

typedef enum {
  TOKEN_END,
  TOKEN_NAME,
  TOKEN_NUMBER,
  TOKEN_CHARACTER,
  TOKEN_STRING,
  TOKEN_PUNCTUATOR,
  TOKEN_BAD, // no token of CUDA C: an error where the program is read
} TokenKind;

typedef struct _Token Token;
typedef struct _HideSet HideSet;

struct _Token {
  Token *next;
  const char *text;    // pool memory; NULL at the end of a line or an argument
  HideSet *hidden;     // macros that must not expand this token again
  const char *problem; // of a TOKEN_BAD: what is wrong with it
  guint32 start;       // byte offsets of the place in the file, end exclusive
  guint32 end;
  guint32 spelled; // of an argument of a macro, where its letters stand in the file; else @start
  guint8 kind;
  guint8 first_of_line;
  guint8 after_space;
  guint8
      after_unroll_1; // a directive before it keeps the loop that begins here from being unrolled
};

// A stretch of the file, in bytes, end exclusive.
typedef struct {
  guint32 start;
  guint32 end;
} Stretch;

// Whether the token is this name or punctuator; or one of these, of which the last is NULL.
gboolean smb_token_is(const Token *token, const char *text);
gboolean smb_token_is_any(const Token *token, const char *const *texts);

// Splits a file, @part of @source, whose offsets begin at @base. Comments are white space; a backslash at
// the end of a line continues it. The list ends in a TOKEN_END. @left is how many tokens there may still be.
// NULL with an error for a comment without an end, or too many tokens.
Token *smb_kernel_lex(const SmbSource *source, const SmbSource *part, guint32 base,
                      KernelPool *pool, guint *left, GError **error);

// The value and type of a numeric literal.
typedef struct {
  gboolean is_float;
  gboolean is_single; // suffix f
  gboolean is_unsigned;
  gboolean is_long;
  guint64 integer;
  double real;
} Number;

// Reads a TOKEN_NUMBER or TOKEN_CHARACTER by C's rules for the types of literals.
gboolean smb_kernel_number_parse(const SmbSource *source, const Token *token, Number *number,
                                 GError **error);
