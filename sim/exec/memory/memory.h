// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Steps that ask for memory: from registers to requests of the machine (sim/machine/access/words.c), and back.
#pragma once

#include "sim/exec/unknown/order.h"
#include "sim/machine/check/checking.h"

// --- addresses (address.c)

// The lanes of @lanes whose address is known. @addresses: pointers of the machine; @flags: of the rows that they come
// from;
// @origin: of the address of the first one that is not known.
SmbLanes smb_transfer_addresses(Exec *exec, const Transfer *transfer, SmbLanes lanes,
                                guint64 *addresses, guint *flags, guint32 *origin);
// The lanes of @lanes whose addresses are in the shared memory of another block of the cluster.
SmbLanes smb_transfer_elsewhere(SmbLanes lanes, const guint64 *addresses);
// The same place in the block's own shared memory.
guint64 smb_transfer_own(guint64 address);

// --- data (request-words.c)

// Registers of @bytes each, side by side, of @lanes. Returns the origin of what is not known of them; 0: all is.
guint32 smb_transfer_gather(const Registers *registers, const Row *rows, guint n_components,
                            guint bytes, SmbLanes lanes, MarkedWords *words);
gboolean smb_fragment_ask(Exec *exec, const Step *step, const guint64 *addresses);
// Words that a step loaded go to its registers. TRUE: all that is delivered is known. @flags: what they depend on.
gboolean smb_transfer_deliver(Exec *exec, const Step *step, SmbLanes lanes, guint flags,
                              const MarkedWords *words);
// The same of words that are known, without marks.
void smb_transfer_deliver_known(Exec *exec, const Step *step, SmbLanes lanes, MarkedWords *words);

// --- a request at addresses that are known (transfer.c)

/**
 * Located: a request that is made at addresses, which are known
 * @lanes: make it, and ask for memory of this block, or global memory
 * @away: make it, and ask for shared memory of another block, whose peers are here
 * @addresses: pointers of the machine, of these lanes
 * @flags: of the rows that the addresses come from
 */
typedef struct {
  const Step *step;
  SmbLanes lanes, away;
  guint64 addresses[SMB_MAX_LANES];
  guint flags;
} Located;

// FALSE: no lane makes it; those whose addresses are not known, or that ask another block, are dealt with.
gboolean smb_transfer_locate(Exec *exec, const Step *step, SmbLanes lanes, Located *located);
// The same of a load, a store or an atomic, which deals with those that ask another block itself: Located.away.
gboolean smb_transfer_reach(Exec *exec, const Step *step, SmbLanes lanes, Located *located);
// Flags of what lanes find in another block: its threads may change it meanwhile.
guint smb_transfer_found_away(Exec *exec, const Transfer *transfer);
// What it found depends on: flags of a row. After it was made.
guint smb_transfer_found(Exec *exec, const Located *located);
// It has stored.
void smb_transfer_finish_store(Exec *exec, const Located *located);
// Global memory that other blocks may change meanwhile: nothing is known of what it found there.
void smb_transfer_forget_others(Exec *exec, const Located *located, MarkedWords *words);
// The base of an access to shared memory by STEP_DIRECT, of which all lanes know the address and a signature needs to
// say no more than where it goes; else NULL.
const guint32 *smb_transfer_base(const Exec *exec, const Step *step, SmbLanes lanes);

// ROW_BLOCK, if what was loaded at @addresses depends on blockIdx though memory is not marked so. @flags: of the
// address.
guint smb_transfer_taint(const Exec *exec, guint flags, SmbLanes lanes, const guint64 *addresses);
// A step stored at @addresses. @flags: of them.
void smb_transfer_note_store(Exec *exec, guint flags, SmbLanes lanes, const guint64 *addresses);
// A step writes to memory, or does not, or it is not known where. @origin: why.
void smb_transfer_mark_unknown(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);

// What a load or an atomic found, for whoever polls; @changes: whether the atomic changed something.
typedef struct {
  Located located;
  MarkedWords words;
  gboolean changes;
} Found;

// --- copies in bulk (bulk.c)

// Bytes of one lane as words, and back.
void smb_copied_words(MarkedWords *words, guint lane, const guchar *bytes, const guchar *marks,
                      gsize n);
void smb_copied_bytes(const MarkedWords *words, guint lane, guchar *bytes, guchar *marks, gsize n);
// What a reduction (Move.atomic) makes of a number at @address, Move.width bytes, and of the one in @bytes, into these.
// @flushes: subnormal numbers of 32 bits count as 0. Nothing is known of what is in a block that does not run with this one.
gboolean smb_bulk_combine(Exec *exec, const Move *move, gboolean flushes, guint lane,
                          guint64 address, guchar *bytes, guchar *marks);
// The blocks of the cluster that a copy of one lane goes to: what is added to an address in the shared memory of the block that it names.
// @above: has room for SMB_MAX_CLUSTER_BLOCKS. Returns how many.
guint smb_bulk_ranks(Exec *exec, const Bulk *bulk, guint lane, guint32 *above);

// --- boxes of tensors (tensor-copy.c)

// A box that one lane copies.
typedef struct {
  SmbTensorMap map;
  SmbTensorBox box;
  guint flags; // of the rows that say where it is
} Box;

// FALSE: it is not known, or its descriptor is not.
gboolean smb_box_find(Exec *exec, const Step *step, guint lane, Box *box);
// Copies it from or to @shared: pointers of the machine to each place in shared memory of the cluster where it goes, or the one that it
// comes from. FALSE with the block's error.
gboolean smb_box_copy(Exec *exec, const Step *step, guint lane, const Box *box,
                      const guint64 *shared, guint n_shared);

// --- operands of products that are in shared memory

/**
 * SharedMatrix: one that is read
 * @is_left: A; else B
 * @is_turned, @reserved: as in Product
 * @bytes: of a number
 * @is_packed: two numbers of 4 bits are in each byte
 * @is_stored: it is no operand, but a box that a copy stores to a tensor
 */
typedef struct {
  SmbBlock *block;
  MatrixPlace place;
  gboolean is_left, is_turned;
  gboolean is_packed, is_stored;
  guint32 reserved;
  ProductNumber number;
  guint bytes;
} SharedMatrix;

enum {
  GROUP_WARPS = 4, // that make such products together
};

// Whether the descriptor of one is known, in two rows: what it decides is watched (shared-matrix.c).
gboolean smb_shared_matrix_watch(Exec *exec, Row row, guint lane);
// The one that it names, of this block; whether it is A, and whether it is turned, is left to be said. Of 4 and 6 bits, numbers count as bytes.
SharedMatrix smb_shared_matrix_open(const Exec *exec, Row row, guint lane, guint32 reserved,
                                    ProductNumber number);
// Of a descriptor of tcgen05, which has more modes than those of wgmma. FALSE: nothing is known of this one.
gboolean smb_shared_matrix_set_mode(const Exec *exec, Row row, guint lane, SharedMatrix *matrix);
// @n bytes, at most 4, as a number; beyond the end of shared memory nothing is known. Returns the marks that all have, and MARK_BLOCK if one has it.
guint smb_shared_matrix_read(const SharedMatrix *matrix, guint32 address, guint n, guint32 *bits);
// Sixteen rows of A; eight columns of B: of each @depth numbers.
void smb_shared_matrix_take_rows(const SharedMatrix *matrix, guint first, guint depth,
                                 ProductOperands *operands, ProductUnknown *unknown);
void smb_shared_matrix_take_columns(const SharedMatrix *matrix, guint first, guint depth,
                                    ProductOperands *operands, ProductUnknown *unknown);

// The running warp's quarter of one: Step.product (group-product.c).
void smb_group_product_make(Exec *exec, const Step *step, SmbLanes lanes);
// Warns, and tells a launch that is checked, where the descriptor does not fit the boxes of tensors that brought an operand of @n rows or
// columns (operand-rows.c). @site: of the product; @depth: numbers of a row that are stored
void smb_operand_check(Exec *exec, const SharedMatrix *matrix, guint site, guint n, guint depth);

// The same of an operand whose units are not of 16 bytes, and whose rows are not looked at: whether the box that brought it was swizzled by others.
void smb_operand_check_unit(Exec *exec, const SharedMatrix *matrix, guint site);

// The same of a box that a copy stores, against what threads wrote: @matrix has @rows of @row_bytes.
void smb_stored_box_check(Exec *exec, const SharedMatrix *matrix, guint site, guint rows,
                          guint row_bytes);

// The same where both are in order, each by itself, and one is swizzled with another base offset than its descriptor's: then what is multiplied does
// not belong together.
void smb_operand_compare(Exec *exec, const SharedMatrix *left, const SharedMatrix *right,
                         guint site);
// A launch that is checked: @work reads @n rows or columns of one, from the @first on.
void smb_operand_read(const SharedMatrix *matrix, const CheckWork *work, guint first, guint n,
                      guint depth);

// Tells where a box or an operand lies (SmbSink.tile), if it has eight lines and begins a chunk.
void smb_tile_tell(const SmbBlock *block, guint site, char name, const SmbPlacement *placement);

// --- tensor memory (tensor-move.c)

// An address in it. FALSE: it is not known.
gboolean smb_tensor_place_find(Exec *exec, const TensorPlace *place, guint lane, guint32 *address);
// What a step that has a site does, for a lane of the running warp.
CheckWork smb_tensor_work(const Exec *exec, const Step *step, CheckAgent agent, guint lane);
// Of a block that is checked and has ended: whether it has given back all columns.
void smb_tensor_check_ended(const Exec *exec);
// Fails unless the block has these columns.
gboolean smb_tensor_check(SmbBlock *block, const Step *step, guint32 first, guint32 columns);
// The @i-th of a pair of blocks, whose rank is even first; or, of @blocks 1, the running one. NULL: it is not here.
// Those of @lanes that execute a step of tensor memory.
static inline SmbLanes
tensor_lanes(const Step *step, SmbLanes lanes) {
  return step->argument == TENSOR_OF_WARP ? lanes & -lanes : lanes;
}
SmbBlock *smb_tensor_block(const Exec *exec, guint blocks, guint i);

gboolean smb_step_tensor_allocate(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_tensor_free(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_tensor_load(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_tensor_store(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_tensor_copy(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_tensor_shift(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_tensor_product(Exec *exec, const Step *step, SmbLanes lanes);
// Nothing is known of tensor memory any longer.
void smb_doubt_tensor(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);

// --- what threads copy by registers (copied.c)

// NULL: nothing that a product reads. Of a block.
CopiedRows *smb_copied_rows_new(const Code *code, guint n_warps);
void smb_copied_rows_free(CopiedRows *copied);
// Another block begins.
void smb_copied_rows_start(CopiedRows *copied);
// The running warp loaded or stored by a step that STEP_COPIES; there is an Exec.copied.
void smb_copied_note_load(const Exec *exec, const Step *step, SmbLanes lanes,
                          const guint64 *addresses);
void smb_copied_note_store(const Exec *exec, const Step *step, SmbLanes lanes,
                           const guint64 *addresses);

// --- steps

gboolean smb_step_load(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_store(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_atomic(Exec *exec, const Step *step, SmbLanes lanes);
// The same of memory that others change; @found: no lanes if nothing was loaded.
gboolean smb_transfer_load(Exec *exec, const Step *step, SmbLanes lanes, Found *found);
gboolean smb_transfer_atomic(Exec *exec, const Step *step, SmbLanes lanes, Found *found);
// A compare-and-swap that the losing lanes retry: of the lanes that name one word, one takes part. Whether it swapped
// goes to the row Compute.d, unless that is NO_ROW, and to the predicate Compute.p. It costs as much as if each lane
// named a word of its own (executed on an H200: 2 wavefronts a request where all lanes name one word).
gboolean smb_step_cast(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_load_matrix(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_store_matrix(Exec *exec, const Step *step, SmbLanes lanes);
// Loads or stores a matrix of Bulk.bytes, of which only an assembler knows which lane moves what.
gboolean smb_step_fragment(Exec *exec, const Step *step, SmbLanes lanes);
// The same of memory of which all is known (plain.c).
gboolean smb_step_read(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_write(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_update(Exec *exec, const Step *step, SmbLanes lanes);
gboolean smb_step_copy(Exec *exec, const Step *step, SmbLanes lanes);
// The copies of a thread since the last such step are a group.
gboolean smb_step_commit(Exec *exec, const Step *step, SmbLanes lanes);
// Waits until Step.argument groups are pending at most; PENDING_NONE: for all copies of the thread.
gboolean smb_step_await(Exec *exec, const Step *step, SmbLanes lanes);
// Copies in bulk of @lanes; @bytes: of each (SMB_BYTES_UNKNOWN).
gboolean smb_bulk_copy(Exec *exec, const Step *step, SmbLanes lanes, guint64 *bytes);

// What becomes unknown: for requests, and for steps that wait for copies, after which it is unknown which copies are
// pending.
void smb_doubt_transfer(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);
void smb_doubt_copies(Exec *exec, const Step *step, SmbLanes lanes, guint32 origin);
