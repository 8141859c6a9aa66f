// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches with memory at addresses of a process (SmbLaunch.memory), of PTX and of machine code: what is counted, and what
// they leave, is what a launch with buffers of the same contents does; pointers in memory are followed; what was not recorded
// is not known, and is said so.
#include <check.h>
#include <string.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "tests/repeat-run.h"
#include "tests/suite.h"

// Where memory lies.
#define OUT    G_GUINT64_CONSTANT(0x7f3a50000000)
#define IN     G_GUINT64_CONSTANT(0x7f3a40000000)
#define MIDDLE (IN + 4096)
#define AFAR   G_GUINT64_CONSTANT(0x7f0000000000)

enum {
  WORDS = 8192, // of in[]
};

static const char *const files[] = {"memory.ptx", "memory.sm_90.cubin"};
static const char *const space_files[] = {"spaces.ptx", "spaces.sm_90.cubin"};

static gint32 numbers[WORDS];

static void
make_numbers(void) {
  for (guint i = 0; i < WORDS; i++)
    numbers[i] = (gint32)((i * 2654435761u) >> 20);
}

// --- runs

typedef struct {
  SmbArch *arch;
  SmbProgram *program;
  SmbLaunch launch;
  GStrv arguments;
  GArray *memory;
  SmbGlobal *global;
  SmbAnalysis *analysis;
  GError *error;
} Run;

static void
run_clear(Run *run) {
  smb_analysis_free(run->analysis);
  smb_global_free(run->global);
  smb_program_free(run->program);
  g_clear_pointer(&run->arch, smb_arch_unref);
  g_strfreev(run->arguments);
  g_clear_pointer(&run->memory, g_array_unref);
  g_clear_pointer(&run->launch.buffers, g_ptr_array_unref);
  g_clear_error(&run->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

static void
run_read(Run *run, const char *file, const char *entry) {
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(g_getenv("srcdir") ? g_getenv("srcdir") : ".",
                                           "tests/data/memory", file, NULL);
  char *bytes;
  gsize length;
  ck_assert_msg(g_file_get_contents(path, &bytes, &length, &error), "%s",
                error ? error->message : "");
  g_autoptr(GBytes) contents = g_bytes_new_take(bytes, length);
  g_autoptr(SmbSource) source = smb_source_new_any(file, contents, &error);
  run->arch = smb_arch_load("sm_90", &error);
  SmbProgramOptions options = {.entry = entry, .cuda_arch = 900, .lanes = 32};
  run->program = source ? smb_program_read(source, &options, &error) : NULL;
  ck_assert_msg(run->program != NULL, "%s: %s", entry, error ? error->message : "");
  run->launch = (SmbLaunch){.block = {32, 1, 1}, .grid = {1, 1, 1}};
  run->memory = g_array_new(FALSE, FALSE, sizeof(SmbMemoryPiece));
}

// Parameters, in their order, of 8 bytes each.
static void
run_give(Run *run, guint n, const guint64 *values) {
  GStrvBuilder *builder = g_strv_builder_new();
  for (guint i = 0; i < n; i++) {
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "%u=raw:", i);
    for (guint byte = 0; byte < 8; byte++)
      g_string_append_printf(text, "%02x", (guint)(values[i] >> (8 * byte) & 0xff));
    g_strv_builder_add(builder, text->str);
  }
  g_strfreev(run->arguments);
  run->arguments = g_strv_builder_end(builder);
  g_strv_builder_unref(builder);
  run->launch.arguments = (const char *const *)run->arguments;
}

#define GIVE(run, ...)                                                                             \
  run_give(run, sizeof((guint64[]){__VA_ARGS__}) / sizeof(guint64), (guint64[]){__VA_ARGS__})

static SmbMemoryPiece
known(guint64 address, gconstpointer bytes, gsize length) {
  return (SmbMemoryPiece){.address = address,
                          .bytes = length,
                          .begins = TRUE,
                          .contents = {.fill = SMB_FILL_BYTES, .bytes = bytes, .length = length}};
}

static SmbMemoryPiece
filled(guint64 address, gsize length, SmbFill fill) {
  return (SmbMemoryPiece){
      .address = address, .bytes = length, .begins = TRUE, .contents = {.fill = fill}};
}

static void
run_add(Run *run, SmbMemoryPiece piece) {
  g_array_append_val(run->memory, piece);
}

// One allocation, or several, in pieces of @size bytes.
static void
run_add_pieces(Run *run, guint64 address, const void *bytes, gsize length, gsize size,
               gboolean apart) {
  for (gsize at = 0; at < length; at += size) {
    SmbMemoryPiece piece = known(address + at, (const guchar *)bytes + at, MIN(size, length - at));
    piece.begins = at == 0 || apart;
    run_add(run, piece);
  }
}

static void
run_run(Run *run, gboolean keeps) {
  run->launch.memory = run->memory->len > 0 ? run->memory : NULL;
  run->global = keeps ? smb_global_new(run->program, &run->launch) : NULL;
  SmbAnalysisOptions options = {.threads = 1, .global = run->global};
  run->analysis = smb_analysis_run(run->program, run->arch, &run->launch, &options, &run->error);
}

static void
run_expect(Run *run) {
  run_run(run, TRUE);
  ck_assert_msg(run->error == NULL, "%s", run->error ? run->error->message : "");
}

static gint32
read_word(const Run *run, guint64 address) {
  gint32 word;
  smb_global_read_memory(run->global, address, &word, sizeof word);
  return word;
}

// @names: with those of buffers
static char *
describe(const SmbAnalysis *analysis, gboolean names) {
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    g_string_append_printf(
        out, "%s %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n",
        access->site->opcode, access->total.requests, access->total.wavefronts, access->uncounted);
  }
  for (guint i = 0; i < analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(analysis->globals, SmbGlobalAccess, i);
    g_string_append_printf(out, "%s %s %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT "\n",
                           access->site->opcode, names ? access->buffer : "", access->requests,
                           access->segments);
  }
  for (guint i = 0; i < analysis->traffic->len; i++) {
    const SmbOtherTraffic *traffic = &g_array_index(analysis->traffic, SmbOtherTraffic, i);
    g_string_append_printf(out, "%s %" G_GUINT64_FORMAT "\n", smb_traffic_name(traffic->kind),
                           traffic->bytes);
  }
  for (guint i = 0; i < analysis->warnings->len; i++)
    g_string_append_printf(out, "%s\n",
                           g_array_index(analysis->warnings, SmbAnalysisWarning, i).message);
  g_string_append_printf(out, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " blocks run\n",
                         analysis->n_blocks_run, analysis->n_blocks);
  return g_string_free(out, FALSE);
}

// --- the same as with buffers

static void
add_buffer(GPtrArray *buffers, const char *name, const SmbContents *contents, guint64 offset) {
  SmbBuffer *buffer = g_new0(SmbBuffer, 1);
  *buffer = (SmbBuffer){.name = g_strdup(name), .contents = *contents, .offset = offset};
  g_ptr_array_add(buffers, buffer);
}

// out[] is parameter 0 and in[] parameter 1, unless it is said otherwise.
static const struct {
  const char *entry;
  guint grid;
  guint64 in; // where it points
  guint piece;
  gboolean swapped;
  gboolean apart; // pieces are allocations
} same[] = {
    {"gather", 16, IN, sizeof numbers, FALSE, FALSE},
    {"gather", 16, IN, 64, FALSE, FALSE},
    {"gather", 3, IN, 37, FALSE, FALSE}, // words lie in two pieces
    {"copy", 256, IN, sizeof numbers, FALSE, FALSE},
    {"copy", 256, IN, 4096, FALSE, FALSE},
    {"copy", 5, IN + 4, 4096, FALSE, FALSE},
    {"before", 1, MIDDLE, 37, FALSE, FALSE},
    {"before", 1, MIDDLE, 4096, FALSE, FALSE},
    {"stages", 1, IN, sizeof numbers, FALSE, FALSE},
    {"stages", 1, IN + 32, 100, FALSE, FALSE},
    {"bulk", 1, IN, sizeof numbers, FALSE, FALSE},
    {"bulk", 1, IN, 101, FALSE, FALSE},
    {"bulk", 1, IN + 128, 256, FALSE, TRUE},
    {"gather", 16, IN + 4, 256, FALSE, TRUE},
    {"before", 1, MIDDLE, 256, FALSE, TRUE},
    {"tickets", 1, IN, 4096, TRUE, FALSE},
};

static void
run_typed(Run *run, const char *file, guint i) {
  const SmbContents in = {
      .fill = SMB_FILL_BYTES, .bytes = (const guchar *)numbers, .length = sizeof numbers};
  const SmbContents zeros = {.fill = SMB_FILL_ZEROS};
  run_read(run, file, same[i].entry);
  run->launch.grid[0] = same[i].grid;
  run->launch.buffers = g_ptr_array_new_with_free_func((GDestroyNotify)smb_buffer_free);
  add_buffer(run->launch.buffers, same[i].swapped ? "0" : "1", &in, same[i].in - IN);
  add_buffer(run->launch.buffers, same[i].swapped ? "1" : "0", &zeros, 0);
}

static void
run_recorded(Run *run, const char *file, guint i) {
  run_read(run, file, same[i].entry);
  run->launch.grid[0] = same[i].grid;
  run_add_pieces(run, IN, numbers, sizeof numbers, same[i].piece, same[i].apart);
  run_add(run, filled(OUT, sizeof numbers, SMB_FILL_ZEROS));
  if (same[i].swapped)
    GIVE(run, same[i].in, OUT);
  else
    GIVE(run, OUT, same[i].in);
}

START_TEST(is_as_with_buffers) {
  guint i = (guint)_i / 2;
  const char *file = files[_i % 2];
  make_numbers();
  for (guint keeps = 0; keeps < 2; keeps++) {
    g_auto(Run) typed = {0};
    g_auto(Run) recorded = {0};
    run_typed(&typed, file, i);
    run_recorded(&recorded, file, i);
    run_run(&typed, keeps);
    run_run(&recorded, keeps);
    ck_assert_msg(!typed.error && !recorded.error, "%s: %s %s", same[i].entry,
                  typed.error ? typed.error->message : "",
                  recorded.error ? recorded.error->message : "");
    g_autofree char *a = describe(typed.analysis, !same[i].apart),
                    *b = describe(recorded.analysis, !same[i].apart);
    ck_assert_msg(strcmp(a, b) == 0, "%s %s:\n%s\nwith memory:\n%s", file, same[i].entry, a, b);
    for (guint p = 0; keeps && p < 2; p++) {
      static gint32 left[WORDS], found[WORDS];
      guint64 address = (p == 0) != same[i].swapped ? OUT : IN;
      smb_global_read(typed.global, p, 0, left, sizeof left);
      smb_global_read_memory(recorded.global, address, found, sizeof found);
      ck_assert_mem_eq(left, found, sizeof left);
      ck_assert_uint_eq(smb_global_mask_memory(recorded.global, address, found, sizeof found),
                        smb_global_mask(typed.global, p, 0, left, sizeof left));
      ck_assert_mem_eq(left, found, sizeof left);
    }
  }
}
END_TEST

// Blocks that need not be run are not; what is said of them is what all say.
START_TEST(repeats) {
  make_numbers();
  g_auto(Run) run = {0};
  run_read(&run, files[_i], "copy");
  run.launch.grid[0] = 2000;
  run_add_pieces(&run, IN, numbers, sizeof numbers, 1000, FALSE);
  run_add(&run, filled(IN + sizeof numbers, 1 << 20, SMB_FILL_UNKNOWN));
  GIVE(&run, OUT, IN + 4);
  run.launch.memory = run.memory;
  Subject subject = {.program = run.program, .launch = run.launch};
  ck_assert(repeat_check(&subject, run.arch, "copy"));
  ck_assert_uint_lt(subject.n_run, 200);
}
END_TEST

// --- pointers in memory

START_TEST(follows_pointers) {
  static gint32 second[32];
  make_numbers();
  const guint64 rows[] = {IN + 400, AFAR, IN};
  g_auto(Run) run = {0};
  for (guint i = 0; i < 32; i++)
    second[i] = (gint32)(31 - i);
  run_read(&run, files[_i], "rows");
  run.launch.grid[0] = 2;
  run_add(&run, known(AFAR, second, sizeof second));
  run_add(&run, known(AFAR + 4096, rows, sizeof rows));
  run_add(&run, known(IN, numbers, sizeof numbers));
  GIVE(&run, AFAR + 4096, OUT);
  run_expect(&run);
  for (guint i = 0; i < 32; i++)
    ck_assert_int_eq(read_word(&run, OUT + 128 + 4 * i), (gint32)(31 - i));
  gint32 found[32];
  ck_assert_uint_eq(smb_global_mask_memory(run.global, OUT + 128, found, sizeof found), 128);
  ck_assert_uint_eq(smb_global_mask_memory(run.global, OUT + 256, found, sizeof found), 0);
}
END_TEST

typedef struct {
  guint64 next;
  gint32 stride;
  gint32 rest;
} Node;

START_TEST(walks_a_list) {
  static Node nodes[5];
  g_auto(Run) run = {0};
  run_read(&run, files[_i], "list");
  // One behind the other, in allocations of their own, and the last one in the first one's.
  static const guint64 at[] = {AFAR + 48, AFAR + 0x20000, IN + 16, IN + 0x1000, AFAR};
  static const gint32 strides[] = {1, 2, 4, 8, 32};
  static const guint wavefronts = 1 + 2 + 4 + 8 + 32;
  for (guint i = 0; i < 5; i++)
    nodes[i] = (Node){i < 4 ? at[i + 1] : 0, strides[i], 0};
  static const guint sorted[] = {4, 0, 1, 2, 3};
  for (guint i = 0; i < 5; i++)
    run_add(&run, known(at[sorted[i]], &nodes[sorted[i]], sizeof *nodes));
  GIVE(&run, at[0], OUT);
  run_expect(&run);
  const SmbAccess *access = &g_array_index(run.analysis->accesses, SmbAccess, 0);
  ck_assert_uint_eq(access->total.requests, 5);
  ck_assert_uint_eq(access->total.wavefronts, wavefronts);
}
END_TEST

// --- variables

START_TEST(names_variables) {
  static gint32 table[64], factors[32] = {9, 3};
  g_auto(Run) run = {0};
  for (guint i = 0; i < 64; i++)
    table[i] = (gint32)(100 + i);
  run_read(&run, files[_i], "variables");
  run.launch.buffers = g_ptr_array_new_with_free_func((GDestroyNotify)smb_buffer_free);
  add_buffer(run.launch.buffers, "table",
             &(SmbContents){.fill = SMB_FILL_BYTES, .bytes = (guchar *)table, .length = 256}, 0);
  add_buffer(run.launch.buffers, "factors",
             &(SmbContents){.fill = SMB_FILL_BYTES, .bytes = (guchar *)factors, .length = 128}, 0);
  add_buffer(run.launch.buffers, "elsewhere", &(SmbContents){.fill = SMB_FILL_ZEROS}, 0);
  SmbMemoryPiece pieces[] = {filled(IN + 8, 256, SMB_FILL_UNKNOWN),
                             filled(IN + 4096, 128, SMB_FILL_UNKNOWN),
                             filled(IN + 8192, 4, SMB_FILL_UNKNOWN)};
  pieces[0].variable = "table";
  pieces[1].variable = "factors";
  pieces[2].variable = "elsewhere";
  for (guint i = 0; i < G_N_ELEMENTS(pieces); i++)
    run_add(&run, pieces[i]);
  GIVE(&run, IN + 8, IN + 4096, OUT);
  run_expect(&run);
  for (guint i = 0; i < 64; i++) {
    ck_assert_int_eq(read_word(&run, IN + 8 + 4 * i), (gint32)(100 + i + (i < 32)));
    if (i < 32)
      ck_assert_int_eq(read_word(&run, OUT + 4 * i), (gint32)(101 + i));
  }
  gint32 words[64];
  ck_assert_uint_eq(smb_global_mask_memory(run.global, IN + 8, words, sizeof words), 256);
  ck_assert_uint_eq(smb_global_mask_memory(run.global, IN + 8192, words, 4), 4);
  ck_assert_uint_eq(smb_global_mask_memory(run.global, IN, words, 8), 0);
  // Where it lies decides how many segments are asked for: 128 bytes at 8 are in five.
  const SmbGlobalAccess *access = &g_array_index(run.analysis->globals, SmbGlobalAccess, 0);
  ck_assert_uint_eq(access->segments, 5 * access->requests);
}
END_TEST

// Without contents, a variable that was recorded is not what the image has.
START_TEST(forgets_variables) {
  static gint32 factors[32] = {9, 3};
  g_auto(Run) run = {0};
  run_read(&run, files[_i], "variables");
  SmbMemoryPiece table = filled(IN, 256, SMB_FILL_UNKNOWN),
                 constants = known(IN + 4096, factors, sizeof factors);
  table.variable = "table";
  constants.variable = "factors";
  run_add(&run, table);
  run_add(&run, constants);
  GIVE(&run, IN, IN + 4096, OUT);
  run_expect(&run); // what is in the table decides nothing
  gint32 words[64];
  ck_assert_uint_eq(smb_global_mask_memory(run.global, OUT, words, 128), 0);
  ck_assert_uint_eq(smb_global_mask_memory(run.global, IN + 4096, words, 128), 128);
  g_auto(Run) blind = {0};
  run_read(&blind, files[_i], "variables");
  constants = filled(IN + 4096, sizeof factors, SMB_FILL_UNKNOWN);
  constants.variable = "factors";
  run_add(&blind, constants);
  GIVE(&blind, IN, IN + 4096, OUT);
  run_run(&blind, TRUE);
  ck_assert_ptr_nonnull(blind.error);
  ck_assert_msg(strstr(blind.error->message, "the unrecorded contents of 'factors', loaded at") !=
                    NULL,
                "%s", blind.error->message);
}
END_TEST

// --- what is not known, and what is no memory

static const struct {
  const char *entry;
  guint64 parameters[3];
  SmbFill fill; // of what lies at IN: 4096 bytes
  const char *text;
} failures[] = {
    {"gather",
     {OUT, IN},
     SMB_FILL_UNKNOWN,
     "the address depends on the contents of unrecorded memory at 0x7f3a40000000 "
     "(parameter 1 points into it), loaded at"},
    {"gather",
     {OUT, IN + 4096 - 64},
     SMB_FILL_ZEROS,
     "the address depends on the contents of unrecorded memory at 0x7f3a40001000, "
     "loaded at"},
    {"gather",
     {OUT, AFAR},
     SMB_FILL_ZEROS,
     "the address depends on the contents of unrecorded memory at 0x7f0000000000 "
     "(parameter 1 points into it), loaded at"},
    {"gather", {OUT, 0}, SMB_FILL_ZEROS, "a null pointer, by thread (0,0,0)"},
    {"gather", {OUT, 64}, SMB_FILL_ZEROS, "a null pointer, plus 64 bytes, by thread (0,0,0)"},
    {"gather", {OUT, (guint64)-4096}, SMB_FILL_ZEROS, "a pointer that points to nothing"},
    {"gather",
     {OUT, IN + 1},
     SMB_FILL_ZEROS,
     "misaligned: the address 0x7f3a40000001 is not a multiple of 4"},
};

START_TEST(says_what_is_missing) {
  guint i = (guint)_i / 2;
  g_auto(Run) run = {0};
  run_read(&run, files[_i % 2], failures[i].entry);
  run_add(&run, filled(IN, 4096, failures[i].fill));
  GIVE(&run, failures[i].parameters[0], failures[i].parameters[1]);
  run_run(&run, TRUE);
  ck_assert_msg(run.error != NULL, "%s is missed", failures[i].text);
  ck_assert_msg(strstr(run.error->message, failures[i].text) != NULL, "%s", run.error->message);
}
END_TEST

// What is stored where nothing was recorded is known from then on.
START_TEST(goes_anywhere) {
  static const gint64 offset = -(gint64)(IN - AFAR);
  g_auto(Run) run = {0};
  run_read(&run, files[_i], "chase");
  run_add(&run, known(IN, &offset, sizeof offset));
  GIVE(&run, OUT, IN);
  run.launch.skips_unknown = TRUE;
  run_expect(&run);
  const SmbAccess *load = &g_array_index(run.analysis->accesses, SmbAccess, 1);
  ck_assert_uint_eq(load->uncounted, 1);
  ck_assert_ptr_nonnull(strstr(load->reason, "unrecorded memory at 0x7f0000000000, "));
  // The last of all addresses.
  make_numbers();
  g_auto(Run) last = {0};
  run_read(&last, files[_i], "gather");
  run_add(&last, known(IN, numbers, sizeof numbers));
  GIVE(&last, (G_GUINT64_CONSTANT(1) << 48) - 128, IN);
  run_expect(&last);
  ck_assert_int_eq(read_word(&last, (G_GUINT64_CONSTANT(1) << 48) - 4), numbers[numbers[31] & 31]);
}
END_TEST

START_TEST(tells_spaces) {
  g_auto(Run) run = {0};
  make_numbers();
  run_read(&run, space_files[_i], "spaces");
  run_add(&run, known(IN, numbers, sizeof numbers));
  GIVE(&run, OUT, IN);
  run_expect(&run);
  for (guint i = 0; i < 32; i++) {
    gint32 expected = i % 2 ? 1 + numbers[i / 2 * 2] : 2 + (gint32)(i / 2 * 2);
    gint32 word = read_word(&run, OUT + 4 * i);
    gboolean is_known = smb_global_mask_memory(run.global, OUT + 4 * i, &word, 4) == 4;
    // Machine code asks also whether it lies where the driver says that constant memory does.
    ck_assert_int_eq(is_known, _i == 0 || i % 2 == 0);
    if (is_known)
      ck_assert_int_eq(word, expected);
  }
}
END_TEST

// Thousands of pieces, each an allocation of its own.
START_TEST(has_many_pieces) {
  enum {
    PIECES = 70000,
    APART = 1024
  };
  static guint64 rows[2];
  static gint32 number;
  g_auto(Run) run = {0};
  run_read(&run, files[_i], "rows");
  run.launch.grid[0] = 2;
  number = 7;
  rows[0] = IN + (PIECES - 1) * APART;
  rows[1] = IN + APART * (PIECES / 2);
  run_add(&run, known(AFAR, rows, sizeof rows));
  for (guint i = 0; i < PIECES; i++)
    run_add(&run, known(IN + (guint64)i * APART, &number, sizeof number));
  GIVE(&run, AFAR, OUT);
  run.launch.skips_unknown = TRUE;
  run_expect(&run);
  ck_assert_uint_eq(g_array_index(run.analysis->accesses, SmbAccess, 0).uncounted, 2);
  ck_assert_int_eq(read_word(&run, rows[0]), 7);
}
END_TEST

START_TEST(refuses_pieces) {
  static const struct {
    guint64 first, bytes, second;
    const char *text;
  } cases[] = {
      {IN, 8, IN + 4, "begins before the end of the previous piece"},
      {IN, 8, AFAR, "begins before the end of the previous piece"},
      {AFAR, 0, IN, "has no bytes"},
      {4096, 8, IN, "is too close to null"},
      {AFAR, (guint64)1 << 48, IN, "goes beyond the 48-bit address space"},
      {AFAR, 8, G_MAXUINT64 - 8, "goes beyond the 48-bit address space"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(Run) run = {0};
    run_read(&run, files[0], "gather");
    run_add(&run, filled(cases[i].first, cases[i].bytes, SMB_FILL_ZEROS));
    run_add(&run, filled(cases[i].second, 8, SMB_FILL_ZEROS));
    GIVE(&run, OUT, IN);
    run_run(&run, TRUE);
    ck_assert(g_error_matches(run.error, SMB_ERROR, SMB_ERROR_USAGE));
    ck_assert_msg(strstr(run.error->message, cases[i].text) != NULL, "%s", run.error->message);
  }
}
END_TEST

Suite *
suite_memory(void) {
  Suite *suite = suite_create("memory");
  TCase *tests = tcase_create("memory");
  const int n_files = G_N_ELEMENTS(files);
  tcase_add_loop_test(tests, is_as_with_buffers, 0, n_files * (int)G_N_ELEMENTS(same));
  tcase_add_loop_test(tests, repeats, 0, n_files);
  tcase_add_loop_test(tests, follows_pointers, 0, n_files);
  tcase_add_loop_test(tests, walks_a_list, 0, n_files);
  tcase_add_loop_test(tests, names_variables, 0, n_files);
  tcase_add_loop_test(tests, forgets_variables, 0, n_files);
  tcase_add_loop_test(tests, says_what_is_missing, 0, n_files * (int)G_N_ELEMENTS(failures));
  tcase_add_loop_test(tests, goes_anywhere, 0, n_files);
  tcase_add_loop_test(tests, tells_spaces, 0, n_files);
  tcase_add_loop_test(tests, has_many_pieces, 0, n_files);
  tcase_add_test(tests, refuses_pieces);
  suite_add_tcase(suite, tests);
  return suite;
}
