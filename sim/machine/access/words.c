// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of programs that know what they do not know: words of 4 bytes with a mark for each byte. A byte that
// nobody wrote, and a byte of a buffer whose contents the launch does not give, is not known.
#include <string.h>

#include "sim/machine/access/access.h"
#include "sim/machine/check/checking.h"
#include "sim/machine/access/lanes.h"

enum {
  WORD_BYTES = 4,
};

static gsize
piece_bytes(const Move *move) {
  return MIN(move->width, WORD_BYTES);
}

static guint
count_pieces(const Move *move) {
  return (guint)((move->width + WORD_BYTES - 1) / WORD_BYTES);
}

// A piece of a lane's access, in shared memory or in its own: where its bytes and their marks are.
static gboolean
find_word_piece(SmbBlock *block, const Move *move, const Access *access, guint lane, guint word,
                guchar **bytes, guchar **marks) {
  gsize at = (gsize)word * WORD_BYTES;
  if (access->lanes[SPACE_PRIVATE] >> lane & 1)
    return smb_private_find(block, move, access, lane, at, bytes, marks);
  *bytes = block->shared + access->request.offset[lane] + at;
  *marks = block->shared_marks + access->request.offset[lane] + at;
  return TRUE;
}

static void
put_piece(MarkedWords *words, guint word, guint lane, const guchar *bytes, const guchar *marks,
          gsize size) {
  guint32 value = 0, mark = MARKS_KNOWN;
  memcpy(&value, bytes, size);
  memcpy(&mark, marks, size);
  words->values[word][lane] = value;
  words->marks[word][lane] = mark;
}

// Of constant and of global memory.
static void
read_outside(SmbBlock *block, const Move *move, const Access *access, guint lane,
             MarkedWords *words) {
  const Object *object = access_object(block, access, lane);
  guchar bytes[MAX_MOVE_BYTES], marks[MAX_MOVE_BYTES];
  guint64 offset = (guint64)access->offset[lane];
  if (object->space == SPACE_GLOBAL) {
    smb_overlay_read(block->overlay, object, offset, move->op_class == SMB_OP_CLASS_ATOMIC, bytes,
                     marks, move->width);
    if (move->op_class == SMB_OP_CLASS_LOAD)
      smb_outside_hide_changed(marks, move->width);
  } else {
    smb_contents_read(&object->contents, offset, bytes, move->width);
    memset(marks, object->contents.fill == SMB_FILL_UNKNOWN ? 0 : MARK_KNOWN, sizeof marks);
    if (object->marks)
      memcpy(marks, object->marks + offset, move->width);
  }
  for (guint word = 0; word < count_pieces(move); word++)
    put_piece(words, word, lane, bytes + word * WORD_BYTES, marks + word * WORD_BYTES,
              piece_bytes(move));
}

// One word for all lanes.
static void
spread_word(const SmbBlock *block, MarkedWords *words, guint word, guint32 value, guint32 mark) {
  EACH_LANE(block->lanes, {
    words->values[word][lane] = value;
    words->marks[word][lane] = mark;
  })
}

// Lanes that all read one place outside.
static void
read_one_outside(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
                 MarkedWords *words) {
  guint first = smb_lanes_first(lanes);
  read_outside(block, move, access, first, words);
  for (guint word = 0; word < count_pieces(move); word++)
    spread_word(block, words, word, words->values[word][first], words->marks[word][first]);
}

// A buffer of which nothing is known.
static gboolean
is_unknown_buffer(const SmbBlock *block, const Move *move, const Access *access) {
  const Object *object = access->common;
  return object && move->op_class != SMB_OP_CLASS_ATOMIC && object->space == SPACE_GLOBAL &&
         object->contents.fill == SMB_FILL_UNKNOWN && object->contents.length == 0 &&
         smb_overlay_is_bare(block->overlay, object);
}

static gboolean
is_dense_words(const Access *access, const Move *move) {
  return access->pattern == PATTERN_DENSE && move->width == WORD_BYTES;
}

static gboolean
is_dense_outside(const Access *access, SmbLanes lanes) {
  return access->lanes[SPACE_GLOBAL] == lanes && access->pattern == PATTERN_DENSE;
}

// Words of one buffer, wherever they are in it.
static gboolean
is_common_words(const Access *access, const Move *move, SmbLanes lanes) {
  return access->common && lanes && access->lanes[SPACE_GLOBAL] == lanes &&
         move->width == WORD_BYTES;
}

// Whether these are all lanes of the access, and not one after the other.
static gboolean
covers_access(const Access *access, SmbLanes lanes) {
  SmbLanes all = 0;
  for (guint space = 0; space < G_N_ELEMENTS(access->lanes); space++)
    all |= access->lanes[space];
  return lanes == all;
}

// Lanes that all read words of shared memory, as most do.
static void
load_shared(const SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
            MarkedWords *words) {
  guint n = block->lanes;
  guint32 start = access->request.offset[smb_lanes_first(lanes)];
  if (is_dense_words(access, move)) {
    memcpy(words->values[0], block->shared + start, n * WORD_BYTES);
    memcpy(words->marks[0], block->shared_marks + start, n * WORD_BYTES);
    return;
  }
  for (guint word = 0; word < count_pieces(move); word++) {
    const guchar *bytes = block->shared + word * WORD_BYTES;
    const guchar *marks = block->shared_marks + word * WORD_BYTES;
    if (access->pattern == PATTERN_SAME) {
      guint32 value, mark;
      memcpy(&value, bytes + start, WORD_BYTES);
      memcpy(&mark, marks + start, WORD_BYTES);
      spread_word(block, words, word, value, mark);
      continue;
    }
    const guint32 *restrict at = access->request.offset;
    guint32 *restrict values = words->values[word], *restrict known = words->marks[word];
    if (lanes == block->all_lanes) {
      EACH_LANE(n, {
        memcpy(&values[lane], bytes + at[lane], WORD_BYTES);
        memcpy(&known[lane], marks + at[lane], WORD_BYTES);
      })
      continue;
    }
    FOR_LANES(lanes, lane) {
      memcpy(&values[lane], bytes + at[lane], WORD_BYTES);
      memcpy(&known[lane], marks + at[lane], WORD_BYTES);
    }
  }
}

static gboolean
is_shared_access(const Access *access, const Move *move, SmbLanes lanes) {
  return access->lanes[SPACE_SHARED] == lanes && move->width >= WORD_BYTES;
}

// Lanes that all access words of their own memory.
static gboolean
is_private_access(const Access *access, const Move *move, SmbLanes lanes) {
  return access->common && lanes && !(lanes & ~access->lanes[SPACE_PRIVATE]) &&
         move->width >= WORD_BYTES;
}

static gboolean
read_word_lanes(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
                MarkedWords *words) {
  if (is_shared_access(access, move, lanes)) {
    load_shared(block, move, access, lanes, words);
    return TRUE;
  }
  if (is_private_access(access, move, lanes))
    return smb_private_read_words(block, move, access, lanes, words);
  SmbLanes inside = access->lanes[SPACE_SHARED] | access->lanes[SPACE_PRIVATE];
  FOR_LANES(lanes & inside, lane) {
    for (guint word = 0; word < count_pieces(move); word++) {
      guchar *bytes, *marks;
      if (!find_word_piece(block, move, access, lane, word, &bytes, &marks))
        return FALSE;
      put_piece(words, word, lane, bytes, marks, piece_bytes(move));
    }
  }
  SmbLanes outside = lanes & ~inside;
  gboolean at_once = outside && covers_access(access, outside);
  if (at_once && access->pattern == PATTERN_SAME) {
    read_one_outside(block, move, access, outside, words);
    return TRUE;
  }
  if (at_once && move->width >= WORD_BYTES && is_unknown_buffer(block, move, access)) {
    for (guint word = 0; word < count_pieces(move); word++)
      spread_word(block, words, word, 0, 0);
    return TRUE;
  }
  if (at_once && smb_outside_read(block, move, access, words))
    return TRUE;
  FOR_LANES(outside, lane) {
    read_outside(block, move, access, lane, words);
  }
  return TRUE;
}

static gboolean
write_outside(SmbBlock *block, const Move *move, const Access *access, guint lane,
              const MarkedWords *words) {
  Object *object = access_object(block, access, lane);
  guchar bytes[MAX_MOVE_BYTES], marks[MAX_MOVE_BYTES];
  if (object->space == SPACE_CONSTANT)
    return smb_access_fail(block, move, access->warp, lane, "constant memory cannot be written");
  for (guint word = 0; word < count_pieces(move); word++) {
    memcpy(bytes + word * WORD_BYTES, &words->values[word][lane], WORD_BYTES);
    memcpy(marks + word * WORD_BYTES, &words->marks[word][lane], WORD_BYTES);
  }
  smb_overlay_write(block->overlay, object, (guint64)access->offset[lane], bytes, marks,
                    move->width);
  return TRUE;
}

// Lanes that all write words of shared memory.
static void
store_shared(const SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
             const MarkedWords *words) {
  if (is_dense_words(access, move)) {
    gsize start = access->request.offset[0], n = block->lanes * WORD_BYTES;
    memcpy(block->shared + start, words->values[0], n);
    memcpy(block->shared_marks + start, words->marks[0], n);
    return;
  }
  for (guint word = 0; word < count_pieces(move); word++) {
    guchar *bytes = block->shared + word * WORD_BYTES;
    guchar *marks = block->shared_marks + word * WORD_BYTES;
    FOR_LANES(lanes, lane) {
      guint32 at = access->request.offset[lane];
      memcpy(bytes + at, &words->values[word][lane], WORD_BYTES);
      memcpy(marks + at, &words->marks[word][lane], WORD_BYTES);
    }
  }
}

// Whether nothing is known of what is written, nor of what was there: it stays as it is. Of a variable an atomic would
// find what it is loaded with.
static gboolean
writes_nothing(const SmbBlock *block, const Move *move, const Access *access,
               const MarkedWords *words) {
  guint32 any = 0;
  if (move->width < WORD_BYTES || !is_unknown_buffer(block, move, access) ||
      access->common->is_loaded)
    return FALSE;
  for (guint word = 0; word < count_pieces(move); word++) {
    EACH_LANE(block->lanes, any |= words->marks[word][lane];)
  }
  return any == 0;
}

static gboolean
write_word_lanes(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
                 const MarkedWords *words) {
  gsize size = piece_bytes(move);
  SmbLanes inside = access->lanes[SPACE_SHARED] | access->lanes[SPACE_PRIVATE];
  if (inside && is_shared_access(access, move, lanes)) {
    store_shared(block, move, access, lanes, words);
    return TRUE;
  }
  if (is_private_access(access, move, lanes))
    return smb_private_write_words(block, move, access, lanes, words);
  FOR_LANES(lanes & inside, lane) {
    for (guint word = 0; word < count_pieces(move); word++) {
      guchar *bytes, *marks;
      if (!find_word_piece(block, move, access, lane, word, &bytes, &marks))
        return FALSE;
      memcpy(bytes, &words->values[word][lane], size);
      memcpy(marks, &words->marks[word][lane], size);
    }
  }
  if (writes_nothing(block, move, access, words))
    return TRUE;
  if (is_dense_outside(access, lanes)) {
    smb_outside_write_dense(block, move, access, words);
    return smb_memory_check_kept(block, move, access);
  }
  if (is_common_words(access, move, lanes)) {
    smb_overlay_write_words(block->overlay, access->common, lanes, access->offset, words->values[0],
                            words->marks[0]);
    return smb_memory_check_kept(block, move, access);
  }
  FOR_LANES(lanes & ~inside, lane) {
    if (!write_outside(block, move, access, lane, words))
      return FALSE;
  }
  return smb_memory_check_kept(block, move, access);
}

// Reports an access, and checks it. @words: what it writes
static gboolean
report_words(SmbBlock *block, const Move *move, Access *access, SmbLanes lanes,
             const MarkedWords *words) {
  if (!smb_access_report(block, move, access))
    return FALSE;
  if (G_UNLIKELY(block->check))
    smb_inspect_access(block, move, access, lanes, words);
  return TRUE;
}

gboolean
smb_words_load(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
               const guint64 *addresses, MarkedWords *words) {
  Access access;
  return smb_access_resolve(block, move, warp, lanes, addresses, &access) &&
         report_words(block, move, &access, lanes, NULL) &&
         read_word_lanes(block, move, &access, lanes, words);
}

gboolean
smb_words_store(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                const guint64 *addresses, const MarkedWords *words) {
  Access access;
  return smb_access_resolve(block, move, warp, lanes, addresses, &access) &&
         report_words(block, move, &access, lanes, words) &&
         write_word_lanes(block, move, &access, lanes, words);
}

gboolean
smb_words_copy(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
               const guint64 *addresses, const MarkedWords *words) {
  Access access;
  if (!smb_access_resolve(block, move, warp, lanes, addresses, &access) ||
      !report_words(block, move, &access, lanes, words))
    return FALSE;
  if ((block->sink->warn || block->check) && access.lanes[SPACE_SHARED])
    smb_pending_begin(block, move, &access);
  return write_word_lanes(block, move, &access, lanes, words);
}

// Offsets into shared memory as addresses, for what cannot be done fast.
static const guint64 *
make_addresses(const SmbBlock *block, const guint32 *base, guint32 offset, guint64 *addresses) {
  guint64 start = make_pointer(SHARED_OBJECT, 0);
  EACH_LANE(block->lanes, addresses[lane] = start + (guint32)(base[lane] + offset);)
  return addresses;
}

// Whether all bytes of a place in shared memory are known, and depend on nothing.
static gboolean
is_place_known(const SmbBlock *block, guint32 offset, gsize n) {
  const guchar *marks = block->shared_marks + offset;
  guint8 differ = 0;
  for (gsize i = 0; i < n; i++)
    differ |= marks[i] ^ MARK_KNOWN;
  return differ == 0;
}

// Words that are all known are loaded without their marks. Lanes that are off are where the first one is. FALSE: they
// are not.
static gboolean
load_known(const SmbBlock *block, const Move *move, const Access *access, MarkedWords *words) {
  const guint32 *offsets = access->request.offset;
  guint n_words = count_pieces(move);
  guint32 first;
  memcpy(&first, block->shared_marks + offsets[0], sizeof first);
  if (move->width < WORD_BYTES || first != MARKS_KNOWN)
    return FALSE;
  if (access->pattern == PATTERN_SAME && is_place_known(block, offsets[0], move->width)) {
    for (guint word = 0; word < n_words; word++) {
      guint32 value;
      memcpy(&value, block->shared + offsets[0] + word * WORD_BYTES, sizeof value);
      EACH_LANE(block->lanes, words->values[word][lane] = value;)
    }
    return TRUE;
  }
  return access->pattern != PATTERN_SAME &&
         block->place_loops->load(block->lanes, n_words, offsets, block->shared,
                                  block->shared_marks, words->values);
}

gboolean
smb_words_load_shared(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                      const guint32 *base, guint32 offset, MarkedWords *words, gboolean *is_known) {
  Access access;
  guint64 addresses[SMB_MAX_LANES];
  *is_known = FALSE;
  if (!smb_access_resolve_shared(block, move, warp, lanes, base, offset, &access))
    return smb_words_load(block, move, warp, lanes, make_addresses(block, base, offset, addresses),
                          words);
  if (!report_words(block, move, &access, lanes, NULL))
    return FALSE;
  *is_known = load_known(block, move, &access, words);
  return *is_known || read_word_lanes(block, move, &access, lanes, words);
}

gboolean
smb_words_store_shared(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                       const guint32 *base, guint32 offset, const MarkedWords *words) {
  Access access;
  guint64 addresses[SMB_MAX_LANES];
  if (!smb_access_resolve_shared(block, move, warp, lanes, base, offset, &access))
    return smb_words_store(block, move, warp, lanes, make_addresses(block, base, offset, addresses),
                           words);
  return report_words(block, move, &access, lanes, words) &&
         write_word_lanes(block, move, &access, lanes, words);
}

// --- atomics

// Where all lanes name words of global memory, one after the other, no turn sees another.
static gboolean
is_dense_update(const Access *access, const Move *move, SmbLanes lanes, const MarkedWords *swap) {
  return !swap && smb_scalar_bytes(move->kind) == WORD_BYTES && move->width == WORD_BYTES &&
         is_dense_outside(access, lanes);
}

static gboolean
update_dense(SmbBlock *block, const Move *move, const Access *access, const MarkedWords *operand,
             MarkedWords *before) {
  MarkedWords after = {.values = {{0}}};
  guint32 changed = block_has_company(block) ? MARK_SHARED * MARKS_KNOWN : 0;
  smb_outside_read_dense(block, move, access, before);
  for (guint lane = 0; lane < block->lanes; lane++) {
    guint32 both = before->marks[0][lane] & operand->marks[0][lane];
    guint32 any = before->marks[0][lane] | operand->marks[0][lane];
    guint64 result = 0;
    gboolean known =
        both == MARKS_KNOWN && any == MARKS_KNOWN &&
        smb_words_combine(move, before->values[0][lane], operand->values[0][lane], &result);
    gboolean blank =
        before->marks[0][lane] == 0 && any == MARKS_KNOWN && move->atomic != ATOMIC_EXCHANGE;
    if (known) {
      after.values[0][lane] = (guint32)result;
      after.marks[0][lane] = MARKS_KNOWN;
    } else if (!blank)
      smb_words_update(move, lane, TRUE, operand, NULL, before, &after); // flushes: as below
    after.marks[0][lane] |= changed;
  }
  smb_outside_write_dense(block, move, access, &after);
  return smb_memory_check_kept(block, move, access);
}

// Lane by lane, in rising order. @changes: lanes whose words other blocks may change.
static gboolean
update_lanes(SmbBlock *block, const Move *move, const Access *access, SmbLanes lanes,
             SmbLanes changes, const MarkedWords *operand, const MarkedWords *swap,
             MarkedWords *before) {
  gboolean shared = is_shared_access(access, move, lanes);
  MarkedWords after;
  if (shared && move->width == WORD_BYTES && smb_scalar_bytes(move->kind) == WORD_BYTES)
    lanes = smb_words_update_known(block, move, access, lanes, operand, swap, before);
  FOR_LANES(lanes, lane) {
    SmbLanes one = (SmbLanes)1 << lane;
    if (shared) {
      load_shared(block, move, access, one, before);
      smb_words_update(move, lane, FALSE, operand, swap, before, &after);
      store_shared(block, move, access, one, &after);
      continue;
    }
    if (!read_word_lanes(block, move, access, one, before))
      return FALSE;
    gboolean flushes = access->lanes[SPACE_GLOBAL] >> lane & 1; // PTX ISA, atom: .add.f32
    smb_words_update(move, lane, flushes, operand, swap, before, &after);
    for (guint word = 0; changes >> lane & 1 && word < count_pieces(move); word++)
      after.marks[word][lane] |= MARK_SHARED * MARKS_KNOWN;
    if (!write_word_lanes(block, move, access, one, &after))
      return FALSE;
  }
  return TRUE;
}

static gboolean
update(SmbBlock *block, const Move *move, Access *access, SmbLanes lanes,
       const MarkedWords *operand, const MarkedWords *swap, MarkedWords *before) {
  if (!report_words(block, move, access, lanes, NULL))
    return FALSE;
  // What an atomic finds depends on what other blocks did, if there are any.
  SmbLanes inside = access->lanes[SPACE_SHARED] | access->lanes[SPACE_PRIVATE];
  SmbLanes changes = block_has_company(block) ? lanes & ~inside : 0;
  block->misses_others = block->misses_others || changes;
  if (is_dense_update(access, move, lanes, swap)) {
    if (!update_dense(block, move, access, operand, before))
      return FALSE;
  } else {
    access->pattern = PATTERN_ANY; // of each lane alone
    if (!update_lanes(block, move, access, lanes, changes, operand, swap, before))
      return FALSE;
  }
  for (guint word = 0; changes && word < count_pieces(move); word++) {
    FOR_LANES(changes, lane) {
      before->marks[word][lane] = 0;
    }
  }
  return TRUE;
}

static guint64
number_of(const MarkedWords *words, guint lane, guint width) {
  return words->values[0][lane] | (width > 4 ? (guint64)words->values[1][lane] << 32 : 0);
}

// Of lanes that add to one word: FALSE if a later one does, too. @first: (out): of them
static gboolean
is_last_adder(guint lane, SmbLanes lanes, const guint64 *addresses, guint *first) {
  *first = lane;
  FOR_LANES(lanes, other) {
    if (addresses[other] != addresses[lane])
      continue;
    *first = MIN(*first, (guint)other);
    if (other > lane)
      return FALSE;
  }
  return TRUE;
}

// What lanes add to a word, of which @first is the first and @last the last one.
static guint64
find_added(const Move *move, const MarkedWords *operand, const MarkedWords *before, guint first,
           guint last) {
  guint64 of_last = move->atomic == ATOMIC_INCREMENT ? 1 : number_of(operand, last, move->width);
  return number_of(before, last, move->width) + of_last - number_of(before, first, move->width);
}

void
smb_words_repeat_add(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                     const guint64 *addresses, const MarkedWords *operand, MarkedWords *before) {
  gboolean adds =
      (move->atomic == ATOMIC_ADD || (move->atomic == ATOMIC_INCREMENT && block->earlier)) &&
      !smb_scalar_is_real(move->kind) && (move->width == 4 || move->width == 8);
  guint64 earlier[SMB_MAX_LANES] = {0};
  if (!adds || !block_has_others(block))
    return;
  FOR_LANES(lanes, lane) {
    guint first;
    if (!is_last_adder((guint)lane, lanes, addresses, &first))
      continue;
    guint64 added = find_added(move, operand, before, first, (guint)lane);
    guint64 left = number_of(before, first, move->width) +
                   added * (block->earlier ? block->earlier + 1 : block->guesses);
    FOR_LANES(lanes, other) {
      if (addresses[other] == addresses[lane])
        earlier[other] = added * block->earlier;
    }
    smb_block_poke(block, warp, (guint)lane, addresses[lane], &left, move->width);
  }
  FOR_LANES(lanes, lane) {
    guint64 found = number_of(before, (guint)lane, move->width) + earlier[lane];
    before->values[0][lane] = (guint32)found;
    if (move->width > 4)
      before->values[1][lane] = (guint32)(found >> 32);
  }
}

gboolean
smb_words_atomic(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                 const guint64 *addresses, const MarkedWords *operand, const MarkedWords *swap,
                 MarkedWords *before) {
  Access access;
  return smb_access_resolve(block, move, warp, lanes, addresses, &access) &&
         update(block, move, &access, lanes, operand, swap, before);
}

gboolean
smb_words_atomic_shared(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                        const guint32 *base, guint32 offset, const MarkedWords *operand) {
  Access access;
  MarkedWords before;
  guint64 addresses[SMB_MAX_LANES];
  if (!smb_access_resolve_shared(block, move, warp, lanes, base, offset, &access))
    return smb_words_atomic(block, move, warp, lanes,
                            make_addresses(block, base, offset, addresses), operand, NULL, &before);
  return update(block, move, &access, lanes, operand, NULL, &before);
}

void
smb_words_mark_unknown(SmbBlock *block) {
  smb_overlay_mark_unknown(block->overlay);
}
