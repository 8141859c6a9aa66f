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
  parameter->is_tensor_map &= !declared->members;
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

// --- shared variables

static void
clear_shared_part(gpointer data) {
  SmbArray *part = data;
  g_free((char *)part->name);
  g_free((char *)part->element);
  g_free((char *)part->variable);
}

static void
clear_shared(gpointer data) {
  SmbDeclaredShared *shared = data;
  g_free(shared->name);
  g_array_unref(shared->parts);
  g_array_unref(shared->views);
}

GArray *
smb_declared_shared_new(void) {
  GArray *shared = g_array_new(FALSE, FALSE, sizeof(SmbDeclaredShared));
  g_array_set_clear_func(shared, clear_shared);
  return shared;
}

static GArray *
copy_shared_parts(const GArray *parts) {
  GArray *copies = g_array_new(FALSE, FALSE, sizeof(SmbArray));
  g_array_set_clear_func(copies, clear_shared_part);
  for (guint i = 0; i < parts->len; i++) {
    SmbArray part = g_array_index(parts, SmbArray, i);
    part.name = g_strdup(part.name);
    part.element = g_strdup(part.element);
    part.variable = g_strdup(part.variable);
    g_array_append_val(copies, part);
  }
  return copies;
}

void
smb_declared_shared_add(GArray *shared, const char *name, gsize bytes, gboolean is_dynamic,
                        const GArray *parts, const GArray *views) {
  const SmbDeclaredShared added = {.name = g_strdup(name),
                                   .bytes = bytes,
                                   .is_dynamic = is_dynamic,
                                   .parts = copy_shared_parts(parts),
                                   .views = copy_shared_parts(views)};
  g_array_append_val(shared, added);
}

static gboolean
is_declared_alike(const GArray *a, const GArray *b) {
  gboolean alike = a->len == b->len;
  for (guint i = 0; alike && i < a->len; i++) {
    const SmbArray *x = &g_array_index(a, SmbArray, i);
    const SmbArray *y = &g_array_index(b, SmbArray, i);
    alike = strcmp(x->name, y->name) == 0 && strcmp(x->element, y->element) == 0 &&
            x->base == y->base && x->is_union == y->is_union &&
            x->n_dimensions == y->n_dimensions &&
            memcmp(x->dimension, y->dimension, sizeof x->dimension) == 0;
  }
  return alike;
}

// What a text says of an array of compiled code, or NULL.
static const SmbDeclaredShared *
find_declared(const GArray *shared, const SmbArray *array) {
  const SmbDeclaredShared *found = NULL;
  for (guint i = 0; i < shared->len; i++) {
    const SmbDeclaredShared *one = &g_array_index(shared, SmbDeclaredShared, i);
    if (strcmp(one->name, array->name) != 0 || one->is_dynamic != array->is_dynamic ||
        (!one->is_dynamic && one->bytes != array->bytes))
      continue;
    if (found && !(is_declared_alike(found->parts, one->parts) &&
                   is_declared_alike(found->views, one->views)))
      return NULL;
    found = one;
  }
  return found;
}

// Adds the parts of a variable where it lies.
static void
place_parts(GArray *into, const GArray *parts, const SmbArray *variable) {
  for (guint k = 0; k < parts->len; k++) {
    SmbArray part = g_array_index(parts, SmbArray, k);
    part.base += variable->base;
    part.is_typed = !part.is_union;
    part.line = variable->line;
    part.column = variable->column;
    g_array_append_val(into, part);
  }
}

void
smb_program_set_shared(SmbProgram *program, GArray *shared) {
  g_autoptr(GArray) before = program->arrays;
  program->arrays = g_array_new(FALSE, FALSE, sizeof(SmbArray));
  g_array_set_size(program->views, 0);
  for (guint i = 0; i < before->len; i++) {
    const SmbArray *array = &g_array_index(before, SmbArray, i);
    const SmbDeclaredShared *declared = find_declared(shared, array);
    if (!declared)
      g_array_append_val(program->arrays, *array);
    if (declared) {
      place_parts(program->arrays, declared->parts, array);
      place_parts(program->views, declared->views, array);
    }
  }
  g_clear_pointer(&program->shared, g_array_unref);
  program->shared = shared;
}

void
smb_program_miss_prototype(SmbProgram *program, const char *file) {
  g_free(program->names_file);
  program->names_file = g_strdup(file);
}

const SmbMember *
smb_program_member(const SmbProgram *program, guint parameter, gsize offset) {
  const GArray *members = smb_program_parameter(program, parameter).members;
  const SmbMember *found = NULL, *shared = NULL;
  guint n = 0;
  for (guint i = 0; members && i < members->len; i++) {
    const SmbMember *member = &g_array_index(members, SmbMember, i);
    if (offset - member->offset >= member->bytes)
      continue;
    if (member->is_union)
      shared = member;
    else if (n++ == 0)
      found = member;
  }
  return shared && n != 1 ? shared : found;
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
smb_program_member_name(const SmbProgram *program, guint parameter, const SmbMember *member) {
  g_autofree char *key = smb_program_parameter_key(program, parameter);
  return g_strconcat(key, member->name, NULL);
}

// Characters of the name of a union before the "+" of its place.
static gsize
find_union_part(const SmbMember *member) {
  return strcspn(member->name, "+");
}

gboolean
smb_program_union_origin(const SmbProgram *program, guint parameter, const char *part,
                         gsize *origin) {
  const GArray *members = smb_program_parameter(program, parameter).members;
  for (guint i = 0; part && members && i < members->len; i++) {
    const SmbMember *member = &g_array_index(members, SmbMember, i);
    if (!member->is_union || strlen(part) != find_union_part(member) ||
        !g_str_has_prefix(member->name, part))
      continue;
    *origin = member->origin;
    return TRUE;
  }
  return FALSE;
}

char *
smb_program_place_name(const SmbProgram *program, guint parameter, gsize offset) {
  const SmbMember *member = smb_program_member(program, parameter, offset);
  g_autofree char *key = smb_program_parameter_key(program, parameter);
  if (member && member->is_union)
    return g_strdup_printf("%s%.*s+%" G_GSIZE_FORMAT, key, (int)find_union_part(member),
                           member->name, offset - member->origin);
  return member ? g_strconcat(key, member->name, NULL)
                : g_strdup_printf("%s+%" G_GSIZE_FORMAT, key, offset);
}
