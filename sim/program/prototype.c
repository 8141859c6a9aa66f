// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/program/prototype.h"

#include <string.h>

#include "sim/program/inside.h"

static void
clear_member(gpointer data) {
  SmbMember *member = data;
  g_free(member->name);
  g_free(member->type);
}

static void
clear_declared(gpointer data) {
  SmbDeclared *declared = data;
  g_free(declared->name);
  g_free(declared->type);
  g_clear_pointer(&declared->members, g_array_unref);
  g_free(declared->unknown);
}

GArray *
smb_prototype_new(void) {
  GArray *prototype = g_array_new(FALSE, FALSE, sizeof(SmbDeclared));
  g_array_set_clear_func(prototype, clear_declared);
  return prototype;
}

void
smb_prototype_add_member(SmbDeclared *declared, SmbMember member) {
  if (!declared->members) {
    declared->members = g_array_new(FALSE, FALSE, sizeof(SmbMember));
    g_array_set_clear_func(declared->members, clear_member);
  }
  g_array_append_val(declared->members, member);
}

// What the code says of the size of a parameter holds: the text may be another than what was compiled.
static void
sign_parameter(SmbParameter *parameter, const SmbDeclared *declared) {
  if (*declared->name) {
    parameter->name = declared->name;
    parameter->is_unnamed = FALSE;
  }
  parameter->unknown = declared->unknown;
  if (declared->bytes != parameter->stored_bytes)
    return;
  parameter->type = declared->type;
  parameter->is_number = declared->is_number;
  parameter->scalar = declared->scalar;
  parameter->members = declared->members;
  parameter->is_pointer = declared->is_pointer;
  if (declared->is_pointer) {
    parameter->element = declared->element;
    parameter->element_bytes = declared->element_bytes;
  }
}

void
smb_program_set_prototype(SmbProgram *program, GArray *prototype) {
  if (prototype->len == program->parameters->len && !program->prototype) {
    for (guint i = 0; i < prototype->len; i++)
      sign_parameter(&g_array_index(program->parameters, SmbParameter, i),
                     &g_array_index(prototype, SmbDeclared, i));
    program->prototype = prototype;
  } else
    g_array_unref(prototype);
}

void
smb_program_miss_prototype(SmbProgram *program, const char *file) {
  g_free(program->names_file);
  program->names_file = g_strdup(file);
}

const SmbMember *
smb_program_member(const SmbProgram *program, guint parameter, gsize offset) {
  const GArray *members = smb_program_parameter(program, parameter).members;
  for (guint i = 0; members && i < members->len; i++) {
    const SmbMember *member = &g_array_index(members, SmbMember, i);
    if (offset - member->offset < member->bytes)
      return member;
  }
  return NULL;
}

const SmbMember *
smb_program_member_named(const SmbProgram *program, guint parameter, const char *name) {
  const GArray *members = smb_program_parameter(program, parameter).members;
  // A member of a base class comes first, and is hidden by one of the same name.
  for (guint i = members ? members->len : 0; i-- > 0;) {
    const SmbMember *member = &g_array_index(members, SmbMember, i);
    if (strcmp(member->name, name) == 0)
      return member;
  }
  return NULL;
}

char *
smb_program_place_name(const SmbProgram *program, guint parameter, gsize offset) {
  const SmbMember *member = smb_program_member(program, parameter, offset);
  g_autofree char *key = smb_program_parameter_key(program, parameter);
  return member ? g_strconcat(key, member->name, NULL)
                : g_strdup_printf("%s+%" G_GSIZE_FORMAT, key, offset);
}
