// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Blocks that repeat others are counted, not run: whatever the kernel and the grid, the result is that of running them
// all. A case says in how many blocks it is seen: those that stand between two that look alike must not be overlooked.
#include "sim/analysis/analysis.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/open/catalog.h"
#include "tests/effort.h"
#include "tests/repeat-run.h"
#include "tests/suite.h"

static SmbProgram *
read_program(const char *text) {
  return repeat_program("k.cu", text);
}

// What a kernel does, and in how many blocks that is seen, of 1500 blocks of 64 threads (or of the grid that is
// given); 0: all have to be run, or the kernel fails. t: the thread; b: the block; i: the thread in the grid.
typedef struct {
  const char *statements;
  guint n_run;
  guint grid[3];
} Case;

#define ROW "out[i] = s[t];"
static const Case cases[] = {
    {ROW, 1, {0}},
    {"s[t] = in[i]; __syncthreads(); out[i] = s[63 - t];", 1, {1000, 40}},
    // a grid that is larger than the data
    {"if (i < n) s[t] = in[i];", 3, {0}},
    {"if (i < n) s[t] = in[i]; " ROW, 3, {0}},
    {"if (i >= n) return; s[t] = in[i];", 3, {0}},
    {"bool inside = i < n; float v = inside ? in[i] : 0; s[t] = v;", 3, {0}},
    {"int x = b * 8 + t % 8, y = blockIdx.y * 8 + t / 8; if (x < 250 && y < 99) s[t] = in[y * 250 "
     "+ x];",
     7,
     {40, 40}},
    {"int x = b * 8 + t % 8, y = blockIdx.y * 8 + t / 8; if (x < 250 && y < 99) s[t] = in[y * 256 "
     "+ x];",
     7,
     {40, 40}},
    {"int z = blockIdx.z; if (i < 500 || z < 3) s[t] = in[(z * 16 + blockIdx.y) * 1024 + i];",
     4,
     {16, 16, 8}},
    // blocks in the middle
    {"if (b == 500) s[2 * t] = 1;", 3, {0}},
    {"if (b != 500) s[2 * t] = 1;", 3, {0}},
    {"if (b - 500) s[2 * t] = 1;", 3, {0}},
    {"if (!(b - 500)) s[2 * t] = 1;", 3, {0}},
    {"if (b > 100 && b <= 500) s[2 * t] = 1;", 3, {0}},
    {"switch (b) { case 3: s[t] = 1; break; case 77: s[2 * t] = 1; break; default: s[4 * t] = 1; }",
     5,
     {0}},
    {"if (i == 40000) s[t] = 1;", 3, {0}},
    {"if (in + i == in + 40000) s[t] = 1;", 3, {0}},
    {"float *p = b < 3 ? s : s + 1; p[t] = 1;", 2, {0}},
    // values that wrap around
    {"unsigned u = blockIdx.x * 64 + t - 3; if (u < n) s[t] = in[u];", 4, {0}},
    {"unsigned u = blockIdx.x - 350; if (u < 400u) s[t] = 1; else s[2 * t] = 1;", 3, {0}},
    {"unsigned char c = b; if (c < 100) s[t] = 1;", 0, {0}},
    {"short c = b * 64; if (c < 1000) s[t] = 1;", 4, {0}},
    {"int c = b * 10000000; if (c > 0) s[t] = 1;", 0, {0}},
    {"int c = b << 23; if (c >= 0) s[t] = 1;", 6, {0}},
    {"if ((b << 33) == 0) s[t] = 1;", 1, {0}},
    {"unsigned u = -blockIdx.x; if (u > 5) s[t] = 1;", 2, {0}},
    {"if ((unsigned)(b - 5) < 9u) s[t] = 1;", 3, {0}},
    {"long long l = (long long)b * 8000000000000000000ll; if (l > 0) s[t] = 1;", 0, {0}},
    {"if (in + (long long)b * 4000000000000000000ll > in) s[t] = 1;", 0, {0}},
    {"if (~b < -350) s[t] = 1;", 2, {0}},
    {"if (-b < -350) s[t] = 1;", 2, {0}},
    // where requests lie in their segments
    {"s[t] = c[b * 33 + t];", 32, {0}},
    {"s[t] = c[b * 34 + t];", 16, {0}},
    {"s[t] = in[b * 67 + t];", 8, {0}},
    {"s[t] = c[b * 33 + t] + in[blockIdx.y * 67 + t];", 256, {40, 40}},
    {"s[t] = c[b * 33]; if (b == 41) s[2 * t] = 0;", 3, {0}},
    {"s[t] = in[t * b];", 0, {0}},
    {"s[t] = in[t * b * 8];", 0, {0}},
    {"s[t] = in[(63 - t) * 8 - b];", 0, {0}},
    {"float *p = b < 350 ? out : out + 3; p[i] = s[t];", 2, {0}},
    {"const float *p = b < 350 ? out : in; s[t] = p[i];", 2, {0}},
    {"const float *p = t < b - 300 ? out : in; s[t] = p[i];", 0, {0}},
    // shared memory at addresses that differ
    {"s[t * b % 64] = 1;", 0, {0}},
    {"s[t + b] = 1;", 0, {0}},
    {"s[t + b / 500] = 1;", 3, {0}},
    {"s[(t + (b >> 9)) * 2] = 1;", 3, {0}},
    {"s[t + b % 1000 / 500] = 1;", 3, {0}},
    {"s[t * (b & 1)] = 1;", 2, {0}},
    {"s[t * (1 + (b & 1023) / 600)] = 1;", 4, {0}},
    {"s[t * (b & 5)] = 1;", 6, {0}},
    {"s[t * (b | 1) % 64] = 1;", 0, {0}},
    {"s[t ^ b % 64] = 1;", 0, {0}},
    {"s[t * __popc(b)] = 1;", 0, {0}},
    {"s[min(b, 3) + t] = 1;", 4, {0}},
    {"s[max(b, 1497) - 1497 + t] = 1;", 4, {0}},
    {"s[abs(b - 350) + t] = 1;", 0, {0}},
    {"s[(int)(b * 0.1f) + t] = 1;", 0, {0}},
    // what a block keeps
    {"if (t == 0) s[0] = b; __syncthreads(); int k = s[0]; s[k] = 1;", 0, {0}},
    {"s[t] = 63 - t; __syncthreads(); int k = s[t]; s[k] = 1;", 1, {0}},
    {"s[t] = b; __syncthreads(); float *p = s; int k = p[t]; s[t * k % 64] = 1;", 0, {0}},
    {"float *p = s; p[t] = b; __syncthreads(); int k = s[t]; s[t * k % 64] = 1;", 0, {0}},
    {"int a[3]; a[0] = 1; a[1] = b; a[2] = 3; s[t * a[1]] = 1;", 0, {0}},
    {"int a[3] = {1, 2, 3}; s[t * a[1]] = 1;", 1, {0}},
    {"int a[8] = {1, 2, 3}; s[t * a[b / 500]] = 1;", 3, {0}},
    {"extern __shared__ int d[]; extern __shared__ int e[]; d[t] = b; s[e[t] % 64] = 1;", 0, {0}},
    {"atomicAdd(&s[t % 2], 1.0f); out[i] = s[0];", 1, {0}},
    {"__shared__ int k; k = 3; int o = atomicAdd(&k, 1); s[o % 64] = 1;", 1, {0}},
    {"__shared__ int k; k = 3; int o = atomicAdd(&k, b); s[o % 64] = 1;", 0, {0}},
    {"atomicAdd(&out[b], 1.0f); s[t] = 1;", 1, {0}},
    {"int o = atomicAdd((int *)out, 1); s[o % 64] = 1;", 0, {0}},
    {"struct P { int x, y; }; P p = {1, 2}, q; q = p; s[t * q.y] = 1;", 1, {0}},
    {"struct P { int x, y; }; P p = {1, b}, q; q = p; s[t * q.x] = 1;", 0, {0}},
    {"struct P { float x, y; }; const P *g = (const P *)in; __shared__ P p[64]; p[t] = g[i];",
     1,
     {0}},
    {"float v = table[t % 4]; s[t] = v; __syncthreads(); counter = b;", 1, {0}},
    {"s[t * table[b % 4]] = 1;", 0, {0}},
    {"if (t == 0) counter = b; __syncthreads(); s[t * counter % 64] = 1;", 0, {0}},
    {"s[t] = table[b / 500];", 1, {0}},
    {"s[t] = table[b / 300];", 0, {0}},
    // what data decides
    {"if (in[i] > 99) s[t] = 1;", 0, {0}},
    {"s[(int)in[i] % 64] = 1;", 0, {0}},
    {"float v = in[i]; if (v > 99) v = 99; s[t] = v;", 1, {0}},
    {"float v = in[i], w = 0; if (v > 99) { float x = v * 2; w = x; } else w = 1; s[t] = w;",
     1,
     {0}},
    {"float v = in[i]; v = v > 99 && v < 500 ? v : 0; s[t] = v;", 1, {0}},
    {"float v = in[i]; int k = v > 99 ? 1 : 2; s[t * k] = v;", 0, {0}},
    {"float v = in[i]; int k = 1; if (v > 99) k = 2; s[t * k] = v;", 0, {0}},
    {"float v = in[i] > 99 ? in[i + 1] : 0; s[t] = v;", 0, {0}},
    {"int v = in[i]; int k = 1; k += v > 99 ? (k = 3) : 0; s[t * k % 64] = 1;", 0, {0}},
    {"float v = in[i]; while (v > 1) v /= 2; s[t] = v;", 0, {0}},
    {"float v = in[i]; if (v > 40000) return; s[t] = v;", 0, {0}},
    {"for (int k = 0; k < 3; k++) { if (in[i] > 40000) break; s[t] = 1; }", 0, {0}},
    {"int v = in[i]; if (v > 40000) __syncthreads(); s[t] = 1;", 0, {0}},
    {"int x, v = in[i]; if (v < 40000 || v > 40100) x = 1; s[t] = x;", 0, {0}},
    {"int x, y = 0, v = in[i]; if (v > 40000 && v < 40100) y = x; s[t] = y;", 0, {0}},
    {"int y = in[i] > 40000 ? 3 / n : 0; s[t] = y;", 0, {0}},
    {"int y = in[i] > 40000 ? 3 / (n - n) : 0; s[t] = y;", 0, {0}},
    {"int y = in[i]; s[t] = 3 / y;", 0, {0}},
    {"if (__any_sync(-1, in[i] > 40000)) s[t] = 1;", 0, {0}},
    {"if (__ballot_sync(-1, i < n) == 0xffffffff) s[t] = 1;", 3, {0}},
    {"float v = __shfl_xor_sync(-1, in[i], 1); s[t] = v;", 1, {0}},
    {"int v = __shfl_sync(-1, b, 1); if (v < 300) s[t] = 1;", 2, {0}},
    {"int v = __shfl_sync(-1, t, b % 32); s[v] = 1;", 0, {0}},
    // loops
    {"for (int k = i; k < 100000; k += gridDim.x * 64) s[t] = in[k];", 3, {0}},
    {"for (int k = 0; k <= b; k++) s[t] = in[k * 64 + t];", 0, {200}},
    {"for (int k = 0; k <= b / 500; k++) s[t] = in[k * 64 + t];", 3, {0}},
    {"int k = 0; do { s[t] = 1; k += b; } while (k > 0 && k < 300);", 0, {0}},
    {"int k = b; for (int j = 0; j < 9; j++) k *= 2; if (k < 9) s[t] = 1;", 0, {20}},
    // blocks by one number
    {"int x = b % 500, y = b / 500; s[t] = in[y * 32000 + x * 64 + t];", 1, {0}},
    // sources that wrap around, with and without a rest in the grid
    {"s[t] = in[i % 4096];", 2, {0}},
    {"s[t] = in[(i + 1) % 4096];", 3, {0}},
    {"s[t] = in[(i + 4095) % 4096];", 4, {0}},
    {"s[t] = in[i % (n / 39)];", 0, {0}},
    {"s[t] = in[i & 1023];", 2, {0}},
    {"s[t] = in[(b % 8) * 64 + t];", 2, {0}},
    {"s[t] = in[i % 640 + i / 640 % 48 * 640 + i / 30720 * 640 * 48];", 2, {0}},
    {"s[(b + t) % 4 * 64] = in[(b * 4 + t) % 96];", 0, {0}},
    {"s[t] = in[(b ^ 3) * 64 + t];", 1, {0}},
    {"s[t] = in[(b | 8) * 64 + t]; if ((b & 6) == 2) s[2 * t] = 1;", 8, {0}},
    {"s[t] = in[abs(i - 20000)];", 3, {0}},
    {"int g = b / 24, k = b % 24; s[t] = in[((g * 8 + k % 8) * 64 + k / 8) * 64 + t];", 3, {0}},
    {"int x = (b + blockIdx.y) % 40; s[t] = in[(x * 40 + b) * 64 + t];", 0, {40, 40}},
    {"int h = blockIdx.y / 4; s[t] = in[(h * 40 + b) * 64 + t];", 1, {40, 40}},
    {"const float *p = b % 2 ? in : out; s[t] = p[i];", 2, {0}},
    {"if (b % 10 == 9) s[2 * t] = 1;", 2, {0}},
    {"if (b % 10 == 9 && b / 10 % 10 == 9) s[2 * t] = 1;", 0, {0}},
    {"s[t + (b % 10 > 7) * 4000] = 1;", 2, {0}},
    {"s[t] = in[n - i % 40000];", 2, {0}},
    {"int x = b % 10, y = (x + blockIdx.y) % 10; s[t] = in[(y * 10 + x) * 64 + t];", 0, {10, 10}},
    {"int x = b % 350; if (x == 349) s[t] = 1; s[t] = in[x];", 3, {0}},
    // what fails, and what is warned of
    {"if (t == 1) s[t] = in[n - i];", 0, {0}},
    {"s[t] = in[i - 9];", 0, {0}},
    {"if (b > 400) s[5000] = 1; s[t] = 0;", 0, {0}},
    {"s[t + (b > 300 && b < 500) * 4000] = 1;", 3, {0}},
    {"s[t] = *(const int *)(c + b);", 0, {0}},
    {"s[t] = 3 / (b - 500);", 0, {0}},
    {"s[t] = 3 % (b - 500);", 0, {0}},
    {"if (b == 600) __syncthreads(); else if (t < 3) __syncthreads(); s[t] = 1;", 0, {0}},
    {"int x; if (b < 650) x = 1; s[t] = x;", 0, {0}},
    {"if (b > 50) out[i] = s[t + 1]; else s[t] = 1;", 2, {0}},
    {"if (b > 60) s[t] = 1; out[i] = s[(t + 32) % 64];", 2, {0}},
    {"if (n < b) s[t] = 1;", 1, {0}},
};

START_TEST(test_cases) {
  const Case *c = &cases[_i];
  static const char *const arguments[] = {"n=39999", NULL};
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autofree char *text = g_strdup_printf(
      "__constant__ int table[4] = {1, 2, 1, 4}; __device__ int counter;\n"
      "__global__ void k(float *out, const float *in, const char *c, int n) {\n"
      "  __shared__ float s[4096]; int t = threadIdx.x, b = blockIdx.x, i = b * 64 + t;\n  %s\n}\n",
      c->statements);
  g_autoptr(SmbProgram) program = read_program(text);
  Subject subject = {.program = program, .launch = {{64, 1, 1}, {1500, 1, 1}, 256, arguments}};
  for (guint axis = 0; axis < 3 && c->grid[0]; axis++)
    subject.launch.grid[axis] = MAX(c->grid[axis], 1);
  gboolean repeats = repeat_check(&subject, arch, text);
  ck_assert_msg(subject.n_run == c->n_run || (!repeats && c->n_run == 0),
                "%s\n%" G_GUINT64_FORMAT " blocks are run", text, subject.n_run);
}
END_TEST

// The built-in kernels, in grids that their matrices fill and do not fill.
START_TEST(test_catalog) {
  static const guint grids[][3] = {{1000, 1, 1}, {32, 32, 1}, {16, 16, 8}};
  static const char *const archs[] = {"sm_90", "sm_30_8B"};
  g_autoptr(GPtrArray) catalog = smb_catalog_load(NULL);
  guint n_repeat = 0;
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = g_ptr_array_index(catalog, i);
    g_autoptr(SmbSource) source = smb_catalog_file(entry->file, NULL);
    SmbProgramOptions options = {
        .entry = entry->entry, .defines = (const char *const *)entry->defines, .cuda_arch = 900};
    g_autoptr(SmbProgram) program = smb_program_read(source, &options, NULL);
    gint64 dynamic = 0;
    if (entry->dynamic_bytes)
      ck_assert(smb_program_evaluate(program, entry->dynamic_bytes, &dynamic, NULL));
    Subject subject = {
        .program = program,
        .launch = {.dynamic_bytes = (gsize)dynamic, .arguments = (const char *const *)entry->args}};
    memcpy(subject.launch.block, entry->block, sizeof entry->block);
    memcpy(subject.launch.grid, grids[i % 3], sizeof grids[0]);
    g_autoptr(SmbArch) arch = smb_arch_load(archs[i % 2], NULL);
    n_repeat += repeat_check(&subject, arch, entry->name);
  }
  ck_assert_uint_eq(n_repeat, catalog->len);
}
END_TEST

// --- kernels by chance

static const char *
pick(GRand *random, const char *const *of, guint n) {
  return of[g_rand_int_range(random, 0, (gint)n)];
}
#define PICK(random, of) pick(random, of, G_N_ELEMENTS(of))

static char *
make_condition(GRand *random) {
  static const char *const values[] = {"b",
                                       "i",
                                       "y",
                                       "x",
                                       "u",
                                       "b / 9",
                                       "y % 7",
                                       "b * 3 - y",
                                       "t",
                                       "min(b, y)",
                                       "b % 9",
                                       "(b + y) % 6",
                                       "b & 12",
                                       "b ^ 5",
                                       "abs(b - 7)",
                                       "i % 96",
                                       "b / 4 % 4",
                                       "u % 16",
                                       "(i - 100) % 24",
                                       "b >> 3"};
  static const char *const operators[] = {"<", "<=", ">", ">=", "==", "!="};
  const char *left = PICK(random, values), *operator= PICK(random, operators);
  if (g_rand_int_range(random, 0, 2))
    return g_strdup_printf("(int)(%s) %s %d", left, operator, g_rand_int_range(random, 0, 40));
  return g_strdup_printf("(int)(%s) %s (int)(%s)", left, operator, PICK(random, values));
}

// What statements at random are made of.
static const char *const places[] = {"t",
                                     "63 - t",
                                     "t * 2",
                                     "t * k",
                                     "t + b % 3",
                                     "t * 33 % 64",
                                     "(t + y / 5) % 64",
                                     "t + b % 4",
                                     "t ^ (b & 3)",
                                     "(t + b / 8 % 4) * 2",
                                     "t | 64 * (b % 2)"};
static const char *const offsets[] = {"i",
                                      "y * 67 + i",
                                      "x",
                                      "b * 35 + t",
                                      "u",
                                      "y * 64 + t * 3",
                                      "t",
                                      "i % 4096",
                                      "(i + 70) % 1000",
                                      "b % 7 * 64 + t",
                                      "i & 1023",
                                      "b / 8 * 64 + t",
                                      "(i - 1) % 640",
                                      "x % 77",
                                      "(u - 3) % 32 * 5",
                                      "(b ^ y) * 64 + t",
                                      "(b ^ 4) * 67 + t",
                                      "(i | 7) * 3"};
static const char *const changes[] = {"k = 1;",
                                      "x += 3;",
                                      "k = b & 1;",
                                      "x = i - t;",
                                      "k = 2 - (v > 3);",
                                      "if (v > 50) v = 50;",
                                      "u = x + 1;",
                                      "x = x * 2 - y;",
                                      "v += s[t];",
                                      "x = (x + 64) % 448;",
                                      "k = b % 5;",
                                      "u %= 24;",
                                      "x /= 3;",
                                      "if (t < 32) v += s[t + 32];",
                                      "u = (unsigned char)b;",
                                      "s[t] += s[63 - t];",
                                      "x = i % 100 / 7;",
                                      "u >>= 2;"};

static void
append_statement(GString *text, GRand *random) {
  g_autofree char *condition = make_condition(random);
  gint kind = g_rand_int_range(random, 0, 8);
  if (kind % 2)
    g_string_append_printf(text, "  if (%s) {\n", condition);
  if (kind < 4)
    g_string_append_printf(text, "  s[%s] = v;\n", PICK(random, places));
  else if (kind < 6)
    g_string_append_printf(text,
                           "  v += in[abs((int)(%s)) %% 100000];\n  out[%s] = v;\n  v += in[i];\n",
                           PICK(random, offsets), "i");
  else
    g_string_append_printf(text, "  %s\n", PICK(random, changes));
  if (kind < 6 && g_rand_int_range(random, 0, 2))
    g_string_append_printf(text, "  v += c[64 + %s];\n", PICK(random, offsets));
  if (kind % 2)
    g_string_append(text, "  }\n");
}

START_TEST(test_random) {
  static const guint grids[][3] = {{500, 1, 1}, {17, 23, 1}, {64, 9, 1}, {6, 7, 11}};
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  GRand *random = g_rand_new_with_seed(1234 + (guint32)_i);
  guint n_repeat = 0;
  for (guint i = 0; i < 40; i++) {
    g_autoptr(GString) text = g_string_new(
        "__global__ void k(float *out, const float *in, const char *c) {\n"
        "  __shared__ float s[4096];\n"
        "  int t = threadIdx.x, b = blockIdx.x, y = blockIdx.y + blockIdx.z, i = b * 64 + t;\n"
        "  int x = i + y * 1000, k = 1;\n  unsigned u = blockIdx.x;\n  float v = 0;\n");
    gint n = g_rand_int_range(random, 1, 6);
    for (gint j = 0; j < n; j++)
      append_statement(text, random);
    g_string_append(text, "  s[t] = v;\n}\n");
    g_autoptr(SmbProgram) program = read_program(text->str);
    Subject subject = {.program = program, .launch = {.block = {64, 1, 1}}};
    memcpy(subject.launch.grid, grids[i % 4], sizeof grids[0]);
    n_repeat += repeat_check(&subject, arch, text->str);
  }
  g_rand_free(random);
  ck_assert_uint_gt(n_repeat, 1);
}
END_TEST

Suite *
suite_repeat(void) {
  Suite *suite = suite_create("repeat");
  TCase *tcase = tcase_create("repeat");
  tcase_add_loop_test(tcase, test_cases, 0, G_N_ELEMENTS(cases));
  tcase_add_test(tcase, test_catalog);
  tcase_add_loop_test(tcase, test_random, 0, (int)effort(8));
  suite_add_tcase(suite, tcase);
  return suite;
}
