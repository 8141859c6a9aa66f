// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where an access stands: in the source that was compiled, if the PTX says so (.loc), else in the PTX.
#include "sim/ptx/decode/decode.h"

// A place, and the calls through which it was inlined, innermost first.
static void
add_ptx_frames(const SmbProgram *program, const PtxModule *module, guint32 loc, GArray *frames) {
  while (loc != PTX_NONE) {
    const PtxLoc *at = &g_array_index(module->locs, PtxLoc, loc);
    const char *file = g_hash_table_lookup(module->files, GUINT_TO_POINTER(at->file));
    const SmbFrame frame = {file ? smb_program_name_path(program, file) : "?", at->line,
                            at->column};
    g_array_append_val(frames, frame);
    loc = at->inlined_at;
  }
}

void
smb_ptx_locate(const SmbProgram *program, guint32 offset, GArray *frames) {
  const PtxModule *module = ((const Code *)program)->module;
  for (guint f = 0; f < module->functions->len; f++) {
    const PtxFunction *function = g_ptr_array_index(module->functions, f);
    for (guint i = 0; i < function->instructions->len; i++) {
      const PtxInstruction *instruction = &g_array_index(function->instructions, PtxInstruction, i);
      if (instruction->offset != offset)
        continue;
      add_ptx_frames(program, module, instruction->loc, frames);
      return;
    }
  }
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
    GArray *frames = g_array_new(FALSE, FALSE, sizeof(SmbFrame));
    add_ptx_frames(decoder->program, decoder->module, instruction->loc, frames);
    g_ptr_array_add(decoder->code->owned, frames);
    const SmbFrame *leaf = &g_array_index(frames, SmbFrame, 0);
    site.file = leaf->file;
    site.line = leaf->line;
    site.column = leaf->column;
    site.frames = leaf + 1;
    site.n_frames = frames->len - 1;
  }
  g_array_append_val(decoder->program->sites, site);
  return decoder->program->sites->len - 1;
}
