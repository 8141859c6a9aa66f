// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/heading.h"

#include <string.h>

#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/analysis/verdict.h"
#include "src/out/describe.h"
#include "src/out/table.h"

// What is counted of a kernel. A tile is a pattern of addresses.
static const char *
describe_level(const SmbTarget *target) {
  const char *level = target->tile ? "" : smb_program_level(target->kernel);
  return strcmp(level, "text") == 0   ? "; counted: the text"
         : strcmp(level, "ptx") == 0  ? "; counted: PTX"
         : strcmp(level, "sass") == 0 ? "; counted: machine code"
                                      : "";
}

void
smb_analyze_write_heading(SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis) {
  g_autofree char *block = smb_describe_extent(target->launch.block);
  g_autofree char *grid = smb_describe_extent(target->launch.grid);
  g_autofree char *defines = g_strjoinv(" ", target->defines);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, target->name);
  g_autofree char *text = g_strdup_printf("  %s%s%s", target->file, *defines ? "  " : "", defines);
  smb_text_wrap_at(cli->out, text, smb_text_width(target->name), 4);
  smb_spool_printf(cli->out,
                   smb_arch_say(cli->arch, "block %s, grid %s, %" G_GSIZE_FORMAT
                                           " bytes of shared memory, %s%s\n"),
                   block, grid, analysis->shared_bytes, smb_arch_info(cli->arch)->name,
                   describe_level(target));
  if (target->compiled)
    smb_text_wrap_printf(cli->out, "compiled: %s", target->compiled);
  if (strcmp(smb_program_level(target->kernel), "ptx") == 0)
    smb_text_wrap_printf(cli->out, "exact for %s", smb_analyze_exact_of(target->kernel));
  smb_spool_puts(cli->out, "\n");
}
