// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a kernel is after parsing: typed nodes with every conversion written out, so that evaluating
// needs no rule of C any more. Private to the kernel language.
#pragma once

#include "sim/cuda/front-end.h"
#include "sim/cuda/text/macro.h"
#include "sim/cuda/tree/type.h"

typedef enum {
#define SMB_OPERATOR(id, text, binding) OPERATOR_##id,
#include "sim/cuda/text/operator.def"
#undef SMB_OPERATOR
} Operator;

enum {
  N_OPERATORS = OPERATOR_NE + 1
};

typedef enum {
  NODE_CONSTANT,     // integer or real
  NODE_LOCAL,        // variable: a scalar, vector or pointer that each lane has its own of
  NODE_OBJECT,       // variable: the address of a shared variable or a local array
  NODE_SPECIAL,      // special, component: threadIdx.x, …
  NODE_COMPONENT,    // component of the vector a
  NODE_CAST,         // a converted to the node's type
  NODE_BITS,         // a's bits as another type of its size
  NODE_NEGATE,       // -a
  NODE_COMPLEMENT,   // ~a
  NODE_NOT,          // !a
  NODE_BINARY,       // a operator b; both of one type (shifts: of any two)
  NODE_POINTER_ADD,  // pointer a + index b (long) times integer bytes
  NODE_POINTER_DIFF, // (a - b) / integer bytes
  NODE_AND_THEN,     // a && b
  NODE_OR_ELSE,      // a || b
  NODE_CHOICE,       // a ? b : c
  NODE_COMMA,        // a, b
  NODE_MAKE_VECTOR,  // the components in arguments
  // from here on evaluating it twice may do something else, or make other requests
  NODE_DEREFERENCE, // memory at address a; of a structure, the address itself
  NODE_ASSIGN, // a = b; where b holds NODE_CURRENT, a's old value; is_post: the old value results
  NODE_COPY, // the structure at address b becomes that at address a, which results; arguments: pieces
  NODE_CURRENT, // the old value of the assignment around it
  NODE_CALL,    // function(arguments)
  NODE_BUILTIN, // builtin(arguments)
} NodeKind;

typedef enum {
  SPECIAL_THREAD,
  SPECIAL_BLOCK,
  SPECIAL_BLOCK_DIM,
  SPECIAL_GRID_DIM,
} ThreadSpecial;

typedef enum {
#define SMB_BUILTIN(id, name, arguments, group, operation) BUILTIN_##id,
#include "sim/cuda/builtin/builtin.def"
#undef SMB_BUILTIN
} Builtin;

// Arguments of a call, parameters of a function.
enum {
  MAX_ARGUMENTS = 64
};

typedef struct _Node Node;
typedef struct _Variable Variable;
typedef struct _Function Function;
typedef struct _Statement Statement;

struct _Node {
  guint8 kind;      // NodeKind
  guint8 op;        // Operator
  guint8 special;   // ThreadSpecial
  guint8 component; // of a vector, or of a special
  guint8 is_post;
  guint8 result_unused; // of an atomic: its value is thrown away
  guint8 width;         // of a piece of a structure: bytes that one access moves
  guint16 depth;
  guint16 padding; // of a piece of a structure: a bit for each byte that belongs to no member
  guint32 start;   // range of the source
  guint32 end;
  guint32
      spelled; // of an object that an argument of a macro names: where its name stands in the file; else 0
  gint load_site; // of a dereference: index of its site, or -1
  gint store_site;
  const Type *type;
  Node *a;
  Node *b;
  Node *c;
  gint64 integer;
  double real;
  const Variable *variable;
  const Function *function;
  Builtin builtin;
  Node **arguments;
  guint n_arguments;
  gboolean is_watched;    // an operation on values that depend on blockIdx: see depend.c
  gboolean right_depends; // of one on bits that is watched: the value is that of b, not of a
};

typedef enum {
  STORAGE_LOCAL,   // a value for each lane
  STORAGE_PRIVATE, // an array or a structure for each lane
  STORAGE_SHARED,
  STORAGE_DYNAMIC,  // extern __shared__
  STORAGE_GLOBAL,   // __device__
  STORAGE_CONSTANT, // __constant__
  STORAGE_TYPE,     // none: the name means a type
} Storage;

static inline gboolean
storage_is_shared(Storage storage) {
  return storage == STORAGE_SHARED || storage == STORAGE_DYNAMIC;
}

// A list in pool memory.
typedef struct _Link Link;
struct _Link {
  Link *next;
  gconstpointer item;
};

struct _Variable {
  const char *name;
  const Function *owner; // the function that declares it, or NULL
  const Type *type;
  Storage storage;
  guint32 start;        // where it was declared
  guint slot;           // index of a local's value, or of a memory object
  gsize address;        // of a static shared variable, in bytes
  SmbContents contents; // of one in global or constant memory
  gboolean is_constant; // const, initialised by the constant below
  gboolean is_const;    // cannot be assigned to once it has its first value
  gboolean is_volatile; // or points to what is
  const Node *constant;
  const Node *alias;     // of a reference to a variable: the variable, or a component of it
  gboolean is_reference; // to memory: the variable is the address
};

typedef enum {
  STATEMENT_EXPRESSION, // value
  STATEMENT_DECLARE,    // variable loses its value
  STATEMENT_BLOCK,      // first
  STATEMENT_IF,         // value, then, otherwise
  STATEMENT_LOOP,       // value (may be NULL: true), then, step; tests_first
  STATEMENT_BREAK,
  STATEMENT_CONTINUE,
  STATEMENT_RETURN, // value or NULL
  STATEMENT_SWITCH, // first: statements, with the labels between them
  STATEMENT_LABEL,  // of a switch: value is the condition to enter here; NULL: default
} StatementKind;

struct _Statement {
  StatementKind kind;
  gboolean tests_first; // of a loop: while and for; not do
  gboolean guards;      // accesses, or calls, are within
  gboolean is_rolled;   // a loop that the text keeps from being unrolled
  guint32 start;
  Statement *next; // in its block
  Statement *first;
  Statement *then;
  Statement *otherwise;
  Node *value;
  Node *step;
  const Variable *variable;
};

// What a variable is a name for: that of a reference to memory is what it refers to.
static inline const Type *
variable_type(const Variable *variable) {
  return variable->is_reference ? variable->type->of : variable->type;
}

// How a parameter of a function gets its argument.
typedef enum {
  BIND_VALUE,
  BIND_ALIAS,   // a reference to a variable of the caller: nothing is passed
  BIND_ADDRESS, // a reference to memory
} BindKind;

typedef struct {
  BindKind kind;
  gboolean is_reference;
  gboolean is_const;
  const Type *type;
  const Node *alias;
} Formal;

struct _Function {
  const char *name;
  const char *key;  // of an instance of a template: what it was made for
  Function *next;   // instance of the same function
  const Type *type; // of its result
  gboolean is_kernel;
  guint max_threads; // that __launch_bounds__ allows, or 0
  guint32 start;
  Stretch text;    // all of it, for a kernel
  guint height;    // levels of the deepest expression, calls and surrounding statements included
  guint n_formals; // as the text has them
  Formal formals[MAX_ARGUMENTS];
  guint n_parameters; // that are passed
  Variable **parameters;
  Variable *result; // NULL if void; of a structure: where the caller wants it, the last parameter
  gboolean meets_in_globals; // has an atomic that is not on a shared variable by its text
  Link *callees;             // Function
  Link *shared;              // Variable: the shared variables that it mentions
  Statement *body;
};

// Bytes that one access moves of what a node means.
static inline guint
node_access_bytes(const Node *node) {
  return node->width ? node->width : smb_type_move_bytes(node->type);
}

typedef struct _Lowered Lowered; // sim/cuda/lower/lower.h

/**
 * SmbKernel:
 * @lowered: as steps, once it is read
 */
struct _SmbKernel {
  SmbProgram program;
  Lowered *lowered;
  KernelPool *pool;
  KernelMacros *macros;
  GPtrArray *locals;  // Variable of STORAGE_LOCAL, by slot
  GPtrArray *objects; // Variable of the other storages, by slot
  GArray *unread;     // Stretch: what the kernel does not reach
  GArray *flows;      // SiteFlow, by site: sim/cuda/flow.h
  Function *entry;
};

typedef void (*NodeVisit)(gpointer data, const Node *node);

// Visits what a statement and those behind it evaluate, and those within them; NULL among them.
void smb_statement_visit(const Statement *statement, NodeVisit visit, gpointer data);

// Visits what a node is made of, its operands and then its arguments; NULL among them.
void smb_node_visit_parts(const Node *node, NodeVisit visit, gpointer data);

// Visits a function and all that it calls, directly or not, each once; what is called comes before its caller.
void smb_function_visit_all(const Function *function,
                            void (*visit)(gpointer data, const Function *function), gpointer data);

// What an operator is in the text. Those of a higher binding are applied first.
typedef struct {
  const char *text;
  guint8 binding;
} Infix;

extern const Infix smb_kernel_operators[N_OPERATORS];
const char *smb_kernel_builtin_name(Builtin builtin);
