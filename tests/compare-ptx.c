// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Straight-line PTX at random (tests/random-ptx.h): what our machine computes beside what a device does.
//
//   compare-ptx opcodes                             all opcodes, a line each
//   compare-ptx probe TARGET                        a module with them, in that order, for an assembler to judge
//   compare-ptx text LIST TARGET SEED               a kernel of opcodes that the file LIST has
//   compare-ptx self LIST TARGET SEED N             N kernels are assembled, and run on our machine as PTX only
//   compare-ptx machine LIST TARGET SEED N          N kernels are run as PTX and as machine code, and all registers compared
//   compare-ptx device LIST TARGET SEED N [SECONDS] N kernels are run on both, and all registers compared, for so long
//
// SEED is that of the first kernel. PTXAS says which assembler; each kernel is assembled as it is by default and with -O0.
// Status 1: something differs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cuda.h"
#include "tests/random-ptx.h"

enum {
  N_LEVELS = 2,
  N_THREADS = 16 * RANDOM_THREADS, // of a kernel
  MAX_EXAMPLES = 3,
  WARP = 32,
  MAX_RESULTS = 3 * RANDOM_INSTRUCTIONS,
};

static const char *const levels[N_LEVELS] = {"-O0", "-O3"};

/**
 * Tally: what came of an opcode
 * @compared: results that were compared
 * @different: of them
 * @nan: of them: both are NaN, of other bits, which PTX mostly leaves open
 * @unknown: results of which our machine says nothing
 * @distance: the most numbers between an approximate result and ours
 */
typedef struct {
  guint64 compared;
  guint64 different;
  guint64 nan;
  guint64 unknown;
  guint64 distance;
  guint n_examples;
  guint n_nan_examples;
  guint n_all;
  char *examples[2 * MAX_EXAMPLES];
} Tally;

typedef struct {
  const RandomOpcodes *opcodes;
  const char *target;
  char *folder;
  gint64 until; // of g_get_monotonic_time()
  guint32 end;  // behind the last kernel
  const SmbCuda *cuda;
  gboolean is_machine; // machine code is run on our machine
  guint64 in, out;     // memory of the device
  GMutex lock;         // of what follows, and of the device
  guint32 next_seed;
  guint n_kernels;
  gboolean failed;
  Tally *tallies[N_LEVELS]; // by opcode
} Session;

// --- numbers

// The number of a floating-point number among all, in order: neighbours differ by 1.
static gint64
rank_of(guint64 bits, guint width) {
  guint64 sign = G_GUINT64_CONSTANT(1) << (width - 1);
  return bits & sign ? -(gint64)(bits & (sign - 1)) : (gint64)bits;
}

// The type of a result, and what follows it.
static const char *
result_type(const char *opcode) {
  const char *last = strrchr(opcode, '.'), *type = last;
  if (g_str_has_prefix(opcode, "cvt.") || g_str_has_prefix(opcode, "set."))
    while (--type > opcode && *type != '.')
      ;
  return type;
}

// Bits of the floating-point numbers of a result; 0: it has none.
static guint
real_width(const char *opcode, guint bytes) {
  g_autofree char *type = g_strndup(result_type(opcode), strcspn(result_type(opcode) + 1, ".") + 1);
  return strstr(type, "f16") ? 16 : strchr(type, 'f') && bytes >= 4 ? 8 * bytes : 0;
}

static gboolean
is_nan(guint64 bits, guint width, gboolean is_short) {
  guint fraction = width == 64 ? 52 : width == 32 ? 23 : is_short ? 7 : 10;
  guint64 infinity = ((G_GUINT64_CONSTANT(1) << (width - 1 - fraction)) - 1) << fraction;
  return (bits & ((G_GUINT64_CONSTANT(1) << (width - 1)) - 1)) > infinity;
}

static guint64
field(guint64 bits, guint at, guint width) {
  return width == 64 ? bits : bits >> at & ((G_GUINT64_CONSTANT(1) << width) - 1);
}

// Whether two results are alike but for bits of NaN, and otherwise the distance between them.
static gboolean
differ_in_nan(const char *opcode, guint bytes, guint64 ours, guint64 theirs, guint64 *distance) {
  guint width = real_width(opcode, bytes);
  gboolean is_short = g_str_has_prefix(result_type(opcode), ".bf"), alike = width > 0;
  *distance = 0;
  for (guint at = 0; width && at < 8 * bytes; at += width) {
    guint64 x = field(ours, at, width), y = field(theirs, at, width);
    if (is_nan(x, width, is_short) && is_nan(y, width, is_short))
      continue;
    alike = alike && x == y;
    gint64 apart = rank_of(x, width) - rank_of(y, width);
    *distance = MAX(*distance, (guint64)ABS(apart));
  }
  return alike;
}

// --- one kernel

typedef struct {
  Session *session;
  const RandomPtx *ptx;
  GBytes *inputs;
  guint32 seed;
  RandomOutcome ours;
  guint64 *theirs;
  guint8 *known; // of theirs
  guint8 *wrong; // by result and thread: it differs, or follows from one that does
} Trial;

static const RandomResult *
get_result(const RandomPtx *ptx, guint i) {
  return &g_array_index(ptx->results, RandomResult, i);
}

// The operands of an instruction in a thread: registers of its text that are results.
static char *
describe(const Trial *trial, guint i, guint thread, const char *level) {
  const RandomResult *result = get_result(trial->ptx, i);
  GString *text = g_string_new(NULL);
  gsize at = (gsize)i * N_THREADS + thread;
  g_string_append_printf(
      text,
      "%s: ours %" G_GINT64_MODIFIER "x, the device's %" G_GINT64_MODIFIER "x (kernel %u %s: %s)",
      result->name, trial->ours.values[at], trial->theirs[at], trial->seed, level, result->text);
  const guint64 *inputs = g_bytes_get_data(trial->inputs, NULL);
  for (const char *name = strchr(result->text, '%'); name; name = strchr(name + 1, '%')) {
    guint number = (guint)atoi(name + 2);
    if (strchr("hrd", name[1]) && number + 1 < trial->ptx->n_inputs)
      g_string_append_printf(text, " %.*s=%" G_GINT64_MODIFIER "x", (int)strcspn(name, ",; |"),
                             name, inputs[(gsize)number * N_THREADS + thread]);
    for (guint j = 0; j < i; j++) {
      const char *other = get_result(trial->ptx, j)->name;
      if (strncmp(other, name, strlen(other)) == 0 && !g_ascii_isdigit(name[strlen(other)]))
        g_string_append_printf(text, " %s=%" G_GINT64_MODIFIER "x", other,
                               trial->ours.values[(gsize)j * N_THREADS + thread]);
    }
  }
  return g_string_free(text, FALSE);
}

// Whether something that a result depends on was wrong: in the thread, or in its warp.
static gboolean
follows(const Trial *trial, const RandomResult *result, guint thread) {
  guint first = result->is_between_lanes ? thread / WARP * WARP : thread;
  guint end = result->is_between_lanes ? first + WARP : thread + 1;
  for (guint i = 0; i < result->n_sources; i++)
    for (guint lane = first; lane < end; lane++)
      if (trial->wrong[(gsize)result->sources[i] * N_THREADS + lane])
        return TRUE;
  return FALSE;
}

static void
note_difference(const Trial *trial, Tally *tally, guint i, guint thread, const char *level) {
  const RandomResult *result = get_result(trial->ptx, i);
  const char *opcode = g_ptr_array_index(trial->session->opcodes->names, result->opcode);
  gsize at = (gsize)i * N_THREADS + thread;
  guint64 distance;
  gboolean nan =
      differ_in_nan(opcode, result->bytes, trial->ours.values[at], trial->theirs[at], &distance);
  guint *n_examples = nan ? &tally->n_nan_examples : &tally->n_examples;
  tally->nan += nan;
  tally->different += !nan;
  tally->distance = MAX(tally->distance, distance);
  if (*n_examples < MAX_EXAMPLES && tally->n_all < G_N_ELEMENTS(tally->examples)) {
    tally->examples[tally->n_all++] = describe(trial, i, thread, level);
    ++*n_examples;
  }
}

// One result in all threads; what follows from a difference is not compared.
static void
compare_result(Trial *trial, guint i, guint level) {
  const RandomResult *result = get_result(trial->ptx, i);
  Tally *tally = &trial->session->tallies[level][result->opcode];
  for (guint thread = 0; thread < N_THREADS; thread++) {
    gsize at = (gsize)i * N_THREADS + thread;
    // What PTX leaves open may be known of the machine code.
    gboolean open = !trial->ours.known[at] && trial->session->is_machine;
    gboolean known = trial->ours.known[at] && trial->known[at];
    gboolean alike = known && trial->ours.values[at] == trial->theirs[at];
    gboolean derived = follows(trial, result, thread);
    trial->wrong[at] = derived || !alike;
    if (derived || open)
      continue;
    tally->compared += known;
    tally->unknown += !known;
    if (known && !alike)
      note_difference(trial, tally, i, thread, levels[level]);
  }
}

static GBytes *
assemble(Session *session, const RandomPtx *ptx, guint32 seed, const char *level) {
  const char *ptxas = g_getenv("PTXAS") ? g_getenv("PTXAS") : "ptxas";
  g_autofree char *text = g_strdup_printf("%s/%u%s.ptx", session->folder, seed, level);
  g_autofree char *image = g_strdup_printf("%s/%u%s.cubin", session->folder, seed, level);
  g_autofree char *arch = g_strdup_printf("-arch=%s", session->target);
  const char *command[] = {ptxas, arch, "-fmad=false", level, "-o", image, text, NULL};
  g_autofree char *output = NULL, *errors = NULL, *bytes = NULL;
  g_autoptr(GError) error = NULL;
  gsize length;
  int status = 0;
  if (!g_file_set_contents(text, ptx->text, -1, &error) ||
      !g_spawn_sync(NULL, (char **)command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, &errors,
                    &status, &error) ||
      status != 0 || !g_file_get_contents(image, &bytes, &length, &error)) {
    fprintf(stderr, "kernel %u: %s%s%s\n", seed, error ? error->message : "", output ? output : "",
            errors ? errors : "");
    return NULL;
  }
  remove(text);
  remove(image);
  return g_bytes_new_take(g_steal_pointer(&bytes), length);
}

static int
run_on_device(Trial *trial, GBytes *image) {
  Session *session = trial->session;
  const SmbCuda *cuda = session->cuda;
  SmbCudaFunction *function = NULL;
  g_autofree char *log = NULL;
  gsize length, results = (gsize)trial->ptx->results->len * N_THREADS * sizeof(guint64);
  gconstpointer inputs = g_bytes_get_data(trial->inputs, &length);
  void *parameters[] = {&session->out, &session->in};
  SmbCudaLaunch launch = {.grid = {N_THREADS / RANDOM_THREADS, 1, 1},
                          .block = {RANDOM_THREADS, 1, 1},
                          .parameters = parameters};
  // What a register has less than 8 bytes is 0 here as it is in ours.
  memset(trial->theirs, 0, results);
  int error = cuda->bind(0);
  if (!error)
    error = cuda->load(image, "k", 0, &function, &log);
  if (!error)
    error = cuda->upload(session->in, inputs, length);
  if (!error)
    error = cuda->upload(session->out, trial->theirs, results);
  if (!error)
    error = cuda->launch(function, &launch);
  if (!error)
    error = cuda->synchronize();
  if (!error)
    error = cuda->download(trial->theirs, session->out, results);
  if (function)
    cuda->unload(function);
  return error;
}

// As machine code, on our machine.
static gboolean
run_image(Trial *trial, GBytes *image) {
  g_autoptr(GError) error = NULL;
  g_auto(RandomOutcome) theirs = {0};
  gsize n = (gsize)trial->ptx->results->len * N_THREADS;
  if (!random_ptx_run(trial->ptx, image, trial->session->target, trial->inputs, N_THREADS, &theirs,
                      &error)) {
    fprintf(stderr, "kernel %u: %s\n", trial->seed, error->message);
    return FALSE;
  }
  memcpy(trial->theirs, theirs.values, n * sizeof(guint64));
  memcpy(trial->known, theirs.known, n);
  return TRUE;
}

// At one level of optimization.
static gboolean
run_level(Trial *trial, guint level) {
  Session *session = trial->session;
  gsize n = (gsize)trial->ptx->results->len * N_THREADS;
  g_autoptr(GBytes) image = assemble(session, trial->ptx, trial->seed, levels[level]);
  if (!image)
    return FALSE;
  memset(trial->known, 1, n);
  if (session->is_machine && !run_image(trial, image))
    return FALSE;
  g_mutex_lock(&session->lock);
  int error = SMB_CUDA_SUCCESS;
  if (session->cuda)
    error = run_on_device(trial, image);
  else if (!session->is_machine)
    memcpy(trial->theirs, trial->ours.values, n * sizeof(guint64));
  if (error)
    fprintf(stderr, "kernel %u: %s\n", trial->seed, session->cuda->error_text(error));
  for (guint i = 0; !error && i < trial->ptx->results->len; i++)
    compare_result(trial, i, level);
  session->n_kernels += !error;
  g_mutex_unlock(&session->lock);
  return !error;
}

static gboolean
run_kernel(Session *session, guint32 seed) {
  g_autoptr(RandomPtx) ptx = random_ptx_new(session->opcodes, session->target, seed, N_THREADS);
  g_autoptr(GBytes) inputs = random_ptx_inputs(ptx, seed, N_THREADS);
  g_autoptr(GError) error = NULL;
  Trial trial = {.session = session, .ptx = ptx, .inputs = inputs, .seed = seed};
  g_assert(ptx->results->len <= MAX_RESULTS);
  if (!random_ptx_run(ptx, NULL, "sm_90", inputs, N_THREADS, &trial.ours, &error)) {
    fprintf(stderr, "kernel %u: %s\n", seed, error->message);
    return FALSE;
  }
  trial.theirs = g_new0(guint64, (gsize)ptx->results->len * N_THREADS);
  trial.wrong = g_new0(guint8, (gsize)ptx->results->len * N_THREADS);
  trial.known = g_new0(guint8, (gsize)ptx->results->len * N_THREADS);
  gboolean good = TRUE;
  for (guint i = 0; i < N_LEVELS; i++)
    good = run_level(&trial, i) && good;
  g_free(trial.theirs);
  g_free(trial.wrong);
  g_free(trial.known);
  random_outcome_clear(&trial.ours);
  return good;
}

// --- many

static gpointer
work(gpointer data) {
  Session *session = data;
  for (;;) {
    g_mutex_lock(&session->lock);
    guint32 seed = session->next_seed;
    gboolean done = seed >= session->end || g_get_monotonic_time() >= session->until;
    session->next_seed += !done;
    g_mutex_unlock(&session->lock);
    if (done)
      return NULL;
    gboolean good = run_kernel(session, seed);
    g_mutex_lock(&session->lock);
    session->failed = session->failed || !good;
    g_mutex_unlock(&session->lock);
  }
}

static gboolean
open_device(Session *session) {
  const SmbCuda *cuda = smb_cuda_real();
  gsize bytes = (gsize)MAX_RESULTS * N_THREADS * sizeof(guint64);
  int error = cuda->has_runtime ? cuda->bind(0) : 1;
  if (!error)
    error = cuda->allocate(bytes, &session->in);
  if (!error)
    error = cuda->allocate(bytes, &session->out);
  if (error)
    fprintf(stderr, "no usable GPU: %s\n",
            cuda->has_runtime ? cuda->error_text(error) : "built without CUDA");
  session->cuda = cuda;
  return !error;
}

static gboolean
is_approximate(const char *opcode) {
  return strstr(opcode, ".approx") || strstr(opcode, ".full");
}

typedef struct {
  guint64 compared, different, nan, approximate, unknown;
  guint n_opcodes;
} Sum;

static void
report_opcode(const Session *session, guint level, guint i, Sum *sum) {
  const char *opcode = g_ptr_array_index(session->opcodes->names, i);
  const Tally *tally = &session->tallies[level][i];
  gboolean approximate = is_approximate(opcode);
  sum->n_opcodes += tally->compared > 0;
  sum->unknown += tally->unknown;
  sum->approximate += approximate ? tally->compared : 0;
  sum->compared += approximate ? 0 : tally->compared;
  sum->different += approximate ? 0 : tally->different;
  sum->nan += approximate ? 0 : tally->nan;
  if (tally->different || tally->unknown || tally->nan)
    printf("%s %s %s: %" G_GUINT64_FORMAT " compared, %" G_GUINT64_FORMAT
           " different (distance at most %" G_GUINT64_FORMAT "), %" G_GUINT64_FORMAT
           " other NaN, %" G_GUINT64_FORMAT " unknown\n",
           approximate        ? "approximate"
           : tally->different ? "DIFFERENT"
           : tally->nan       ? "NaN"
                              : "unknown",
           levels[level], opcode, tally->compared, tally->different, tally->distance, tally->nan,
           tally->unknown);
  for (guint j = 0; j < tally->n_all; j++)
    printf("    %s\n", tally->examples[j]);
}

// Writes what differs, and what was not compared; returns whether anything differs that should not.
static gboolean
report(const Session *session) {
  gboolean differs = FALSE;
  g_autofree gboolean *lines = g_new0(gboolean, session->opcodes->n_lines);
  Sum sums[N_LEVELS] = {{0}};
  for (guint level = 0; level < N_LEVELS; level++)
    for (guint i = 0; i < session->opcodes->names->len; i++) {
      report_opcode(session, level, i, &sums[level]);
      lines[g_array_index(session->opcodes->lines, guint, i)] |=
          session->tallies[level][i].compared > 0;
    }
  for (guint i = 0; i < session->opcodes->n_lines; i++)
    if (!lines[i])
      printf("not tried: %s\n", random_opcodes_line(i));
  for (guint level = 0; level < N_LEVELS; level++) {
    const Sum *sum = &sums[level];
    printf("%s: %u opcodes, %" G_GUINT64_FORMAT " results compared, %" G_GUINT64_FORMAT
           " different, %" G_GUINT64_FORMAT " other NaN; %" G_GUINT64_FORMAT
           " approximate, %" G_GUINT64_FORMAT " unknown\n",
           levels[level], sum->n_opcodes, sum->compared, sum->different, sum->nan, sum->approximate,
           sum->unknown);
    differs = differs || sum->different > 0;
  }
  printf("%u kernels assembled\n", session->n_kernels);
  return differs;
}

static int
run_session(Session *session, guint32 n_kernels, guint seconds) {
  g_autoptr(GError) error = NULL;
  GThread *threads[64];
  guint n = MIN(g_get_num_processors(), G_N_ELEMENTS(threads));
  session->folder = g_dir_make_tmp("compare-ptx-XXXXXX", &error);
  if (!session->folder) {
    fprintf(stderr, "%s\n", error->message);
    return 2;
  }
  for (guint i = 0; i < N_LEVELS; i++)
    session->tallies[i] = g_new0(Tally, session->opcodes->names->len);
  session->end = session->next_seed + n_kernels;
  session->until = g_get_monotonic_time() + (gint64)seconds * G_USEC_PER_SEC;
  for (guint i = 0; i < n; i++)
    threads[i] = g_thread_new("kernels", work, session);
  for (guint i = 0; i < n; i++)
    g_thread_join(threads[i]);
  gboolean differs = report(session);
  remove(session->folder);
  g_free(session->folder);
  for (guint i = 0; i < N_LEVELS; i++) {
    for (guint j = 0; j < session->opcodes->names->len; j++)
      for (guint k = 0; k < session->tallies[i][j].n_all; k++)
        g_free(session->tallies[i][j].examples[k]);
    g_free(session->tallies[i]);
  }
  return differs || session->failed;
}

static int
usage(void) {
  fprintf(stderr, "usage: compare-ptx opcodes | probe TARGET | text LIST TARGET SEED | "
                  "self|machine|device LIST TARGET SEED N [SECONDS]\n");
  return 2;
}

static gboolean
keep_listed(RandomOpcodes *opcodes, const char *path) {
  g_autofree char *list = NULL;
  return g_file_get_contents(path, &list, NULL, NULL) && random_opcodes_keep(opcodes, list);
}

int
main(int argc, char **argv) {
  g_autoptr(RandomOpcodes) opcodes = random_opcodes_new();
  const char *command = argc > 1 ? argv[1] : "";
  if (argc == 2 && strcmp(command, "opcodes") == 0) {
    for (guint i = 0; i < opcodes->names->len; i++)
      puts(g_ptr_array_index(opcodes->names, i));
    return 0;
  }
  if (argc == 3 && strcmp(command, "probe") == 0) {
    g_autofree char *text = random_opcodes_probe(opcodes, argv[2]);
    fputs(text, stdout);
    return 0;
  }
  if (argc < 5 || !keep_listed(opcodes, argv[2]))
    return usage();
  guint32 seed = (guint32)strtoul(argv[4], NULL, 10);
  Session session = {.opcodes = opcodes, .target = argv[3], .next_seed = seed};
  if (argc == 5 && strcmp(command, "text") == 0) {
    g_autoptr(RandomPtx) ptx = random_ptx_new(opcodes, argv[3], seed, N_THREADS);
    fputs(ptx->text, stdout);
    return 0;
  }
  gboolean device = strcmp(command, "device") == 0;
  session.is_machine = strcmp(command, "machine") == 0;
  if (argc < 6 || argc > 7 || (!device && !session.is_machine && strcmp(command, "self") != 0))
    return usage();
  if (device && !open_device(&session))
    return 2;
  return run_session(&session, (guint32)strtoul(argv[5], NULL, 10),
                     argc > 6 ? (guint)strtoul(argv[6], NULL, 10) : G_MAXINT32);
}
