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
static char *
describe_level(const SmbTarget *target, gboolean is_beside) {
  const char *level = target->tile ? "" : smb_program_level(target->kernel);
  const char *name = strcmp(level, "text") == 0   ? "the text"
                     : strcmp(level, "ptx") == 0  ? "PTX"
                     : strcmp(level, "sass") == 0 ? "machine code"
                                                  : NULL;
  return name ? g_strdup_printf("; counted: %s%s", name, is_beside ? ", beside the text" : "")
              : g_strdup("");
}

// That a compiler may make something else of a text, which is not counted here.
static void
write_caution(SmbCli *cli, const SmbTarget *target) {
  if (target->tile || target->shape || strcmp(smb_program_level(target->kernel), "text") != 0)
    return;
  smb_text_wrap_printf(cli->out, "exact for the text as written: the compiled count may differ%s",
                       smb_target_lacks_compiler(target, cli->arch) ? " (no nvcc was found)" : "");
}

// The heading without the empty line below it.
static void
write_heading_lines(SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis,
                    const SmbCompiledCount *compiled) {
  const SmbTarget *counted =
      compiled && smb_compiled_count_has(compiled) ? compiled->target : target;
  g_autofree char *level = describe_level(counted, counted != target);
  g_autofree char *block = smb_describe_extent(target->launch.block);
  g_autofree char *grid = smb_describe_extent(target->launch.grid);
  g_autofree char *defines = g_strjoinv(" ", target->defines);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, target->name);
  g_autofree char *text = g_strdup_printf("  %s%s%s", target->file, *defines ? "  " : "", defines);
  smb_text_wrap_at(cli->out, text, smb_text_width(target->name), 4);
  smb_spool_printf(cli->out,
                   smb_arch_say(cli->arch, "block %s, grid %s, %" G_GSIZE_FORMAT
                                           " bytes of shared memory, %s%s\n"),
                   block, grid, analysis->shared_bytes, smb_arch_info(cli->arch)->name, level);
  if (counted->compiled)
    smb_text_wrap_printf(cli->out, "compiled: %s", counted->compiled);
  if (strcmp(smb_program_level(counted->kernel), "ptx") == 0)
    smb_text_wrap_printf(cli->out, "exact for %s", smb_analyze_exact_of(counted->kernel));
}

void
smb_analyze_write_heading(SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis) {
  write_heading_lines(cli, target, analysis, NULL);
  smb_spool_puts(cli->out, "\n");
}

void
smb_analyze_write_careful_heading(SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis,
                                  const SmbCompiledCount *compiled) {
  write_heading_lines(cli, target, analysis, compiled);
  if (!smb_compiled_count_has(compiled))
    write_caution(cli, target);
  smb_spool_puts(cli->out, "\n");
}
