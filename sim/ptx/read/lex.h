// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The tokens of PTX, one at a time (PTX ISA 9.0, section 4). What no token begins with is a token of its own, an
// error only where it is read. Private to sim/ptx.
#pragma once

#include <glib.h>

typedef enum {
  PTX_TOKEN_END,
  PTX_TOKEN_BAD,       // @problem
  PTX_TOKEN_NAME,      // loop, %r1, $L__BB0_1, _
  PTX_TOKEN_DIRECTIVE, // .visible, .x, .L2::128B: the point included
  PTX_TOKEN_INTEGER,   // @bits
  PTX_TOKEN_SINGLE,    // @bits: 0f3F800000
  PTX_TOKEN_DOUBLE,    // @bits: 0d3FF0000000000000, 1.5
  PTX_TOKEN_STRING,    // the quotes included
  PTX_TOKEN_PUNCTUATOR,
} PtxTokenKind;

// A punctuator of two characters; one of one is that character.
#define PTX_PAIR(a, b) ((guint16)((a) | (b) << 8))

typedef struct {
  guint8 kind;        // PtxTokenKind
  guint8 is_unsigned; // for an integer: it says so, or does not fit into 63 bits
  guint16 punctuator;
  guint32 start, length; // bytes of the text
  guint32 line;          // from 1
  guint64 bits;
  const char *problem;
} PtxToken;

typedef struct {
  const char *text;
  const char *at; // behind the token
  guint32 line;   // of @at
  PtxToken token; // the current one
} PtxLexer;

// Begins with the first token of a zero-terminated text, which stays the caller's.
void smb_ptx_lexer_init(PtxLexer *lexer, const char *text);

// Goes to the next token.
void smb_ptx_lex(PtxLexer *lexer);

// Takes the modifiers that adjoin a name into its token: "ld" becomes "ld.global.L2::128B".
void smb_ptx_lex_modifiers(PtxLexer *lexer);

// What follows the token and blanks.
const char *smb_ptx_lexer_peek(const PtxLexer *lexer);

// How many bytes of a name begin here; 0: none does.
gsize smb_ptx_name_length(const char *text);

// Behind the white space and the comments that begin here; @line goes with it. At the start of a comment that
// has no end, it stays.
const char *smb_ptx_skip_space(const char *at, guint32 *line);
