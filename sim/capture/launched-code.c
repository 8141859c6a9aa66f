// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The code that launches ran: each image is unpacked, checked and read once, and each of its kernels decoded once for a
// chip, as long as launches that have it are looked at one after the other.
#include "sim/base/error.h"
#include "sim/capture/capture-impl.h"
#include "sim/image/cubin.h"

enum {
  KEPT_BYTES = 64 << 20, // of images
  KEPT_PROGRAMS = 64,
};

static gpointer
ref_code(gpointer code) {
  return smb_source_ref(code);
}

static void
unref_code(gpointer code) {
  smb_source_unref(code);
}

static gsize
measure_code(gconstpointer code) {
  GBytes *bytes = smb_source_bytes(code);
  return bytes ? g_bytes_get_size(bytes) : smb_source_length(code);
}

static gpointer
ref_program(gpointer program) {
  return smb_program_ref(program);
}

static void
unref_program(gpointer program) {
  smb_program_free(program);
}

void
smb_capture_keep(SmbCapture *capture) {
  static const SmbOnceKind codes = {ref_code, unref_code, measure_code};
  static const SmbOnceKind programs = {ref_program, unref_program, NULL};
  capture->codes = smb_once_new(&codes, KEPT_BYTES);
  capture->programs = smb_once_new(&programs, KEPT_PROGRAMS);
}

GBytes *
smb_capture_image(const SmbCapture *capture, const SmbCaptureLaunch *launch, GError **error) {
  g_autofree char *name = smb_capture_members_image_name(launch->image);
  return smb_capture_members_unpack(capture->members, name, launch->image,
                                    SMB_CAPTURE_MAX_IMAGE_BYTES, error);
}

typedef struct {
  const SmbCapture *capture;
  const SmbCaptureLaunch *launch;
  SmbSource *code;
  const SmbProgramOptions *options;
  SmbCaptureNaming naming;
  gpointer user;
} Wanted;

static gpointer
read_code(gpointer user, GError **error) {
  const Wanted *wanted = user;
  const char *path = wanted->capture->path;
  g_autoptr(GBytes) image = smb_capture_image(wanted->capture, wanted->launch, error);
  if (!image)
    return NULL;
  g_autofree char *name = smb_capture_members_image_name(wanted->launch->image);
  g_autofree char *whole = g_strdup_printf("%s: %s", path, name);
  g_autoptr(SmbSource) code = smb_source_new_any(path, image, error);
  const char *level = code ? smb_program_recognize(code) : NULL;
  if (code && !smb_cubin_recognize(image) && g_strcmp0(level, "ptx") != 0) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%s: launch %" G_GUINT64_FORMAT ": %s is neither a cubin nor PTX", path,
             wanted->launch->number, name);
    return NULL;
  }
  gboolean is_read = code && (!smb_source_bytes(code) || smb_cubin_of(code, whole, error));
  return is_read ? g_steal_pointer(&code) : NULL;
}

SmbSource *
smb_capture_code(const SmbCapture *capture, const SmbCaptureLaunch *launch, GError **error) {
  Wanted wanted = {.capture = capture, .launch = launch};
  return smb_once_get(capture->codes, launch->image, read_code, &wanted, error);
}

static gpointer
read_captured_program(gpointer user, GError **error) {
  const Wanted *wanted = user;
  SmbProgramOptions options = *wanted->options;
  options.entry = wanted->launch->kernel;
  SmbProgram *program = smb_program_read(wanted->code, &options, error);
  if (program && wanted->naming)
    wanted->naming(program, &options, wanted->user);
  return program;
}

SmbProgram *
smb_capture_program(const SmbCapture *capture, const SmbCaptureLaunch *launch, SmbSource *code,
                    const SmbProgramOptions *options, SmbCaptureNaming naming, gpointer user,
                    GError **error) {
  const SmbProgramLimits *limits = &options->limits;
  g_autofree char *key = g_strdup_printf(
      "%s %s %u %s %u %d %u %u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, launch->image,
      launch->kernel, options->cuda_arch, options->processor ? options->processor : "-",
      options->lanes, options->frames, limits->max_tokens, limits->max_depth, limits->max_steps,
      limits->max_memory);
  Wanted wanted = {capture, launch, code, options, naming, user};
  g_return_val_if_fail(!options->compiled_from, NULL);
  return smb_once_get(capture->programs, key, read_captured_program, &wanted, error);
}
