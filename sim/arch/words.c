// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/arch/words.h"

#include <string.h>

// NVIDIA's words and AMD's, longer ones before those that they contain.
static const struct {
  const char *nvidia;
  const char *amd;
} words[] = {
    {"shared memory", "LDS"},
    {"shared-memory", "LDS"},
    {"Shared memory", "LDS"},
    {"shared access", "LDS access"},
    {"shared accesses", "LDS accesses"},
    {"shared traffic", "LDS traffic"},
    {"multiprocessor", "compute unit"},
    {"multiprocessors", "compute units"},
    {"blocks/SM", "workgroups/CU"},
    {"block", "workgroup"},
    {"blocks", "workgroups"},
    {"wavefront", "cycle"},
    {"wavefronts", "cycles"},
    {"Wavefront", "Cycle"},
    {"Wavefronts", "Cycles"},
    {"warp", "wave"},
    {"warps", "waves"},
    {"Warp", "Wave"},
    {"Warps", "Waves"},
    {"CUDA C", "HIP"},
    {"group", "phase"},
    {"lane group", "phase"},
    {"lane groups", "phases"},
};

static gboolean
is_letter(char character) {
  return g_ascii_isalnum(character) || character == '_';
}

// Whether @at is in the name of an option, which begins with two hyphens.
static gboolean
is_in_option(const char *text, const char *at) {
  while (at > text && (is_letter(at[-1]) || at[-1] == '-'))
    at--;
  return at[0] == '-' && at[1] == '-';
}

// The longest of the words that stands at @at, whole; NULL: none.
static const char *
find_vendor_word(const char *text, const char *at, gsize *length) {
  const char *found = NULL;
  *length = 0;
  gboolean inside = at > text && is_letter(at[-1]);
  gboolean option = !inside && is_in_option(text, at);
  for (guint i = 0; i < G_N_ELEMENTS(words) && !inside && !option; i++) {
    gsize n = strlen(words[i].nvidia);
    if (n > *length && strncmp(at, words[i].nvidia, n) == 0 && !is_letter(at[n])) {
      *length = n;
      found = words[i].amd;
    }
  }
  return found;
}

// Whether the value of an aria-label, which is read aloud, begins at @at.
static gboolean
begins_label(const char *text, const char *at) {
  static const char label[] = "aria-label=\"";
  gsize n = strlen(label);
  return at >= text + n && strncmp(at - n, label, n) == 0;
}

const char *
smb_vendor_say(SmbVendor vendor, const char *text) {
  if (vendor == SMB_VENDOR_NVIDIA)
    return text;
  g_autoptr(GString) said = g_string_new(NULL);
  gboolean in_tag = FALSE, in_label = FALSE;
  for (const char *at = text; *at;) {
    gsize length;
    in_label = in_label ? *at != '"' : in_tag && begins_label(text, at);
    const char *word = in_tag && !in_label ? NULL : find_vendor_word(text, at, &length);
    in_tag = *at == '<' || (in_tag && *at != '>');
    if (word)
      g_string_append(said, word);
    else
      g_string_append_c(said, *at);
    at += word ? length : 1;
  }
  return g_intern_string(said->str);
}

const char *
smb_arch_say(const SmbArch *arch, const char *text) {
  return smb_vendor_say(arch ? (SmbVendor)smb_arch_info(arch)->vendor : SMB_VENDOR_NVIDIA, text);
}

SmbVendor
smb_vendor_of(const char *name) {
  g_autoptr(SmbArch) arch = name ? smb_arch_load(name, NULL) : NULL;
  return arch ? (SmbVendor)smb_arch_info(arch)->vendor : SMB_VENDOR_NVIDIA;
}

const char *
smb_vendors_passes(guint vendors) {
  const guint amd = 1u << SMB_VENDOR_AMD;
  return vendors == amd ? "cycles" : vendors & amd ? "wavefronts or cycles" : "wavefronts";
}

gboolean
smb_arch_counts_cycles(const SmbArch *arch) {
  return smb_arch_info(arch)->vendor == SMB_VENDOR_AMD;
}
