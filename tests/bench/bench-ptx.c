// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels as text, and as the PTX and the machine code that nvcc made of it, side by side, on one core: processor time of whole analyses, in
// which all blocks run, the best of several runs; instructions of warps and requests of shared memory a second.
// Kernels whose lanes go different ways are run as often as there are places where they could meet; all of that counts.
// First what a grid of blocks that repeat each other costs, what memory a large grid takes, and how fast PTX is read.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/exec/exec.h"
#include "tests/bench/toy.h"

enum {
  N_RUNS = 5,
  MAX_VALUES = 4,
};

#define FOLDER SMB_BENCH_FOLDER "/"

// A kernel, launched so that it takes some tenths of a second. Parameters are given by number.
typedef struct {
  const char *name;
  const char *entry;               // NULL: there is one only
  const char *values[MAX_VALUES];  // by parameter, or NULL
  const char *buffers[MAX_VALUES]; // likewise: what they hold
  guint block[3];
  guint grid[3];
} Case;

static const Case cases[] = {
    {"transpose", .values = {[2] = "2048"}, .block = {32, 8, 1}, .grid = {64, 64, 1}},
    {"reduce", .block = {256, 1, 1}, .grid = {4000, 1, 1}},
    {"reduce", .buffers = {[1] = "iota:i32"}, .block = {256, 1, 1}, .grid = {4000, 1, 1}},
    {"scan", .buffers = {[1] = "iota:i32"}, .block = {256, 1, 1}, .grid = {1000, 1, 1}},
    {"histogram", .values = {[2] = "4096"}, .buffers = {[1] = "random:i32:1:256"},
     .block = {256, 1, 1}, .grid = {100, 1, 1}},
    {"shuffle", .buffers = {[1] = "iota:i32"}, .block = {256, 1, 1}, .grid = {1000, 1, 1}},
    {"sort", .buffers = {[0] = "random:i32:1"}, .block = {512, 1, 1}, .grid = {50, 1, 1}},
    {"matmul", .values = {[3] = "256"}, .block = {32, 32, 1}, .grid = {8, 8, 1}},
    {"matmul", .values = {[3] = "256"}, .buffers = {[1] = "iota:i32", [2] = "iota:i32"},
     .block = {32, 32, 1}, .grid = {8, 8, 1}},
    {"sgemm", .values = {[0] = "512"}, .block = {256, 1, 1}, .grid = {4, 4, 1}},
    {"sgemm", .values = {[0] = "512"}, .buffers = {[1] = "iota:f32", [2] = "iota:f32"},
     .block = {256, 1, 1}, .grid = {4, 4, 1}},
    {"nbody", .values = {[2] = "1024"}, .buffers = {[1] = "iota:f64"}, .block = {128, 1, 1},
     .grid = {8, 1, 1}},
};

// What a kernel and its launch are made of, and what came of it.
typedef struct {
  SmbProgram *program;
  SmbLaunch launch;
  GStrv arguments;
  double seconds;
  guint64 requests;
} Trial;

static void
clear_trial(Trial *trial) {
  g_clear_pointer(&trial->program, smb_program_free);
  g_clear_pointer(&trial->arguments, g_strfreev);
  g_clear_pointer(&trial->launch.buffers, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Trial, clear_trial)

// "NAME=VALUE" of each parameter that has one.
static GStrv
name_values(const SmbProgram *program, const char *const *values) {
  GPtrArray *texts = g_ptr_array_new();
  for (guint i = 0; i < smb_program_n_parameters(program); i++) {
    SmbParameter parameter = smb_program_parameter(program, i);
    if (values[i] && parameter.is_unnamed)
      g_ptr_array_add(texts, g_strdup_printf("%u=%s", i, values[i]));
    else if (values[i])
      g_ptr_array_add(texts, g_strdup_printf("%s=%s", parameter.name, values[i]));
  }
  g_ptr_array_add(texts, NULL);
  return (GStrv)g_ptr_array_free(texts, FALSE);
}

static gboolean
set_up(Trial *trial, const Case *kernel, const char *ending, const SmbArch *arch, GError **error) {
  g_autofree char *path = g_strdup_printf(FOLDER "%s%s", kernel->name, ending);
  g_autoptr(SmbSource) source = smb_source_load_any(path, error);
  if (!source)
    return FALSE;
  const SmbProgramOptions reading = {.entry = kernel->entry,
                                     .cuda_arch = smb_program_cuda_arch(arch),
                                     .lanes = smb_arch_info(arch)->lanes};
  trial->program = smb_program_read(source, &reading, error);
  if (!trial->program)
    return FALSE;
  trial->arguments = name_values(trial->program, kernel->values);
  g_auto(GStrv) buffers = name_values(trial->program, kernel->buffers);
  trial->launch.arguments = (const char *const *)trial->arguments;
  trial->launch.buffers = smb_buffers_parse((const char *const *)buffers, error);
  memcpy(trial->launch.block, kernel->block, sizeof kernel->block);
  memcpy(trial->launch.grid, kernel->grid, sizeof kernel->grid);
  return trial->launch.buffers != NULL;
}

static gboolean
measure(Trial *trial, const SmbArch *arch, GError **error) {
  const SmbAnalysisOptions options = {.threads = 1, .every_block = TRUE};
  trial->seconds = 1e9;
  for (guint n = 0; n < N_RUNS; n++) {
    clock_t start = clock();
    g_autoptr(SmbAnalysis) analysis =
        smb_analysis_run(trial->program, arch, &trial->launch, &options, error);
    if (!analysis)
      return FALSE;
    trial->seconds = MIN(trial->seconds, (double)(clock() - start) / CLOCKS_PER_SEC);
    trial->requests = smb_analysis_total(analysis).requests;
  }
  return TRUE;
}

// Counts the instructions that run.
typedef struct {
  const StepHandler *handlers; // by step
  guint64 n;
} Counter;

static gboolean
count_step(Exec *exec, const Step *step, SmbLanes lanes) {
  Counter *counter = exec->block->user;
  counter->n += step->kind != KIND_MEETING; // which is none of PTX
  return counter->handlers[step - exec->steps](exec, step, lanes);
}

static gboolean
run_blocks(const SmbProgram *program, const SmbLaunch *launch, const SmbArch *arch,
           Counter *counter, gboolean *diverged, GError **error) {
  static const SmbSink sink = {0};
  g_autoptr(SmbGlobal) global = smb_global_new(program, launch);
  g_autoptr(SmbBlock) block =
      smb_block_new(program, arch, launch, NULL, &sink, counter, global, error);
  guint64 n_blocks = (guint64)launch->grid[0] * launch->grid[1] * launch->grid[2];
  for (guint64 i = 0; block && i < n_blocks; i++) {
    if (!smb_block_run(block, i, error))
      return FALSE;
  }
  *diverged = block && smb_block_diverged(block);
  return block != NULL;
}

// Runs all blocks of a program, whose steps say meanwhile that they run. FALSE with an error.
static gboolean
count_program(SmbProgram *program, const SmbLaunch *launch, const SmbArch *arch, guint64 *n,
              gboolean *diverged, GError **error) {
  GArray *steps = ((Code *)program)->steps;
  g_autofree StepHandler *handlers = g_new(StepHandler, steps->len);
  g_autofree guint16 *n_computing = g_new(guint16, steps->len);
  for (guint i = 0; i < steps->len; i++) {
    Step *step = &g_array_index(steps, Step, i);
    handlers[i] = step->run;
    n_computing[i] = step->n_computing;
    step->run = count_step;
    step->n_computing = 0; // each of them by its handler
  }
  Counter counter = {handlers, 0};
  gboolean ok = run_blocks(program, launch, arch, &counter, diverged, error);
  for (guint i = 0; i < steps->len; i++) {
    g_array_index(steps, Step, i).run = handlers[i];
    g_array_index(steps, Step, i).n_computing = n_computing[i];
  }
  *n += counter.n;
  return ok;
}

// The instructions that warps execute in an analysis.
static gboolean
count_instructions(const Trial *trial, const SmbArch *arch, guint64 *n, GError **error) {
  gboolean diverged, again;
  if (!count_program(trial->program, &trial->launch, arch, n, &diverged, error))
    return FALSE;
  for (guint i = 0; diverged; i++) {
    g_autoptr(SmbProgram) other = trial->program->front_end->variant(trial->program, i);
    if (!other)
      break;
    if (!count_program(other, &trial->launch, arch, n, &again, error))
      return FALSE;
  }
  return TRUE;
}

enum {
  N_LEVELS = 3
};

static gboolean
compare(const Case *kernel, const SmbArch *arch, GError **error) {
  static const char *const endings[N_LEVELS] = {".cu", ".ptx", ".sm_90.cubin"};
  double seconds[N_LEVELS];
  guint64 requests[N_LEVELS], instructions[N_LEVELS] = {0};
  gboolean given = FALSE;
  for (guint i = 0; i < N_LEVELS; i++) {
    g_auto(Trial) trial = {0};
    if (!set_up(&trial, kernel, endings[i], arch, error) || !measure(&trial, arch, error) ||
        (i > 0 && !count_instructions(&trial, arch, &instructions[i], error)))
      return FALSE;
    seconds[i] = trial.seconds;
    requests[i] = trial.requests;
    given = trial.launch.buffers->len > 0;
  }
  printf("%-10s %-8s", kernel->name, given ? "known" : "unknown");
  for (guint i = 0; i < N_LEVELS; i++)
    printf(" %8.3f", seconds[i]);
  for (guint i = 0; i < N_LEVELS; i++)
    printf(" %8.2f", (double)requests[i] / seconds[i] * 1e-6);
  for (guint i = 1; i < N_LEVELS; i++)
    printf(" %8.1f", (double)instructions[i] / seconds[i] * 1e-6);
  printf("\n");
  return TRUE;
}

// The rate of the toy, on SGEMM.
static gboolean
print_toy(const SmbArch *arch, GError **error) {
  static const Case sgemm = {"sgemm", .values = {[0] = "512"},
                             .buffers = {[1] = "iota:f32", [2] = "iota:f32"}, .block = {256, 1, 1},
                             .grid = {4, 4, 1}};
  double seconds = 0;
  guint64 instructions = 0;
  g_auto(Trial) trial = {0};
  if (!set_up(&trial, &sgemm, ".sm_90.cubin", arch, error) || !measure(&trial, arch, error) ||
      !count_instructions(&trial, arch, &instructions, error) ||
      !toy_run(trial.program, &trial.launch, arch, 16, &seconds, error))
    return FALSE;
  printf(
      "sgemm, machine code, without checks: %.1f million instr./s; the run loop has %.2f of that\n",
      (double)instructions / seconds * 1e-6, seconds / trial.seconds);
  return TRUE;
}

static void
print_table(const char *chosen, const SmbArch *arch, GError **error) {
  printf("%-19s %26s %26s %17s\n", "", "seconds", "million requests/s", "million instr./s");
  printf("%-10s %-8s %8s %8s %8s %8s %8s %8s %8s %8s\n", "kernel", "contents", "text", "PTX",
         "machine", "text", "PTX", "machine", "PTX", "machine");
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    if ((!chosen || strcmp(chosen, cases[i].name) == 0) && !compare(&cases[i], arch, error))
      return;
  }
}

// --- what does not grow

// Processor time of one analysis, from the file on, of products of 4096 x 4096 matrices.
static gboolean
print_repeats(const SmbArch *arch, GError **error) {
  static const struct {
    const char *what, *ending;
    gsize dynamic_bytes;
    Case kernel;
  } products[] = {
      {"scalar, PTX",
       ".ptx",
       0,
       {"sgemm", .values = {"4096"}, .block = {256, 1, 1}, .grid = {32, 32, 1}}},
      {"scalar",
       ".sm_90.cubin",
       0,
       {"sgemm", .values = {"4096"}, .block = {256, 1, 1}, .grid = {32, 32, 1}}},
      {"tiled",
       ".sm_90.cubin",
       0,
       {"gemm", "tiled", .values = {"4096"}, .block = {32, 32, 1}, .grid = {128, 128, 1}}},
      {"vectorised",
       ".sm_90.cubin",
       0,
       {"gemm", "vectorised", .values = {"4096"}, .block = {256, 1, 1}, .grid = {32, 32, 1}}},
      {"pipelined, tensor cores",
       ".sm_90.cubin",
       30720,
       {"gemm", "pipelined", .values = {"4096"}, .block = {128, 1, 1}, .grid = {64, 64, 1}}},
  };
  const SmbAnalysisOptions options = {.threads = 1};
  for (guint i = 0; i < G_N_ELEMENTS(products); i++) {
    g_auto(Trial) trial = {0};
    clock_t start = clock();
    if (!set_up(&trial, &products[i].kernel, products[i].ending, arch, error))
      return FALSE;
    trial.launch.dynamic_bytes = products[i].dynamic_bytes;
    g_autoptr(SmbAnalysis) analysis =
        smb_analysis_run(trial.program, arch, &trial.launch, &options, error);
    if (!analysis)
      return FALSE;
    printf("%s, 4096^3: %" G_GUINT64_FORMAT " blocks, of which %" G_GUINT64_FORMAT
           " are counted for all: %.3f s\n",
           products[i].what, analysis->n_blocks, analysis->n_blocks_run,
           (double)(clock() - start) / CLOCKS_PER_SEC);
  }
  return TRUE;
}

static long
get_peak_kib(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// The peak of the process so far, with one block and with many, all of which run.
static gboolean
print_memory(const SmbArch *arch, GError **error) {
  static const Case reduce = {"reduce", .buffers = {[1] = "iota:i32"}, .block = {256, 1, 1}};
  static const guint grids[] = {1, 100000};
  g_auto(Trial) trial = {0};
  const SmbAnalysisOptions options = {.threads = 1, .every_block = TRUE};
  if (!set_up(&trial, &reduce, ".ptx", arch, error))
    return FALSE;
  trial.launch.grid[1] = trial.launch.grid[2] = 1;
  for (guint i = 0; i < G_N_ELEMENTS(grids); i++) {
    trial.launch.grid[0] = grids[i];
    g_autoptr(SmbAnalysis) analysis =
        smb_analysis_run(trial.program, arch, &trial.launch, &options, error);
    if (!analysis)
      return FALSE;
    printf("reduce, %" G_GUINT64_FORMAT " blocks that run: at most %ld KiB resident\n",
           analysis->n_blocks_run, get_peak_kib());
  }
  return TRUE;
}

// A file of at least 1 MB: one kernel again and again, under other names.
static char *
make_long_ptx(GError **error) {
  g_autofree char *text = NULL;
  if (!g_file_get_contents(FOLDER "sgemm.ptx", &text, NULL, error))
    return NULL;
  const char *kernel = strstr(text, ".visible");
  g_autoptr(GString) all = g_string_new_len(text, kernel - text);
  g_auto(GStrv) parts = g_strsplit(kernel, "sgemm", -1);
  for (guint i = 0; all->len < 1000000; i++) {
    g_autofree char *name = g_strdup_printf("sgemm%u", i);
    g_autofree char *copy = g_strjoinv(name, parts);
    // Labels are unique in a file of nvcc.
    g_autofree char *label = g_strdup_printf("$L__BB%u_", i);
    g_auto(GStrv) pieces = g_strsplit(copy, "$L__BB0_", -1);
    g_autofree char *labelled = g_strjoinv(label, pieces);
    g_string_append(all, labelled);
  }
  return g_string_free(g_steal_pointer(&all), FALSE);
}

static gboolean
print_reading(const SmbArch *arch, GError **error) {
  g_autofree char *text = make_long_ptx(error);
  if (!text)
    return FALSE;
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("long.ptx", bytes, error);
  const SmbProgramOptions reading = {.entry = "_Z5sgemm7iPKfS0_Pf",
                                     .cuda_arch = smb_program_cuda_arch(arch),
                                     .lanes = smb_arch_info(arch)->lanes};
  double best = 1e9;
  for (guint n = 0; source && n < N_RUNS; n++) {
    clock_t start = clock();
    g_autoptr(SmbProgram) program = smb_program_read(source, &reading, error);
    if (!program)
      return FALSE;
    best = MIN(best, (double)(clock() - start) / CLOCKS_PER_SEC);
  }
  if (source)
    printf("%.2f MB of PTX: read in %.3f s\n", (double)strlen(text) * 1e-6, best);
  return source != NULL;
}

int
main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, &error);
  // Memory first: a peak stays.
  if (arch && argc < 2 && print_memory(arch, &error) && print_repeats(arch, &error) &&
      print_reading(arch, &error))
    printf("\n");
  if (arch && !error && (argc < 2 || strcmp(argv[1], "toy") == 0) && print_toy(arch, &error) &&
      argc > 1)
    return 0;
  if (arch && !error)
    print_table(argc > 1 ? argv[1] : NULL, arch, &error);
  if (!error)
    return EXIT_SUCCESS;
  fprintf(stderr, "%s\n", error->message);
  return EXIT_FAILURE;
}
