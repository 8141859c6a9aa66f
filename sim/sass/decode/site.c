// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where an access stands: an instruction, and the line of the source that it was compiled from, if the image says so.
#include "sim/sass/decode/decode.h"

// "LDS.U.128"
static const char *
find_opcode(const SassDecoder *decoder) {
  const SassInstruction *instruction = decoder->instruction;
  g_autoptr(GString) text = g_string_new(instruction->name);
  for (guint i = 0; instruction->parts[i]; i++)
    g_string_append_printf(text, ".%s", instruction->parts[i]);
  return g_string_chunk_insert_const(decoder->cubin->strings, text->str);
}

guint
smb_sass_add_site(SassDecoder *decoder, SmbOpClass op_class, guint width) {
  g_autofree char *text = smb_sass_text(decoder->instruction);
  const SmbSite site = {.offset = decoder->place,
                        .expression = g_string_chunk_insert_const(decoder->cubin->strings, text),
                        .op_class = op_class,
                        .width = width,
                        .opcode = find_opcode(decoder),
                        .pc = decoder->place};
  g_array_append_val(decoder->program->sites, site);
  return decoder->program->sites->len - 1;
}
