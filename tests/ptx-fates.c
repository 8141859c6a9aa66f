// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/ptx-fates.h"

#include <string.h>

#include "sim/exec/code.h"
#include "sim/program/program.h"

// Of several steps the one that matters most.
static PtxFate
find_fate(const Code *code) {
  PtxFate fate = FATE_NOTHING;
  for (guint i = 0; i + 1 < code->steps->len; i++) { // the last one is the end of the kernel
    const Step *step = &g_array_index(code->steps, Step, i);
    if (step->opcode == STEP_SHUFFLE) // its slot is listed; the step behind it moves the values
      continue;
    if (step->kind == KIND_OPAQUE && !(step->argument & OPAQUE_FENCE))
      return FATE_UNKNOWN;
    if (step->kind == KIND_COMPUTE && step->compute.modifiers & MODIFIER_APPROXIMATE)
      return FATE_UNKNOWN;
    if (step->product && step->product->form.is_published)
      return FATE_UNKNOWN;
    if (step->kind == KIND_APART)
      return FATE_APART;
    gboolean is_for_checks = step->opcode == STEP_FENCE && step->argument != FENCE_BLOCK;
    if (step->opcode != STEP_NOTHING && !is_for_checks)
      fate = FATE_EXACT;
  }
  return fate;
}

const char *
ptx_fate_name(PtxFate fate) {
  static const char *const names[N_FATES] = {
      [FATE_EXACT] = "exact",       [FATE_NOTHING] = "nothing", [FATE_APART] = "apart",
      [FATE_MEASURED] = "measured", [FATE_UNKNOWN] = "unknown", [FATE_REFUSED] = "refused",
  };
  return names[fate];
}

// @cuda_arch: 900 is sm_90.
static PtxFate
fate_on(const char *instruction, guint cuda_arch, char **message) {
  g_autoptr(GError) error = NULL;
  g_autofree char *text =
      g_strconcat(".version 9.0\n.target sm_100a\n.address_size 64\n", PTX_FATE_MODULE,
                  PTX_FATE_ENTRY, instruction, "\nend: }\n", NULL);
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("k.ptx", bytes, &error);
  const SmbProgramOptions options = {.entry = "k", .cuda_arch = cuda_arch};
  g_autoptr(SmbProgram) program = source ? smb_program_read(source, &options, &error) : NULL;
  *message = NULL;
  if (program)
    return find_fate((const Code *)program);
  *message = g_strndup(error->message, strcspn(error->message, "\n"));
  return FATE_REFUSED;
}

const char *
ptx_fate(const char *instruction, char **message) {
  PtxFate fate = fate_on(instruction, 1000, message);
  if (fate != FATE_UNKNOWN)
    return ptx_fate_name(fate);
  g_free(*message);
  fate = fate_on(instruction, 900, message);
  return ptx_fate_name(fate == FATE_EXACT ? FATE_MEASURED : FATE_UNKNOWN);
}
