// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops of operations.def, for whatever processor this is compiled for; LOOPS is the name of their table.
#include <string.h>

#include "sim/exec/compute/approximate.h"
#include "sim/exec/compute/function.h"
#include "sim/exec/compute/loop.h"
#include "sim/exec/compute/scalar.h"
#include "sim/machine/access/lanes.h"

// Lanes do not depend on each other: a row of the result may be one of an operand.
#if defined __clang__
#  define ALONE
#else
#  define ALONE _Pragma("GCC ivdep")
#endif
#define LANE_LOOP(...)                                                                             \
  for (gsize first = 0; first < n; first += ROW_LANES) {                                           \
    ALONE for (gsize i = 0; i < ROW_LANES; i++) {                                                  \
      gsize lane = first + i;                                                                      \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }

#define TYPE_NONE int
#define TYPE_U8   guint8
#define TYPE_S8   gint8
#define TYPE_U16  guint16
#define TYPE_S16  gint16
#define TYPE_U32  guint32
#define TYPE_S32  gint32
#define TYPE_U64  guint64
#define TYPE_S64  gint64
#define TYPE_F32  float
#define TYPE_F64  double

#define LOAD_NONE(row) 0
#define LOAD_U8(row)   (guint8)(row)[lane]
#define LOAD_S8(row)   (gint8)(row)[lane]
#define LOAD_U16(row)  (guint16)(row)[lane]
#define LOAD_S16(row)  (gint16)(row)[lane]
#define LOAD_U32(row)  (row)[lane]
#define LOAD_S32(row)  (gint32)(row)[lane]
#define LOAD_U64(row)  join_32((row)[lane], (row)[n + lane])
#define LOAD_S64(row)  (gint64) join_32((row)[lane], (row)[n + lane])
#define LOAD_F32(row)  float_of((row)[lane])
#define LOAD_F64(row)  double_of(join_32((row)[lane], (row)[n + lane]))

#define STORE_U16(value) d[lane] = (guint16)(value);
#define STORE_U32(value) d[lane] = (guint32)(value);
#define STORE_U64(value)                                                                           \
  guint64 wide = (guint64)(value);                                                                 \
  d[lane] = (guint32)wide;                                                                         \
  d[n + lane] = (guint32)(wide >> 32);

#define STORE_F32(value)                                                                           \
  float real = (float)(value);                                                                     \
  d[lane] = real != real ? NAN_32 : float_bits(real);
#define STORE_F64(value)                                                                           \
  double real = (double)(value);                                                                   \
  STORE_U64(real != real ? NAN_64 : double_bits(real))

// Rows of a shape, as a number that the compiler knows.
#define ROWS_NONE 0
#define ROWS_U8   1
#define ROWS_S8   1
#define ROWS_U16  1
#define ROWS_S16  1
#define ROWS_U32  1
#define ROWS_S32  1
#define ROWS_F32  1
#define ROWS_U64  2
#define ROWS_S64  2
#define ROWS_F64  2

// What the rows of an operand are marked with, and their values.
#define FLAGS(i, rows)                                                                             \
  ((rows) == 0                                                                                     \
       ? 0                                                                                         \
       : row_flags(registers, op->s[i]) | ((rows) == 2 ? row_flags(registers, op->s[i] + 1) : 0))
#define VALUES(i, rows) ((rows) == 0 ? NULL : row_values(registers, op->s[i]))

// The loop of an operation, and the operation where it is nothing else: its operands are known, and all lanes of a warp
// of ROW_LANES take part.
#define OPERATION(name, result, ta, tb, tc, td, expression, ...)                                   \
  static inline void lanes_##name(const Compute *op, guint n, const guint32 *a, const guint32 *b,  \
                                  const guint32 *c, const guint32 *e, guint32 *d) {                \
    (void)op, (void)b, (void)c, (void)e;                                                           \
    LANE_LOOP({                                                                                    \
      TYPE_##ta x = LOAD_##ta(a);                                                                  \
      TYPE_##tb y = LOAD_##tb(b);                                                                  \
      TYPE_##tc z = LOAD_##tc(c);                                                                  \
      TYPE_##td w = LOAD_##td(e);                                                                  \
      (void)y, (void)z, (void)w;                                                                   \
      STORE_##result(expression)                                                                   \
    })                                                                                             \
  }                                                                                                \
  static void loop_##name(const Compute *op, guint n, const guint32 *const *sources, guint32 *d) { \
    lanes_##name(op, n, sources[0], sources[1], sources[2], sources[3], d);                        \
  }                                                                                                \
  static void run_##name(const Compute *op, Registers *registers, SmbLanes lanes) {                \
    guint flags =                                                                                  \
        FLAGS(0, ROWS_##ta) | FLAGS(1, ROWS_##tb) | FLAGS(2, ROWS_##tc) | FLAGS(3, ROWS_##td);     \
    if (G_UNLIKELY(flags || registers->lanes & ~lanes || registers->n_lanes != ROW_LANES)) {       \
      smb_compute_marked(op, registers, lanes, flags);                                             \
      return;                                                                                      \
    }                                                                                              \
    registers->flags[0][op->d] = 0;                                                                \
    if (ROWS_##result == 2)                                                                        \
      registers->flags[0][op->d + 1] = 0;                                                          \
    lanes_##name(op, ROW_LANES, VALUES(0, ROWS_##ta), VALUES(1, ROWS_##tb), VALUES(2, ROWS_##tc),  \
                 VALUES(3, ROWS_##td), registers->values[0] + (gsize)op->d * ROW_LANES);           \
  }
#define COMPARISON(name, ta, tb, expression, ...)                                                  \
  static void loop_##name(const Compute *op, guint n, const guint32 *const *sources, guint32 *d) { \
    const guint32 *a = sources[0], *b = sources[1];                                                \
    guint8 *out = (guint8 *)d;                                                                     \
    (void)op, (void)b;                                                                             \
    LANE_LOOP({                                                                                    \
      TYPE_##ta x = LOAD_##ta(a);                                                                  \
      TYPE_##tb y = LOAD_##tb(b);                                                                  \
      (void)y;                                                                                     \
      out[lane] = (expression) != 0;                                                               \
    })                                                                                             \
  }
#include "sim/exec/compute/operations.def"

static void
blend(SmbLanes lanes, guint n, const guint32 *from, guint32 *to) {
  static const guint32 bit[ROW_LANES] = {
#define BITS_4(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
      BITS_4(0), BITS_4(4), BITS_4(8), BITS_4(12), BITS_4(16), BITS_4(20), BITS_4(24), BITS_4(28),
#undef BITS_4
  };
  LANE_LOOP({
    guint32 set = (guint32)(lanes >> first);
    to[lane] = set & bit[i] ? from[lane] : to[lane];
  })
}

const Loops LOOPS = {
    .compute =
        {
#define OPERATION(name, ...)  [OPERATION_##name] = loop_##name,
#define COMPARISON(name, ...) [OPERATION_##name] = loop_##name,
#include "sim/exec/compute/operations.def"
        },
    .run =
        {
#define OPERATION(name, ...) [OPERATION_##name] = run_##name,
#include "sim/exec/compute/operations.def"
        },
    .blend = blend,
};
