// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where an access stands: in the source that was compiled, if the PTX says so (.loc), else in the PTX.
#include "sim/ptx/decode/decode.h"

static SmbFrame
make_ptx_frame(const PtxDecoder *decoder, const PtxLoc *loc) {
  const char *file = g_hash_table_lookup(decoder->module->files, GUINT_TO_POINTER(loc->file));
  return (SmbFrame){file ? smb_program_name_path(decoder->program, file) : "?", loc->line,
                    loc->column};
}

// The calls through which it was inlined, innermost first.
static const SmbFrame *
make_ptx_frames(PtxDecoder *decoder, const PtxLoc *loc, guint *n) {
  GArray *frames = g_array_new(FALSE, FALSE, sizeof(SmbFrame));
  for (guint32 at = loc->inlined_at; at != PTX_NONE;) {
    const PtxLoc *call = &g_array_index(decoder->module->locs, PtxLoc, at);
    SmbFrame frame = make_ptx_frame(decoder, call);
    g_array_append_val(frames, frame);
    at = call->inlined_at;
  }
  *n = frames->len;
  g_ptr_array_add(decoder->code->owned, frames);
  return (const SmbFrame *)(gpointer)frames->data;
}

guint
smb_ptx_add_site(gpointer data, SmbOpClass op_class, guint width) {
  PtxDecoder *decoder = data;
  const PtxInstruction *instruction = decoder->instruction;
  const PtxOpcode *opcode =
      &g_array_index(decoder->module->opcodes, PtxOpcode, instruction->opcode);
  g_autofree char *text = smb_ptx_instruction_text(decoder->module, instruction);
  SmbSite site = {.offset = instruction->offset,
                  .expression = g_string_chunk_insert_const(decoder->module->strings, text),
                  .op_class = op_class,
                  .width = width,
                  .opcode = opcode->text,
                  .pc = instruction->line};
  smb_source_locate(decoder->module->source, instruction->offset, &site.line, &site.column);
  if (instruction->loc != PTX_NONE) {
    const PtxLoc *loc = &g_array_index(decoder->module->locs, PtxLoc, instruction->loc);
    site.file = make_ptx_frame(decoder, loc).file;
    site.line = loc->line;
    site.column = loc->column;
    site.frames = make_ptx_frames(decoder, loc, &site.n_frames);
  }
  g_array_append_val(decoder->program->sites, site);
  return decoder->program->sites->len - 1;
}
