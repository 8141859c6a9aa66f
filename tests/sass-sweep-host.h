// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// For tests/sass-sweep.py: what functions of CUDA's headers compute that have no form for the host, as their documentation and
// the PTX ISA define them; slow and obvious.
#pragma once

#include <cfenv>
#include <climits>
#include <cmath>
#include <cstring>

namespace host {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;
using s64 = long long;

// --- bits
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(s64 x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(s64 x) { return __builtin_ffsll(x); }
inline int __popc(u32 x) { return __builtin_popcount(x); }
inline int __popcll(u64 x) { return __builtin_popcountll(x); }
template <class T> inline T reverse(T x) {
  T r = 0;
  for (unsigned i = 0; i < 8 * sizeof x; i++)
    r |= (T)(x >> i & 1) << (8 * sizeof x - 1 - i);
  return r;
}
inline u16 __nv_bswap16(u16 x) { return __builtin_bswap16(x); }
inline u32 __nv_bswap32(u32 x) { return __builtin_bswap32(x); }
inline u64 __nv_bswap64(u64 x) { return __builtin_bswap64(x); }
inline u32 __brev(u32 x) { return reverse(x); }
inline u64 __brevll(u64 x) { return reverse(x); }
inline u32 __byte_perm(u32 x, u32 y, u32 s) {
  u64 both = (u64)y << 32 | x;
  u32 r = 0;
  for (int i = 0; i < 4; i++) {
    u32 which = s >> (4 * i);
    u8 byte = (u8)(both >> (8 * (which & 7)));
    r |= (u32)byte << (8 * i);
  }
  return r;
}
inline u32 __funnelshift_l(u32 lo, u32 hi, u32 n) { return (u32)((((u64)hi << 32 | lo) << (n & 31)) >> 32); }
inline u32 __funnelshift_lc(u32 lo, u32 hi, u32 n) { return n >= 32 ? lo : __funnelshift_l(lo, hi, n); }
inline u32 __funnelshift_r(u32 lo, u32 hi, u32 n) { return (u32)(((u64)hi << 32 | lo) >> (n & 31)); }
inline u32 __funnelshift_rc(u32 lo, u32 hi, u32 n) { return n >= 32 ? hi : __funnelshift_r(lo, hi, n); }

// --- integers
inline int __mulhi(int x, int y) { return (int)((s64)x * y >> 32); }
inline u32 __umulhi(u32 x, u32 y) { return (u32)((u64)x * y >> 32); }
inline s64 __mul64hi(s64 x, s64 y) { return (s64)((__int128)x * y >> 64); }
inline u64 __umul64hi(u64 x, u64 y) { return (u64)((unsigned __int128)x * y >> 64); }
inline int low_24(int x) { return (int)((u32)x << 8) >> 8; }
inline int __mul24(int x, int y) { return (int)((u32)low_24(x) * (u32)low_24(y)); }
inline u32 __umul24(u32 x, u32 y) { return (x & 0xffffff) * (y & 0xffffff); }
inline u32 __sad(int x, int y, u32 z) { return (u32)(x < y ? (s64)y - x : (s64)x - y) + z; }
inline u32 __usad(u32 x, u32 y, u32 z) { return (x < y ? y - x : x - y) + z; }
inline int __hadd(int x, int y) { return (int)(((s64)x + y) >> 1); }
inline int __rhadd(int x, int y) { return (int)(((s64)x + y + 1) >> 1); }
inline u32 __uhadd(u32 x, u32 y) { return (u32)(((u64)x + y) >> 1); }
inline u32 __urhadd(u32 x, u32 y) { return (u32)(((u64)x + y + 1) >> 1); }
// of the least number by -1, too
template <class T> inline T divide(T x, T y) { return y == (T)-1 && (T)-1 < 0 ? (T)(0 - x) : (T)(x / y); }
template <class T> inline T remain(T x, T y) { return y == (T)-1 && (T)-1 < 0 ? (T)0 : (T)(x % y); }

// --- products of bytes and halves
template <class A, class B> inline u32 dot4(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 4; i++)
    c += (u32)((int)(A)(a >> 8 * i) * (int)(B)(b >> 8 * i));
  return c;
}
template <class A, class B> inline u32 dot2(u32 a, u32 b, u32 c) {
  for (int i = 0; i < 2; i++)
    c += (u32)((int)(A)(a >> 16 * i) * (int)(B)(b >> 8 * i));
  return c;
}
inline int __dp4a(int a, int b, int c) { return (int)dot4<signed char, signed char>(a, b, c); }
inline u32 __dp4a(u32 a, u32 b, u32 c) { return dot4<u8, u8>(a, b, c); }
inline int __dp2a_lo(int a, int b, int c) { return (int)dot2<short, signed char>(a, b, c); }
inline u32 __dp2a_lo(u32 a, u32 b, u32 c) { return dot2<u16, u8>(a, b, c); }
inline int __dp2a_hi(int a, int b, int c) { return (int)dot2<short, signed char>(a, (u32)b >> 16, c); }
inline u32 __dp2a_hi(u32 a, u32 b, u32 c) { return dot2<u16, u8>(a, b >> 16, c); }

// --- integers of 8 and 16 bits in a word: F of each pair
template <class T, class F> inline u32 lanes(u32 a, u32 b, F f) {
  u32 r = 0;
  const int width = 8 * (int)sizeof(T);
  const u32 mask = (1u << width) - 1;
  for (int i = 0; i < 32; i += width)
    r |= ((u32)f((int)(T)(a >> i), (int)(T)(b >> i)) & mask) << i;
  return r;
}
template <class T> inline int clamp(int x) {
  const int low = (T)-1 < 0 ? -(1 << (8 * sizeof(T) - 1)) : 0;
  const int high = low < 0 ? -low - 1 : (1 << (8 * sizeof(T))) - 1;
  return x < low ? low : x > high ? high : x;
}
#define ONE(name, S, f) inline u32 name(u32 a) { return lanes<S>(a, 0, [](int x, int) { return (int)(f); }); }
#define TWO(name, S, f) inline u32 name(u32 a, u32 b) { return lanes<S>(a, b, [](int x, int y) { return (int)(f); }); }
#define BOTH(n, S, U) \
  ONE(__vabs##n, S, x < 0 ? -x : x) ONE(__vabsss##n, S, clamp<S>(x < 0 ? -x : x)) \
  ONE(__vneg##n, S, -x) ONE(__vnegss##n, S, clamp<S>(-x)) \
  TWO(__vadd##n, S, x + y) TWO(__vaddss##n, S, clamp<S>(x + y)) TWO(__vaddus##n, U, clamp<U>(x + y)) \
  TWO(__vsub##n, S, x - y) TWO(__vsubss##n, S, clamp<S>(x - y)) TWO(__vsubus##n, U, clamp<U>(x - y)) \
  TWO(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1) TWO(__vavgu##n, U, (x + y + 1) >> 1) TWO(__vhaddu##n, U, (x + y) >> 1) \
  TWO(__vabsdiffs##n, S, x < y ? y - x : x - y) TWO(__vabsdiffu##n, U, x < y ? y - x : x - y) \
  TWO(__vmaxs##n, S, x > y ? x : y) TWO(__vmaxu##n, U, x > y ? x : y) \
  TWO(__vmins##n, S, x < y ? x : y) TWO(__vminu##n, U, x < y ? x : y) \
  TWO(__vcmpeq##n, S, -(x == y)) TWO(__vcmpne##n, S, -(x != y)) TWO(__vseteq##n, S, x == y) TWO(__vsetne##n, S, x != y) \
  TWO(__vcmpges##n, S, -(x >= y)) TWO(__vcmpgts##n, S, -(x > y)) TWO(__vcmples##n, S, -(x <= y)) TWO(__vcmplts##n, S, -(x < y)) \
  TWO(__vcmpgeu##n, U, -(x >= y)) TWO(__vcmpgtu##n, U, -(x > y)) TWO(__vcmpleu##n, U, -(x <= y)) TWO(__vcmpltu##n, U, -(x < y)) \
  TWO(__vsetges##n, S, x >= y) TWO(__vsetgts##n, S, x > y) TWO(__vsetles##n, S, x <= y) TWO(__vsetlts##n, S, x < y) \
  TWO(__vsetgeu##n, U, x >= y) TWO(__vsetgtu##n, U, x > y) TWO(__vsetleu##n, U, x <= y) TWO(__vsetltu##n, U, x < y) \
  inline u32 __vsads##n(u32 a, u32 b) { return sum<S>(a, b); } \
  inline u32 __vsadu##n(u32 a, u32 b) { return sum<U>(a, b); }
template <class T> inline u32 sum(u32 a, u32 b) {
  u32 r = 0;
  for (int i = 0; i < 32; i += 8 * (int)sizeof(T)) {
    int x = (T)(a >> i), y = (T)(b >> i);
    r += (u32)(x < y ? y - x : x - y);
  }
  return r;
}
BOTH(2, short, u16)
BOTH(4, signed char, u8)
#undef ONE
#undef TWO
#undef BOTH

// --- numbers as bits
template <class T, class F> inline T as(F x) {
  T r;
  static_assert(sizeof x == sizeof r, "as many bits");
  memcpy(&r, &x, sizeof r);
  return r;
}
inline float __int_as_float(int x) { return as<float>(x); }
inline float __uint_as_float(u32 x) { return as<float>(x); }
inline int __float_as_int(float x) { return as<int>(x); }
inline u32 __float_as_uint(float x) { return as<u32>(x); }
inline double __longlong_as_double(s64 x) { return as<double>(x); }
inline s64 __double_as_longlong(double x) { return as<s64>(x); }
inline int __double2hiint(double x) { return (int)(as<u64>(x) >> 32); }
inline int __double2loint(double x) { return (int)as<u64>(x); }
inline double __hiloint2double(int hi, int lo) { return as<double>((u64)(u32)hi << 32 | (u32)lo); }

// --- floating point with a direction. What is not volatile may be computed before the direction is set.
enum { rn = FE_TONEAREST, rz = FE_TOWARDZERO, ru = FE_UPWARD, rd = FE_DOWNWARD };
template <class F> inline auto rounded(int way, F f) -> decltype(f()) {
  fesetround(way);
  volatile auto r = f();
  fesetround(FE_TONEAREST);
  return r;
}
#define WAYS(m) m(rn) m(rz) m(ru) m(rd)
#define FLOATS(w) \
  inline float __fadd_##w(volatile float x, volatile float y) { return rounded(w, [&] { return x + y; }); } \
  inline float __fsub_##w(volatile float x, volatile float y) { return rounded(w, [&] { return x - y; }); } \
  inline float __fmul_##w(volatile float x, volatile float y) { return rounded(w, [&] { return x * y; }); } \
  inline float __fdiv_##w(volatile float x, volatile float y) { return rounded(w, [&] { return x / y; }); } \
  inline float __frcp_##w(volatile float x) { return rounded(w, [&] { return 1 / x; }); } \
  inline float __fsqrt_##w(volatile float x) { return rounded(w, [&] { return sqrtf(x); }); } \
  inline float __fmaf_##w(volatile float x, volatile float y, volatile float z) { return rounded(w, [&] { return fmaf(x, y, z); }); } \
  inline float __fmaf_ieee_##w(float x, float y, float z) { return __fmaf_##w(x, y, z); } \
  inline double __dadd_##w(volatile double x, volatile double y) { return rounded(w, [&] { return x + y; }); } \
  inline double __dsub_##w(volatile double x, volatile double y) { return rounded(w, [&] { return x - y; }); } \
  inline double __dmul_##w(volatile double x, volatile double y) { return rounded(w, [&] { return x * y; }); } \
  inline double __ddiv_##w(volatile double x, volatile double y) { return rounded(w, [&] { return x / y; }); } \
  inline double __drcp_##w(volatile double x) { return rounded(w, [&] { return 1 / x; }); } \
  inline double __dsqrt_##w(volatile double x) { return rounded(w, [&] { return sqrt(x); }); } \
  inline double __fma_##w(volatile double x, volatile double y, volatile double z) { return rounded(w, [&] { return fma(x, y, z); }); } \
  inline float __double2float_##w(volatile double x) { return rounded(w, [&] { return (float)x; }); } \
  inline float __int2float_##w(volatile int x) { return rounded(w, [&] { return (float)x; }); } \
  inline float __uint2float_##w(volatile u32 x) { return rounded(w, [&] { return (float)x; }); } \
  inline float __ll2float_##w(volatile s64 x) { return rounded(w, [&] { return (float)x; }); } \
  inline float __ull2float_##w(volatile u64 x) { return rounded(w, [&] { return (float)(long double)x; }); } \
  inline double __int2double_##w(volatile int x) { return x; } \
  inline double __uint2double_##w(volatile u32 x) { return x; } \
  inline double __ll2double_##w(volatile s64 x) { return rounded(w, [&] { return (double)x; }); } \
  inline double __ull2double_##w(volatile u64 x) { return rounded(w, [&] { return (double)(long double)x; }); }
WAYS(FLOATS)
inline float __frsqrt_rn(float x) { return (float)(1 / sqrtl((long double)x)); }
inline float __saturatef(float x) { return std::isnan(x) || x <= 0 ? 0 : x >= 1 ? 1 : x; }
inline float __fdividef(float x, float y) {
  const float huge = 0x1p126f;
  return fabsf(y) > huge && !std::isinf(y) ? x / y * 0 : x / y;
}

// --- to integers: what is beyond the range is the end of it; NaN is 0, or of 64 bits anywhere the least number (PTX ISA, cvt)
template <class T, class F> inline T to_integer(int way, volatile F x) {
  const bool wide = sizeof(F) == 8 || sizeof(T) == 8;
  const T least = (T)-1 < 0 ? (T)((T)1 << (8 * sizeof(T) - 1)) : 0;
  const T most = (T)-1 < 0 ? (T)(least - 1) : (T)-1;
  if (std::isnan((F)x))
    return wide ? (T)((T)1 << (8 * sizeof(T) - 1)) : 0;
  const F whole = rounded(way, [&] { return (F)std::nearbyint((F)x); });
  if (whole <= (F)least)
    return least;
  return whole >= -2 * (F)((T)-1 < 0 ? least : 0) / 2 + ((T)-1 < 0 ? 0 : ldexp((F)1, 8 * sizeof(T))) ? most : (T)whole;
}
#define INTEGERS(w) \
  inline int __float2int_##w(float x) { return to_integer<int>(w, x); } \
  inline u32 __float2uint_##w(float x) { return to_integer<u32>(w, x); } \
  inline s64 __float2ll_##w(float x) { return to_integer<s64>(w, x); } \
  inline u64 __float2ull_##w(float x) { return to_integer<u64>(w, x); } \
  inline int __double2int_##w(double x) { return to_integer<int>(w, x); } \
  inline u32 __double2uint_##w(double x) { return to_integer<u32>(w, x); } \
  inline s64 __double2ll_##w(double x) { return to_integer<s64>(w, x); } \
  inline u64 __double2ull_##w(double x) { return to_integer<u64>(w, x); }
WAYS(INTEGERS)
#undef WAYS

// --- extremes: a number prevails over NaN; -0 is below +0 (PTX ISA, min and max)
template <class F> inline F smallest(F x, F y) {
  return std::isnan(x) ? y : std::isnan(y) ? x : x < y || (x == y && std::signbit(x)) ? x : y;
}
template <class F> inline F largest(F x, F y) {
  return std::isnan(x) ? y : std::isnan(y) ? x : x < y || (x == y && std::signbit(x)) ? y : x;
}

// --- halves and bfloat16: computed as long double, whose last digit is made odd where there are more, and rounded once more
template <class T> struct Format;
template <> struct Format<__half> {
  static const int fraction = 10, least = -14;
  static long double most() { return 65504; }
};
template <> struct Format<__nv_bfloat16> {
  static const int fraction = 7, least = -126;
  static long double most() { return 255 * 0x1p120L; }
};
template <class T> inline T of_bits(u16 bits) {
  T r;
  memcpy((void *)&r, &bits, 2);
  return r;
}
template <class T> inline long double wide(T x) {
  u16 bits;
  memcpy(&bits, (void *)&x, 2);
  const int fraction = bits & ((1 << Format<T>::fraction) - 1), exponent = bits >> Format<T>::fraction & ((1 << (15 - Format<T>::fraction)) - 1);
  const int top = (1 << (15 - Format<T>::fraction)) - 1;
  long double r = exponent == top ? (fraction ? (long double)NAN : (long double)INFINITY)
                                  : ldexpl(exponent ? fraction + (1 << Format<T>::fraction) : fraction,
                                           (exponent ? exponent : 1) - 1 + Format<T>::least - Format<T>::fraction);
  return bits >> 15 ? -r : r;
}
template <class T> inline T narrow(long double x, int way = rn) {
  const u16 sign = std::signbit(x) ? 0x8000 : 0, infinity = (u16)(0x7fff >> Format<T>::fraction << Format<T>::fraction);
  if (std::isnan(x))
    return of_bits<T>(0x7fff);
  if (x == 0 || std::isinf(x))
    return of_bits<T>(sign | (x == 0 ? 0 : infinity));
  int exponent = ilogbl(x);
  exponent = exponent < Format<T>::least ? Format<T>::least : exponent;
  volatile long double scaled = ldexpl(x, Format<T>::fraction - exponent);
  const long double whole = fabsl(rounded(way, [&] { return rintl(scaled); }));
  const long double size = ldexpl(whole, exponent - Format<T>::fraction);
  if (size > Format<T>::most())
    return of_bits<T>(sign | (way == rz || way == (sign ? ru : rd) ? infinity - 1 : infinity));
  return of_bits<T>(sign | (u16)(((exponent - Format<T>::least) << Format<T>::fraction) + (int)whole));
}
inline long double odd_sum(long double x, long double y) {
  volatile long double sum = x + y, part = sum - x, rest = (x - (sum - part)) + (y - part);
  if (std::isnan((long double)rest) || std::isinf((long double)sum) || rest == 0)
    return sum;
  u64 digits;
  long double r = sum;
  memcpy(&digits, &r, 8);
  return digits & 1 ? r : nextafterl(r, rest > 0 ? INFINITY : -INFINITY);
}
template <class T> inline T multiply_add(T a, T b, T c) { return narrow<T>(odd_sum(wide(a) * wide(b), wide(c))); }
template <class T> inline T saturated(T x) { return std::isnan(wide(x)) || wide(x) <= 0 ? of_bits<T>(0) : wide(x) > 1 ? narrow<T>(1) : x; }
template <class T> inline T without_negative(T x) { return wide(x) < 0 ? of_bits<T>(0) : x; }
#define UNARY(T, P, h, f) \
  inline T h##f(T x) { long double y = wide(x); return narrow<T>(EXPRESSION_##f); } \
  inline P h2##f(P x) { return P{host::h##f(x.x), host::h##f(x.y)}; }
#define EXPRESSION_trunc truncl(y)
#define EXPRESSION_ceil ceill(y)
#define EXPRESSION_floor floorl(y)
#define EXPRESSION_rint rintl(y)
#define EXPRESSION_sqrt sqrtl(y)
#define EXPRESSION_rsqrt 1 / sqrtl(y)
#define EXPRESSION_rcp 1 / y
#define EXPRESSION_log logl(y)
#define EXPRESSION_log2 log2l(y)
#define EXPRESSION_log10 log10l(y)
#define EXPRESSION_exp expl(y)
#define EXPRESSION_exp2 exp2l(y)
#define EXPRESSION_exp10 powl(10, y)
#define EXPRESSION_tanh tanhl(y)
#define EXPRESSION_tanh_approx tanhl(y)
#define EXPRESSION_sin sinl(y)
#define EXPRESSION_cos cosl(y)
#define HALVES(T, P) \
  inline T __hfma(T a, T b, T c) { return multiply_add(a, b, c); } \
  inline T __hfma_sat(T a, T b, T c) { return saturated(multiply_add(a, b, c)); } \
  inline T __hfma_relu(T a, T b, T c) { return without_negative(multiply_add(a, b, c)); } \
  inline P __hfma2(P a, P b, P c) { return P{host::__hfma(a.x, b.x, c.x), host::__hfma(a.y, b.y, c.y)}; } \
  inline P __hfma2_sat(P a, P b, P c) { return P{host::__hfma_sat(a.x, b.x, c.x), host::__hfma_sat(a.y, b.y, c.y)}; } \
  inline P __hfma2_relu(P a, P b, P c) { return P{host::__hfma_relu(a.x, b.x, c.x), host::__hfma_relu(a.y, b.y, c.y)}; } \
  inline P __hcmadd(P a, P b, P c) { \
    return P{host::__hfma(narrow<T>(-wide(a.y)), b.y, host::__hfma(a.x, b.x, c.x)), host::__hfma(a.y, b.x, host::__hfma(a.x, b.y, c.y))}; \
  } \
  UNARY(T, P, h, trunc) UNARY(T, P, h, ceil) UNARY(T, P, h, floor) UNARY(T, P, h, rint) UNARY(T, P, h, sqrt) UNARY(T, P, h, rsqrt) \
  UNARY(T, P, h, rcp) UNARY(T, P, h, log) UNARY(T, P, h, log2) UNARY(T, P, h, log10) UNARY(T, P, h, exp) UNARY(T, P, h, exp2) \
  UNARY(T, P, h, exp10) UNARY(T, P, h, tanh) UNARY(T, P, h, tanh_approx) UNARY(T, P, h, sin) UNARY(T, P, h, cos)
HALVES(__half, __half2)
HALVES(__nv_bfloat16, __nv_bfloat162)
#undef HALVES
#undef UNARY
#define HALF_INTEGERS(T, half, w) \
  inline short half##2short_##w(T x) { return to_integer<short>(w, (float)wide(x)); } \
  inline u16 half##2ushort_##w(T x) { return to_integer<u16>(w, (float)wide(x)); } \
  inline int half##2int_##w(T x) { return to_integer<int>(w, (float)wide(x)); } \
  inline u32 half##2uint_##w(T x) { return to_integer<u32>(w, (float)wide(x)); } \
  inline s64 half##2ll_##w(T x) { return to_integer<s64>(w, (float)wide(x)); } \
  inline u64 half##2ull_##w(T x) { return to_integer<u64>(w, (float)wide(x)); }
HALF_INTEGERS(__half, __half, rn) HALF_INTEGERS(__half, __half, rd) HALF_INTEGERS(__half, __half, ru)
HALF_INTEGERS(__nv_bfloat16, __bfloat16, rn) HALF_INTEGERS(__nv_bfloat16, __bfloat16, rd) HALF_INTEGERS(__nv_bfloat16, __bfloat16, ru)
#define BFLOATS(w) \
  inline __nv_bfloat16 __short2bfloat16_##w(short x) { return narrow<__nv_bfloat16>(x, w); } \
  inline __nv_bfloat16 __ushort2bfloat16_##w(u16 x) { return narrow<__nv_bfloat16>(x, w); } \
  inline __nv_bfloat16 __int2bfloat16_##w(int x) { return narrow<__nv_bfloat16>(x, w); } \
  inline __nv_bfloat16 __uint2bfloat16_##w(u32 x) { return narrow<__nv_bfloat16>(x, w); } \
  inline __nv_bfloat16 __ll2bfloat16_##w(s64 x) { return narrow<__nv_bfloat16>(x, w); } \
  inline __nv_bfloat16 __ull2bfloat16_##w(u64 x) { return narrow<__nv_bfloat16>(x, w); }
BFLOATS(rz) BFLOATS(rd) BFLOATS(ru)

} // namespace host
