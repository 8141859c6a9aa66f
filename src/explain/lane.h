// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From the thread to the bank: what one lane of a request accesses.
#pragma once

#include "src/explain/explain.h"

/**
 * SmbExplainLane: one active lane
 * @thread: threadIdx
 * @array: (nullable): the array that it accesses
 * @n_indices: indices of @index; 0 for a variable that is not an array
 * @index: of the element, outermost first
 * @elements: elements that it accesses, from that one on
 * @skipped: bytes of the first element that lie before what it accesses
 * @offset: byte offset in shared memory
 * @word: number of its (first) word, in words of a bank
 * @n_words: words that it accesses, each in a bank of its own
 * @bank: bank of the first word
 * @group: lane group
 * @pass: pass, of all groups together, from 0; 0 where the request has none
 * @sharers: other lanes of its lane group that ask for a byte of the same words
 */
typedef struct {
  guint lane;
  guint thread[3];
  const SmbArray *array;
  guint n_indices;
  guint64 index[SMB_ARRAY_MAX_DIMENSIONS];
  guint64 elements;
  guint skipped;
  guint32 offset;
  guint32 word;
  guint n_words;
  guint bank;
  guint group;
  guint pass;
  SmbLanes sharers;
} SmbExplainLane;

/** smb_explain_lane: Returns: what an active lane accesses */
SmbExplainLane smb_explain_lane(const SmbExplanation *explanation, guint lane);

/** smb_explain_element: Returns: (transfer full): the element as C names it, such as "tile[3][0]"; of several
 * "t[3][4..7]" */
char *smb_explain_element(const SmbExplainLane *lane);

/** smb_explain_example: Returns: (transfer full) (nullable): the chain of one lane, with its numbers; %NULL if
 * none is active */
char *smb_explain_example(const SmbExplanation *explanation);

/**
 * smb_explain_write_chain:
 * @lanes: active lanes that are shown; none: those that conflict, and a few others
 *
 * The table of the lanes, for a terminal.
 */
void smb_explain_write_chain(SmbCli *cli, const SmbExplanation *explanation, SmbLanes lanes);
