// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How much of what a launch asks of the second-level cache DRAM has to serve, if that cache is empty when it begins.
//
// A few blocks say it for all: a block in the middle of the grid, its neighbours along each dimension, and one far away along each. A
// sector of the first that none of the others asks for is asked for by no other block; one that the far block asks for, too, is asked
// for by all along that dimension; one that only the neighbour asks for is counted with that. So the sectors of a grid, or of the blocks
// that run at the same time, are a sum of products.
//
// Of blocks that ask for the same line at the same time, one has it loaded, and the others find it. What an earlier wave of blocks has
// asked for is found as well, if all that a wave asks for fits into the cache. If it does not, what a block asks for again after much else, as one
// does that passes over its rows several times, has left the cache in the meantime: all of it (an H200: 4,224 rows of 64 KB that warps pass over five times are loaded
// five times, to 0.02 %; where that begins is assumed).
//
// Local memory is apart: a block that begins gets that of one that has ended. What of it does not fit into the cache goes to DRAM and comes from there.
//
// Not modelled: blocks that ask for the same places by chance (tables, hashes): these are taken to ask for places of their own.
#pragma once

#include <glib.h>

#include "sim/time/record/block-record.h"

G_BEGIN_DECLS

enum {
  SMB_SHARINGS = 8, // sets of dimensions of a grid, a bit each
  SMB_SLICE_SHIFT =
      2, // lines one behind the other that a slice of the second-level cache has, as a power of 2
};

/**
 * SmbSiteFootprint: of what a site asks for
 * @sharing: along which dimensions of the grid all blocks ask for the same lines
 * @moved: how much longer DRAM takes for the pairs of sectors that it loads than their bytes say, since it lies scattered (sim/time/dram/scatter.h)
 * @written: the same of the sectors that it stores
 * @table: pairs of sectors of a table that blocks look up, or change, by chance; 0: they do not
 * @group: the first site that looks up the same table
 * @common: of the sectors that it loads, the part that blocks beside load at the same time (sim/time/dram/common-lines.h)
 * @span: pairs of sectors from the first to the last that all blocks load, about; 0: it is not known
 */
typedef struct {
  guint8 sharing;
  double moved;
  double written;
  double table;
  guint32 group;
  double common;
  double span;
} SmbSiteFootprint;

/**
 * SmbFootprint: of a launch
 * @sites: (array): by site
 * @first: for each set of dimensions: which part of the lines that a block asks for first DRAM has to serve, in a block of the first wave
 * @later: the same in the other blocks
 * @together: of the sets of dimensions along which blocks share lines, the one that they wait for together: what they share along others, one of them has asked for before
 * @distinct: of the sectors that are stored, the part that no store before has written
 * @unshared: of the sectors that a block stores, the part that no other block has stored before
 * @drained: of the distinct ones, the part that leaves the second-level cache for DRAM before the launch ends
 * @local: of the local memory of the blocks that run at the same time, the part that the second-level cache does not hold
 * @reach: pairs of sectors that may come into the second-level cache for a block, while as many come for each of the others that run at the same time, until it
 *   has lost what the block has asked for before them; G_MAXDOUBLE: it loses nothing
 * @absent: of what all blocks load and store, the part that the second-level cache does not hold, if it has as much of that as it can
 * @loaded: of the sectors that a block loads, and that no far one does, the part that no block before has loaded (sim/time/dram/earlier-blocks.h): those of a
 *   stencil have edges and rows in common
 */
typedef struct {
  SmbSiteFootprint *sites;
  double first[SMB_SHARINGS];
  double later[SMB_SHARINGS];
  guint together;
  double distinct;
  double unshared;
  double drained;
  double local;
  double reach;
  double absent;
  double loaded;
} SmbFootprint;

/**
 * smb_footprint_find:
 * @recorder: runs the blocks
 * @middle: what the block executes that smb_footprint_middle() says
 * @n_sites: of the program
 * @at_once: blocks that run at the same time
 * @footprint: (out caller-allocates): to be released with smb_footprint_clear()
 * @error: those of smb_block_recorder_run()
 *
 * Returns: FALSE with an error
 */
gboolean smb_footprint_find(SmbBlockRecorder *recorder, const SmbBlockRecord *middle, guint n_sites,
                            const SmbLaunch *launch, const SmbChip *chip, guint64 at_once,
                            SmbFootprint *footprint, GError **error);
void smb_footprint_clear(SmbFootprint *footprint);

/**
 * smb_footprint_take:
 * @known: of the same launch of another form of the program, whose global accesses are the same
 * @sites: (element-type guint): its global sites
 * @own: (element-type guint): those of the program, which make the same accesses
 * @n_sites: of the program
 * @footprint: (out caller-allocates): as of smb_footprint_find()
 */
void smb_footprint_take(const SmbFootprint *known, const GArray *sites, const GArray *own,
                        guint n_sites, SmbFootprint *footprint);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbFootprint, smb_footprint_clear)

/** smb_footprint_middle: Returns: the number of the block in the middle of the grid */
guint64 smb_footprint_middle(const SmbLaunch *launch);

G_END_DECLS
