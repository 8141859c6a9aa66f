// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a text of CUDA C says of launches outside of kernels: "k<<<grid, block, bytes>>>(…)", HIP's
// hipLaunchKernelGGL(k, grid, block, bytes, stream, …), and the constants in that.
// Nothing is run: a name has a value if all that the text says of it is one constant, and a function if all that it does is to return an
// expression. What a block or a function says of a name is for its own launches, what stands outside of functions is for those of the
// file, and of other files that do not have the name. Macros are expanded, and files that the text includes are read, as far as they
// are found: their kernels are the text's own if it launches them.
#pragma once

#include "sim/base/source.h"

G_BEGIN_DECLS

/** SmbHostParameter: of a kernel; @is_pointer: to a buffer */
typedef struct {
  char *type;
  char *name;
  gboolean is_pointer;
} SmbHostParameter;

/** SmbHostTemplate: a parameter of a template; @value: (nullable): its default */
typedef struct {
  char *name;
  char *value;
} SmbHostTemplate;

/**
 * SmbHostKernel: a __global__ function with its body
 * @space: the namespaces that it is in, "a::b::"; "" outside; those without a name are left out
 * @file: the text that was read
 * @line: where the kernel is in it, or in what it includes
 * @included: (nullable): the file that has it, if the text includes that
 * @is_hip: the file is HIP (smb_host_is_hip())
 * @parameters: (element-type SmbHostParameter)
 * @templates: (element-type SmbHostTemplate): of a template
 */
typedef struct {
  char *name;
  char *space;
  char *file;
  char *included;
  guint line;
  gboolean is_template;
  gboolean is_hip;
  GPtrArray *parameters;
  GPtrArray *templates;
} SmbHostKernel;

/**
 * SmbHostLaunch: a launch, as it is written
 * @kernel: the name
 * @text: the text that was read
 * @file: that, or what it includes, where the launch is
 * @instance: (nullable): the template arguments
 * @configuration: (element-type utf8): grid, block, bytes, stream, as far as they are there
 * @arguments: (element-type utf8): of the kernel
 * @scope: whose names it sees: of a block, and those around it
 * @was_seen: a program that ran has made it: @arguments are values as smb_argument_check() takes them, "" of what is not known
 * @n_more: with it: launches of the kernel that were made and are not here
 */
typedef struct {
  char *kernel;
  char *text;
  char *file;
  guint line;
  GPtrArray *instance;
  GPtrArray *configuration;
  GPtrArray *arguments;
  guint scope;
  gboolean was_seen;
  guint n_more;
} SmbHostLaunch;

/**
 * SmbHost: of one text, or several
 * @kernels: (element-type SmbHostKernel)
 * @launches: (element-type SmbHostLaunch)
 * @by_kernel: (element-type utf8 GPtrArray): the launches of each name of a kernel, in their order: smb_host_launches()
 * @values: (element-type utf8 SmbHostValue): what a name is defined as, "NAME" by all files and "SCOPE:NAME" in one scope
 * @scopes: (element-type SmbHostScope): blocks, functions and files
 * @structures: (element-type utf8): structures and classes that are defined, and constants of namespaces, with all their namespaces
 */
typedef struct {
  GPtrArray *kernels;
  GPtrArray *launches;
  GHashTable *by_kernel;
  GHashTable *values;
  GArray *scopes;
  GHashTable *structures;
} SmbHost;

SmbHost *smb_host_new(void);
void smb_host_free(SmbHost *host);

/**
 * smb_host_read:
 * @folders: (nullable): where files that the text includes are looked for, behind its own folder
 * @error: SMB_ERROR_INPUT: a comment without an end, too many tokens
 *
 * Adds what a text says.
 */
gboolean smb_host_read(SmbHost *host, SmbSource *source, const char *const *folders,
                       GError **error);

/** smb_host_read_raw: the same, of all branches of its #if, without what it includes, and of macros those that are one constant. */
gboolean smb_host_read_raw(SmbHost *host, SmbSource *source, GError **error);

/** smb_host_is_hip: Returns: whether a text is HIP: it is named so (k.hip), or has HIP's headers or functions and none of CUDA's */
gboolean smb_host_is_hip(const SmbSource *source);

/** smb_host_missing: Returns: (transfer full) (array zero-terminated=1): the files that a text includes and that are not found in
 * @folders (nullable) either, each once: "NAME", or "<NAME" of one that the system may have */
char **smb_host_missing(SmbSource *source, const char *const *folders);

/** smb_host_text: Returns: (transfer none) (nullable): what all files say of a name; "" of one that has no single value */
const char *smb_host_text(const SmbHost *host, const char *name);

/** smb_host_launches: Returns: (transfer none) (nullable) (element-type SmbHostLaunch): of the kernels of a name, without template
 * arguments; NULL: none */
const GPtrArray *smb_host_launches(const SmbHost *host, const char *kernel);

/** smb_host_launch_new: Returns: (transfer full): a launch that was seen, without an instance, a configuration or arguments */
SmbHostLaunch *smb_host_launch_new(const char *kernel, const char *file);

void smb_host_kernel_free(SmbHostKernel *kernel);
void smb_host_launch_free(SmbHostLaunch *launch);

/** smb_host_replace_launches: @launches: (transfer full) (element-type SmbHostLaunch), at least one, of one kernel, take the place of what
 * @texts (array zero-terminated=1) say of the launches of that kernel */
void smb_host_replace_launches(SmbHost *host, const char *const *texts, GPtrArray *launches);

/** smb_host_number: Returns: whether an expression in @launch (nullable: anywhere) is a constant, a whole number from 0 */
gboolean smb_host_number(const SmbHost *host, const SmbHostLaunch *launch, const char *expression,
                         guint64 *value);

/** smb_host_constant: Returns: (transfer full) (nullable): a constant as an argument of @type, which may be "", is given */
char *smb_host_constant(const SmbHost *host, const SmbHostLaunch *launch, const char *expression,
                        const char *type);

/** smb_host_is_open: Returns: whether an argument of a template depends on names of variables, of which it is not known what they are */
gboolean smb_host_is_open(const SmbHost *host, const SmbHostLaunch *launch, const char *argument);

/** smb_host_default: Returns: (transfer full) (nullable): what an argument of a template is that @launch leaves out: its default, a
 * number if it is known; NULL: it has none, or that is not known */
char *smb_host_default(const SmbHost *host, const SmbHostKernel *kernel,
                       const SmbHostLaunch *launch, guint n);

/** smb_host_extent: as smb_host_number(), of a number of threads or blocks, or a dim3. */
gboolean smb_host_extent(const SmbHost *host, const SmbHostLaunch *launch, const char *expression,
                         guint64 extent[3]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbHost, smb_host_free)

G_END_DECLS
