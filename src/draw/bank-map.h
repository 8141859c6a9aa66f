// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The bank map of one request: rows of shared memory against banks, the lanes that access each word, and
// the passes in which they are served. It shows addresses and turns, not values and not time.
#pragma once

#include "sim/arch/rule.h"
#include "sim/count/passes.h"
#include "sim/count/wavefront.h"
#include "src/draw/draw.h"

/** In place of the number of a pass: the request as a whole. */
#define SMB_BANK_MAP_ALL (-1)

/** How a map is drawn as SVG. */
typedef enum {
  SMB_BANK_MAP_STANDALONE = 1 << 0, /* with its style; else the page around it has it */
  SMB_BANK_MAP_BARE = 1 << 1,       /* without title and legend */
  SMB_BANK_MAP_MINI = 1 << 2,       /* the words only, small: to set several side by side */
} SmbBankMapFlags;

/**
 * SmbBankMapWord: one word of one bank
 * @row: byte offset of the range of n_banks * bank_bytes bytes that it is in. On Kepler in its 4-byte mode two
 *   neighbouring ones are one row of the banks
 * @offset: its byte offset in shared memory
 * @lanes: lanes that access it, or a part of it, of all lane groups
 * @collides: whether one of them is in a lane group that needs more than one pass in this bank
 */
typedef struct {
  guint32 row;
  guint bank;
  guint32 offset;
  SmbLanes lanes;
  gboolean collides;
} SmbBankMapWord;

/**
 * SmbBankMapBank: one bank, in the lane group that asks most of it
 * @words: distinct words; where lanes wait for each other's addresses within a word, addresses
 * @passes: passes that serve them
 * @collides: whether a lane group needs more than one pass there, or a loop more than one load
 */
typedef struct {
  guint words;
  guint passes;
  gboolean collides;
} SmbBankMapBank;

/**
 * SmbBankMap:
 * @request: the request
 * @plan: the rule that serves it
 * @passes: its passes
 * @cost: what it costs
 * @n_banks: banks of its rule
 * @bank_bytes: bytes of one word of a bank
 * @words: (element-type SmbBankMapWord): by row, then by bank
 */
typedef struct {
  SmbRequest request;
  const SmbPlan *plan;
  SmbPasses passes;
  SmbWavefronts cost;
  guint n_banks;
  guint bank_bytes;
  GArray *words;
  SmbBankMapBank banks[SMB_MAX_BANKS];
} SmbBankMap;

/**
 * smb_bank_map_new:
 * @arch: (transfer none): must outlive the map
 * @request: a request that passed its checks
 *
 * Returns: (transfer full): what there is to draw
 */
SmbBankMap *smb_bank_map_new(const SmbArch *arch, const SmbRequest *request);
void smb_bank_map_free(SmbBankMap *map);

/**
 * smb_bank_map_caption:
 * @pass: a pass, or SMB_BANK_MAP_ALL
 *
 * Returns: (transfer full): the title of that picture: how many passes, or which lanes this one serves
 */
char *smb_bank_map_caption(const SmbBankMap *map, int pass);

/**
 * smb_bank_map_write_text:
 * @pass: a pass below SmbPasses.n, which then stands out, or SMB_BANK_MAP_ALL
 * @columns: width of the terminal
 * @colour: whether to colour
 * @out: takes the map as lines of text
 *
 * Draws the rows that are asked for, below them what is asked of each bank, and a legend of what appears.
 * Where the banks do not fit the width side by side, they are folded into two, four or eight parts, one
 * below the other, each with the rows that are asked for in it.
 */
void smb_bank_map_write_text(const SmbBankMap *map, int pass, guint columns, gboolean colour,
                             SmbSpool *out);

/**
 * smb_bank_map_write_svg: as smb_bank_map_write_text()
 * @flags: how, and whether something is left out
 * @out: takes the map as an <svg> element
 */
void smb_bank_map_write_svg(const SmbBankMap *map, int pass, SmbBankMapFlags flags, SmbSpool *out);

/** smb_bank_map_style: Returns: (transfer full): the CSS of the pictures */
char *smb_bank_map_style(void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbBankMap, smb_bank_map_free)
