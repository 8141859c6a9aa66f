// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The parser's own interfaces: declarations, statements, expressions, and the nodes that they make.
// A function that returns NULL or FALSE has set the error. Private to the kernel language.
#pragma once

#include "sim/cuda/tree/ast.h"
#include "sim/cuda/text/outline.h"

typedef struct {
  SmbKernel *kernel;
  KernelPool *pool;
  const Outline *outline;
  Item *item;           // that is read
  Token *at;            // the token that is looked at
  const Token *last;    // the token before it
  guint n_sites;        // that the function has so far
  guint n_touches;      // sites and calls
  GPtrArray *scopes;    // GHashTable: name → Variable
  GPtrArray *obstacles; // GError: of the statements that could not be read
  GHashTable *doubtful; // names in these statements: what they mean is not known
  gboolean is_over;     // no further obstacle is looked for
  Function *function;
  Node **arguments; // that the function is read for: what its references are bound to
  guint n_arguments;
  gboolean is_head;         // no function is read beyond its parameters
  gboolean may_refer;       // a "&" may stand here
  gboolean is_rolled;       // the statement that begins is behind "#pragma unroll 1"
  gboolean is_reference;    // and did
  guint loops;              // that surround this place
  guint switches;           // likewise
  const Variable *selector; // of the innermost switch: what its labels are compared with
  guint labels_in;          // number of scopes directly in that switch
  gboolean in_report;       // within the arguments of printf or assert, where strings may be
  guint depth;
  guint base; // the depth at which the function begins
  GError **error;
} Parser;

// --- errors, tokens (parse.c)
G_GNUC_PRINTF(3, 4)
gpointer smb_parser_fail(Parser *parser, guint32 offset, const char *format, ...);
// The same where that is FALSE.
#define smb_parser_refuse(...) ((void)smb_parser_fail(__VA_ARGS__), FALSE)
// Whether what is called @name, which takes @wanted arguments, has as many; fails otherwise.
gboolean smb_parser_check_count(Parser *parser, const Token *name, guint wanted, guint n);
gboolean smb_parser_is(const Parser *parser, const char *text);
gboolean smb_parser_take(Parser *parser, const char *text);
gboolean smb_parser_expect(Parser *parser, const char *text);
void smb_parser_advance(Parser *parser);
// Looks at a token, or at the name behind it if it is a namespace or "::": these are not told apart.
void smb_parser_move(Parser *parser, Token *token);
gboolean smb_parser_enter(Parser *parser); // one level deeper; fails beyond the limit
void smb_parser_leave(Parser *parser);
// Adds an item to a list in pool memory, unless it is there.
void smb_parser_link(Parser *parser, Link **list, gconstpointer item);
// Skips what stands between the bracket here and its counterpart.
gboolean smb_parser_skip_group(Parser *parser, const char *open, const char *close);

// --- specifiers (specifier.c)

// What stands before the declarators of a declaration.
typedef struct {
  const Type *type;
  gboolean is_const;
  gboolean is_volatile;
  gboolean is_static;
  gboolean is_shared;
  gboolean is_extern;
  gboolean is_global;
  gboolean is_device;
  gboolean is_constant_memory;
  gboolean is_auto;       // the type is that of the first value
  gboolean declares_type; // a structure or an enumeration: there need not be a variable
  guint align;            // asked for by __align__, or 0
  guint max_threads;      // that __launch_bounds__ allows, or 0
  guint32 start;          // of the first of them
} Specifiers;

gboolean smb_parse_starts_type(Parser *parser);
gboolean smb_parse_specifiers(Parser *parser, Specifiers *specifiers);
// The same where there is no first value that "auto" could be the type of.
gboolean smb_parse_typed_specifiers(Parser *parser, Specifiers *specifiers);
// Takes the qualifiers behind a "*", which say nothing here.
gboolean smb_parse_qualifiers(Parser *parser);
// Takes ("__align__" | "alignas") "(" constant ")", if any: the largest of them and @align.
gboolean smb_parse_alignments(Parser *parser, guint *align);
// Whether a word is a specifier, other than the name of a type.
gboolean smb_parse_is_specifier(const Token *token);

// --- structures (structure.c, copy.c)

// No object is larger than this, in bytes: far more than any shared memory.
#define MAX_OBJECT_BYTES ((gsize)1 << 30)

// "struct" is here: the definition of a structure, or the name of one. @is_defined: set if it is a definition
const Type *smb_parse_structure(Parser *parser, gboolean *is_defined);
// What lies @offset bytes behind the start of a place in memory.
Node *smb_node_part(Parser *parser, const Node *place, const Type *type, gsize offset, guint32 end);
// Adds a member behind those that there are; "" has no name. @align: asked for, or 0
gboolean smb_structure_add(Parser *parser, Type *type, GArray *members, const Token *name,
                           const Type *of, guint align);
Node *smb_structure_member(Parser *parser, const Node *base, const Token *name);
// @to becomes what @from is; both are places of one structure. Returns: @to
Node *smb_node_copy(Parser *parser, const Node *to, const Node *from, guint32 start, guint32 end);
// A variable without a name.
Node *smb_node_temporary(Parser *parser, const Type *type, guint32 start, guint32 end);

// --- classes, in heads (class.c)

// The bases and members of a class, for its layout; ":" or "{" is here.
gboolean smb_parse_class(Parser *parser, Type *type);
gboolean smb_parse_starts_class_instance(const Parser *parser);
// An instance of a class template is here: its type. NULL: it is not, or an error.
const Type *smb_parse_class_instance(Parser *parser);
// What the error says, in pool memory, without the line.
const char *smb_parser_keep_reason(Parser *parser);
// A parameter whose type cannot be read, as the error says: a pointer to bytes, or a structure of an unknown size, which keeps the
// reason. NULL: it has no name
const Type *smb_parse_foreign_parameter(Parser *parser, const Token **name);

// --- shared variables (shared.c)

// Adds a shared variable to @arrays (SmbArray), as others may know it: of a structure its members; those of unions to @views, or
// NULL.
void smb_shared_describe(const SmbKernel *kernel, const Variable *variable, GArray *arrays,
                         GArray *views);
// Declares the shared variables of a function whose body begins here, and of those that it names, as far as they can be read.
void smb_shared_look(const Parser *parser);
// The same of a function of the file that is no template.
void smb_parser_look_within(const Parser *parser, Item *item);

// --- declarations (declare.c)
// type "*"*: a type name as in a cast
const Type *smb_parse_type_name(Parser *parser);
const Type *smb_parse_pointers(Parser *parser, const Type *type);
// "*"* ("(" "*" name? ")" dimensions | name? dimensions); @name stays NULL if there is none
const Type *smb_parse_declared(Parser *parser, const Type *type, const Token **name);
// ("[" constant "]")*; the first may be empty, and is then 0 elements
const Type *smb_parse_dimensions(Parser *parser, const Type *type);
// A declaration within a function, or of shared variables and constants outside.
Statement *smb_parse_declaration(Parser *parser, const Specifiers *specifiers);
Variable *smb_parser_declare(Parser *parser, const Token *name, const Type *type, Storage storage);
// What a name means here, or NULL: a variable, or a type if its storage is STORAGE_TYPE.
Variable *smb_parser_find(Parser *parser, const Token *name);
// The type that a name means here, or NULL.
const Type *smb_parser_find_type(Parser *parser, const Token *name);
// Whether a name for a type is declared here; and its declaration.
gboolean smb_parse_starts_alias(const Parser *parser);
gboolean smb_parse_alias(Parser *parser);

// Whether a static_assert is here; and it, which fails if its condition is false.
gboolean smb_parse_starts_assertion(const Parser *parser);
gboolean smb_parse_assertion(Parser *parser);
// Those outside functions, as far as what they say is known here: the others are a compiler's.
gboolean smb_parser_check_assertions(const Parser *parser);

// "=" was taken: the first value of @variable, as statements behind @last (initial.c)
gboolean smb_parse_initializer(Parser *parser, const Specifiers *specifiers, Variable *variable,
                               Statement ***last, guint32 start);

// A list as a value of that type (initial.c)
Node *smb_parse_braces(Parser *parser, const Type *type, guint32 start);
// ("=" (assignment | list) | list)?: what a variable in global or constant memory holds before the kernel runs
gboolean smb_parse_data(Parser *parser, Variable *variable);

// Gives a variable its first value, or makes it a constant (initial.c)
gboolean smb_parser_initialise(Parser *parser, const Specifiers *specifiers, Variable *variable,
                               Node *value, Statement ***last);

// --- templates (template.c)

enum {
  MAX_TEMPLATE_ARGUMENTS = 32
};

// A type or a constant.
typedef struct {
  guint32 start;
  const Type *type;
  Node *value;
} TemplateArgument;

typedef struct {
  guint n;
  TemplateArgument items[MAX_TEMPLATE_ARGUMENTS];
  const char *key; // "<128, float>"
} TemplateArguments;

gboolean smb_parse_template_arguments(Parser *parser, TemplateArguments *arguments);
// The same from a text that the user gave.
gboolean smb_parse_instance(Parser *parser, const Item *item, const char *text,
                            TemplateArguments *arguments);
// Adds what the values of a call say of the parameters that it does not give; @arguments may be empty.
gboolean smb_parser_deduce(Parser *parser, const Token *call, const Item *item, Node **values,
                           guint n, TemplateArguments *arguments);
// Declares the parameters of a template with these arguments (NULL: none), and moves to what it declares.
gboolean smb_parser_bind_template(Parser *parser, const Item *item,
                                  const TemplateArguments *arguments);

// --- functions and whole files (file.c)

// Reads the declaration of a name outside functions, if there is one and it was not read yet.
gboolean smb_parser_read_name(Parser *parser, const Token *name);
// The function that a name means, read when it is first called.
// @arguments: of a template, or NULL
// @values: @n arguments of the call, for what references are bound to
Function *smb_parser_read_function(Parser *parser, Item *item, const TemplateArguments *arguments,
                                   Node **values, guint n);
// The class that a template makes with these arguments.
const Type *smb_parser_read_class(Parser *parser, Item *item, const TemplateArguments *arguments);
// Looks for a function that may be called here. @found is NULL if the file has none of that name, or
// none for a kernel where one is built in.
gboolean smb_parser_find_function(Parser *parser, const Token *name, Item **found,
                                  gboolean is_builtin);

// --- statements (statement.c)
Statement *smb_parse_block(Parser *parser);
// Moves behind a statement by its words and brackets alone.
void smb_parser_skip_statement(Parser *parser);
Statement *smb_statement_make(Parser *parser, StatementKind kind, guint32 start);
// Makes one behind @last, which moves on.
Statement *smb_statement_append(Parser *parser, Statement ***last, StatementKind kind,
                                guint32 start);

// --- expressions (expression.c)
Node *smb_parse_expression(Parser *parser);
Node *smb_parse_assignment(Parser *parser);
Node *smb_parse_unary(Parser *parser);
Node *smb_parse_sum(Parser *parser); // without comparisons and shifts
gboolean smb_parse_constant(Parser *parser, gint64 *value);

// --- what operators are applied to (primary.c)
Node *smb_parse_primary(Parser *parser);
// Says why a name means nothing, or nothing that can be called.
gpointer smb_parser_refuse_name(Parser *parser, const Token *name, gboolean is_call);

// --- calls (call.c)
Node *smb_parse_call(Parser *parser, const Token *name);
// Whether "(" or the "<" of a template follows, and makes a call of the name in front.
gboolean smb_parse_starts_call(const Parser *parser, const Token *name);
// Whether a name is a function that is built in.
gboolean smb_builtin_is_name(const Token *name);
// Takes the values of arguments; and converts those from @first on.
gboolean smb_parser_evaluate(Parser *parser, Node **arguments, guint n);
gboolean smb_parser_convert(Parser *parser, Node **arguments, guint first, guint n,
                            const Type *type);

// --- built-in functions that are expressions (compose.c)
gboolean smb_composition_is_name(const Token *name);
Node *smb_composition_call(Parser *parser, const Token *name, Node **arguments, guint n);
// --- memset() (fill.c)
gboolean smb_fill_is_name(const Token *name);
Node *smb_fill_call(Parser *parser, const Token *name, Node **arguments, guint n);

// --- cooperative groups: the block (group.c)
// The type of a variable for the block, by its name; or NULL.
const Type *smb_group_find_type(const Token *name);
gboolean smb_group_is(const Node *node);
gboolean smb_group_is_name(const Token *name);    // of a function
gboolean smb_group_is_outside(const Token *name); // of what is not evaluated
Node *smb_group_call(Parser *parser, const Token *name, Node **arguments, guint n);
// ".name" was taken
Node *smb_group_member(Parser *parser, const Token *name);
// A vector of these components; __syncthreads() (call.c)
Node *smb_parser_make_vector(Parser *parser, const Token *name, const Type *type, Node **arguments,
                             guint n);
Node *smb_parser_make_barrier(Parser *parser, const Token *name);

// --- functions and operators of 16-bit reals, and of two of them (half.c)
gboolean smb_half_is_name(const Token *name);
Node *smb_half_call(Parser *parser, const Token *name, Node **arguments, guint n);
gboolean smb_half_is_pair(const Type *type);
// a operator b of pairs of one type; -a if the operator is below 0
Node *smb_half_operate(Parser *parser, gint op, Node *a, Node *b);
// A pair written as its type with two values: half2(a, b) (call.c)
Node *smb_parse_pair(Parser *parser, const Token *name, const Type *type);

// A function of numbers that are converted to their common type (call.c)
Node *smb_node_function(Parser *parser, const Token *name, Builtin builtin, Node **arguments,
                        guint n);
// min(a, number) (call.c)
Node *smb_node_minimum(Parser *parser, Node *a, gint64 number);

// --- nodes (node.c): each checks its operands, converts them and folds constants. An operand that is NULL was
// refused already: then so is what is made of it, here and for variables and memory below.

// One without operands; never NULL.
Node *smb_node_leaf(Parser *parser, NodeKind kind, const Type *type, guint32 start, guint32 end);
// One of up to three operands; NULL if it has too many levels.
Node *smb_node_new(Parser *parser, NodeKind kind, const Type *type, guint32 start, guint32 end,
                   Node *a, Node *b, Node *c);
// Says that a node is the top of so many levels, calls included; fails beyond the limit.
gboolean smb_node_set_depth(Parser *parser, Node *node, guint depth);
// Never NULL.
Node *smb_node_integer(Parser *parser, const Type *type, gint64 value, guint32 start, guint32 end);
Node *smb_node_special(Parser *parser, ThreadSpecial special, guint component, guint32 start,
                       guint32 end);
Node *smb_node_convert(Parser *parser, Node *node, const Type *type);
Node *smb_node_cast(Parser *parser, Node *node, const Type *type, guint32 start);
Node *smb_node_condition(Parser *parser, Node *node);
Node *smb_node_binary(Parser *parser, Operator op, Node *a, Node *b);
Node *smb_node_unary(Parser *parser, NodeKind kind, Node *a, guint32 start);
Node *smb_node_logical(Parser *parser, NodeKind kind, Node *a, Node *b);
Node *smb_node_choice(Parser *parser, Node *condition, Node *yes, Node *no);
// pointer + index, in elements
Node *smb_node_pointer_add(Parser *parser, Node *pointer, Node *index, gboolean subtract,
                           guint32 start, guint32 end);

// --- references (reference.c)
// How a reference to a type is bound to a value, or FALSE with an error.
gboolean smb_reference_classify(Parser *parser, const Node *value, const Type *type,
                                gboolean is_const, BindKind *kind);
// Declares a name for what a value is; of memory, for its address.
Variable *smb_reference_declare(Parser *parser, const Token *name, const Type *type, BindKind kind,
                                const Node *value);
// The variable of an address itself, not what it refers to.
Node *smb_reference_address(Parser *parser, const Variable *variable, guint32 start, guint32 end);

// --- variables and memory (place.c)
// What a name of it means; never NULL.
Node *smb_node_variable(Parser *parser, const Variable *variable, guint32 start, guint32 end);
Node *smb_node_dereference(Parser *parser, Node *pointer, guint32 start, guint32 end);
Node *smb_node_index(Parser *parser, Node *base, Node *index, guint32 end);
Node *smb_node_member(Parser *parser, Node *base, const Token *name);
// Component @i of a vector, by its number.
Node *smb_node_component(Parser *parser, Node *vector, guint i, guint32 end);
Node *smb_node_address(Parser *parser, Node *node, guint32 start);
// Marks a place in memory as read: gives it a site. Values that are used pass through here.
Node *smb_node_value(Parser *parser, Node *node);
// before, value
Node *smb_node_after(Parser *parser, Node *before, Node *value);
// a = b, or a = a operator b when @operator >= 0; @is_post: the old value results
Node *smb_node_assign(Parser *parser, Node *target, gint op, Node *value, gboolean is_post,
                      guint32 start, guint32 end);
// a = b
Node *smb_node_set(Parser *parser, Node *target, Node *value, guint32 start, guint32 end);
void smb_node_add_site(Parser *parser, Node *node, SmbOpClass op_class, gint *site);
// The shared variable that an address starts from, if that is written in it; else NULL.
const Variable *smb_node_root(const Node *node);

// --- what depends on the block (depend.c)
// Decides SmbProgram.may_repeat, of a kernel and all that it calls (Function), and Node.is_watched.
void smb_kernel_depend(SmbKernel *kernel, GHashTable *functions);

// Marks the accesses that compilers unroll (sim/cuda/unroll.c).
void smb_kernel_mark_unrolled(SmbKernel *kernel, GHashTable *functions);

// --- whole programs (parse.c, argument.c): as SmbFrontEnd says
SmbProgram *smb_kernel_read(SmbSource *source, const SmbProgramOptions *options, GError **error);
// A kernel that has no body, and cannot be run: its parameters are known.
// What the text says of the parameters (transfer full) (element-type SmbDeclared).
GArray *smb_kernel_prototype(const SmbKernel *kernel);
SmbProgram *smb_kernel_read_head(SmbSource *source, const SmbProgramOptions *options,
                                 GError **error);
// What a buffer of a type holds.
SmbScalar smb_kernel_element(const Type *type);
void smb_kernel_free(SmbProgram *program);
GBytes *smb_kernel_argument(const SmbProgram *program, guint parameter,
                            const char *const *arguments, GError **error);
