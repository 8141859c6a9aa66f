// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// PTX as it is written: a module with its variables and functions, each instruction with its operands, nothing
// interpreted. One grammar reads all instructions (opcode{.modifier}* operands); what they mean is decoded elsewhere.
// Source: PTX ISA 9.0, sections 4 (syntax), 5.4 (variables), 6 (operands) and 11 (directives); where it says
// nothing, what ptxas 13.0 takes. Private to sim/ptx.
#pragma once

#include "sim/base/source.h"

G_BEGIN_DECLS

#define PTX_NONE G_MAXUINT32

// Most that a text may hold, where a few bytes of it ask for much; what else it takes grows with its length, which
// SMB_SOURCE_MAX_BYTES limits. A text of that length from a compiler stays below.
#define PTX_MAX_REGISTERS        (1u << 20) // of a function
#define PTX_MAX_MODULE_REGISTERS (1u << 22) // of all functions together
#define PTX_MAX_ELEMENTS         255u // of one vector, list or address, or operands of one instruction
#define PTX_MAX_LABELS           (1u << 20) // of all functions together
#define PTX_MAX_VARIABLES        (1u << 20) // of the module and of all functions together, with parameters
#define PTX_MAX_VARIABLE_BYTES   (G_GUINT64_CONSTANT(1) << 40)
#define PTX_MAX_DIMENSIONS       4u
#define PTX_MAX_FUNCTIONS        (1u << 16)
#define PTX_MAX_NESTING          64u // blocks, parentheses, vectors

typedef enum {
  PTX_OPERAND_REGISTER, // @index: of PtxFunction.registers; @bits: what is added to it ("%r1+4"; rare)
  PTX_OPERAND_SPECIAL, // @text: "%tid.x", "%laneid", "%clock64", …: what no .reg declares
  PTX_OPERAND_INTEGER, // @bits: two's complement of 64 bits
  PTX_OPERAND_SINGLE,  // @bits: 0fXXXXXXXX
  PTX_OPERAND_DOUBLE,  // @bits: 0dXXXXXXXXXXXXXXXX, or a decimal literal such as 1.5
  PTX_OPERAND_SYMBOL, // @text: a variable, parameter or function, which @where and @index name exactly (an inner
      // block may declare a name again); @bits: what is added to it in bytes ("tile+16", "tile[4]")
  PTX_OPERAND_LABEL, // @index: of PtxFunction.labels, @text: its name; also that of a table or a prototype
  PTX_OPERAND_ADDRESS, // [base+offset]: @n elements at @index: the base (register, symbol or integer); for the forms
      // with several ([tex, {c0, c1}], [tensorMap, {…}]) all of them; @bits: the offset of the first
  PTX_OPERAND_VECTOR, // {a, b, …}: @n elements at @index
  PTX_OPERAND_LIST,   // (a, b): of call: @n elements at @index
  PTX_OPERAND_SINK,   // _
  PTX_OPERAND_NONE,   // what stands for an operand that an instruction does not have
} PtxOperandKind;

// Where the index of a symbol points.
typedef enum {
  PTX_WHERE_MODULE,    // PtxModule.variables
  PTX_WHERE_FUNCTION,  // PtxModule.functions
  PTX_WHERE_LOCAL,     // PtxFunction.variables
  PTX_WHERE_PARAMETER, // PtxFunction.parameters
  PTX_WHERE_RETURN,    // PtxFunction.returns
} PtxWhere;

enum {
  PTX_FIRST_BYTE = 5, // PtxOperand.component
  PTX_FIRST_HALF = 9,
  PTX_OTHER_PARTS = 11,
};

typedef struct {
  guint8 kind; // PtxOperandKind
  guint8 n;    // elements
  // for a register: 1 to 4 for .x .y .z .w (.r .g .b .a), 5 to 8 for .b0 to .b3, 9 and 10 for .h0 and .h1,
  // PTX_OTHER_PARTS for several (of video instructions), else 0
  guint8 component;
  guint8 is_negated; // !%p; -%r
  guint32 index;     // elements are at PtxFunction.operands[index …]
  guint64 bits;
  const char *text; // interned by the module: equal texts are equal pointers
  guint32 offset;   // where it is, in the source
  guint8 where;     // PtxWhere, of a symbol
} PtxOperand;

typedef struct {
  guint32 opcode; // of PtxModule.opcodes
  guint32 guard;  // of PtxFunction.registers, or PTX_NONE
  gboolean guard_negated;
  guint32 operand; // of PtxFunction.operands: the first
  guint32 n_operands;
  // of "p|q" in the first operand (setp, shfl): the second one's operand, or PTX_NONE
  guint32 partner;
  guint32 loc;    // of PtxModule.locs: the last one before it in its function, or PTX_NONE
  guint32 offset; // in the source; of its guard, if it has one
  guint32 line;   // of the source, from 1
} PtxInstruction;

// An opcode as it is spelled, once for all instructions that have it: "ld.shared.v4.f32".
typedef struct {
  const char *text;
  // zero-terminated: "ld", "shared", "v4", "f32"; "shared::cta" is one part
  const char *const *parts;
  guint line; // of instructions.def; PTX_NO_LINE: none fits (smb_ptx_find_line())
} PtxOpcode;

typedef struct {
  const char *name; // "%r12"; not interned
  const char *type; // "u32", "b64", "pred", …
  guint8 vector;    // 1, 2 or 4
} PtxRegister;

typedef struct {
  const char *name;
  guint32 instruction; // that it is before; for the last one: their number
  guint32 offset;
} PtxLabel;

// A piece of an initialiser: @bits of @bytes bytes (a constant; elements that follow each other may share a piece),
// or the address of a symbol plus @bits.
typedef struct {
  guint64 at; // byte
  guint64 bits;
  // for a symbol: the piece is the byte of its address that this mask leaves; 0: all of it
  guint64 mask;
  const char *symbol; // or NULL
  guint8 bytes;
  gboolean is_generic; // generic(symbol)
} PtxInitial;

typedef struct {
  const char *name;
  const char *space; // "shared", "const", "global", "local", "param", "reg", "tex"
  const char *type;  // for an element: "f32"; "b8"
  guint vector;      // 1, 2, 4 or 8
  guint align;       // bytes: as it says, or that of its type
  guint64 dimension[PTX_MAX_DIMENSIONS];
  guint n_dimensions; // 0: no array; a dimension of 0: [] of an extern array
  guint64 bytes;      // 0 of an extern array
  gboolean is_extern;
  const char *points_to; // of a parameter with .ptr: "global", "shared", "generic", …; else NULL
  GArray *initial;       // PtxInitial, by place, or NULL; what none covers is zero
  guint32 offset;
} PtxVariable;

typedef struct {
  const char *name;
  gboolean is_entry;
  gboolean is_prototype; // has no body
  guint32 alias;         // of PtxModule.functions: whose body it runs (.alias), or PTX_NONE
  GArray *returns;       // PtxVariable
  GArray *parameters;    // PtxVariable
  // PtxRegister; of those that are returned and passed (.reg) first, in their order
  GArray *registers;
  GArray *variables; // PtxVariable: .shared, .local, .param, … declared inside, in any nested block
  GArray *instructions;   // PtxInstruction
  GArray *operands;       // PtxOperand
  GArray *labels;         // PtxLabel
  GArray *tables;         // PtxTable: .branchtargets, .calltargets
  guint32 required[3];    // .reqntid; 0: not said
  guint32 maximum[3];     // .maxntid
  guint32 most_registers; // .maxnreg; 0: not said
  guint32 least_blocks;   // .minnctapersm; 0: not said
  guint32 cluster[3];     // .reqnctapercluster; 0: not said
  guint32 offset;
} PtxFunction;

typedef struct {
  const char *name;   // its label
  guint32 label;      // of PtxFunction.labels: the same
  GPtrArray *targets; // const char *: labels, or functions
  GArray *indices;    // guint32, of each target: of PtxFunction.labels, or of PtxModule.functions
  gboolean is_calls;  // .calltargets: functions
} PtxTable;

// .loc: where a line of the program was
typedef struct {
  guint32 file; // number that .file gives
  guint32 line, column;
  guint32 inlined_at;   // of PtxModule.locs, before this one: where the call stands; PTX_NONE
  const char *function; // that was inlined (mangled), or NULL
} PtxLoc;

typedef struct {
  SmbSource *source;
  guint version;       // 10 * major + minor: 87 of 8.7
  const char *target;  // "sm_90a"
  guint address_bytes; // 4 or 8
  GStringChunk *strings;
  GHashTable *files;    // number → path
  GArray *opcodes;      // PtxOpcode
  GArray *variables;    // PtxVariable
  GPtrArray *functions; // PtxFunction, each name once
  GArray *locs;         // PtxLoc
} PtxModule;

// Whether a text is PTX: its first directive is .version.
gboolean smb_ptx_recognize(const SmbSource *source);

// (transfer full); SMB_ERROR_INPUT with the place. Names of registers, labels and functions that are used are there.
PtxModule *smb_ptx_module_read(SmbSource *source, GError **error);
void smb_ptx_module_free(PtxModule *module);

// What an instruction is in the text (transfer full): without its semicolon, comments and more space than between
// words.
char *smb_ptx_instruction_text(const PtxModule *module, const PtxInstruction *instruction);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PtxModule, smb_ptx_module_free)

G_END_DECLS
