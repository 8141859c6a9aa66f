// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sections of a first project file: what is known of a kernel and its launch as keys, what is not as comments that say what
// is to be filled in.
#pragma once

#include "sim/cuda/text/host.h"
#include "sim/program/entry.h"

/** What HIP is counted for, in a project that has nothing else. */
#define SMB_HIP_ARCH "gfx942"

/**
 * SmbSections:
 * @arch: what all of them are counted for, unless a section says another
 * @text: the project file
 * @names: of its sections, and of each the number behind which one more of that name looks for a free one: "k-2"
 * @n: how many sections it has
 * @n_open: how many of them have something to be filled in
 */
typedef struct {
  const char *arch;
  GString *text;
  GHashTable *names;
  guint n;
  guint n_open;
} SmbSections;

/** smb_sections_new: @arch: (transfer none): static: what all sections are counted for that do not say another */
SmbSections *smb_sections_new(const char *arch);
void smb_sections_free(SmbSections *sections);

/** smb_sections_add_host: a section for each launch of each kernel, and for each kernel that no text launches. */
void smb_sections_add_host(SmbSections *sections, const SmbHost *host, const char *folder);

/** smb_sections_add_entries: a section for each kernel of a file of compiled code; @host: has the launches. */
void smb_sections_add_entries(SmbSections *sections, const SmbHost *host, const char *file,
                              const SmbEntries *entries, const char *folder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbSections, smb_sections_free)
