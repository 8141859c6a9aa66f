// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is done around the loop of an operation on binary32 or binary64: another rounding, subnormal numbers flushed,
// results saturated. Those of 16 bits and conversions see to their modifiers themselves.
#include <fenv.h>

#include "sim/exec/compute/compute-impl.h"
#include "sim/exec/compute/real.h"
#include "sim/machine/access/lanes.h"

static gboolean
is_shape_real(guint8 shape) {
  return shape == SHAPE_F32 || shape == SHAPE_F64;
}

gboolean
smb_is_modified(const Compute *compute) {
  const OperationInfo *info = smb_operation_info((Operation)compute->operation);
  gboolean real = is_shape_real(info->result);
  for (guint i = 0; i < COMPUTE_SOURCES; i++)
    real = real || is_shape_real(info->sources[i]);
  return real && compute->modifiers & (MODIFIER_ROUND | MODIFIER_FLUSH | MODIFIER_SATURATE);
}

static void
flush_subnormals(guint n, const guint32 *from, guint32 *to) {
  EACH_LANE(n, to[lane] = from[lane] & 0x7f800000 ? from[lane] : from[lane] & 0x80000000;)
}

// Of two rows.
static void
flush_wide(guint n, const guint32 *from, guint32 *to) {
  EACH_LANE(n, {
    guint32 high = from[n + lane];
    gboolean normal = high & 0x7ff00000;
    to[lane] = normal ? from[lane] : 0;
    to[n + lane] = normal ? high : high & 0x80000000;
  })
}

static void
flush_shape(Shape shape, guint n, const guint32 *from, guint32 *to) {
  if (shape == SHAPE_F64)
    flush_wide(n, from, to);
  else
    flush_subnormals(n, from, to);
}

// NaN becomes 0, and -0 does.
static void
saturate(guint n, guint32 *values) {
  EACH_LANE(n, {
    float x = float_of(values[lane]);
    values[lane] = x > 0 ? float_bits(MIN(x, 1)) : 0;
  })
}

static int
host_rounding(guint modifiers) {
  static const int modes[] = {[MODIFIER_NEAREST] = FE_TONEAREST,
                              [MODIFIER_ZERO] = FE_TOWARDZERO,
                              [MODIFIER_DOWN] = FE_DOWNWARD,
                              [MODIFIER_UP] = FE_UPWARD};
  return modes[modifiers & MODIFIER_ROUND];
}

void
smb_loop_modified(const Compute *compute, guint n, const guint32 *const *sources, guint32 *d) {
  const OperationInfo *info = smb_operation_info((Operation)compute->operation);
  const guint32 *flushed[COMPUTE_SOURCES];
  guint32 rows[COMPUTE_SOURCES][2 * SMB_MAX_LANES];
  gboolean flushes = compute->modifiers & MODIFIER_FLUSH;
  for (guint i = 0; i < COMPUTE_SOURCES; i++) {
    flushed[i] = sources[i];
    if (flushes && is_shape_real(info->sources[i])) {
      flush_shape((Shape)info->sources[i], n, sources[i], rows[i]);
      flushed[i] = rows[i];
    }
  }
  int before = fegetround();
  fesetround(host_rounding(compute->modifiers));
  find_loop((Operation)compute->operation)(compute, n, flushed, d);
  fesetround(before);
  if (!is_shape_real(info->result))
    return;
  if (flushes)
    flush_shape((Shape)info->result, n, d, d);
  if (compute->modifiers & MODIFIER_SATURATE)
    saturate(n, d);
}
