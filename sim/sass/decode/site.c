// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where an access stands: an instruction, and the line of the source that it was compiled from, if the image says so.
#include "sim/sass/decode/decode.h"

static SmbFrame
make_sass_frame(const SassDecoder *decoder, const SmbLineFrame *place) {
  const char *path = g_string_chunk_insert_const(decoder->cubin->strings, place->file);
  return (SmbFrame){.file = smb_program_name_path(decoder->program, path), .line = place->line};
}

// The calls through which it was inlined, innermost first.
static const SmbFrame *
make_sass_frames(SassDecoder *decoder, const SmbLineFrame *places, guint n) {
  GArray *frames = g_array_new(FALSE, FALSE, sizeof(SmbFrame));
  for (guint i = 0; i < n; i++) {
    SmbFrame frame = make_sass_frame(decoder, &places[i]);
    g_array_append_val(frames, frame);
  }
  g_ptr_array_add(decoder->code->owned, frames);
  return (const SmbFrame *)(gpointer)frames->data;
}

// Where the image says that the current instruction is in the source.
static guint
find_source_places(const SassDecoder *decoder, SmbLineFrame *places) {
  const SassSection *section = smb_sass_section_at(decoder, decoder->builder.place);
  return section ? smb_lines_find(decoder->lines, section->section,
                                  decoder->builder.place - section->base, places)
                 : 0;
}

guint
smb_sass_add_site(gpointer data, SmbOpClass op_class, guint width) {
  SassDecoder *decoder = data;
  g_autofree char *text = smb_sass_text(decoder->instruction);
  g_autofree char *opcode = smb_sass_opcode_text(decoder->instruction);
  SmbLineFrame places[SMB_LINES_MAX_FRAMES];
  guint n = find_source_places(decoder, places);
  SmbSite site = {.offset = decoder->builder.place,
                  .expression = g_string_chunk_insert_const(decoder->cubin->strings, text),
                  .op_class = op_class,
                  .width = width,
                  .opcode = g_string_chunk_insert_const(decoder->cubin->strings, opcode),
                  .pc = decoder->builder.place};
  if (n > 0) {
    SmbFrame leaf = make_sass_frame(decoder, &places[0]);
    site.file = leaf.file;
    site.line = leaf.line;
    site.n_frames = n - 1;
    site.frames = make_sass_frames(decoder, places + 1, n - 1);
  }
  g_array_append_val(decoder->program->sites, site);
  return decoder->program->sites->len - 1;
}
