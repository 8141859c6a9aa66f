// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/validate/comparison-rerun.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "src/target/origin.h"

static const char builtin_folder[] = "data/kernels/";

// Bytes of a buffer that are hashed at once.
enum {
  HASHED_BYTES = 1 << 16
};

gboolean
smb_rerun_is_builtin(const SmbRecordedKernel *recorded) {
  return g_str_has_prefix(recorded->file, builtin_folder);
}

static SmbSource *
open_source(const SmbRecordedKernel *recorded, const SmbCatalogEntry *entry, GError **error) {
  if (entry)
    return smb_catalog_file(entry->file, error);
  if (smb_rerun_is_builtin(recorded))
    return smb_catalog_file(recorded->file + strlen(builtin_folder), error);
  return smb_source_load_any(recorded->file, error);
}

static void
captured_clear(SmbRerunCaptured *captured) {
  smb_capture_loaded_free(captured->loaded);
  smb_capture_free(captured->capture);
}

// The image of the launch (transfer full). *@opened: (nullable): the capture that was opened last: one serves all its launches.
static SmbSource *
open_capture(const SmbRecordedKernel *recorded, SmbCapture **opened, SmbRerunCaptured *captured,
             GError **error) {
  if (!*opened || strcmp(smb_capture_path(*opened), recorded->file) != 0) {
    g_clear_pointer(opened, smb_capture_free);
    *opened = smb_capture_open(recorded->file, error);
  }
  if (!*opened)
    return NULL;
  captured->capture = smb_capture_ref(*opened);
  if (recorded->launch > smb_capture_n_launches(captured->capture)) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s has no launch %" G_GUINT64_FORMAT,
             recorded->file, recorded->launch);
    return NULL;
  }
  captured->launch = smb_capture_launch(captured->capture, (guint)recorded->launch - 1);
  g_autoptr(SmbSource) code = smb_capture_code(captured->capture, captured->launch, error);
  captured->loaded =
      code ? smb_capture_load(captured->capture, captured->launch, code, error) : NULL;
  return captured->loaded ? g_steal_pointer(&code) : NULL;
}

void
smb_rerun_free(SmbRerun *rerun) {
  if (!rerun)
    return;
  smb_analysis_free(rerun->analysis);
  smb_global_free(rerun->global);
  smb_program_free(rerun->kernel);
  captured_clear(&rerun->captured);
  g_free(rerun);
}

SmbRerun *
smb_rerun_new(const SmbRecordedKernel *recorded, const SmbCatalogEntry *entry, SmbCapture **opened,
              const SmbArch *arch, const SmbAnalysisOptions *limits, GError **error) {
  g_autoptr(SmbRerun) rerun = g_new0(SmbRerun, 1);
  SmbRerunCaptured *captured = &rerun->captured;
  g_autoptr(SmbSource) source = recorded->launch ? open_capture(recorded, opened, captured, error)
                                                 : open_source(recorded, entry, error);
  if (!source)
    return NULL;
  const SmbProgramOptions reading = {.entry = captured->launch ? captured->launch->kernel
                                              : entry          ? entry->entry
                                                               : recorded->name,
                                     .defines = (const char *const *)recorded->defines,
                                     .cuda_arch = smb_program_cuda_arch(arch),
                                     .processor = smb_program_processor(arch),
                                     .lanes = smb_arch_info(arch)->lanes,
                                     .limits = limits->limits};
  if (!(rerun->kernel = smb_program_read(source, &reading, error)))
    return NULL;
  if (!captured->launch)
    smb_origins_name_parameters(rerun->kernel, &reading, NULL);
  SmbLaunch launch = {.dynamic_bytes = recorded->dynamic_bytes,
                      .arguments = (const char *const *)recorded->args,
                      .skips_unknown = recorded->unknown != NULL};
  g_autoptr(GPtrArray) buffers = smb_buffers_parse((const char *const *)recorded->contents, error);
  if (!buffers)
    return NULL;
  launch.buffers = captured->loaded ? captured->loaded->buffers : buffers;
  if (captured->loaded) {
    launch.arguments = (const char *const *)captured->loaded->arguments;
    launch.memory = captured->loaded->memory;
    memcpy(launch.cluster, captured->launch->cluster, sizeof launch.cluster);
  }
  memcpy(launch.block, recorded->block, sizeof launch.block);
  memcpy(launch.grid, recorded->grid, sizeof launch.grid);
  SmbAnalysisOptions options = *limits;
  if (recorded->buffers->len > 0)
    options.global = rerun->global = smb_global_new(rerun->kernel, &launch);
  rerun->analysis = smb_analysis_run(rerun->kernel, arch, &launch, &options, error);
  return rerun->analysis ? g_steal_pointer(&rerun) : NULL;
}

static gboolean
find_recorded_parameter(const SmbProgram *kernel, const char *name, guint *index, GError **error) {
  for (guint i = 0; i < smb_program_n_parameters(kernel); i++) {
    *index = i;
    if (smb_program_parameter(kernel, i).is_pointer && smb_program_is_parameter(kernel, i, name))
      return TRUE;
  }
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "buffer '%s': the kernel has no such pointer parameter", name);
}

char *
smb_rerun_digest(const SmbRerun *rerun, const SmbRecordedBuffer *buffer, GError **error) {
  guint parameter = 0;
  if (!find_recorded_parameter(rerun->kernel, buffer->parameter, &parameter, error))
    return NULL;
  if (buffer->bytes > SMB_COMPARISON_MAX_BUFFER_BYTES) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "buffer '%s' has %" G_GUINT64_FORMAT " bytes: at most %" G_GUINT64_FORMAT
             " are compared",
             buffer->parameter, buffer->bytes, SMB_COMPARISON_MAX_BUFFER_BYTES);
    return NULL;
  }
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  guchar block[HASHED_BYTES];
  for (guint64 offset = 0; offset < buffer->bytes; offset += sizeof block) {
    gsize length = (gsize)MIN(sizeof block, buffer->bytes - offset);
    smb_global_read(rerun->global, parameter, offset, block, length);
    smb_scalar_canonical(smb_program_parameter(rerun->kernel, parameter).element, block, length);
    smb_global_mask(rerun->global, parameter, offset, block, length);
    g_checksum_update(checksum, block, (gssize)length);
  }
  return g_strdup(g_checksum_get_string(checksum));
}
