// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The lines of global memory that a request of a block touches, and what of them is new.
#pragma once

#include "sim/count/recall.h"
#include "sim/time/record/block-record.h"

G_BEGIN_DECLS

/** smb_request_lines: Returns: (transfer none) (array): of the request; until one is added */
static inline SmbTimedLine *
smb_request_lines(const SmbBlockRecord *record, const SmbTimedRequest *request) {
  return &g_array_index(record->lines, SmbTimedLine, request->first);
}

/** smb_request_add_sector: The request, the last one that has lines, touches the sector of an address. */
void smb_request_add_sector(const SmbBlockRecord *record, SmbTimedRequest *request,
                            guint64 address);

/** smb_request_count_sectors: All of its sectors have been added. */
void smb_request_count_sectors(const SmbBlockRecord *record, SmbTimedRequest *request);

/**
 * smb_request_find_news: Which of its lines are new to the block. What is loaded comes from DRAM in pairs of sectors.
 * @seen: (inout): line → bits of the sectors that the block has touched, and the first warp that did
 * @warp: whose request it is
 */
void smb_request_find_news(SmbBlockRecord *record, GHashTable *seen, const SmbTimedRequest *request,
                           guint warp, gboolean loads);

/** smb_request_note_stored: Which words a store of @mask leaves in memory (SmbBlockRecord.stored); of a narrower one those that it is in. */
void smb_request_note_stored(const SmbBlockRecord *record, SmbLanes mask, guint width,
                             const guint64 *addresses);

/** smb_request_count_l1: Adds what a load or store of @site takes of the first-level cache, once its lines are known. It has banks as shared memory has, since
 * it is the same memory, and looks up four lines a cycle (measured on an H200: loads of 4 and 8 bytes at distances of 4 to 136 bytes). */
void smb_request_count_l1(SmbTimedRequest *request, SmbRecall *recall, guint site, SmbLanes mask,
                          guint width, const guint64 *addresses);

G_END_DECLS
