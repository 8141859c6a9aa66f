// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Why a request costs what it costs: which lanes ask which bank for which word. Slow and complete,
// where sim/count/wavefront is fast and terse.
#pragma once

#include <glib.h>

#include "sim/arch/forward.h"
#include "sim/base/request.h"

G_BEGIN_DECLS

/**
 * SmbWordUse:
 * @group: lane group, from 0 (SmbPlan); of a loop: always the warp, whose
 *   lanes go round together
 * @bank: physical bank
 * @offset: byte offset of the word in shared memory; where lanes wait for each other's addresses within
 *   a word (stores of compute capability 1.x), of the address
 * @row: row of the banks that holds the word; words of one bank and row are served together
 * @pass: in which pass of its group, from 0, the word is served: for atomics, its first lane; of a loop,
 *   the round
 * @lanes: lanes that access it: more than one share it (or queue up, if the operation is an atomic)
 */
typedef struct {
  guint group;
  guint bank;
  guint32 offset;
  guint32 row;
  guint pass;
  SmbLanes lanes;
} SmbWordUse;

/**
 * smb_request_words:
 * @arch: an architecture
 * @request: a request that passed its checks
 *
 * Every bank-wide word that the request accesses. A wide access accesses several. Passes are dealt in the
 * order of the lowest lane: hardware may choose another order, not another number. Where one word is
 * broadcast in each pass (loads of compute capability 1.x) the passes of a bank are those it needs if
 * the broadcasts are all its own; the counter knows what the banks need together.
 *
 * Returns: (transfer full) (element-type SmbWordUse): sorted by group, bank, pass
 */
GArray *smb_request_words(const SmbArch *arch, const SmbRequest *request);

/**
 * SmbCollision: one bank of one lane group that needs more than one pass.
 * @group: lane group, from 0
 * @bank: the bank
 * @lanes: lanes that conflict there
 * @words: number of distinct words that they access
 */
typedef struct {
  guint group;
  guint bank;
  SmbLanes lanes;
  guint words;
} SmbCollision;

/**
 * smb_request_worst_bank:
 * @arch: an architecture
 * @request: a request that passed its checks
 * @collision: (out): the bank that is asked for the most words (the first of them); for atomics, and
 *   where one word is broadcast in each pass, by the most lanes; of a loop, the bank that needs the most
 *   rounds
 *
 * Returns: %FALSE if every bank is done in one pass, or the request counts no wavefront at all.
 */
gboolean smb_request_worst_bank(const SmbArch *arch, const SmbRequest *request,
                                SmbCollision *collision);

G_END_DECLS
