// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The options that say what is analyzed, for all commands that take a kernel.
#include "src/target/target.h"

// What GOption stores; one command line is parsed at a time.
static SmbTargetOptions typed;

static const GOptionEntry tile_entries[] = {
    {"rows", 0, 0, G_OPTION_ARG_STRING, &typed.rows, "rows of the tile", "R"},
    {"cols", 0, 0, G_OPTION_ARG_STRING, &typed.cols, "columns of the tile", "C"},
    {"pad", 0, 0, G_OPTION_ARG_STRING, &typed.pad, "elements added to each row (default 0)", "P"},
    {"elem", 0, 0, G_OPTION_ARG_STRING, &typed.elem,
     "type of an element, such as int, double or float4 (default int)", "TYPE"},
    {"write", 0, 0, G_OPTION_ARG_STRING, &typed.write, "how the tile is written (default row)",
     SMB_TARGET_ORDERS},
    {"read", 0, 0, G_OPTION_ARG_STRING, &typed.read, "how the tile is read (default col)",
     SMB_TARGET_ORDERS},
    {"dynamic", 0, 0, G_OPTION_ARG_NONE, &typed.dynamic, "put the tile in dynamic shared memory",
     NULL},
    G_OPTION_ENTRY_NULL,
};

static const GOptionEntry launch_entries[] = {
    {SMB_CASE_OPTION, 0, 0, G_OPTION_ARG_STRING, &typed.case_name,
     "a case of a project file: a kernel and its launch; options on the command line override it",
     "NAME"},
    {SMB_PROJECT_OPTION, 0, 0, G_OPTION_ARG_FILENAME, &typed.project,
     "the project file (default: smembank.ini in this folder or above it)", SMB_CLI_FILE},
    {"kernel", 0, 0, G_OPTION_ARG_STRING, &typed.kernel,
     "a built-in kernel: see 'smembank list kernels'", SMB_CLI_KERNEL_NAME},
    {"shape", 0, 0, G_OPTION_ARG_STRING, &typed.shape,
     "shape of the built-in kernel (default: by --block)", "SHAPE"},
    {"entry", 0, 0, G_OPTION_ARG_STRING, &typed.entry, "which __global__ function of FILE", "NAME"},
    {"instance", 0, 0, G_OPTION_ARG_STRING, &typed.instance,
     "which instance of a template of FILE, such as 'k<128,8>'", "NAME<ARGUMENTS>"},
    {"nvcc", 0, 0, G_OPTION_ARG_STRING, &typed.nvcc,
     "count what nvcc makes of FILE with these options, '' for none (default: beside the text, or "
     "alone if FILE is outside the kernel language)",
     "FLAGS"},
    {"triton", 0, 0, G_OPTION_ARG_FILENAME, &typed.triton,
     "a kernel in Triton's cache, in place of FILE, with its block and shared memory", "FOLDER"},
    {"define", 'D', 0, G_OPTION_ARG_STRING_ARRAY, &typed.defines,
     "define a macro; overrides the file's definition", "NAME[=VALUE]"},
    {"include", 'I', 0, G_OPTION_ARG_STRING_ARRAY, &typed.folders,
     "search a folder for included files", "FOLDER"},
    {"arg", 0, 0, G_OPTION_ARG_STRING_ARRAY, &typed.args,
     "value of a kernel parameter: a number, raw:HEXBYTES or @FILE; for a field of a structure in "
     "compiled code: a number such as i32:64, or 'pointer'",
     "NAME[+OFFSET]=VALUE"},
    {"buffer", 0, 0, G_OPTION_ARG_STRING_ARRAY, &typed.buffers,
     "contents of the buffer of a pointer parameter or field, and how many elements precede the "
     "pointer",
     "NAME[+OFFSET]=SPEC[@OFFSET]"},
    {"block", 0, 0, G_OPTION_ARG_STRING, &typed.block,
     "threads of a block (default: the kernel's __launch_bounds__, or one warp)", "X,Y,Z"},
    {"grid", 0, 0, G_OPTION_ARG_STRING, &typed.grid,
     "blocks of the grid (default 1, or one cluster)", "X,Y,Z"},
    {"cluster", 0, 0, G_OPTION_ARG_STRING, &typed.cluster,
     "blocks of a cluster (default: the kernel's __cluster_dims__, or no clusters)", "X,Y,Z"},
    {"dynamic-bytes", 0, 0, G_OPTION_ARG_STRING, &typed.dynamic_bytes,
     "bytes of dynamic shared memory: a number or an expression of macros", "N"},
    {"launch", 0, 0, G_OPTION_ARG_STRING, &typed.captured_launch,
     "launch N of FILE, a capture: see 'smembank list launches FILE'", "N"},
    {"worst", 0, 0, G_OPTION_ARG_NONE, &typed.captured_worst,
     "the launch of FILE, a capture, with the most excess wavefronts", NULL},
    {"unknown", 0, 0, G_OPTION_ARG_STRING, &typed.unknown,
     "if the address of a request is unknown: refuse the kernel, or skip the request (default "
     "error)",
     SMB_TARGET_UNKNOWN},
    {"frames", 0, 0, G_OPTION_ARG_STRING, &typed.frames,
     "the line of inlined code: its own, that of the call in your own files, or that in the kernel "
     "(default own)",
     SMB_TARGET_FRAMES},
    G_OPTION_ENTRY_NULL,
};

static const GOptionEntry array_entries[] = {
    {"array", 0, 0, G_OPTION_ARG_STRING_ARRAY, &typed.arrays,
     "only this shared array; or, in compiled code, its rows, columns and elements, such as "
     "tile=64x64xf16, or those of an array OFFSET bytes into it",
     "NAME[[+OFFSET]=SHAPE]"},
    G_OPTION_ENTRY_NULL,
};

static const GOptionEntry limit_entries[] = {
    {"max-steps", 0, 0, G_OPTION_ARG_STRING, &typed.max_steps,
     "statements that a block may execute", "N"},
    {"max-depth", 0, 0, G_OPTION_ARG_STRING, &typed.max_depth, "nesting depth of the text", "N"},
    {"max-tokens", 0, 0, G_OPTION_ARG_STRING, &typed.max_tokens,
     "tokens that the text may have once macros are expanded", "N"},
    {"max-memory", 0, 0, G_OPTION_ARG_STRING, &typed.max_memory,
     "MiB of local arrays and of global memory that a block may write", "N"},
    {"max-blocks", 0, 0, G_OPTION_ARG_STRING, &typed.max_blocks, "blocks that may be run", "N"},
    {"max-compile", 0, 0, G_OPTION_ARG_STRING, &typed.max_compile,
     "seconds that a compiler may take (default 300)", "N"},
    {"threads", 0, 0, G_OPTION_ARG_STRING, &typed.threads,
     "threads that run the blocks (default: one per processor)", "N"},
    G_OPTION_ENTRY_NULL,
};

static const GOptionEntry compiler_entries[] = {
    {SMB_TRUST_OPTION, 0, 0, G_OPTION_ARG_NONE, &typed.trusts,
     "let a project file give nvcc any option: such a file can run programs", NULL},
    {SMB_TEXT_OPTION, 0, 0, G_OPTION_ARG_NONE, &typed.text,
     "count a text as it is written: nvcc is not asked, even if there is one", NULL},
    {SMB_NO_CACHE_OPTION, 0, 0, G_OPTION_ARG_NONE, &typed.compiles_anew,
     "compile even if the result is cached, and do not keep it", NULL},
    G_OPTION_ENTRY_NULL,
};

const SmbCliGroup smb_target_tile_group = {"Tile", tile_entries};
const SmbCliGroup smb_target_launch_group = {"Kernel and launch", launch_entries};
const SmbCliGroup smb_target_array_group = {"Arrays", array_entries};
const SmbCliGroup smb_target_limit_group = {"Limits", limit_entries};
const SmbCliGroup smb_target_compiler_group = {"Compiler", compiler_entries};

const SmbTargetOptions *
smb_target_options(void) {
  return &typed;
}

void
smb_target_note_in(SmbFiles *files) {
  typed.files = files;
}

void
smb_target_clear_options(void) {
  g_clear_pointer(&typed.captured_as, g_free);
  typed.memory = NULL;
  static const SmbCliGroup *const groups[] = {SMB_TARGET_GROUPS, &smb_target_array_group};
  for (guint i = 0; i < G_N_ELEMENTS(groups); i++) {
    for (const GOptionEntry *entry = groups[i]->entries; entry->long_name; entry++) {
      if (entry->arg == G_OPTION_ARG_STRING || entry->arg == G_OPTION_ARG_FILENAME)
        g_clear_pointer((char **)entry->arg_data, g_free);
      else if (entry->arg == G_OPTION_ARG_STRING_ARRAY)
        g_clear_pointer((GStrv *)entry->arg_data, g_strfreev);
      else
        *(gboolean *)entry->arg_data = FALSE;
    }
  }
}

void
smb_target_take_capture(const char *name) {
  g_free(typed.captured_as);
  typed.captured_as = g_strdup(name);
  g_clear_pointer(&typed.nvcc, g_free);
  g_clear_pointer(&typed.entry, g_free);
  g_clear_pointer(&typed.defines, g_strfreev);
  g_clear_pointer(&typed.folders, g_strfreev);
}

// "32,8,1" (transfer full).
static char *
write_shape(const guint extent[3]) {
  return g_strdup_printf("%u,%u,%u", extent[0], extent[1], extent[2]);
}

void
smb_target_take_launch(const SmbCaptureLaunch *launch, const char *kernel, GStrv args,
                       GStrv buffers, GArray *memory) {
  char **name = strchr(kernel, '<') ? &typed.instance : &typed.entry;
  g_clear_pointer(&typed.entry, g_free);
  g_clear_pointer(&typed.captured_launch, g_free);
  *name = g_strdup(kernel);
  typed.block = write_shape(launch->block);
  typed.grid = write_shape(launch->grid);
  if (launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1)
    typed.cluster = write_shape(launch->cluster);
  typed.dynamic_bytes = g_strdup_printf("%" G_GUINT64_FORMAT, (guint64)launch->dynamic_bytes);
  typed.args = g_strdupv(args);
  typed.buffers = g_strdupv(buffers);
  typed.memory = memory;
}

void
smb_target_choose_launch(guint64 number) {
  g_free(typed.captured_launch);
  typed.captured_launch = g_strdup_printf("%" G_GUINT64_FORMAT, number);
  typed.captured_worst = FALSE;
}
