// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sections of a first project file: what is known of a kernel and its launch as keys, what is not as comments that say what
// is to be filled in.
#pragma once

#include "sim/cuda/text/host.h"
#include "sim/program/entry.h"

/**
 * SmbSection:
 * @name: of the section
 * @base: the name of its kernel, of which that is made
 * @text: its keys and comments
 * @is_open: something in it is to be filled in
 * @is_there: the project file that is added to has it already
 */
typedef struct {
  char *name;
  char *base;
  GString *text;
  gboolean is_open;
  gboolean is_there;
} SmbSection;

/**
 * SmbSections:
 * @arch: what all of them are counted for, unless a section says another
 * @folders: (element-type utf8 GStrv): of files that include others: the folders that have those
 * @said: (element-type utf8 GPtrArray): of files of CUDA C or HIP: the cases that their lines say, whose files are as the project has them
 * @is_text: the text alone is counted, on every machine
 * @list: (element-type SmbSection): the sections in their order
 * @names: of them, and of each the number behind which one more of that name looks for a free one: "k-2"
 */
typedef struct {
  char *arch;
  GHashTable *folders;
  GHashTable *said;
  gboolean is_text;
  GPtrArray *list;
  GHashTable *names;
} SmbSections;

/** smb_sections_new: @arch: what all sections are counted for that do not say another; @folders, @said: (transfer none); @is_text: as of
 * SmbSections */
SmbSections *smb_sections_new(const char *arch, GHashTable *folders, GHashTable *said,
                              gboolean is_text);
void smb_sections_free(SmbSections *sections);

/** smb_sections_name: Returns: (transfer full): a name that no other section has, nor that for all cases: "k", "k-2". @names: as of SmbSections */
char *smb_sections_name(GHashTable *names, const char *base);

/** smb_sections_write: Returns: (transfer full): the project file with all of them */
char *smb_sections_write(const SmbSections *sections);

/** smb_sections_add_host: a section for each launch of each kernel, and for each kernel that no text launches. What a file launches that has a
 * kernel of that name is its own. What lines say of a kernel takes the place of its launches. */
void smb_sections_add_host(SmbSections *sections, const SmbHost *host, const char *folder);

/** smb_sections_add_entries: a section for each kernel of a file of compiled code; @host: has the launches. */
void smb_sections_add_entries(SmbSections *sections, const SmbHost *host, const char *file,
                              const SmbEntries *entries, const char *folder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbSections, smb_sections_free)
