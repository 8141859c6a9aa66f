// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The disassembly of a kernel.
#include "sim/sass/listing.h"

#include "sim/exec/code.h"
#include "sim/image/cubin.h"
#include "sim/image/source-line.h"
#include "sim/sass/instruction.h"

static char *
disassemble(guint chip, const guint8 *bytes, guint32 pc) {
  SassInstruction instruction;
  if (smb_sass_read(chip, bytes, pc, &instruction))
    return smb_sass_text(&instruction);
  return g_strdup_printf("unknown opcode 0x%03x", instruction.opcode);
}

// Which line stands for the instruction, if the image says so.
static void
find_instruction_line(const SmbProgram *program, const SmbLines *lines,
                      const SmbCubinFunction *function, SmbCodeLine *instruction) {
  SmbLineFrame places[SMB_LINES_MAX_FRAMES];
  SmbFrame frames[SMB_LINES_MAX_FRAMES];
  guint n =
      lines ? smb_lines_find(lines, function->section, function->offset + instruction->pc, places)
            : 0;
  for (guint i = 0; i < n; i++)
    frames[i] =
        (SmbFrame){.file = smb_program_name_path(program, places[i].file), .line = places[i].line};
  if (n == 0)
    return;
  SmbSite site = {
      .file = frames[0].file, .line = frames[0].line, .frames = frames + 1, .n_frames = n - 1};
  smb_program_place_site(program, &site);
  instruction->file = g_strdup(site.file);
  instruction->line = site.line;
  if (site.n_frames == 0)
    return;
  instruction->frames = g_array_new(FALSE, FALSE, sizeof(SmbFrame));
  g_array_append_vals(instruction->frames, site.frames, site.n_frames);
}

GPtrArray *
smb_sass_instructions(const SmbProgram *program) {
  const SmbCubin *cubin = ((const Code *)program)->module;
  g_autoptr(SmbLines) lines = smb_lines_read(cubin, NULL);
  GPtrArray *list = g_ptr_array_new_with_free_func((GDestroyNotify)smb_code_line_free);
  for (guint i = 0; i < cubin->functions->len; i++) {
    const SmbCubinFunction *function = g_ptr_array_index(cubin->functions, i);
    if (!function->is_kernel || g_strcmp0(function->name, program->symbol) != 0)
      continue;
    for (guint32 pc = 0; pc + SASS_BYTES <= function->bytes; pc += SASS_BYTES) {
      SmbCodeLine *instruction = g_new0(SmbCodeLine, 1);
      instruction->pc = pc;
      instruction->text = disassemble(cubin->chip, function->code + pc, pc);
      find_instruction_line(program, lines, function, instruction);
      g_ptr_array_add(list, instruction);
    }
  }
  return list;
}
