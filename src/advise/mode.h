// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Layouts of tiles, which tensor maps and descriptors express (sim/advise/tile-mode.h): what has to be changed for one, and how long the launch takes then.
// None of that is written into a text: a tensor map is made on the host, a descriptor of numbers that a program computes as it likes.
#pragma once

#include "src/advise/report.h"

/** smb_advise_is_mode: Returns: whether a layout is another one of a tile */
gboolean smb_advise_is_mode(const SmbAdviseLayout *layout);

/** smb_mode_name: Returns: (transfer full): "128-byte swizzle", "leading byte offset 1040" */
char *smb_mode_name(const SmbPlacedTile *tile, const SmbPlacement *mode);

/** smb_mode_index: Returns: (transfer full): where byte x of a row r lies from the beginning of a tile on, in C: in an operand that is turned, of k */
char *smb_mode_index(const SmbPlacement *mode);

/** smb_tile_index: Returns: (transfer full) (nullable): the same of a tile as it lies now, if a formula that is as short says it */
char *smb_tile_index(const SmbPlacedTile *tile);

/** smb_mode_descriptor: @leading, @stride: (out): byte offsets of a descriptor; 0: not read */
void smb_mode_descriptor(const SmbPlacement *mode, guint32 *leading, guint32 *stride);

/** smb_mode_bits: Returns: the value of a swizzle over @span bytes (0: none) in a descriptor: of wgmma in bits 62-63, of tcgen05 in bits 61-63 */
guint smb_mode_bits(const SmbArch *arch, guint span);

/**
 * SmbModeChange: one thing that has to be changed
 * @what: "tensor map", "descriptor", "accesses", "alignment", "source"
 * @sites: (element-type SmbSite) (transfer none): where it is used: one of each line; none of what is said of the whole tile
 * @text: what it becomes, in words
 */
typedef struct {
  const char *what;
  GPtrArray *sites;
  char *text;
} SmbModeChange;

/** smb_mode_changes: Returns: (transfer full) (element-type SmbModeChange): all that a mode changes: only if all of it is done the kernel does what it did */
GArray *smb_mode_changes(const SmbAdviseReport *report, const SmbAdviseArray *array,
                         const SmbAdviseLayout *layout);

/** smb_mode_places: Returns: (transfer full): where a change is used: "gemm.cu:41 and gemm.cu:44"; "" */
char *smb_mode_places(const SmbModeChange *change);

/** smb_advise_best_mode: Returns: (nullable): the layout of a tile that takes the fewest wavefronts, fewer than now */
const SmbAdviseLayout *smb_advise_best_mode(const SmbAdviseArray *array);

/** smb_advise_recommended_mode: Returns: (nullable): the best mode of a tile, if it is recommended (smb_advise_mode_gains()) */
const SmbAdviseLayout *smb_advise_recommended_mode(const SmbAdviseReport *report,
                                                   const SmbAdviseArray *array);

/** smb_advise_time_modes: Predicts how long the launch takes with each mode (SmbAdviseLayout.time), and with the best one of each of several tiles
 * (SmbAdviseReport.modes), if that is known of it as it is */
void smb_advise_time_modes(SmbAdviseReport *report);

/** smb_advise_mode_gains: Returns: whether a mode is recommended: with it, or with the best one of all tiles, the launch takes fewer wavefronts, and as much
 * less time as another layout has to save, if times are known */
gboolean smb_advise_mode_gains(const SmbAdviseReport *report, const SmbAdviseArray *array,
                               const SmbAdviseLayout *layout);
