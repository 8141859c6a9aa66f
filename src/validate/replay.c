// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/validate/replay.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"

static const char builtin_folder[] = "data/kernels/";

// Bytes of a buffer that are hashed at once.
enum {
  HASHED_BYTES = 1 << 16
};

gboolean
smb_replay_is_builtin(const SmbRecordedKernel *recorded) {
  return g_str_has_prefix(recorded->file, builtin_folder);
}

static SmbSource *
open_source(const SmbRecordedKernel *recorded, const SmbCatalogEntry *entry, GError **error) {
  if (entry)
    return smb_catalog_file(entry->file, error);
  if (smb_replay_is_builtin(recorded))
    return smb_catalog_file(recorded->file + strlen(builtin_folder), error);
  return smb_source_load(recorded->file, error);
}

SmbReplay *
smb_replay_new(const SmbRecordedKernel *recorded, const SmbCatalogEntry *entry, const SmbArch *arch,
               const SmbAnalysisOptions *limits, GError **error) {
  g_autoptr(SmbSource) source = open_source(recorded, entry, error);
  if (!source)
    return NULL;
  g_autoptr(SmbReplay) replay = g_new0(SmbReplay, 1);
  const SmbProgramOptions reading = {.entry = entry ? entry->entry : recorded->name,
                                     .defines = (const char *const *)recorded->defines,
                                     .cuda_arch = smb_program_cuda_arch(arch),
                                     .lanes = smb_arch_info(arch)->lanes,
                                     .limits = limits->limits};
  replay->kernel = smb_program_read(source, &reading, error);
  if (!replay->kernel)
    return NULL;
  SmbLaunch launch = {.dynamic_bytes = recorded->dynamic_bytes,
                      .arguments = (const char *const *)recorded->args};
  g_autoptr(GPtrArray) buffers = smb_buffers_parse((const char *const *)recorded->contents, error);
  if (!buffers)
    return NULL;
  launch.buffers = buffers;
  memcpy(launch.block, recorded->block, sizeof launch.block);
  memcpy(launch.grid, recorded->grid, sizeof launch.grid);
  SmbAnalysisOptions options = *limits;
  if (recorded->buffers->len > 0)
    options.global = replay->global = smb_global_new(replay->kernel, &launch);
  replay->analysis = smb_analysis_run(replay->kernel, arch, &launch, &options, error);
  return replay->analysis ? g_steal_pointer(&replay) : NULL;
}

void
smb_replay_free(SmbReplay *replay) {
  if (!replay)
    return;
  smb_analysis_free(replay->analysis);
  smb_global_free(replay->global);
  smb_program_free(replay->kernel);
  g_free(replay);
}

static gboolean
find_parameter(const SmbProgram *kernel, const char *name, guint *index, GError **error) {
  for (guint i = 0; i < smb_program_n_parameters(kernel); i++) {
    SmbParameter parameter = smb_program_parameter(kernel, i);
    *index = i;
    if (parameter.is_pointer && strcmp(parameter.name, name) == 0)
      return TRUE;
  }
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "buffer '%s': the kernel has no such pointer parameter", name);
}

char *
smb_replay_digest(const SmbReplay *replay, const SmbRecordedBuffer *buffer, GError **error) {
  guint parameter = 0;
  if (!find_parameter(replay->kernel, buffer->parameter, &parameter, error))
    return NULL;
  if (buffer->bytes > SMB_REPLAY_MAX_BUFFER_BYTES) {
    g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT,
                "buffer '%s' has %" G_GUINT64_FORMAT " bytes: at most %" G_GUINT64_FORMAT
                " are compared",
                buffer->parameter, buffer->bytes, SMB_REPLAY_MAX_BUFFER_BYTES);
    return NULL;
  }
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  guchar block[HASHED_BYTES];
  for (guint64 offset = 0; offset < buffer->bytes; offset += sizeof block) {
    gsize length = (gsize)MIN(sizeof block, buffer->bytes - offset);
    smb_global_read(replay->global, parameter, offset, block, length);
    smb_scalar_canonical(smb_program_parameter(replay->kernel, parameter).element, block, length);
    g_checksum_update(checksum, block, (gssize)length);
  }
  return g_strdup(g_checksum_get_string(checksum));
}
