// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// cp.async: from global to shared memory. The copy is made at once. A program that waits for it before it reads, as it
// must, sees no difference; one that does not wait is reported (sim/machine/pending.c).
#include <string.h>

#include "sim/exec/memory/memory.h"
#include "sim/machine/access/chunk.h"

// Bytes beyond those that are copied are zeros.
static void
keep_bytes(MarkedWords *words, SmbLanes lanes, guint width, const guint32 *bytes) {
  FOR_LANES(lanes, lane) {
    for (guint at = bytes[lane]; at < width; at++) {
      guint shift = at % 4 * 8;
      words->values[at / 4][lane] &= ~(0xffu << shift);
      words->marks[at / 4][lane] =
          (words->marks[at / 4][lane] & ~(0xffu << shift)) | (guint32)MARK_KNOWN << shift;
    }
  }
}

// What is copied depends on blockIdx.
static void
mark_block(MarkedWords *words, SmbLanes lanes, guint width) {
  for (guint word = 0; word < (width + 3) / 4; word++) {
    FOR_LANES(lanes, lane) {
      words->marks[word][lane] |= MARK_BLOCK * MARKS_KNOWN;
    }
  }
}

// For a copy past the first-level cache: why ncu may count something else; said once in a block.
static void
doubt(const Exec *exec, const Step *step, const char *why) {
  SmbBlock *block = exec->block;
  const Move *move = &step->transfer->move;
  if (move->op != SMB_OP_CP_ASYNC_CG || !block->sink->warn ||
      !smb_shadow_is_news(block, SMB_WARNING_TIMING, move->site, move->site))
    return;
  g_autofree char *message =
      g_strdup_printf("%s: %s", smb_program_site(block->program, move->site)->expression, why);
  block->sink->warn(block->user, SMB_WARNING_TIMING, move->site, move->site, message);
}

static SmbLanes
find_empty(const guint32 *bytes, SmbLanes lanes) {
  SmbLanes empty = 0;
  FOR_LANES(lanes, lane) {
    empty |= (SmbLanes)(bytes[lane] == 0) << lane;
  }
  return empty;
}

// Which lanes are counted as if they wrote zeros. Measured on an H100 and an H200, of copies past the first-level cache
// by P0, !P0, P1 to P5 and nothing, in which all lanes, some or none write zeros; through it, those that do.
static SmbLanes
find_zeros(const Exec *exec, const Step *step, SmbLanes lanes, SmbLanes zeros) {
  Copying copying = step->source->copying;
  if (step->transfer->move.op != SMB_OP_CP_ASYNC_CG)
    return zeros;
  if (copying == COPYING_EITHER)
    doubt(exec, step,
          "its wavefronts depend on the predicate that the assembler makes of its operand");
  return copying == COPYING_P0 ? lanes : copying == COPYING_NOT_P0 ? 0 : zeros;
}

// ncu also takes a guard P0 as false: it counts no lanes for @P0 and all lanes for @!P0, at the addresses in their
// registers. It is the other way around if a predicate says which lanes write zeros. Other guards are evaluated
// (tests/ptx/guards.cu), but were not tried where no lane takes part.
static void
doubt_guard(const Exec *exec, const Step *step, SmbLanes lanes) {
  gboolean is_told_apart = step->unless ? lanes != exec->warp->splits->mask : lanes != 0;
  if (step->source->is_by_p0 && is_told_apart)
    doubt(
        exec, step,
        step->source->data[0] == NO_ROW
            ? "Nsight Compute treats P0 as false: it counts nothing for @P0, and all lanes for @!P0"
            : "Nsight Compute evaluates the guard P0 differently");
  else if (!lanes)
    doubt(exec, step, "no lane takes part, but a device was measured to need wavefronts even so");
}

// Where a copy reads.
typedef struct {
  guint64 addresses[SMB_MAX_LANES];
  guint32 counts[SMB_MAX_LANES]; // bytes that a lane copies, at most; the others are zeros
  SmbLanes known;                // lanes whose address is known, and whose count is
  guint flags;
  guint32 origin; // of what is not known
} CopySource;

// ZFILL copies fewer bytes: by as many as the address is above a multiple of the width.
static void
shorten_copy(CopySource *source, guint lane, guint32 width) {
  if (source->known >> lane & 1) {
    guint32 past = (guint32)source->addresses[lane] & (width - 1);
    source->addresses[lane] -= past;
    source->counts[lane] -= MIN(past, source->counts[lane]);
  } else if (source->counts[lane]) {
    source->counts[lane] = width;
  }
}

// Addresses and bytes that each lane reads. An operand may say how many bytes come from the source, and the rest are
// zeros; if it is unknown, so is the source.
static void
find_copy_source(Exec *exec, const Step *step, SmbLanes lanes, CopySource *source) {
  const Transfer *from = step->source;
  const Registers *registers = exec->warp->registers;
  Row said = from->data[0];
  guint32 width = (guint32)from->move.width;
  gboolean is_said = said == NO_ROW || smb_row_known(registers, said, lanes) == lanes;
  source->known =
      smb_transfer_addresses(exec, from, lanes, source->addresses, &source->flags, &source->origin);
  exec_watch(exec, source->flags);
  FOR_LANES(lanes, lane) {
    source->counts[lane] = said == NO_ROW || !is_said ? width : row_values(registers, said)[lane];
    if (from->is_shortened)
      shorten_copy(source, lane, width);
  }
  if (exec->block->signature)
    smb_signature_sources(exec->block, source->known, source->addresses);
  if (!is_said) {
    source->origin = row_origin(registers, said);
    source->known = 0;
  } else if (said != NO_ROW) {
    guint flags = row_flags(registers, said);
    exec_watch(exec, flags & ROW_AFFINE ? ROW_BLOCK : flags);
  }
}

// What is copied; nothing of it is known where the source is not, or how much of it is copied.
static gboolean
load_copy_source(Exec *exec, const Step *step, SmbLanes lanes, SmbLanes reads,
                 const CopySource *source, MarkedWords *words) {
  const Transfer *from = step->source;
  memset(words, 0, sizeof *words);
  if (reads && !smb_words_load(exec->block, &from->move, exec->w, reads, source->addresses, words))
    return FALSE;
  if (reads)
    smb_provenance_explain_lanes(exec, step, reads, source->addresses, (gsize)from->move.width,
                                 words);
  if (smb_transfer_taint(exec, source->flags, reads, source->addresses))
    mark_block(words, reads, (guint)from->move.width);
  keep_bytes(words, lanes, (guint)from->move.width, source->counts);
  return TRUE;
}

// Whole chunks of shared memory that the copy brought.
static gboolean
note_copies(Exec *exec, const Step *step, SmbLanes lanes, const guint64 *addresses,
            const CopySource *source) {
  const Move *move = &step->transfer->move;
  FOR_LANES(lanes & source->known, lane) {
    guint32 offset;
    if (source->counts[lane] == move->width &&
        smb_shared_find(exec->block, addresses[lane], move->width, &offset))
      smb_chunk_note_store(exec->block, offset, move->width, CHUNK_OF_MEMORY, move->site,
                           source->addresses[lane]);
  }
  return TRUE;
}

gboolean
smb_step_copy(Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *to = step->transfer;
  guint64 addresses[SMB_MAX_LANES], sources[SMB_MAX_LANES];
  guint flags;
  guint32 origin = 0;
  MarkedWords words;
  CopySource source = {.flags = 0};
  doubt_guard(exec, step, lanes);
  if (!lanes)
    return TRUE;
  find_copy_source(exec, step, lanes, &source);
  SmbLanes reads = source.known & ~find_empty(source.counts, source.known);
  Move move = to->move;
  move.sources = source.known == lanes ? sources : NULL;
  FOR_LANES(source.known, lane) {
    sources[lane] = exec->block->map ? smb_block_address(exec->block, source.addresses[lane])
                                     : source.addresses[lane];
  }
  FOR_LANES(find_zeros(exec, step, source.known, source.known & ~reads), lane) {
    sources[lane] = MOVE_NO_SOURCE;
  }
  if (source.known != lanes) {
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_ADDRESS, .origin = source.origin});
    smb_unknown_unplaced(exec, step->source, lanes & ~source.known, "where it copies from",
                         source.origin);
  }
  if (!load_copy_source(exec, step, lanes, reads, &source, &words))
    return FALSE;
  SmbLanes known = smb_transfer_addresses(exec, to, lanes, addresses, &flags, &origin);
  exec_watch(exec, flags);
  if (known != lanes) {
    smb_shared_forget(exec->block);
    smb_unknown_uncounted(exec, step, lanes, "the address", origin);
    return TRUE;
  }
  smb_provenance_note(exec, step, lanes, addresses, to->move.width, step_origin(exec, step));
  return smb_words_copy(exec->block, &move, exec->w, lanes, addresses, &words) &&
         (!exec->code->has_operands || note_copies(exec, step, lanes, addresses, &source));
}

gboolean
smb_step_commit(Exec *exec, G_GNUC_UNUSED const Step *step, SmbLanes lanes) {
  smb_pending_commit(exec->block, exec->w, lanes);
  return TRUE;
}

gboolean
smb_step_await(Exec *exec, const Step *step, SmbLanes lanes) {
  smb_pending_wait(exec->block, exec->w, lanes, step->argument);
  return TRUE;
}

void
smb_doubt_copies(Exec *exec, G_GNUC_UNUSED const Step *step, SmbLanes lanes,
                 G_GNUC_UNUSED guint32 origin) {
  smb_pending_wait(exec->block, exec->w, lanes, PENDING_NONE);
}
