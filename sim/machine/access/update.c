// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an atomic leaves in words of memory: of which all is known, and of which not, component by component.
#include <string.h>

#include "sim/machine/access/access.h"
#include "sim/machine/access/lanes.h"

enum {
  WORD_BYTES = 4,
};

// Of memory or of an operand.
typedef struct {
  guint64 value;
  gboolean is_known;
} Component;

static Component
get_component(const MarkedWords *words, guint lane, guint at, guint bytes) {
  guint32 within = bytes < WORD_BYTES ? (1u << (8 * bytes)) - 1 : G_MAXUINT32;
  Component component = {0, TRUE};
  for (guint i = 0; i < bytes; i += WORD_BYTES) {
    guint word = (at + i) / WORD_BYTES, shift = at % WORD_BYTES * 8;
    guint32 known = MARKS_KNOWN & within;
    component.value |= (guint64)(words->values[word][lane] >> shift & within) << (8 * i);
    component.is_known = component.is_known && (words->marks[word][lane] >> shift & known) == known;
  }
  return component;
}

static void
put_component(MarkedWords *words, guint lane, guint at, guint bytes, const Component *component) {
  guint32 within = bytes < WORD_BYTES ? (1u << (8 * bytes)) - 1 : G_MAXUINT32;
  for (guint i = 0; i < bytes && component->is_known; i += WORD_BYTES) {
    guint word = (at + i) / WORD_BYTES, shift = at % WORD_BYTES * 8;
    words->values[word][lane] |= ((guint32)(component->value >> (8 * i)) & within) << shift;
    words->marks[word][lane] |= (MARKS_KNOWN & within) << shift;
  }
}

// Whether all bits are those that a compare-and-swap wants.
static Component
compare(const Move *move, guint lane, guint bytes, const MarkedWords *operand,
        const MarkedWords *before) {
  Component equal = {TRUE, TRUE};
  for (guint at = 0; at < move->width; at += bytes) {
    Component old = get_component(before, lane, at, bytes);
    Component wanted = get_component(operand, lane, at, bytes);
    equal.value = equal.value && old.value == wanted.value;
    equal.is_known = equal.is_known && old.is_known && wanted.is_known;
  }
  return equal;
}

static Component
combine(const Move *move, const Component *old, const Component *operand, gboolean flushes) {
  gboolean exchanges = move->atomic == ATOMIC_EXCHANGE;
  Component result = {operand->value, operand->is_known && (exchanges || old->is_known)};
  if (!exchanges && result.is_known)
    result.is_known = smb_atomic_combine(move, old->value, operand->value, flushes, &result.value);
  return result;
}

void
smb_words_update(const Move *move, guint lane, gboolean flushes, const MarkedWords *operand,
                 const MarkedWords *swap, const MarkedWords *before, MarkedWords *after) {
  guint n = (guint)((move->width + WORD_BYTES - 1) / WORD_BYTES);
  guint bytes = MIN(move->width, (guint)smb_scalar_bytes(move->kind));
  // cppcheck-suppress ctuuninitvar ; lanes that do not take part need not be set
  const MarkedWords *from[] = {before, operand, swap};
  guint32 block = 0;
  for (guint i = 0; i < G_N_ELEMENTS(from); i++) {
    for (guint word = 0; from[i] && word < n; word++)
      block |= from[i]->marks[word][lane] & MARK_BLOCK * MARKS_KNOWN ? MARK_BLOCK * MARKS_KNOWN : 0;
  }
  for (guint word = 0; word < n; word++) {
    after->values[word][lane] = 0;
    after->marks[word][lane] = block;
  }
  Component equal = {0};
  if (swap)
    equal = compare(move, lane, bytes, operand, before);
  for (guint at = 0; at < move->width; at += bytes) {
    Component old = get_component(before, lane, at, bytes);
    Component value = get_component(operand, lane, at, bytes);
    Component result;
    if (swap) {
      result = get_component(equal.value ? swap : before, lane, at, bytes);
      result.is_known = result.is_known && equal.is_known;
    } else {
      result = combine(move, &old, &value, flushes);
    }
    put_component(after, lane, at, bytes, &result);
  }
}

gboolean
smb_words_combine(const Move *move, guint32 old, guint32 value, guint64 *result) {
  if (move->kind != SMB_SCALAR_I32 && move->kind != SMB_SCALAR_U32)
    return FALSE;
  switch (move->atomic) {
  case ATOMIC_ADD:
    *result = old + value;
    return TRUE;
  case ATOMIC_AND:
    *result = old & value;
    return TRUE;
  case ATOMIC_OR:
    *result = old | value;
    return TRUE;
  case ATOMIC_XOR:
    *result = old ^ value;
    return TRUE;
  case ATOMIC_SUB:
  case ATOMIC_EXCHANGE:
  case ATOMIC_MIN:
  case ATOMIC_MAX:
  case ATOMIC_INCREMENT:
  case ATOMIC_DECREMENT:
  case ATOMIC_CAS:
    return FALSE;
  }
  g_assert_not_reached();
}

// Whether all is known of words, and on nothing more depends.
static inline gboolean
are_known(guint32 mark, guint32 other) {
  return mark == MARKS_KNOWN && other == MARKS_KNOWN;
}

// Integers are added, as histograms do.
static SmbLanes
add_known(const SmbBlock *block, const Access *access, SmbLanes lanes, const MarkedWords *operand,
          MarkedWords *before) {
  guchar *restrict shared = block->shared;
  const guchar *restrict marks = block->shared_marks;
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    guint32 at = access->request.offset[lane], old, mark;
    memcpy(&old, shared + at, sizeof old);
    memcpy(&mark, marks + at, sizeof mark);
    if (!are_known(mark, operand->marks[0][lane]))
      break;
    before->values[0][lane] = old;
    before->marks[0][lane] = MARKS_KNOWN;
    guint32 now = old + operand->values[0][lane];
    memcpy(shared + at, &now, sizeof now);
  }
  return lanes;
}

static SmbLanes
swap_known(const SmbBlock *block, const Access *access, SmbLanes lanes, const MarkedWords *operand,
           const MarkedWords *swap, MarkedWords *before) {
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    guint32 at = access->request.offset[lane], old, mark;
    memcpy(&old, block->shared + at, sizeof old);
    memcpy(&mark, block->shared_marks + at, sizeof mark);
    if (!are_known(mark, operand->marks[0][lane]) || swap->marks[0][lane] != MARKS_KNOWN)
      break;
    before->values[0][lane] = old;
    before->marks[0][lane] = MARKS_KNOWN;
    if (old == operand->values[0][lane])
      memcpy(block->shared + at, &swap->values[0][lane], sizeof old);
  }
  return lanes;
}

SmbLanes
smb_words_update_known(const SmbBlock *block, const Move *move, const Access *access,
                       SmbLanes lanes, const MarkedWords *operand, const MarkedWords *swap,
                       MarkedWords *before) {
  const Move how = *move; // which no store changes
  guchar *shared = block->shared;
  const guchar *marks = block->shared_marks;
  if (swap)
    return swap_known(block, access, lanes, operand, swap, before);
  if (move->atomic == ATOMIC_ADD && (move->kind == SMB_SCALAR_I32 || move->kind == SMB_SCALAR_U32))
    return add_known(block, access, lanes, operand, before);
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    guint32 at = access->request.offset[lane], value = operand->values[0][lane], old, mark, now;
    guint64 result;
    memcpy(&old, shared + at, sizeof old);
    memcpy(&mark, marks + at, sizeof mark);
    if (!are_known(mark, operand->marks[0][lane]) ||
        (!smb_words_combine(&how, old, value, &result) &&
         !smb_atomic_combine(move, old, value, FALSE, &result)))
      break;
    before->values[0][lane] = old;
    before->marks[0][lane] = mark;
    now = (guint32)result;
    memcpy(shared + at, &now, sizeof now);
  }
  return lanes;
}
