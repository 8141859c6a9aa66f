// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the built-in functions do: arithmetic, shuffles, atomics, and the barrier.
#include <math.h>
#include <string.h>

#include "sim/kernel-arith.h"
#include "sim/kernel-lanes.h"
#include "sim/kernel-machine.h"

static float
divide_float(float x, float y) {
  return x / y;
}

static float
invert_root_float(float x) {
  return 1.0f / sqrtf(x);
}

static double
invert_root_double(double x) {
  return 1.0 / sqrt(x);
}

// A function of reals in both widths, as far as it has them: of one operand or of two. The fast
// functions of the device are less exact; what they are used for here, addresses, is not.
typedef struct {
  Builtin builtin;
  float (*float1)(float);
  float (*float2)(float, float);
  double (*double1)(double);
  double (*double2)(double, double);
} RealFunction;

static const RealFunction real_functions[] = {
    {BUILTIN_MIN, .float2 = fminf, .double2 = fmin},
    {BUILTIN_MAX, .float2 = fmaxf, .double2 = fmax},
    {BUILTIN_ABS, .float1 = fabsf, .double1 = fabs},
    {BUILTIN_FMINF, .float2 = fminf},
    {BUILTIN_FMAXF, .float2 = fmaxf},
    {BUILTIN_FABSF, .float1 = fabsf},
    {BUILTIN_SQRTF, .float1 = sqrtf},
    {BUILTIN_RSQRTF, .float1 = invert_root_float},
    {BUILTIN_EXPF, .float1 = expf},
    {BUILTIN_LOGF, .float1 = logf},
    {BUILTIN_SINF, .float1 = sinf},
    {BUILTIN_COSF, .float1 = cosf},
    {BUILTIN_FLOORF, .float1 = floorf},
    {BUILTIN_CEILF, .float1 = ceilf},
    {BUILTIN_EXP2F, .float1 = exp2f},
    {BUILTIN_LOG2F, .float1 = log2f},
    {BUILTIN_TANHF, .float1 = tanhf},
    {BUILTIN_POWF, .float2 = powf},
    {BUILTIN_FMODF, .float2 = fmodf},
    {BUILTIN_FAST_EXPF, .float1 = expf},
    {BUILTIN_FAST_LOGF, .float1 = logf},
    {BUILTIN_FAST_SINF, .float1 = sinf},
    {BUILTIN_FAST_COSF, .float1 = cosf},
    {BUILTIN_FAST_POWF, .float2 = powf},
    {BUILTIN_FAST_DIVIDEF, .float2 = divide_float},
    {BUILTIN_FMIN, .double2 = fmin},
    {BUILTIN_FMAX, .double2 = fmax},
    {BUILTIN_FABS, .double1 = fabs},
    {BUILTIN_SQRT, .double1 = sqrt},
    {BUILTIN_EXP, .double1 = exp},
    {BUILTIN_LOG, .double1 = log},
    {BUILTIN_SIN, .double1 = sin},
    {BUILTIN_COS, .double1 = cos},
    {BUILTIN_FLOOR, .double1 = floor},
    {BUILTIN_CEIL, .double1 = ceil},
    {BUILTIN_RSQRT, .double1 = invert_root_double},
    {BUILTIN_POW, .double2 = pow},
};

static const RealFunction *
find_real_function(Builtin builtin) {
  for (guint i = 0; i < G_N_ELEMENTS(real_functions); i++) {
    if (real_functions[i].builtin == builtin)
      return &real_functions[i];
  }
  g_assert_not_reached();
}

static void
compute_float(Builtin builtin, const void *const *arguments, float *out) {
  const float *x = arguments[0], *y = arguments[1], *z = arguments[2];
  if (builtin == BUILTIN_FMAF) {
    EACH_LANE(out[lane] = fmaf(x[lane], y[lane], z[lane]);)
    return;
  }
  const RealFunction *function = find_real_function(builtin);
  if (function->float1)
    EACH_LANE(out[lane] = function->float1(x[lane]);)
  else
    EACH_LANE(out[lane] = function->float2(x[lane], y[lane]);)
}

static void
compute_double(Builtin builtin, const void *const *arguments, double *out) {
  const double *x = arguments[0], *y = arguments[1], *z = arguments[2];
  if (builtin == BUILTIN_FMA) {
    EACH_LANE(out[lane] = fma(x[lane], y[lane], z[lane]);)
    return;
  }
  const RealFunction *function = find_real_function(builtin);
  if (function->double1)
    EACH_LANE(out[lane] = function->double1(x[lane]);)
  else
    EACH_LANE(out[lane] = function->double2(x[lane], y[lane]);)
}

static guint32
reverse_bits(guint32 x) {
  guint32 reversed = 0;
  for (guint i = 0; i < 32; i++)
    reversed |= (x >> i & 1) << (31 - i);
  return reversed;
}

static void
compute_bits(Builtin builtin, const guint32 *x, guint32 *out) {
  EACH_LANE({
    switch ((guint)builtin) {
    case BUILTIN_POPC:
      out[lane] = (guint32)__builtin_popcount(x[lane]);
      break;
    case BUILTIN_CLZ:
      out[lane] = x[lane] ? (guint32)__builtin_clz(x[lane]) : 32;
      break;
    case BUILTIN_FFS:
      out[lane] = (guint32)__builtin_ffs((int)x[lane]);
      break;
    default:
      out[lane] = reverse_bits(x[lane]);
      break;
    }
  })
}

// min, max and abs of integers: a comparison and a choice.
static void
compute_integers(Builtin builtin, TypeKind kind, const void *const *arguments, void *out) {
  guint64 zeros[SMB_WARP_LANES] = {0};
  guint64 negated[SMB_WARP_LANES];
  guint32 less[SMB_WARP_LANES];
  gboolean wide = kind == KIND_LONG || kind == KIND_ULONG;
  const void *a = arguments[0];
  const void *b = arguments[1];
  if (builtin == BUILTIN_ABS) {
    kernel_lanes_unary(NODE_NEGATE, kind, a, negated);
    b = negated;
  }
  kernel_lanes_binary(OPERATOR_LT, kind, a, builtin == BUILTIN_ABS ? (const void *)zeros : b, less);
  EACH_LANE({
    gboolean second = builtin == BUILTIN_MIN ? !less[lane] : less[lane];
    const void *from = second ? b : a;
    if (wide)
      ((guint64 *)out)[lane] = ((const guint64 *)from)[lane];
    else
      ((guint32 *)out)[lane] = ((const guint32 *)from)[lane];
  })
}

void
kernel_lanes_builtin(Builtin builtin, TypeKind kind, const void *const *arguments, void *out) {
  if (builtin == BUILTIN_POPC || builtin == BUILTIN_CLZ || builtin == BUILTIN_FFS ||
      builtin == BUILTIN_BREV)
    compute_bits(builtin, arguments[0], out);
  else if (kind == KIND_FLOAT)
    compute_float(builtin, arguments, out);
  else if (kind == KIND_DOUBLE)
    compute_double(builtin, arguments, out);
  else
    compute_integers(builtin, kind, arguments, out);
}

// Every thread of the block that still runs must be here.
static const void *
evaluate_barrier(SmbBlock *block, const Node *node, const Mask *mask) {
  for (guint w = 0; w < block->n_warps; w++) {
    guint32 missing = block->launched.warp[w] & ~block->exited.warp[w] & ~mask->warp[w];
    if (!missing)
      continue;
    g_autofree char *thread = describe_thread(block, w, (guint)__builtin_ctz(missing));
    block_fail(block, node->start,
               "__syncthreads is not reached by all threads of the block: %s does not come here",
               thread);
    return NULL;
  }
  shadow_barrier(block->shadow);
  return block;
}

// The lane that a shuffle reads from, or the lane itself where there is none in its segment.
static guint
find_source(Builtin builtin, guint lane, gint32 by, guint width) {
  guint first = lane & ~(width - 1), last = first + width - 1;
  guint32 distance = (guint32)by;
  switch ((guint)builtin) {
  case BUILTIN_SHFL:
    return first + (distance & (width - 1));
  case BUILTIN_SHFL_UP:
    return distance > lane - first ? lane : lane - distance;
  case BUILTIN_SHFL_DOWN:
    return distance > last - lane ? lane : lane + distance;
  default: {
    guint source = lane ^ (distance & (SMB_WARP_LANES - 1));
    return source > last ? lane : source;
  }
  }
}

static gboolean
shuffle_warp(SmbBlock *block, const Node *node, guint warp, guint32 lanes,
             const void *const *arguments, void *out) {
  gboolean wide = type_is_wide(node->type);
  for (guint32 rest = lanes; rest; rest &= rest - 1) {
    guint lane = (guint)__builtin_ctz(rest), thread = warp * SMB_WARP_LANES + lane;
    gint32 width = arguments[3] ? ((const gint32 *)arguments[3])[thread] : SMB_WARP_LANES;
    if (width < 1 || width > SMB_WARP_LANES || (width & (width - 1)))
      return block_fail(block, node->start,
                        "a shuffle of width %d: expected a power of two up to 32", width);
    gint32 by = ((const gint32 *)arguments[2])[thread];
    guint source = find_source(node->builtin, lane, by, (guint)width);
    if (!(lanes >> source & 1)) {
      g_autofree char *who = describe_thread(block, warp, lane);
      return block_fail(block, node->start, "%s shuffles from lane %u, which is not active", who,
                        source);
    }
    guint from = warp * SMB_WARP_LANES + source;
    if (wide)
      ((guint64 *)out)[thread] = ((const guint64 *)arguments[1])[from];
    else
      ((guint32 *)out)[thread] = ((const guint32 *)arguments[1])[from];
  }
  return TRUE;
}

static gboolean
evaluate_shuffle(SmbBlock *block, const Node *node, const Mask *mask, const void *const *arguments,
                 void *out) {
  FOR_WARPS(block, mask, w) {
    if (!shuffle_warp(block, node, w, mask->warp[w], arguments, out))
      return FALSE;
  }
  return TRUE;
}

static void
evaluate_arithmetic(const SmbBlock *block, const Node *node, const Mask *mask,
                    const void *const *arguments, char *out) {
  const Type *operand = node->arguments[0]->type;
  gsize operand_bytes = lane_bytes(operand), bytes = lane_bytes(node->type);
  FOR_WARPS(block, mask, w) {
    const void *lanes[3] = {NULL, NULL, NULL};
    for (guint i = 0; i < node->n_arguments; i++)
      lanes[i] = (const char *)arguments[i] + w * SMB_WARP_LANES * operand_bytes;
    kernel_lanes_builtin(node->builtin, operand->kind, lanes, out + w * SMB_WARP_LANES * bytes);
  }
}

const void *
evaluate_builtin(SmbBlock *block, const Node *node, const Mask *mask) {
  const void *arguments[4] = {NULL, NULL, NULL, NULL};
  void *out = node->type->kind == KIND_VOID ? NULL : scratch_take(block, node->type);
  Scratch mark = scratch_mark(block);
  for (guint i = 0; i < node->n_arguments; i++) {
    arguments[i] = evaluate(block, node->arguments[i], mask);
    if (!arguments[i])
      return NULL;
  }
  if (node->builtin == BUILTIN_SYNCTHREADS)
    return evaluate_barrier(block, node, mask);
  if (node->type->kind == KIND_VOID)
    return block; // fences: lockstep keeps their promise
  gboolean ok = TRUE;
  if (node->builtin >= BUILTIN_SHFL && node->builtin <= BUILTIN_SHFL_XOR)
    ok = evaluate_shuffle(block, node, mask, arguments, out);
  else if (node->builtin < BUILTIN_ATOMIC_ADD)
    evaluate_arithmetic(block, node, mask, arguments, out);
  else
    ok = memory_atomic(block, node, mask, arguments[0], arguments, out);
  scratch_release(block, mark);
  return ok ? out : NULL;
}
