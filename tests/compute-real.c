// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The oracle of floating point: results that binary128 holds exactly, rounded once (real-format). What binary128 does not hold
// exactly is left out.
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "tests/compute-oracle.h"
#include "tests/real-format.h"

typedef struct {
  char **parts;
  guint n;
  const Real *to, *from;
  gboolean is_pair, ftz, sat, relu, nan, xorsign, absolute;
  char round; // n, z, m, p, a
} Work;

static gboolean
has(const Work *work, const char *part) {
  return g_strv_contains((const char *const *)work->parts, part);
}

static guint64
flush(const Work *work, const Real *real, guint64 bits) {
  gboolean flushes = work->ftz && !g_str_equal(real->name, "bf16");
  if (g_str_equal(work->parts[0], "cvt"))
    flushes = work->ftz && g_str_equal(real->name, "f32") &&
              !g_str_equal(work->parts[work->n - 2], "f16");
  return flushes && real_is_subnormal(real, bits) ? bits & ~real_ones(real->bits - 1) : bits;
}

static guint64
finish(const Work *work, const Real *real, guint64 bits) {
  bits = flush(work, real, bits);
  gboolean negative = real_is_negative(real, bits), nan = real_is_nan(real, bits);
  guint64 one = real_encode(real, 1, 'n', FALSE);
  if (work->sat)
    return nan || negative ? 0 : MIN(bits, one);
  return work->relu && negative && !nan ? 0 : bits;
}

// --- arithmetic

// The sum, if it is exact.
static gboolean
add_exactly(Quad x, Quad y, Quad *sum) {
  *sum = x + y;
  Quad back = *sum - x;
  return *sum - *sum != 0 || (x - (*sum - back)) + (y - back) == 0;
}

static gboolean
is(const Work *work, const char *names) {
  g_auto(GStrv) each = g_strsplit(names, " ", -1);
  return g_strv_contains((const char *const *)each, work->parts[0]);
}

static gboolean
choose(const Work *work, const Real *real, const guint64 *v, guint64 *result) {
  gboolean largest = is(work, "max"), nan0 = real_is_nan(real, v[0]),
           nan1 = real_is_nan(real, v[1]);
  guint64 sign = G_GUINT64_CONSTANT(1) << (real->bits - 1);
  guint64 x = work->absolute ? v[0] & ~sign : v[0], y = work->absolute ? v[1] & ~sign : v[1];
  // In order as integers.
  gint64 left = x & sign ? -(gint64)(x & ~sign) - 1 : (gint64)x;
  gint64 right = y & sign ? -(gint64)(y & ~sign) - 1 : (gint64)y;
  if (nan0 || nan1)
    *result = (nan0 && nan1) || work->nan ? real->nan : nan0 ? y : x;
  else
    *result = (left < right) != largest ? x : y;
  if (work->xorsign && !real_is_nan(real, *result))
    *result = (*result & ~sign) | ((v[0] ^ v[1]) & sign);
  return TRUE;
}

static gboolean
compute_one(const Work *work, const Real *real, const guint64 *operands, guint64 *result) {
  guint64 v[3];
  Quad q[3], value = 0;
  for (guint i = 0; i < 3; i++) {
    v[i] = flush(work, real, operands[i] & real_ones(real->bits));
    q[i] = real_decode(real, v[i]);
  }
  gboolean down = work->round == 'm', zero_negative = down;
  gboolean signs[] = {real_is_negative(real, v[0]), real_is_negative(real, v[1]),
                      real_is_negative(real, v[2])};
  gboolean ok = TRUE;
  if (is(work, "min max"))
    ok = choose(work, real, v, result);
  else if (is(work, "add sub")) {
    gboolean second = signs[1] != is(work, "sub");
    ok = add_exactly(q[0], is(work, "sub") ? -q[1] : q[1], &value);
    zero_negative = signs[0] == second ? signs[0] : down;
  } else if (is(work, "mul")) {
    value = q[0] * q[1];
    zero_negative = signs[0] != signs[1];
  } else if (is(work, "fma mad")) {
    gboolean product = signs[0] != signs[1];
    ok = add_exactly(q[0] * q[1], q[2], &value);
    zero_negative = product == signs[2] ? product : down;
  } else if (is(work, "div rcp")) {
    value = is(work, "div") ? q[0] / q[1] : 1 / q[0];
    zero_negative = is(work, "div") ? signs[0] != signs[1] : signs[0];
  } else if (is(work, "neg abs")) {
    guint64 sign = G_GUINT64_CONSTANT(1) << (real->bits - 1);
    *result = is(work, "neg") ? v[0] ^ sign : v[0] & ~sign;
    if (work->ftz && real_is_nan(real, v[0]))
      *result = real->nan;
    return TRUE;
  } else
    return FALSE;
  if (!is(work, "min max"))
    *result = real_encode(real, value, work->round, zero_negative);
  *result = finish(work, real, *result);
  return ok;
}

// --- what the host's library computes: the nearest number, or nearly so

static gboolean
compute_by_host(const Work *work, guint64 bits, guint64 *result) {
  const Real *real = work->to;
  double x = (double)real_decode(real, flush(work, real, bits & real_ones(real->bits)));
  double value;
  if (is(work, "sin"))
    value = sin(x);
  else if (is(work, "cos"))
    value = cos(x);
  else if (is(work, "lg2"))
    value = log2(x);
  else if (is(work, "ex2"))
    value = exp2(x);
  else if (is(work, "tanh"))
    value = tanh(x);
  else if (is(work, "rsqrt"))
    value = 1 / sqrt(x);
  else if (is(work, "sqrt") && work->round == 'n')
    value = sqrt(x); // rounded twice it is still right: of f32 for its digits
  else
    return FALSE;
  *result = finish(work, real, real_encode(real, (Quad)value, 'n', signbit(value) != 0));
  return TRUE;
}

// --- comparisons, classes, signs

static gboolean
relate(const char *name, Quad x, Quad y) {
  gboolean unordered = x != x || y != y;
  gsize length = strlen(name);
  if (g_str_equal(name, "num") || g_str_equal(name, "nan"))
    return unordered == g_str_equal(name, "nan");
  if (unordered)
    return length == 3;
  return !strncmp(name, "eq", 2)   ? x == y
         : !strncmp(name, "ne", 2) ? x != y
         : !strncmp(name, "lt", 2) ? x < y
         : !strncmp(name, "le", 2) ? x <= y
         : !strncmp(name, "gt", 2) ? x > y
                                   : x >= y;
}

static gboolean
test_class(const char *name, const Real *real, guint64 bits) {
  guint64 size = bits & real_ones(real->bits - 1), infinity = real_infinity(real);
  if (g_str_equal(name, "finite"))
    return size < infinity;
  if (g_str_equal(name, "infinite"))
    return size == infinity;
  if (g_str_equal(name, "number"))
    return size <= infinity;
  if (g_str_equal(name, "notanumber"))
    return size > infinity;
  if (g_str_equal(name, "subnormal"))
    return real_is_subnormal(real, bits);
  return size < infinity && !real_is_subnormal(real, bits);
}

// Of pairs: each half by itself.
static gboolean
compute_truths(const Work *work, RunLane *run) {
  const Real *real = work->to;
  gboolean result[2], c = run->in[0];
  if (!work->is_pair || !is(work, "setp set"))
    return FALSE;
  for (guint half = 0; half < 2; half++) {
    Quad x = real_decode(real, flush(work, real, run->source[0] >> (16 * half) & 0xffff));
    Quad y = real_decode(real, flush(work, real, run->source[1] >> (16 * half) & 0xffff));
    gboolean is = relate(work->parts[1], x, y);
    result[half] = has(work, "and")   ? is && c
                   : has(work, "or")  ? is || c
                   : has(work, "xor") ? is != c
                                      : is;
  }
  const char *to = work->parts[work->n - 2];
  guint64 one = g_str_equal(to, "f16x2") ? 0x3c00 : g_str_equal(to, "bf16x2") ? 0x3f80 : 0xffff;
  if (is(work, "setp")) {
    run->p = result[0];
    run->q = result[1];
  } else
    run->d = (result[0] ? one : 0) | (result[1] ? one << 16 : 0);
  return TRUE;
}

static gboolean
compute_truth(const Work *work, RunLane *run) {
  const Real *real = real_find(work->parts[work->n - 1]);
  if (is(work, "testp"))
    run->q = !(run->p = test_class(work->parts[1], real, run->source[0] & real_ones(real->bits)));
  else if (is(work, "setp set")) {
    Quad x = real_decode(real, flush(work, real, run->source[0] & real_ones(real->bits)));
    Quad y = real_decode(real, flush(work, real, run->source[1] & real_ones(real->bits)));
    gboolean result = relate(work->parts[1], x, y), c = run->in[0];
    run->q = has(work, "and") ? !result && c : !result;
    result = has(work, "and") ? result && c : result;
    run->p = result;
    const char *type = work->parts[work->n - 2];
    run->d = !result                     ? 0
             : g_str_equal(type, "f32")  ? 0x3f800000
             : g_str_equal(type, "f16")  ? 0x3c00
             : g_str_equal(type, "bf16") ? 0x3f80
             : g_str_equal(type, "u16")  ? 0xffff
                                         : G_MAXUINT32;
    if (is(work, "set"))
      run->p = run->q = FALSE;
  } else
    return FALSE;
  return TRUE;
}

static gboolean
compute_plain(const Work *work, RunLane *run) {
  guint bits = work->to->bits * (work->is_pair ? 2 : 1);
  guint64 sign = G_GUINT64_CONSTANT(1) << (bits - 1);
  if (is(work, "mov"))
    run->d = run->source[0];
  else if (is(work, "selp"))
    run->d = run->source[run->in[0] ? 0 : 1];
  else if (is(work, "copysign"))
    run->d = (run->source[0] & sign) | (run->source[1] & ~sign);
  else
    return FALSE;
  run->d &= real_ones(bits);
  return TRUE;
}

// --- conversions

static Quad
round_whole(Quad x, char round) {
  Quad size = x < 0 ? -x : x;
  if (!(size < real_power_of_2(100)))
    return x;
  Quad whole = (Quad)(unsigned __int128)size, rest = size - whole;
  gboolean odd = (unsigned __int128)size & 1;
  gboolean up = round == 'n'   ? rest > 0.5 || (rest == 0.5 && odd)
                : round == 'm' ? x < 0 && rest > 0
                : round == 'p' ? x > 0 && rest > 0
                               : FALSE;
  whole += up;
  return x < 0 ? -whole : whole;
}

static gboolean
integer_type(const char *name, guint *bits, gboolean *is_signed) {
  *is_signed = name[0] == 's';
  *bits = name[0] == 'u' || name[0] == 's' ? (guint)g_ascii_strtoull(name + 1, NULL, 10) : 0;
  return *bits != 0;
}

static Quad
read_operand(const Work *work, const char *from, guint64 bits, gboolean *negative) {
  guint width;
  gboolean is_signed;
  if (integer_type(from, &width, &is_signed)) {
    guint64 low = bits & real_ones(width);
    *negative = FALSE;
    return is_signed && low >> (width - 1) ? (Quad)low - real_power_of_2((int)width) : (Quad)low;
  }
  const Real *real = real_find(from);
  bits = flush(work, real, bits & real_ones(real->bits));
  *negative = real_is_negative(real, bits);
  return real_decode(real, bits);
}

static guint64
convert_one(const Work *work, const char *to, const char *from, guint64 bits) {
  gboolean negative, is_signed;
  guint width;
  Quad x = read_operand(work, from, bits, &negative);
  gboolean integral = strchr("nzmp", work->round) && work->parts[1][0] == 'r' &&
                      work->parts[1][2] == 'i' && strlen(work->parts[1]) == 3;
  if (integral)
    x = round_whole(x, work->round);
  if (integer_type(to, &width, &is_signed)) {
    Quad top = real_power_of_2((int)(is_signed ? width - 1 : width)) - 1,
         bottom = is_signed ? -top - 1 : 0;
    Quad highest = is_signed ? bottom : real_power_of_2((int)width - 1);
    Quad nan = g_str_equal(from, "f64") || width == 64 ? highest : 0;
    x = x != x ? nan : x > top ? top : x < bottom ? bottom : x;
    return (guint64)(__int128)x & real_ones(MAX(width, 16));
  }
  Real tf32 = {"f32", 32, 23, 127, 0x7fffffff};
  const Real *real = g_str_equal(to, "tf32") ? &tf32 : real_find(to);
  if (x != x && g_str_equal(to, "f32") && g_str_equal(from, "bf16") && !work->ftz)
    return bits << 16;
  if (g_str_equal(to, "tf32")) { // the 19 high bits are a number of their own
    Real high = {"", 19, 10, 127, 0};
    guint64 nan = g_str_equal(work->parts[1], "rna") ? bits : 0x7fffffff;
    return x != x ? nan & 0xffffe000 : real_encode(&high, x, work->round, negative) << 13;
  }
  return finish(work, real, real_encode(real, x, work->round, negative));
}

// --- numbers of 4, 6 and 8 bits: @top is the largest magnitude, and @nan what NaN becomes

typedef struct {
  const char *pair;
  Real real;
  guint64 top;
} Narrow;

static const Narrow narrows[] = {
    {"e4m3x2", {"", 8, 3, 7, 0x7f}, 0x7e}, {"e5m2x2", {"", 8, 2, 15, 0x7f}, 0x7b},
    {"e2m3x2", {"", 6, 3, 1, 0x1f}, 0x1f}, {"e3m2x2", {"", 6, 2, 3, 0x1f}, 0x1f},
    {"e2m1x2", {"", 4, 1, 1, 0x07}, 0x07}, {"ue8m0x2", {"", 9, 0, 127, 0xff}, 0xff},
};

static const Narrow *
find_narrow(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(narrows); i++)
    if (g_str_equal(name, narrows[i].pair))
      return &narrows[i];
  return NULL;
}

// The power of 2 that is not above, or not below a number, if there is one of 2^-127 to 2^127.
static guint64
narrow_power(const Work *work, Quad size) {
  guint64 top = has(work, "satfinite") ? 0xfe : 0xff, field = 0;
  if (size != size)
    return 0xff;
  Quad power = real_power_of_2(work->round == 'z' ? -126 : -127);
  for (; field < top && (power < size || (power == size && work->round == 'z')); field++)
    power *= 2;
  return field;
}

// The nearest of all magnitudes, of two the even one.
static guint64
narrow_one(const Work *work, const Narrow *narrow, Quad x) {
  const Real *real = &narrow->real;
  Quad size = x < 0 ? -x : x;
  guint64 best = 0;
  if (g_str_equal(narrow->pair, "ue8m0x2"))
    return narrow_power(work, size);
  if (x != x)
    return real->nan;
  if (work->relu && x <= 0)
    return 0;
  if (size > 2 * real_value(real, narrow->top))
    best = narrow->top;
  for (guint64 i = 1; i <= narrow->top && best + 1 == i; i++) {
    Quad below = size - real_value(real, best), above = real_value(real, i) - size;
    if (above < below || (above == below && i % 2 == 0))
      best = i;
  }
  return best | (guint64)(signbit((double)x) != 0) << (real->bits - 1);
}

static guint64
widen_one(const Work *work, const Narrow *narrow, guint64 bits) {
  const Real *real = &narrow->real;
  guint64 size = bits & real_ones(real->bits - 1);
  if (g_str_equal(narrow->pair, "ue8m0x2"))
    return bits == 0xff
               ? 0x7fff
               : real_encode(real_find("bf16"), real_power_of_2((int)bits - 127), 'n', FALSE);
  if (size > narrow->top && !(real->fraction == 2 && size == 0x7c))
    return 0x7fff;
  gboolean negative = real_is_negative(real, bits);
  Quad x = size > narrow->top ? (Quad)INFINITY : real_value(real, size);
  return work->relu && negative ? 0
                                : real_encode(real_find("f16"), negative ? -x : x, 'n', negative);
}

static gboolean
compute_narrow(const Work *work, RunLane *run) {
  const char *to = work->parts[work->n - 2], *from = work->parts[work->n - 1];
  const Narrow *narrow = find_narrow(to), *wide = find_narrow(from);
  const Narrow *any = narrow ? narrow : wide;
  if (!any)
    return FALSE;
  guint shift = any->real.bits == 4 ? 4 : 8;
  if (wide) {
    guint64 part = real_ones(g_str_equal(wide->pair, "ue8m0x2") ? 8 : wide->real.bits);
    run->d = widen_one(work, wide, run->source[0] >> shift & part) << 16 |
             widen_one(work, wide, run->source[0] & part);
    return TRUE;
  }
  const Real *real = g_str_equal(from, "f32") ? real_find("f32")
                     : from[0] == 'b'         ? real_find("bf16")
                                              : real_find("f16");
  guint64 high = real->bits == 32 ? run->source[0] : run->source[0] >> 16;
  guint64 low = run->source[real->bits == 32 ? 1 : 0];
  run->d = narrow_one(work, narrow, real_decode(real, high & real_ones(real->bits))) << shift |
           narrow_one(work, narrow, real_decode(real, low & real_ones(real->bits)));
  return TRUE;
}

static gboolean
compute_conversion(const Work *work, RunLane *run) {
  if (!is(work, "cvt") || has(work, "pack"))
    return FALSE;
  const char *to = work->parts[work->n - 2], *from = work->parts[work->n - 1];
  if (compute_narrow(work, run))
    return TRUE;
  if (g_str_has_suffix(to, "x2")) {
    g_autofree char *half = g_strndup(to, strlen(to) - 2);
    run->d = convert_one(work, half, from, run->source[0]) << 16 |
             convert_one(work, half, from, run->source[1]);
  } else
    run->d = convert_one(work, to, from, run->source[0]);
  return TRUE;
}

// --- all

static void
parse(const char *opcode, Work *work) {
  *work = (Work){.parts = g_strsplit(opcode, ".", -1), .round = 'n'};
  work->n = g_strv_length(work->parts);
  for (guint i = 1; i < work->n; i++) {
    const char *part = work->parts[i];
    if (part[0] == 'r' && part[1] && strchr("nzmpa", part[1]) && strlen(part) <= 3)
      work->round = g_str_equal(part, "rna") ? 'a' : part[1];
    work->is_pair = g_str_has_suffix(part, "x2");
    g_autofree char *name = g_strndup(part, strlen(part) - (work->is_pair ? 2 : 0));
    if (real_find(name))
      work->to = real_find(name);
  }
  work->ftz = has(work, "ftz");
  work->sat = has(work, "sat");
  work->relu = has(work, "relu");
  work->nan = has(work, "NaN");
  work->xorsign = has(work, "xorsign");
  work->absolute = has(work, "abs") && !is(work, "abs");
}

// Of three: what is in order before or behind the others; numbers prevail over NaN.
static gboolean
compute_extreme(const Work *work, RunLane *run) {
  const Real *real = work->to;
  guint64 sign = G_GUINT64_CONSTANT(1) << (real->bits - 1);
  gboolean any = FALSE, nan = FALSE;
  gint64 best = 0;
  if (!is(work, "min3 max3"))
    return FALSE;
  for (guint i = 0; i < 3; i++) {
    guint64 bits = flush(work, real, run->source[i] & real_ones(real->bits));
    bits = work->absolute ? bits & ~sign : bits;
    gint64 order = bits & sign ? -(gint64)(bits & ~sign) - 1 : (gint64)bits;
    nan = nan || real_is_nan(real, bits);
    if (real_is_nan(real, bits) || (any && (order < best) != is(work, "min3")))
      continue;
    best = order;
    any = TRUE;
  }
  gboolean is_nan = !any || (nan && work->nan);
  run->d = is_nan ? real->nan : best < 0 ? (guint64)(-best - 1) | sign : (guint64)best;
  return TRUE;
}

// Operands of 16 bits but the last one, of 32.
static gboolean
compute_mixed(const Work *work, RunLane *run) {
  const Real *half = work->to, *real = real_find("f32");
  guint64 operands[3], n = is(work, "fma") ? 3 : 2;
  if (!is(work, "add sub fma") || !g_str_equal(work->parts[work->n - 2], "f32"))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    guint64 bits = run->source[i] & real_ones(half->bits);
    operands[i] =
        i + 1 == n ? run->source[i]
                   : real_encode(real, real_decode(half, bits), 'n', real_is_negative(half, bits));
  }
  return compute_one(work, real, operands, &run->d);
}

static gboolean
compute_lane(const Work *work, RunLane *run) {
  if (compute_conversion(work, run) || compute_truths(work, run) || compute_truth(work, run) ||
      compute_plain(work, run) || compute_extreme(work, run))
    return TRUE;
  if (is(work, "add sub fma") && g_str_equal(work->parts[work->n - 2], "f32"))
    return compute_mixed(work, run);
  guint64 result[2] = {0, 0};
  for (guint half = 0; half < (work->is_pair ? 2 : 1); half++) {
    guint64 operands[3];
    for (guint i = 0; i < 3; i++)
      operands[i] = run->source[i] >> (half ? work->to->bits : 0);
    if (!compute_one(work, work->to, operands, &result[half]) &&
        !compute_by_host(work, operands[0], &result[half]))
      return FALSE;
  }
  run->d = result[0] | (work->is_pair ? result[1] << work->to->bits : 0);
  return TRUE;
}

gboolean
oracle_is_real(const char *opcode) {
  Work work;
  parse(opcode, &work);
  gboolean real = is(&work, "set") ? real_find(work.parts[work.n - 1]) != NULL
                                   : work.to != NULL && !is(&work, "slct");
  real = real || (is(&work, "cvt") && has(&work, "sat") && !has(&work, "pack"));
  g_strfreev(work.parts);
  return real;
}

gboolean
oracle_compute_real(const char *opcode, RunLane *run) {
  Work work;
  parse(opcode, &work);
  gboolean ok = compute_lane(&work, run);
  g_strfreev(work.parts);
  return ok;
}
