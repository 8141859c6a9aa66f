// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/program/contents.h"

#include <math.h>
#include <string.h>

#include "sim/base/processor.h"

// Whole numbers that are counted without a gap, from 0.
static guint64
count_whole(SmbScalar scalar) {
  return scalar == SMB_SCALAR_F16 ? 2048 : scalar == SMB_SCALAR_BF16 ? 256 : 0;
}

// Bits of a real that lie behind the point, of a number below 1.
static guint
fraction_bits(SmbScalar scalar) {
  return scalar == SMB_SCALAR_F64   ? 53
         : scalar == SMB_SCALAR_F32 ? 24
         : scalar == SMB_SCALAR_F16 ? 11
                                    : 8;
}

static guint64
split_mix(guint64 seed, guint64 index) {
  guint64 z = seed + (index + 1) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void
make_element(const SmbContents *contents, guint64 index, guchar *bytes) {
  SmbScalar scalar = contents->scalar;
  guint64 whole = count_whole(scalar);
  if (contents->fill == SMB_FILL_IOTA) {
    smb_scalar_encode_whole(scalar, whole ? index % whole : index, bytes);
    return;
  }
  guint64 random = split_mix(contents->seed, index);
  guint bits = fraction_bits(scalar);
  if (contents->below)
    smb_scalar_encode_whole(scalar, random % contents->below, bytes);
  else if (smb_scalar_is_real(scalar))
    smb_scalar_encode_real(scalar, ldexp((double)(random >> (64 - bits)), -(int)bits), bytes);
  else
    smb_scalar_encode_whole(scalar, random, bytes);
}

// Elements that are integers of 32 bits, as most are: random ones below a power of two, or of all bits, if that is 0. A
// warp asks for so many at a time; a loop of a known length becomes vectors, of the kind that it is compiled for.
enum {
  MANY_WORDS = 32
};

#define DEFINE_MAKE_MANY(name)                                                                     \
  static void name(guint64 seed, guint64 below, guint64 index, guchar *bytes) {                    \
    guint32 words[MANY_WORDS];                                                                     \
    for (guint i = 0; i < MANY_WORDS; i++)                                                         \
      words[i] = (guint32)(split_mix(seed, index + i) & (below - 1));                              \
    memcpy(bytes, words, sizeof words);                                                            \
  }

DEFINE_MAKE_MANY(make_many)
#if SMB_HAVE_X86
SMB_TARGET_BEGIN(SMB_TARGET_AVX512)
DEFINE_MAKE_MANY(make_many_avx512)
SMB_TARGET_END
#endif

// A whole number as an element of 32 bits.
static inline guint32
make_word(SmbScalar scalar, guint64 number) {
  float single = (float)number; // not by way of a double, which would round twice
  guint32 word = (guint32)number;
  if (scalar == SMB_SCALAR_F32)
    memcpy(&word, &single, sizeof single);
  return word;
}

static void
make_content_words(const SmbContents *contents, guint64 index, guchar *bytes, gsize n) {
  guint64 below = contents->below, seed = contents->seed;
  gboolean divides = (below & (below - 1)) != 0, random = contents->fill == SMB_FILL_RANDOM;
  void (*many)(guint64, guint64, guint64, guchar *) = make_many;
#if SMB_HAVE_X86
  if (smb_processor() == SMB_PROCESSOR_AVX512)
    many = make_many_avx512;
#endif
  gsize i = 0;
  for (; random && !divides && i + MANY_WORDS <= n; i += MANY_WORDS)
    many(seed, below, index + i, bytes + i * sizeof(guint32));
  for (; i < n; i++) {
    guint64 number = index + i;
    if (random) {
      number = split_mix(seed, number);
      number = divides ? number % below : number & (below - 1);
    }
    guint32 word = make_word(contents->scalar, number);
    memcpy(bytes + i * sizeof word, &word, sizeof word);
  }
}

// Elements that are integers of 32 bits, or whole numbers of as many.
static gboolean
has_words(const SmbContents *contents) {
  return contents->scalar == SMB_SCALAR_I32 || contents->scalar == SMB_SCALAR_U32 ||
         (contents->scalar == SMB_SCALAR_F32 && contents->fill == SMB_FILL_IOTA);
}

void
smb_contents_read(const SmbContents *contents, guint64 offset, guchar *bytes, gsize length) {
  if (contents->fill != SMB_FILL_IOTA && contents->fill != SMB_FILL_RANDOM) {
    gsize n = offset < contents->length ? MIN(length, contents->length - offset) : 0;
    if (n > 0)
      memcpy(bytes, contents->bytes + offset, n);
    memset(bytes + n, 0, length - n);
    return;
  }
  if (has_words(contents) && (offset | length) % sizeof(guint32) == 0) {
    make_content_words(contents, offset / sizeof(guint32), bytes, length / sizeof(guint32));
    return;
  }
  gsize size = smb_scalar_bytes(contents->scalar);
  for (gsize done = 0; done < length;) {
    guchar value[8];
    gsize skip = (offset + done) % size;
    gsize n = MIN(size - skip, length - done);
    make_element(contents, (offset + done) / size, value);
    memcpy(bytes + done, value + skip, n);
    done += n;
  }
}

void
smb_contents_read_former(const SmbContents *contents, guint64 offset, guchar *bytes, gsize length) {
  SmbContents former = *contents;
  former.bytes = contents->former ? contents->former : contents->bytes;
  smb_contents_read(&former, offset, bytes, length);
}

void
smb_contents_read_words(const SmbContents *contents, guint n, const gint64 *offsets,
                        guint32 *words) {
  if (contents->fill == SMB_FILL_IOTA && has_words(contents)) {
    for (guint i = 0; i < n; i++)
      words[i] = make_word(contents->scalar, (guint64)offsets[i] / sizeof *words);
    return;
  }
  for (guint i = 0; i < n; i++)
    smb_contents_read(contents, (guint64)offsets[i], (guchar *)&words[i], sizeof *words);
}
