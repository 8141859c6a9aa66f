// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the text of a kernel says of its parameters: names, types, and the members of structures. Compiled code has none of these.
#pragma once

#include "sim/program/program.h"

G_BEGIN_DECLS

/**
 * SmbMember: a number or a pointer in a structure, of its own or in a part of it; or a union
 * @name: from the parameter on: ".lda", ".a.x", ".size[2]"; of a union without a name its place: ".a+4"
 * @type: as C writes it: "int", "float *"
 * @offset, @bytes: where it lies in the parameter
 * @is_union: whether it is a union: its members follow it
 * @in_union: whether it is a member of a union, or of a part of one, and may share its bytes with others
 * @origin: of a union: where the part lies from which its bytes are counted: itself, or of one without a name that around it
 * @is_pointer: to a buffer; of a union: whether it is one whichever member is meant
 * @scalar: of a number: what it is; of a pointer: what its buffer holds
 */
typedef struct {
  char *name;
  char *type;
  gsize offset;
  gsize bytes;
  gboolean is_union;
  gboolean in_union;
  gsize origin;
  gboolean is_pointer;
  SmbScalar scalar;
} SmbMember;

/**
 * SmbDeclared: a parameter as a text declares it
 * @name: "" of one without a name
 * @type: as C writes it
 * @bytes: its size; 0: not known, and nothing that follows is
 * @is_pointer, @element, @element_bytes: as of SmbParameter
 * @is_number, @scalar: whether it is a number, and which
 * @members: (nullable) (element-type SmbMember): of a structure, in the order of the text
 * @unknown: (nullable): of a structure whose layout is not known: why, in words
 */
typedef struct {
  char *name;
  char *type;
  gsize bytes;
  gboolean is_pointer;
  SmbScalar element;
  guint element_bytes;
  gboolean is_number;
  SmbScalar scalar;
  GArray *members;
  char *unknown;
} SmbDeclared;

/**
 * SmbDeclaredShared: a shared variable as a text declares it
 * @bytes: its size; 0 of a dynamic one
 * @parts: (element-type SmbArray): itself, or the members of a structure, whose @base is from its start on; it owns their strings
 * @views: (element-type SmbArray): members of unions among @parts, which overlap
 */
typedef struct {
  char *name;
  gsize bytes;
  gboolean is_dynamic;
  GArray *parts;
  GArray *views;
} SmbDeclaredShared;

/** smb_prototype_new: Returns: (transfer full) (element-type SmbDeclared): an empty list, whose elements own what they hold */
GArray *smb_prototype_new(void);

/** smb_prototype_add_member: adds a member; @declared owns it */
void smb_prototype_add_member(SmbDeclared *declared, SmbMember member);

/**
 * smb_program_set_prototype:
 * @program: compiled code
 * @prototype: (transfer full) (element-type SmbDeclared): what the text of its kernel declares
 *
 * Names its parameters, if there are as many; one whose size differs gets its name alone.
 */
void smb_program_set_prototype(SmbProgram *program, GArray *prototype);

/** smb_declared_shared_new: Returns: (transfer full) (element-type SmbDeclaredShared): an empty list, whose elements own what they hold */
GArray *smb_declared_shared_new(void);

/** smb_declared_shared_add: adds a variable; @parts, @views: (transfer none): strings are copied */
void smb_declared_shared_add(GArray *shared, const char *name, gsize bytes, gboolean is_dynamic,
                             const GArray *parts, const GArray *views);

/**
 * smb_program_set_shared:
 * @program: compiled code
 * @shared: (transfer full) (element-type SmbDeclaredShared): what the text of its kernel declares
 *
 * Its arrays get elements, dimensions and members from the variable of the same name and size. Of several that differ, or none, they
 * stay as they are.
 */
void smb_program_set_shared(SmbProgram *program, GArray *shared);

/** smb_program_miss_prototype: notes which file would name the parameters, were it there and unchanged: messages that list them say so */
void smb_program_miss_prototype(SmbProgram *program, const char *file);

/**
 * smb_program_member: Returns: (nullable) (transfer none): the member of a parameter that has a byte; the union, if several of its
 * members have it
 */
const SmbMember *smb_program_member(const SmbProgram *program, guint parameter, gsize offset);

/** smb_program_member_named: Returns: (nullable) (transfer none): the member of a parameter of a name, as of SmbMember */
const SmbMember *smb_program_member_named(const SmbProgram *program, guint parameter,
                                          const char *name);

/** smb_program_member_name: Returns: (transfer full): what messages and options call a member of a parameter: "p.lda" */
char *smb_program_member_name(const SmbProgram *program, guint parameter, const SmbMember *member);

/**
 * smb_program_union_origin:
 * @part: (nullable): of a name as of SmbMember, what is in front of the "+" of a byte: ".u"
 * @origin: (out): the byte of the parameter from which on the name counts
 *
 * Returns: whether it is the name of a union, or of a part that has one without a name
 */
gboolean smb_program_union_origin(const SmbProgram *program, guint parameter, const char *part,
                                  gsize *origin);

/**
 * smb_program_place_name: Returns: (transfer full): what messages and options call a byte of a parameter: "p.lda", or "0+16"; "p.u+4"
 * of a union if several of its members have it
 */
char *smb_program_place_name(const SmbProgram *program, guint parameter, gsize offset);

G_END_DECLS
