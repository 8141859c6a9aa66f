// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The expressions and programs that the text machine is compared with (tests/kernel-expressions.def, kernel-programs.def),
// through compilers to PTX: what the PTX leaves in memory is what C computes.
//
//   compare-memory text               CUDA C of them, a kernel each, for a compiler
//   compare-memory check FILE [ARCH]  runs each kernel, on sm_90 or ARCH; status 1 and a line for each value that is not C's
//   compare-memory launch FILE BLOCK GRID DYNAMIC WORD...
//                                     runs a kernel of FILE. Words say what it is given: 'entry:NAME', 'arg:NUMBER=VALUE',
//                                     'buffer:NUMBER=SPEC'; and what is printed: 'hash:NUMBER:BYTES': the SHA-256 of what is
//                                     then in the first BYTES of the buffer of that parameter; 'memory:PATH': how many
//                                     bytes are what a device left (PATH has its buffers, as tests/gpu/launch-ptx.c writes
//                                     them). BLOCK, GRID: X,Y,Z
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/launch/launch.h"

enum {
  THREADS = 83, // not whole warps
  N = 13,
  CHUNK = 50, // expressions of a kernel
};

// --- programs

#define PROGRAM(name, ...)                                                                         \
  static unsigned name(unsigned t, unsigned n) {                                                   \
    (void)t;                                                                                       \
    (void)n;                                                                                       \
    __VA_ARGS__                                                                                    \
  }
#include "tests/kernel-programs.def"
#undef PROGRAM

static const struct {
  const char *name;
  const char *text;
  unsigned (*run)(unsigned, unsigned);
} programs[] = {
#define PROGRAM(name, ...) {#name, #__VA_ARGS__, name},
#include "tests/kernel-programs.def"
#undef PROGRAM
};

// A name of a for loop that is declared again in its body, which C++ has not.
static gboolean
is_c_only(guint i) {
  return strcmp(programs[i].name, "shadows") == 0;
}

static void
print_program(guint i) {
  if (is_c_only(i))
    return;
  printf("__device__ unsigned f_%s(unsigned t, unsigned n)\n%s\n"
         "extern \"C\" __global__ void p_%s(unsigned *out, unsigned n) {\n"
         "  unsigned t = threadIdx.x;\n"
         "  if (t %% 4 != 3) out[t] = f_%s(t, n); else { n += 1; out[t] = f_%s(t, n - 1); }\n}\n",
         programs[i].name, programs[i].text, programs[i].name, programs[i].name, programs[i].name);
}

// --- expressions

#define IS_REAL(e) _Generic((e), float : 1, double : 1, default : 0)
#define VARIABLES                                                                                  \
  "VOLATILE bool b = true; VOLATILE signed char c = -5; VOLATILE unsigned char uc = 250; "         \
  "VOLATILE short s = -1234; VOLATILE unsigned short us = 65000; "                                 \
  "VOLATILE int i = -77777, j = 9, k = 3; VOLATILE unsigned u = 4000000000u, v = 13; "             \
  "VOLATILE long long l = -123456789012ll, m = 1000003; "                                          \
  "VOLATILE unsigned long long w = 18000000000000000000ull, x = 11; "                              \
  "VOLATILE float f = 2.5f, g = -0.75f; VOLATILE double d = 1234.5, e = -3.25;\n"

typedef struct {
  const char *text;
  gboolean is_real;
  gint64 integer;
  double real;
} Value;

static guint
compute_values(Value *table) {
  guint n = 0;
  bool b = true;
  signed char c = -5;
  unsigned char uc = 250;
  short s = -1234;
  unsigned short us = 65000;
  int i = -77777, j = 9, k = 3;
  unsigned u = 4000000000u, v = 13;
  long long l = -123456789012ll, m = 1000003;
  unsigned long long w = 18000000000000000000ull, x = 11;
  float f = 2.5f, g = -0.75f;
  double d = 1234.5, e = -3.25;
#define CASE(expression)                                                                           \
  table[n++] = (Value){#expression, IS_REAL(expression),                                           \
                       IS_REAL(expression) ? 0 : (gint64)(expression), (double)(expression)};
#include "tests/kernel-expressions.def"
#undef CASE
  return n;
}

static void
print_expressions(const Value *values, guint first, guint end, const char *kind) {
  printf("#define VOLATILE %s\nextern \"C\" __global__ void e_%s%u(long long *o, double *d1) {\n%s",
         kind, kind, first, VARIABLES);
  for (guint i = first; i < end; i++)
    printf("  %s[%u] = %s;\n", values[i].is_real ? "d1" : "o", i - first, values[i].text);
  printf("}\n#undef VOLATILE\n");
}

// --- both

typedef struct {
  SmbSource *source;
  const char *arch;
} File;

// What a launch leaves in memory (transfer full), and, in @initial, what it begins with; NULL: it cannot be run, which is
// said.
static SmbGlobal *
run_launch(const File *file, const char *name, const SmbLaunch *launch, SmbGlobal **initial) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch = smb_arch_load(file->arch, &error);
  SmbProgramOptions options = {.entry = name, .lanes = 32};
  options.cuda_arch = arch ? smb_program_cuda_arch(arch) : 0;
  SmbProgram *program = arch ? smb_program_read(file->source, &options, &error) : NULL;
  SmbGlobal *global = program ? smb_global_new(program, launch) : NULL;
  SmbAnalysisOptions run = {.threads = 1, .global = global};
  SmbAnalysis *analysis = program ? smb_analysis_run(program, arch, launch, &run, &error) : NULL;
  if (error)
    printf("%s: %s\n", name ? name : "the kernel", error->message);
  if (!analysis)
    g_clear_pointer(&global, smb_global_free);
  else if (initial)
    *initial = smb_global_new(program, launch);
  smb_analysis_free(analysis);
  smb_program_free(program);
  return global;
}

static SmbGlobal *
run_kernel(const File *file, const char *name, guint threads, const char *const *arguments) {
  SmbLaunch launch = {.block = {threads, 1, 1}, .grid = {1, 1, 1}, .arguments = arguments};
  return run_launch(file, name, &launch, NULL);
}

static guint
check_program(const File *file, guint i) {
  static const char *const arguments[] = {"1=13", NULL};
  g_autofree char *name = g_strdup_printf("p_%s", programs[i].name);
  g_autoptr(SmbGlobal) global = run_kernel(file, name, THREADS, arguments);
  if (!global)
    return 1;
  for (guint t = 0; t < THREADS; t++) {
    guint32 value = 0, expected = programs[i].run(t, N);
    smb_global_read(global, 0, 4 * t, &value, 4);
    gboolean known = smb_global_mask(global, 0, 4 * t, &value, 4) == 4;
    if (known && value == expected)
      continue;
    printf("%s: thread %u: %u%s, of C %u\n", name, t, value, known ? "" : " (not known)", expected);
    return 1;
  }
  return 0;
}

static guint
check_expressions(const File *file, const Value *values, guint first, guint end, const char *kind) {
  g_autofree char *name = g_strdup_printf("e_%s%u", kind, first);
  g_autoptr(SmbGlobal) global = run_kernel(file, name, 1, NULL);
  guint wrong = 0;
  if (!global)
    return 1;
  for (guint i = first; i < end; i++) {
    guint64 value = 0, expected = 0;
    guint parameter = values[i].is_real ? 1 : 0;
    memcpy(&expected, values[i].is_real ? (gconstpointer)&values[i].real : &values[i].integer, 8);
    smb_global_read(global, parameter, 8 * (i - first), &value, 8);
    gboolean known = smb_global_mask(global, parameter, 8 * (i - first), &value, 8) == 8;
    if (known && value == expected)
      continue;
    printf("%s: %s: %" G_GINT64_MODIFIER "x%s, of C %" G_GINT64_MODIFIER "x\n", name,
           values[i].text, value, known ? "" : " (not known)", expected);
    wrong++;
  }
  return wrong;
}

static const char *const kinds[] = {"", "volatile"};

static int
check(const char *path, const char *arch, const Value *values, guint n) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) source = smb_source_load_any(path, &error);
  guint wrong = 0;
  if (!source) {
    printf("%s\n", error->message);
    return 2;
  }
  const File file = {source, arch};
  for (guint i = 0; i < G_N_ELEMENTS(programs); i++)
    wrong += is_c_only(i) ? 0 : check_program(&file, i);
  for (guint kind = 0; kind < G_N_ELEMENTS(kinds); kind++)
    for (guint first = 0; first < n; first += CHUNK)
      wrong += check_expressions(&file, values, first, MIN(first + CHUNK, n), kinds[kind]);
  printf("%u programs, %u expressions: %u differ\n", (guint)G_N_ELEMENTS(programs),
         n * (guint)G_N_ELEMENTS(kinds), wrong);
  return wrong > 0;
}

// --- launches

enum {
  BUFFER_BYTES = 1 << 20, // of tests/gpu/launch-ptx.c
};

static void
print_digest(const SmbGlobal *global, guint parameter, gsize bytes) {
  g_autofree guchar *memory = g_malloc0(bytes);
  smb_global_read(global, parameter, 0, memory, bytes);
  gboolean known = smb_global_mask(global, parameter, 0, memory, bytes) == bytes;
  g_autofree char *digest = g_compute_checksum_for_data(G_CHECKSUM_SHA256, memory, bytes);
  printf("%u %s%s\n", parameter, digest, known ? "" : " not known");
}

typedef struct {
  guint64 equal;
  guint64 unknown;
  guint64 different;
} Sum;

// Of one buffer: what the device or the launch changed. @changes: the device's lines.
static void
compare_buffer(const SmbGlobal *global, const SmbGlobal *initial, guint parameter, char **changes,
               Sum *sum) {
  g_autofree guchar *before = g_malloc(BUFFER_BYTES), *found = g_malloc(BUFFER_BYTES);
  g_autofree guchar *known = g_malloc(BUFFER_BYTES), *expected = g_malloc(BUFFER_BYTES);
  smb_global_read(initial, parameter, 0, before, BUFFER_BYTES);
  smb_global_read(global, parameter, 0, found, BUFFER_BYTES);
  memset(known, 1, BUFFER_BYTES);
  smb_global_mask(global, parameter, 0, known, BUFFER_BYTES);
  memcpy(expected, before, BUFFER_BYTES);
  for (guint i = 0; changes[i]; i++) {
    guint of, offset;
    gint at;
    if (sscanf(changes[i], "%u %u %n", &of, &offset, &at) < 2 || of != parameter)
      continue;
    for (guint j = 0, byte; sscanf(changes[i] + at + 2 * j, "%2x", &byte) == 1; j++)
      expected[offset + j] = (guchar)byte;
  }
  for (guint i = 0; i < BUFFER_BYTES; i++) {
    if (!known[i])
      sum->unknown++;
    else if (found[i] != expected[i])
      sum->different++;
    else
      sum->equal += found[i] != before[i];
  }
}

static void
compare_memory(const SmbGlobal *global, const SmbGlobal *initial, const GPtrArray *specs,
               char **changes) {
  Sum sum = {0};
  for (guint i = 0; i + 1 < specs->len; i++)
    compare_buffer(global, initial, (guint)g_ascii_strtoull(specs->pdata[i], NULL, 10), changes,
                   &sum);
  printf("memory: %" G_GUINT64_FORMAT " bytes changed and equal, %" G_GUINT64_FORMAT
         " not known, %" G_GUINT64_FORMAT " different\n",
         sum.equal, sum.unknown, sum.different);
}

// The words "@kind:VALUE" (transfer container), with a NULL behind them.
static GPtrArray *
take_words(char *const *words, const char *kind) {
  GPtrArray *found = g_ptr_array_new();
  for (guint i = 0; words[i]; i++)
    if (g_str_has_prefix(words[i], kind))
      g_ptr_array_add(found, words[i] + strlen(kind));
  g_ptr_array_add(found, NULL);
  return found;
}

static int
run_words(char *const *words) {
  g_autoptr(GError) error = NULL;
  g_autofree char *memory = NULL;
  g_autoptr(GPtrArray) arguments = take_words(words + 4, "arg:");
  g_autoptr(GPtrArray) entries = take_words(words + 4, "entry:");
  g_autoptr(GPtrArray) memories = take_words(words + 4, "memory:");
  g_autoptr(SmbSource) source = smb_source_load_any(words[0], &error);
  SmbLaunch launch = {.dynamic_bytes = (gsize)g_ascii_strtoull(words[3], NULL, 10)};
  if (!source ||
      sscanf(words[1], "%u,%u,%u", &launch.block[0], &launch.block[1], &launch.block[2]) != 3 ||
      sscanf(words[2], "%u,%u,%u", &launch.grid[0], &launch.grid[1], &launch.grid[2]) != 3 ||
      (memories->pdata[0] && !g_file_get_contents(memories->pdata[0], &memory, NULL, NULL)))
    return 2;
  g_auto(GStrv) lines = g_strsplit(memory ? memory : "", "\n", -1);
  g_autoptr(GPtrArray) specs =
      take_words(memory ? lines : words + 4, memory ? "buffer " : "buffer:");
  g_autoptr(GPtrArray) buffers = smb_buffers_parse((const char *const *)specs->pdata, &error);
  launch.arguments = (const char *const *)arguments->pdata;
  launch.buffers = buffers;
  g_autoptr(SmbGlobal) initial = NULL;
  g_autoptr(SmbGlobal) global =
      buffers ? run_launch(&(File){source, "sm_90"}, entries->pdata[0], &launch, &initial) : NULL;
  guint parameter;
  gsize bytes;
  for (guint i = 4; global && words[i]; i++)
    if (sscanf(words[i], "hash:%u:%zu", &parameter, &bytes) == 2)
      print_digest(global, parameter, bytes);
  if (global && memory)
    compare_memory(global, initial, specs, lines);
  return global ? 0 : 1;
}

int
main(int argc, char **argv) {
  Value values[1000];
  guint n = compute_values(values);
  if ((argc == 3 || argc == 4) && strcmp(argv[1], "check") == 0)
    return check(argv[2], argc == 4 ? argv[3] : "sm_90", values, n);
  if (argc > 5 && strcmp(argv[1], "launch") == 0)
    return run_words(argv + 2);
  if (argc != 2 || strcmp(argv[1], "text") != 0) {
    fprintf(stderr, "usage: compare-memory text | check FILE [ARCH] | launch FILE BLOCK GRID "
                    "DYNAMIC WORD...\n");
    return 2;
  }
  for (guint i = 0; i < G_N_ELEMENTS(programs); i++)
    print_program(i);
  for (guint kind = 0; kind < G_N_ELEMENTS(kinds); kind++)
    for (guint first = 0; first < n; first += CHUNK)
      print_expressions(values, first, MIN(first + CHUNK, n), kinds[kind]);
  return 0;
}
