// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The reader of PTX: one pass over the text, token by token. Every function that reads begins at the current token
// and leaves the one behind what it has read; one that returns FALSE has set the error.
// Private to the files that read modules.
#pragma once

#include "sim/ptx/isa/type.h"
#include "sim/ptx/read/lex.h"
#include "sim/ptx/read/module.h"
#include "sim/ptx/read/names.h"

// A name whose meaning is not known before its block ends: a label may stand below.
typedef struct {
  guint32 table;    // PtxFunction.tables, or PTX_NONE: an operand
  guint32 index;    // of the table's targets, or of PtxFunction.operands
  guint32 offset;   // of the name
  const char *what; // it should be: "label", "function", "name"
} PtxPending;

// .loc names the function by a label of .debug_str, which is at the end of the text.
typedef struct {
  guint32 loc;
  guint32 offset; // of the label
  guint64 addend;
} PtxInlined;

typedef struct {
  PtxModule *module;
  PtxLexer lexer;
  GError **error;
  PtxNames *names;   // of the module, the function and its blocks
  PtxNames *opcodes; // text → PtxModule.opcodes
  PtxNames *strings; // text → @interned
  GPtrArray *interned;
  guint nesting;
  guint n_registers, n_labels, n_variables; // in all

  // The function that is read
  PtxFunction *function;
  GArray *stack;   // PtxOperand that are read, before they are stored in a row
  GArray *pending; // PtxPending
  GArray *blocks;  // guint: number of pending names before each block
  guint32 loc;     // PtxModule.locs, or PTX_NONE

  // Lines
  GHashTable *places;     // of .loc → PtxModule.locs + 1, the last with it
  guint32 first_loc;      // of the function
  GArray *inlined;        // PtxInlined
  PtxNames *debug_labels; // of .debug_str → offset
  GByteArray *debug_text;
} PtxReader;

// Errors; all return FALSE. The second one is about the current token: "expected WHAT, not 'TOKEN'".
gboolean smb_ptx_fail(PtxReader *reader, guint32 offset, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
gboolean smb_ptx_fail_expected(PtxReader *reader, const char *what);

// Whether @count is at most @max: "more than MAX WHAT".
gboolean smb_ptx_within(PtxReader *reader, guint64 count, guint64 max, const char *what);

// The current token: its text; whether it is this punctuator or directive; going on if it is.
const char *smb_ptx_text(const PtxReader *reader);
gboolean smb_ptx_is(const PtxReader *reader, guint16 punctuator);
gboolean smb_ptx_is_directive(const PtxReader *reader, const char *directive);
gboolean smb_ptx_accept(PtxReader *reader, guint16 punctuator);
gboolean smb_ptx_accept_directive(PtxReader *reader, const char *directive);
gboolean smb_ptx_expect(PtxReader *reader, guint16 punctuator);
gboolean smb_ptx_expect_kind(PtxReader *reader, PtxTokenKind kind, const char *what);
gboolean smb_ptx_read_count(PtxReader *reader, guint32 *count); // an integer of 32 bits
gboolean smb_ptx_skip_to(PtxReader *reader,
                         guint16 close); // the rest up to what closes, that included

// A level deeper and out again; of parentheses, braces, blocks.
gboolean smb_ptx_enter(PtxReader *reader);
void smb_ptx_leave(PtxReader *reader);

// A copy of a text that the module keeps: the same pointer for the same text.
const char *smb_ptx_intern(PtxReader *reader, const char *text, gsize length);

// Declares a name in the current block; it is an error if that has it.
gboolean smb_ptx_declare(PtxReader *reader, guint32 offset, const char *text, gsize length,
                         PtxMeaning meaning);

// constant.c: a constant expression (PTX ISA, section 4.6).
typedef struct {
  enum {
    PTX_CONSTANT_SIGNED,
    PTX_CONSTANT_UNSIGNED,
    PTX_CONSTANT_DOUBLE
  } kind;
  guint64 bits; // of the integer, or of the double
} PtxConstant;
gboolean smb_ptx_read_constant(PtxReader *reader, PtxConstant *constant);
gboolean smb_ptx_read_integer(PtxReader *reader, guint64 *bits);
gboolean smb_ptx_is_warp_size(const PtxLexer *lexer);  // WARP_SZ: 32
gboolean smb_ptx_at_constant(const PtxReader *reader); // whether one begins here

// reader.c: the type and the vector that the current token names
const PtxType *smb_ptx_find_type(const PtxReader *reader); // NULL: no type that is declared
guint smb_ptx_find_vector(const PtxReader *reader);        // .v2: 2; 0: no vector

// variable.c
gboolean smb_ptx_at_space(const PtxReader *reader); // .shared, .global, …
gboolean smb_ptx_read_variables(PtxReader *reader, GArray *variables, PtxWhere where,
                                gboolean is_extern);
gboolean smb_ptx_read_parameters(PtxReader *reader, GArray *variables,
                                 PtxWhere where); // behind "("
GArray *smb_ptx_variables_new(void);

// initial.c: what follows "="
gboolean smb_ptx_read_initial(PtxReader *reader, PtxVariable *variable, const PtxType *type);

// register.c: .reg in a body; a register of a parameter
gboolean smb_ptx_read_registers(PtxReader *reader);
gboolean smb_ptx_declare_register(PtxReader *reader, guint32 offset, const char *name,
                                  const char *type, guint vector);

// operand-text.c: all of an instruction, up to its semicolon
gboolean smb_ptx_read_operands(PtxReader *reader, PtxInstruction *instruction);

// function.c: behind .entry, .func or .alias
gboolean smb_ptx_read_function(PtxReader *reader, gboolean is_entry);
gboolean smb_ptx_read_alias(PtxReader *reader);
void smb_ptx_function_free(PtxFunction *function);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PtxFunction, smb_ptx_function_free)

gboolean smb_ptx_read_pragma(PtxReader *reader); // behind .pragma

// function-body.c: from { (which the caller has seen) to }
gboolean smb_ptx_read_body(PtxReader *reader);

// loc.c: behind .file, .loc or .section; at the end, the names of functions that were inlined
gboolean smb_ptx_read_file(PtxReader *reader);
gboolean smb_ptx_read_loc(PtxReader *reader);
gboolean smb_ptx_read_section(PtxReader *reader);
void smb_ptx_name_inlined(PtxReader *reader);

// special.c: whether a name is that of a special register, and whether it has .x .y .z .w
gboolean smb_ptx_is_special(const char *text, gsize length, gboolean *has_components);
