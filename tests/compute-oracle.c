// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/compute-oracle.h"

#include <string.h>

__extension__ typedef __int128 Integer;

typedef struct {
  char kind; // u, s, b, f, p
  guint bits;
} Type;

// An instruction in pieces, with its operands as its type says.
typedef struct {
  char **parts;
  guint n;
  const char *name;
  Type type;  // the last one
  Type other; // the one before it, if it is one
  Integer a, b, c;
  guint64 raw[4];
  guint table;
  RunLane *run;
} Oracle;

static gboolean
parse_type(const char *part, Type *type) {
  if (g_str_equal(part, "pred")) {
    *type = (Type){'p', 1};
    return TRUE;
  }
  if (g_str_equal(part, "tf32"))
    part++;
  gsize skip = g_str_has_prefix(part, "bf") ? 2 : 1;
  if (!strchr("usbf", part[0]) || !g_ascii_isdigit(part[skip]))
    return FALSE;
  char *end;
  Type found = {skip == 2 ? 'f' : part[0], (guint)g_ascii_strtoull(part + skip, &end, 10)};
  if (*end && !g_str_equal(end, "x2")) // f4e
    return FALSE;
  *type = found;
  type->bits *= *end ? 2 : 1;
  return TRUE;
}

static gboolean
has(const Oracle *oracle, const char *part) {
  return g_strv_contains((const char *const *)oracle->parts, part);
}

static gboolean
is(const Oracle *oracle, const char *names) {
  g_auto(GStrv) each = g_strsplit(names, " ", -1);
  return g_strv_contains((const char *const *)each, oracle->name);
}

static guint64
cut(Integer x, guint bits) {
  return bits == 64 ? (guint64)x : (guint64)x & ((G_GUINT64_CONSTANT(1) << bits) - 1);
}

static Integer
read_as(guint64 raw, char kind, guint bits) {
  guint64 low = cut(raw, bits);
  gboolean negative = kind == 's' && low >> (bits - 1) & 1;
  return negative ? (Integer)low - ((Integer)1 << bits) : (Integer)low;
}

static gboolean
bit_of(guint64 x, gint64 i) {
  return i >= 0 && i < 64 && (x >> i & 1);
}

static Integer
clamp_to(Integer x, Type type) {
  Integer top = ((Integer)1 << (type.bits - 1)) - 1;
  return CLAMP(x, -top - 1, top);
}

static Integer
absolute(Integer x) {
  return x < 0 ? -x : x;
}

// --- families; each gives the bits of the result

static gboolean
compute_sums(const Oracle *o, Integer *d) {
  // Products of 64 unsigned bits take all 128.
  Integer product = (Integer)((unsigned __int128)o->a * (unsigned __int128)o->b);
  gboolean high = has(o, "hi");
  if (is(o, "mul24 mad24")) {
    product = read_as(o->raw[0], o->type.kind, 24) * read_as(o->raw[1], o->type.kind, 24);
    product = high ? product >> 16 : product;
  } else if (high)
    product >>= o->type.bits;
  if (is(o, "add"))
    *d = o->a + o->b;
  else if (is(o, "sub"))
    *d = o->a - o->b;
  else if (is(o, "mul mul24"))
    *d = product;
  else if (is(o, "mad mad24")) {
    Integer part = has(o, "wide") || has(o, "sat") ? product : (Integer)cut(product, o->type.bits);
    if (is(o, "mad24") && has(o, "sat"))
      part = read_as((guint64)product, 's', 32);
    Integer addend =
        has(o, "wide") ? (Integer)read_as(o->raw[2], o->type.kind, 2 * o->type.bits) : o->c;
    *d = part + addend;
  } else if (is(o, "neg"))
    *d = -o->a;
  else if (is(o, "abs"))
    *d = absolute(o->a);
  else if (is(o, "sad"))
    *d = absolute(o->a - o->b) + o->c;
  else
    return FALSE;
  if (has(o, "sat"))
    *d = clamp_to(*d, o->type);
  return TRUE;
}

static gboolean
compute_quotients(const Oracle *o, Integer *d) {
  if (is(o, "div rem") && o->b == 0)
    return FALSE;
  if (is(o, "div"))
    *d = o->a / o->b;
  else if (is(o, "rem"))
    *d = o->a % o->b;
  else if (is(o, "min"))
    *d = o->a < o->b ? o->a : o->b;
  else if (is(o, "max"))
    *d = o->a > o->b ? o->a : o->b;
  else
    return FALSE;
  if (has(o, "relu"))
    *d = *d < 0 ? 0 : *d;
  return TRUE;
}

static gboolean
compute_bits(const Oracle *o, Integer *d) {
  guint64 result = 0, amount = cut((Integer)o->raw[1], 32);
  for (guint i = 0; i < o->type.bits; i++) {
    gboolean a = bit_of(o->raw[0], i), b = bit_of(o->raw[1], i), c = bit_of(o->raw[2], i), bit;
    gboolean sign = o->type.kind == 's' && bit_of(o->raw[0], o->type.bits - 1);
    if (is(o, "and"))
      bit = a && b;
    else if (is(o, "or"))
      bit = a || b;
    else if (is(o, "xor"))
      bit = a != b;
    else if (is(o, "not"))
      bit = !a;
    else if (is(o, "cnot"))
      bit = i == 0 && cut((Integer)o->raw[0], o->type.bits) == 0;
    else if (is(o, "shl"))
      bit = i >= amount && bit_of(o->raw[0], (gint64)(i - amount));
    else if (is(o, "shr"))
      bit = i + amount < o->type.bits ? bit_of(o->raw[0], (gint64)(i + amount)) : sign;
    else if (is(o, "lop3"))
      bit = o->table >> (4 * a + 2 * b + c) & 1;
    else if (is(o, "brev"))
      bit = bit_of(o->raw[0], o->type.bits - 1 - i);
    else
      return FALSE;
    result |= (guint64)bit << i;
  }
  *d = result;
  return TRUE;
}

static gint64
find_top(const Oracle *o) {
  gboolean negative = o->type.kind == 's' && bit_of(o->raw[0], o->type.bits - 1);
  for (gint64 i = o->type.bits - 1; i >= 0; i--)
    if (bit_of(o->raw[0], i) != negative)
      return i;
  return -1;
}

static gboolean
compute_counts(const Oracle *o, Integer *d) {
  gint64 top = find_top(o);
  *d = 0;
  if (is(o, "popc")) {
    for (guint i = 0; i < o->type.bits; i++)
      *d += bit_of(o->raw[0], i);
  } else if (is(o, "clz"))
    *d = o->type.bits - 1 - top;
  else if (is(o, "bfind"))
    *d = top < 0 || !has(o, "shiftamt") ? top : o->type.bits - 1 - top;
  else
    return FALSE;
  return TRUE;
}

static guint64
insert_bits(const Oracle *o, guint64 from, guint64 into, guint position, guint length) {
  for (guint i = 0; i < length && position + i < o->type.bits; i++) {
    into &= ~(G_GUINT64_CONSTANT(1) << (position + i));
    into |= (guint64)bit_of(from, i) << (position + i);
  }
  return into;
}

// The position or length of a field: ptxas makes shifts of those of 64 bits, which take all of it.
static guint
field_of(const Oracle *o, guint operand) {
  guint32 given = (guint32)o->raw[operand];
  return o->type.bits == 64 ? MIN(given, 64) : given & 0xff;
}

static guint64
extract_bits(const Oracle *o, guint position, guint length) {
  guint top = o->type.bits - 1;
  gboolean sign =
      o->type.kind == 's' && length > 0 && bit_of(o->raw[0], MIN(position + length - 1, top));
  guint64 result = 0;
  for (guint i = 0; i <= top; i++) {
    gboolean inside = i < length && position + i <= top;
    result |= (guint64)(inside ? bit_of(o->raw[0], position + i) : sign) << i;
  }
  return result;
}

static guint64
find_nth(const Oracle *o) {
  guint32 mask = (guint32)o->raw[0];
  gint32 base = (gint32)o->raw[1], offset = (gint32)o->raw[2];
  if (offset == 0)
    return bit_of(mask, base) ? (guint32)base : G_MAXUINT32;
  if (offset == G_MININT32)
    return 0;
  gint64 count = ABS((gint64)offset) - 1;
  for (gint32 at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1)
    if (bit_of(mask, at) && count-- == 0)
      return (guint32)at;
  return G_MAXUINT32;
}

static gboolean
compute_fields(const Oracle *o, Integer *d) {
  guint32 b = (guint32)o->raw[1], a = (guint32)o->raw[0];
  gboolean clamps = has(o, "clamp");
  if (is(o, "bfe"))
    *d = extract_bits(o, field_of(o, 1), field_of(o, 2));
  else if (is(o, "bfi"))
    *d = insert_bits(o, o->raw[0], o->raw[1], field_of(o, 2), field_of(o, 3));
  else if (is(o, "szext"))
    *d = extract_bits(o, 0, clamps ? MIN(b, 32) : b & 31);
  else if (is(o, "bmsk")) {
    guint at = clamps ? MIN(a, 32) : a & 31, length = clamps ? MIN(b, 32) : b & 31;
    *d = insert_bits(o, G_MAXUINT64, 0, at, length);
  } else if (is(o, "fns")) {
    if (b > 31)
      return FALSE;
    *d = find_nth(o);
  } else
    return FALSE;
  return TRUE;
}

static gboolean
compute_funnel(const Oracle *o, Integer *d) {
  if (!is(o, "shf"))
    return FALSE;
  guint32 amount = (guint32)o->raw[2];
  amount = has(o, "clamp") ? MIN(amount, 32) : amount & 31;
  Integer both = (Integer)cut((Integer)o->raw[1], 32) << 32 | cut((Integer)o->raw[0], 32);
  *d = has(o, "l") ? (both << amount) >> 32 : both >> amount;
  return TRUE;
}

// Bytes of a, then of b, that each byte of the result is, for controls 0 to 3; from the last byte to the first.
static const char *const permutations[][5] = {
    {"f4e", "3210", "4321", "5432", "6543"}, {"b4e", "5670", "6701", "7012", "0123"},
    {"rc8", "0000", "1111", "2222", "3333"}, {"ecl", "3210", "3211", "3222", "3333"},
    {"ecr", "0000", "1110", "2210", "3210"}, {"rc16", "1010", "3232", "1010", "3232"},
};

static gboolean
compute_permutation(const Oracle *o, Integer *d) {
  if (!is(o, "prmt"))
    return FALSE;
  guchar bytes[8], result[4];
  for (guint i = 0; i < 8; i++)
    bytes[i] = (guchar)(o->raw[i / 4] >> 8 * (i % 4));
  for (guint i = 0; i < 4; i++) {
    guint nibble = o->raw[2] >> 4 * i & 15;
    result[i] = nibble < 8 ? bytes[nibble] : bytes[nibble - 8] >= 128 ? 255 : 0;
  }
  for (guint i = 0; i < G_N_ELEMENTS(permutations); i++)
    if (has(o, permutations[i][0]))
      for (guint j = 0; j < 4; j++)
        result[j] = bytes[permutations[i][1 + o->raw[2] % 4][3 - j] - '0'];
  *d = (Integer)result[3] << 24 | result[2] << 16 | result[1] << 8 | result[0];
  return TRUE;
}

static gboolean
compute_dots(const Oracle *o, Integer *d) {
  gboolean four = is(o, "dp4a");
  if (!four && !is(o, "dp2a"))
    return FALSE;
  guint bits = four ? 8 : 16;
  *d = (Integer)o->raw[2];
  for (guint i = 0; i < (four ? 4 : 2); i++) {
    guint j = has(o, "hi") ? i + 2 : i;
    *d += read_as(o->raw[0] >> bits * i, o->other.kind, bits) *
          read_as(o->raw[1] >> 8 * j, o->type.kind, 8);
  }
  return TRUE;
}

// The last operand of slct.
static gboolean
is_positive(const Oracle *o) {
  guint32 bits = (guint32)o->raw[2];
  if (!g_str_equal(o->parts[o->n - 1], "f32"))
    return read_as(bits, 's', 32) >= 0;
  gboolean nan = (bits & 0x7fffffff) > 0x7f800000;
  return !nan && (bits <= 0x7fffffff || bits == 0x80000000);
}

static gboolean
compute_packs(const Oracle *o, Integer *d) {
  if (!has(o, "pack"))
    return FALSE;
  Type type = {0};
  parse_type(o->parts[3], &type);
  Integer top = ((Integer)1 << (type.kind == 's' ? type.bits - 1 : type.bits)) - 1;
  Integer bottom = type.kind == 's' ? -top - 1 : 0;
  Integer a = CLAMP(read_as(o->raw[0], 's', 32), bottom, top);
  Integer b = CLAMP(read_as(o->raw[1], 's', 32), bottom, top);
  *d = (Integer)cut(a, type.bits) << type.bits | cut(b, type.bits);
  if (type.bits < 16)
    *d |= (Integer)o->raw[2] << 2 * type.bits;
  return TRUE;
}

static gboolean
compute_choices(const Oracle *o, Integer *d) {
  if (is(o, "mov"))
    *d = (Integer)o->raw[0];
  else if (is(o, "selp"))
    *d = (Integer)o->raw[o->run->in[0] ? 0 : 1];
  else if (is(o, "slct"))
    *d = (Integer)o->raw[is_positive(o) ? 0 : 1];
  else if (is(o, "cvt"))
    *d = read_as(cut(read_as(o->raw[0], o->type.kind, o->type.bits), o->other.bits), o->other.kind,
                 o->other.bits);
  else
    return FALSE;
  return TRUE;
}

// --- results beside rows

static gboolean
compare(const Oracle *o) {
  static const char *const names[][4] = {{"lt", "lo"}, {"le", "ls"}, {"gt", "hi"}, {"ge", "hs"}};
  gboolean results[] = {o->a<o->b, o->a <= o->b, o->a> o->b, o->a >= o->b};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    if (g_str_equal(o->parts[1], names[i][0]) || g_str_equal(o->parts[1], names[i][1]))
      return results[i];
  return g_str_equal(o->parts[1], "eq") ? o->a == o->b : o->a != o->b;
}

static gboolean
combine(const Oracle *o, gboolean x) {
  gboolean c = o->run->in[0];
  return has(o, "and") ? x && c : has(o, "or") ? x || c : has(o, "xor") ? x != c : x;
}

static gboolean
compute_truth(const Oracle *o, Integer *d) {
  gboolean *in = o->run->in;
  gboolean result;
  if (o->type.kind == 'p')
    result = is(o, "and")   ? in[0] && in[1]
             : is(o, "or")  ? in[0] || in[1]
             : is(o, "xor") ? in[0] != in[1]
             : is(o, "not") ? !in[0]
                            : in[0];
  else if (is(o, "setp set"))
    result = combine(o, compare(o));
  else
    return FALSE;
  o->run->p = result && !is(o, "set");
  if (is(o, "setp"))
    o->run->q = combine(o, !compare(o));
  *d = !result ? 0 : o->other.kind == 'f' ? 0x3f800000 : G_MAXUINT32;
  return TRUE;
}

// With the carry flag, which add and its like without c at the end do not read.
static gboolean
compute_carry(const Oracle *o, Integer *d) {
  gboolean reads = is(o, "addc subc madc");
  if (!reads && !has(o, "cc"))
    return FALSE;
  gboolean subtracts = is(o, "sub subc");
  // The flag of a difference is 0 where something is borrowed.
  Integer carry = reads && o->run->in[0] != subtracts, sum;
  guint bits = o->type.bits;
  Integer a = cut((Integer)o->raw[0], bits), b = cut((Integer)o->raw[1], bits);
  if (is(o, "add addc"))
    sum = a + b + carry;
  else if (subtracts)
    sum = a - b - carry;
  else {
    // Products of 64 unsigned bits take all 128.
    Integer product = (Integer)((unsigned __int128)o->a * (unsigned __int128)o->b);
    if (bits == 64 && o->type.kind == 'u' && has(o, "hi")) // 128 bits, beyond the sign
      product = (Integer)((unsigned __int128)a * (unsigned __int128)b >> 64 & G_MAXUINT64);
    else if (has(o, "hi"))
      product >>= bits;
    sum = (Integer)cut(product, bits) + (Integer)cut((Integer)o->raw[2], bits) + carry;
  }
  *d = sum;
  o->run->p = subtracts ? sum >= 0 : sum >> bits != 0;
  return TRUE;
}

static Integer
multiply_high(const Oracle *o) {
  return (Integer)((unsigned __int128)o->raw[0] * o->raw[1] >> 64);
}

static gboolean
compute_pairs(Oracle *o, Integer *d) {
  if (!g_str_has_suffix(o->parts[o->n - 1], "x2"))
    return FALSE;
  guint64 result = 0;
  for (guint i = 0; i < 2; i++) {
    Integer half;
    o->a = read_as(o->run->source[0] >> 16 * i, o->type.kind, 16);
    o->b = read_as(o->run->source[1] >> 16 * i, o->type.kind, 16);
    if (!compute_quotients(o, &half) && !compute_sums(o, &half))
      return FALSE;
    result |= cut(half, 16) << 16 * i;
  }
  *d = (Integer)result;
  return TRUE;
}

static gboolean
compute_any(Oracle *o, Integer *d) {
  if (!is(o, "mov") && compute_pairs(o, d))
    return TRUE;
  if (o->type.bits == 64 && o->type.kind == 'u' && has(o, "hi") && is(o, "mul mad") &&
      !has(o, "cc")) {
    *d = multiply_high(o) + (is(o, "mad") ? o->c : 0);
    return TRUE;
  }
  return compute_packs(o, d) || compute_truth(o, d) || compute_carry(o, d) || compute_dots(o, d) ||
         compute_sums(o, d) || compute_quotients(o, d) || compute_bits(o, d) ||
         compute_counts(o, d) || compute_fields(o, d) || compute_funnel(o, d) ||
         compute_permutation(o, d) || compute_choices(o, d);
}

static void
parse(const char *opcode, Oracle *oracle) {
  oracle->parts = g_strsplit(opcode, ".", -1);
  oracle->n = g_strv_length(oracle->parts);
  oracle->name = oracle->parts[0];
  for (guint i = 1; i < oracle->n; i++) {
    Type type;
    if (parse_type(oracle->parts[i], &type)) {
      oracle->other = oracle->type;
      oracle->type = type;
    }
  }
  // That of the data.
  if (g_str_equal(oracle->name, "slct"))
    oracle->type = oracle->other;
}

guint
oracle_result_bits(const char *opcode) {
  Oracle oracle = {0};
  parse(opcode, &oracle);
  guint bits = oracle.type.bits;
  if (is(&oracle, "cvt set"))
    bits = MAX(oracle.other.bits, 16);
  if (has(&oracle, "wide"))
    bits *= 2;
  if (is(&oracle, "popc clz bfind"))
    bits = 32;
  if (has(&oracle, "pack"))
    bits = 32;
  if (is(&oracle, "setp testp") || oracle.type.kind == 'p')
    bits = 0;
  g_strfreev(oracle.parts);
  return bits;
}

gboolean
oracle_compute(const char *opcode, guint table, RunLane *run) {
  Oracle oracle = {.table = table, .run = run};
  Integer d = 0;
  parse(opcode, &oracle);
  memcpy(oracle.raw, run->source, sizeof oracle.raw);
  guint bits = MIN(oracle.type.bits, 64);
  oracle.a = read_as(run->source[0], oracle.type.kind, bits);
  oracle.b = read_as(run->source[1], oracle.type.kind, bits);
  oracle.c = read_as(run->source[2], oracle.type.kind, bits);
  gboolean ok = compute_any(&oracle, &d);
  guint result = oracle_result_bits(opcode);
  if (ok && result)
    run->d = cut(d, result);
  if (ok && g_str_equal(oracle.name, "lop3") && (has(&oracle, "or") || has(&oracle, "and"))) {
    gboolean any = run->d != 0;
    run->p = has(&oracle, "or") ? any || run->in[0] : any && run->in[0];
  }
  g_strfreev(oracle.parts);
  return ok;
}
