// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a vendor calls things: texts are written in NVIDIA's words, and said in those of the architecture. AMD's
// wavefront is NVIDIA's warp, and NVIDIA's wavefront takes a cycle of AMD's LDS: for AMD's chips neither word is used,
// and a text speaks of waves and cycles.
#pragma once

#include <glib.h>

#include "sim/arch/arch.h"

G_BEGIN_DECLS

/**
 * smb_vendor_say:
 * @text: a literal of the program, never what a user wrote: a text or a format
 *
 * Returns: (transfer none): @text in the words of @vendor, which lives as long as the program. Names of options and
 *   what stands between < and > stay as they are, but for an aria-label
 */
const char *smb_vendor_say(SmbVendor vendor, const char *text) __attribute__((format_arg(2)));

/** smb_arch_say: as smb_vendor_say(), for the vendor of @arch; NULL: NVIDIA */
const char *smb_arch_say(const SmbArch *arch, const char *text) __attribute__((format_arg(2)));

/** smb_vendor_of: @arch: (nullable): a name that a result has. Returns: who makes its chips; NVIDIA if it is unknown */
SmbVendor smb_vendor_of(const char *arch);

/**
 * smb_vendors_passes: @vendors: bits 1 << SmbVendor. Returns: (transfer none): what a column of counts for them is
 * called
 */
const char *smb_vendors_passes(guint vendors);

/** smb_arch_counts_cycles: Returns: whether a pass is a cycle (AMD), so that cycles say nothing besides */
gboolean smb_arch_counts_cycles(const SmbArch *arch);

G_END_DECLS
