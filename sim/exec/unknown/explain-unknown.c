// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Why something is not known, in words: the contents of a buffer, what an instruction that is not modelled left, or
// what a thread stored that was not known itself. A hint goes with the words if something can be given so that it is
// known.
#include "sim/exec/unknown/unknown.h"

#include <string.h>

#include "sim/program/prototype.h"

enum {
  MAX_CHAIN = 8, // links of an explanation
};

// Where a step is: a line of the program that was compiled, or of the compiled text.
static char *
describe_step_place(const Exec *exec, guint32 number) {
  const Step *step = &exec->steps[number];
  if (step->transfer && step->transfer->move.site < smb_program_n_sites(&exec->code->program))
    return smb_site_place(smb_program_site(&exec->code->program, step->transfer->move.site));
  guint line = 0, column = 0;
  if (!exec->code->program.source)
    return g_strdup_printf("0x%x", step->place);
  smb_source_locate(exec->code->program.source, step->place, &line, &column);
  return g_strdup_printf("line %u", line);
}

// The parameter that points to an address of memory at or below @address, the next to it, behind @first; in words
// (transfer full).
static char *
describe_pointer(const Exec *exec, guint64 first, guint64 address) {
  const guint8 *bytes = exec->parameters.bytes;
  guint64 best = 0;
  guint parameter = 0;
  for (guint p = 0; p < exec->code->places->len; p++) {
    const ParameterPlace *place = &g_array_index(exec->code->places, ParameterPlace, p);
    for (gsize at = 0; at + sizeof best <= place->bytes; at += sizeof best) {
      guint64 pointer;
      memcpy(&pointer, bytes + place->offset + at, sizeof pointer);
      if (pointer < first || pointer > address || pointer <= best)
        continue;
      best = pointer;
      parameter = p;
    }
  }
  g_autofree char *described =
      best ? smb_program_describe_parameter(&exec->code->program, parameter) : NULL;
  return best ? g_strdup_printf(" (%s points into it)", described) : g_strdup("");
}

// The field whose buffer has an address, or NULL.
static const SmbField *
find_field(const Exec *exec, guint64 address) {
  const GArray *fields = exec->parameters.fields;
  for (guint i = 0; i < fields->len; i++) {
    const SmbField *field = &g_array_index(fields, SmbField, i);
    if (field->address && address - field->address < SMB_FIELD_BUFFER_BYTES)
      return field;
  }
  return NULL;
}

// For memory at addresses: "the contents of unrecorded memory at 0x7f3a40000040 (parameter 2 points into it), loaded
// at scan.cu:30"; for the buffer of a field, also the hint that gives it contents.
static char *
explain_memory(const Exec *exec, const Cause *cause, const char *place, SmbHint *hint) {
  guint64 first = 0, end = 0;
  gboolean known = smb_map_piece(exec->block->map, cause->address, &first, &end);
  const SmbField *field = find_field(exec, cause->address);
  g_autofree char *pointer = field ? g_strdup("") : describe_pointer(exec, first, cause->address);
  g_autofree char *memory =
      field ? g_strdup_printf("the buffer of %s", field->name)
            : g_strdup_printf("%smemory at 0x%" G_GINT64_MODIFIER "x%s", known ? "" : "unrecorded ",
                              cause->address, pointer);
  if (known)
    return g_strdup_printf("data stored to %s while the kernel runs, loaded at %s", memory, place);
  if (!field)
    return g_strdup_printf("the contents of %s, loaded at %s", memory, place);
  *hint = (SmbHint){.kind = SMB_HINT_BUFFER, .name = g_strdup(field->name)};
  return g_strdup_printf("the contents of %s, loaded at %s", memory, place);
}

// "byte 24 of parameter 0, which has no value".
static char *
explain_parameter(const Exec *exec, const Cause *cause, SmbHint *hint) {
  gsize at = (gsize)(cause->address - make_pointer(REGION_PARAMETERS, 0));
  for (guint p = 0; p < exec->code->places->len; p++) {
    const ParameterPlace *place = &g_array_index(exec->code->places, ParameterPlace, p);
    if (at - place->offset >= place->bytes)
      continue;
    hint->kind = SMB_HINT_ARGUMENT;
    hint->name = smb_program_place_name(&exec->code->program, p, at - place->offset);
    return smb_program_member(&exec->code->program, p, at - place->offset)
               ? g_strdup_printf("'%s', which has no value", hint->name)
               : g_strdup_printf("byte %" G_GSIZE_FORMAT " of parameter %u, which has no value",
                                 at - place->offset, p);
  }
  return g_strdup("padding between parameters");
}

// For a buffer or a variable. A recorded launch cannot be given other contents.
static char *
explain_buffer(const Exec *exec, const Object *buffer, const char *place, SmbHint *hint) {
  g_autofree char *object = smb_object_describe(exec->block, buffer);
  if (buffer->contents.fill != SMB_FILL_UNKNOWN)
    return g_strdup_printf("data stored to %s while the kernel runs, loaded at %s", object, place);
  if (exec->block->map && exec->parameters.fields->len == 0)
    return g_strdup_printf("the unrecorded contents of %s, loaded at %s", object, place);
  *hint = (SmbHint){.kind = SMB_HINT_BUFFER, .name = smb_object_key(exec->block, buffer)};
  return g_strdup_printf("the contents of %s, loaded at %s", object, place);
}

// "the contents of parameter 2 ('in'), loaded at scan.cu:30"
static char *
explain_origin(const Exec *exec, guint32 origin, SmbHint *hint) {
  for (guint link = 0; link < MAX_CHAIN && origin > 0; link++) {
    const Cause *cause = &exec->unknown->causes[origin - 1];
    if (cause->kind == CAUSE_CONTENTS && cause->object == REGION_PARAMETERS)
      return explain_parameter(exec, cause, hint);
    g_autofree char *place = describe_step_place(exec, origin - 1);
    if (cause->kind == CAUSE_OPAQUE)
      return g_strdup_printf("the result of an instruction that smembank does not model (%s)",
                             place);
    if (cause->kind == CAUSE_CONTENTS) {
      const Object *object = &exec->block->objects[cause->object];
      return object->map ? explain_memory(exec, cause, place, hint)
                         : explain_buffer(exec, object, place, hint);
    }
    if (cause->kind == CAUSE_NONE)
      return g_strdup_printf("an unknown value (%s)", place);
    if (cause->origin == 0)
      return g_strdup_printf("uninitialized memory, loaded at %s", place);
    origin = cause->origin;
  }
  return g_strdup("a register that nothing sets, such as %clock");
}

char *
smb_unknown_explain(const Exec *exec, guint32 origin, SmbHint *hint) {
  *hint = (SmbHint){.kind = SMB_HINT_NONE};
  return explain_origin(exec, origin, hint);
}
