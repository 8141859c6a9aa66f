// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/file-reader.h"

#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

#include "gpu/redirect/elf-file.h"
#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/capture/capture.h"
#include "sim/image/triton.h"
#include "sim/measured/profile.h"
#include "sim/measured/recording.h"
#include "sim/program/entry.h"
#include "sim/program/program.h"
#include "sim/trace/trace.h"
#include "src/run/stand-in.h"
#include "src/target/ncu.h"

enum {
  TRITON_CHIP = 90, // any, to look whether a folder has kernels
};

static const SmbReader project = {"a project file", "check", "--project"},
                       capture = {"a capture", "analyze", NULL},
                       report = {"a report of Nsight Compute", "fix", NULL},
                       program = {"a program", "run", "--"}, ptx = {"PTX", "analyze", NULL},
                       layout = {"a layout", "analyze", NULL},
                       compiled = {"compiled code", "analyze", NULL},
                       text = {"CUDA C", "analyze", NULL},
                       program_text = {"a program in CUDA C", "run", NULL},
                       profile = {"what Nsight Compute measured", "fix", NULL},
                       recording = {"a recording", "validate", "--recorded"},
                       trace = {"a trace", "trace", NULL};

char *
smb_reader_refuse(const char *path) {
  g_autoptr(GError) error = NULL;
  if (strcmp(path, "-") == 0)
    return g_strdup("'-': standard input is read by a command alone, as in 'smembank analyze -'");
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    return NULL;
  if (!g_file_test(path, G_FILE_TEST_IS_DIR))
    return g_strdup_printf("'%s' is not a kernel, program, capture, trace or profile that smembank "
                           "reads",
                           path);
  g_autofree char *quoted = g_shell_quote(path);
  g_autoptr(SmbTriton) triton = smb_triton_find(path, NULL, TRITON_CHIP, &error);
  if (triton || g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE)) // several
    return g_strdup_printf("'%s' is a folder of Triton's cache: 'smembank analyze --triton %s' "
                           "counts a kernel of it",
                           path, strchr(path, ' ') ? quoted : path);
  return g_strdup_printf("'%s' is a folder, not a file", path);
}

// Whether the user may start it, and the loader would: no library is meant, even one that is marked as a program.
static gboolean
may_be_started(const char *path) {
  ElfFile file;
  if (access(path, X_OK) != 0 || !elf_file_open(&file, path))
    return FALSE;
  gboolean is_loaded = elf_file_has_segment(&file, PT_INTERP);
  elf_file_close(&file);
  return is_loaded;
}

// Whether its first requests can be read.
static gboolean
is_trace(const SmbSource *source) {
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, NULL);
  g_autoptr(GInputStream) stream = g_memory_input_stream_new_from_data(
      smb_source_text(source), (gssize)smb_source_length(source), NULL);
  g_autoptr(SmbTraceReader) reader =
      arch ? smb_trace_reader_new(stream, smb_source_name(source), arch) : NULL;
  g_autofree SmbTraceBatch *batch = g_new(SmbTraceBatch, 1);
  return reader && smb_trace_reader_next(reader, batch, NULL);
}

static gboolean
is_recording(const SmbSource *source) {
  g_autoptr(SmbRecording) read = smb_recording_new_from_data(
      smb_source_name(source), smb_source_text(source), smb_source_length(source), NULL);
  return read != NULL;
}

// Of a text that is no kernel.
static const SmbReader *
find_data_reader(SmbSource *source) {
  g_autoptr(SmbProfile) measured = smb_profile_read(source, NULL);
  if (measured || smb_kernel_metrics_recognize(source))
    return &profile;
  if (is_recording(source))
    return &recording;
  return is_trace(source) ? &trace : NULL;
}

// Of an object file with images in it: a library, an archive, what nvcc -c makes.
static gboolean
has_kernels(SmbSource *source) {
  g_autoptr(SmbEntries) entries = smb_entries_read(source, NULL);
  return entries != NULL;
}

// Of a text: that of a kernel or of a program, which may have its kernels in other files.
static const SmbReader *
find_text_reader(SmbSource *source, gboolean has_arguments) {
  const char *name = smb_source_name(source), *written = smb_source_text(source);
  gboolean has_kernel = strstr(written, "__global__") != NULL;
  gboolean is_cuda = g_str_has_suffix(name, ".cu");
  if (!has_kernel && !is_cuda && !g_str_has_suffix(name, ".hip"))
    return find_data_reader(source);
  gboolean is_program = has_arguments || (is_cuda && !has_kernel && smb_stand_in_has_main(written));
  return is_program ? &program_text : &text;
}

const SmbReader *
smb_reader_find(const char *path, gboolean has_arguments) {
  if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  if (g_str_has_suffix(path, ".ini"))
    return &project;
  if (smb_capture_recognize(path))
    return &capture;
  if (smb_ncu_is_report(path))
    return &report;
  if (may_be_started(path))
    return &program;
  g_autoptr(SmbSource) source = smb_source_load_any(path, NULL);
  const char *level = source ? smb_program_recognize(source) : NULL;
  if (g_strcmp0(level, "ptx") == 0)
    return &ptx;
  if (g_strcmp0(level, "layout") == 0)
    return &layout;
  if (level && strcmp(level, "text") != 0)
    return &compiled;
  if (source && !level)
    return has_kernels(source) ? &compiled : NULL;
  return source ? find_text_reader(source, has_arguments) : NULL;
}
