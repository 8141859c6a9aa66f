// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "src/run/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/analysis/analysis.h"
#include "sim/base/error.h"

struct _SmbEngine {
  guchar *memory;
  guint64 base, bytes;
  GHashTable *modules;  // number to SmbModule
  GHashTable *programs; // "MODULE SYMBOL" to SmbProgram
  GHashTable *archs;    // chip to SmbArch
  SmbHeap *heap;        // (nullable)
  guint64 ticks;        // the clock of the device
};

// --- what a process has

static void
free_module(gpointer module) {
  smb_module_free(module);
}

static void
free_program(gpointer program) {
  smb_program_free(program);
}

static void
free_arch(gpointer arch) {
  smb_arch_unref(arch);
}

SmbEngine *
smb_engine_new(guint64 pid, guint64 fd, guint64 base, guint64 bytes, GError **error) {
  g_autofree char *path =
      g_strdup_printf("/proc/%" G_GUINT64_FORMAT "/fd/%" G_GUINT64_FORMAT, pid, fd);
  int file = open(path, O_RDWR | O_CLOEXEC);
  void *memory =
      file < 0 ? MAP_FAILED
               : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  int failure = errno;
  if (file >= 0)
    close(file);
  if (memory == MAP_FAILED) {
    smb_fail(error, G_FILE_ERROR, (gint)g_file_error_from_errno(failure), "%s: %s", path,
             g_strerror(failure));
    return NULL;
  }
  SmbEngine *engine = g_new0(SmbEngine, 1);
  *engine = (SmbEngine){
      .memory = memory,
      .base = base,
      .bytes = bytes,
      .modules = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_module),
      .programs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_program),
      .archs = g_hash_table_new_full(NULL, NULL, NULL, free_arch)};
  return engine;
}

void
smb_engine_free(SmbEngine *engine) {
  if (!engine)
    return;
  munmap(engine->memory, engine->bytes);
  g_hash_table_unref(engine->programs);
  g_hash_table_unref(engine->modules);
  g_hash_table_unref(engine->archs);
  smb_heap_free(engine->heap);
  g_free(engine);
}

const SmbModule *
smb_engine_load(SmbEngine *engine, guint64 number, GBytes *file, guint chip, GError **error) {
  SmbModule *module = smb_module_new(file, "module", chip, error);
  if (module)
    g_hash_table_insert(engine->modules, g_memdup2(&number, sizeof number), module);
  return module;
}

const SmbModule *
smb_engine_module(const SmbEngine *engine, guint64 number) {
  return g_hash_table_lookup(engine->modules, &number);
}

guchar *
smb_engine_memory(const SmbEngine *engine, guint64 address, guint64 bytes) {
  if (address < engine->base || address - engine->base > engine->bytes ||
      bytes > engine->bytes - (address - engine->base))
    return NULL;
  return engine->memory + (address - engine->base);
}

// --- a launch

static const SmbArch *
find_arch(SmbEngine *engine, guint chip, GError **error) {
  SmbArch *arch = g_hash_table_lookup(engine->archs, GUINT_TO_POINTER(chip));
  g_autofree char *name = g_strdup_printf("sm_%u", chip);
  if (!arch && (arch = smb_arch_load(name, error)) != NULL)
    g_hash_table_insert(engine->archs, GUINT_TO_POINTER(chip), arch);
  return arch;
}

static const SmbProgram *
find_program(SmbEngine *engine, guint64 number, const SmbModule *module,
             const SmbCaptureLaunch *launch, const SmbArch *arch, GError **error) {
  const char *symbol = launch->kernel;
  g_autofree char *key = g_strdup_printf("%" G_GUINT64_FORMAT " %s", number, symbol);
  SmbProgram *program = g_hash_table_lookup(engine->programs, key);
  if (program)
    return program;
  g_autoptr(GHashTable) addresses = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < launch->variables->len; i++) {
    SmbCaptureVariable *variable = &g_array_index(launch->variables, SmbCaptureVariable, i);
    g_hash_table_insert(addresses, variable->name, &variable->address);
  }
  const SmbProgramOptions options = {
      .entry = symbol,
      .addresses = addresses,
      .cuda_arch = smb_program_cuda_arch(arch),
      .lanes = smb_arch_info(arch)->lanes,
      .limits = {.max_steps = G_MAXINT64, .max_memory = SMB_PROGRAM_LARGEST_MEMORY}};
  program = smb_program_read(module->code, &options, error);
  if (program)
    g_hash_table_insert(engine->programs, g_steal_pointer(&key), program);
  return program;
}

static gint
compare_places(gconstpointer a, gconstpointer b) {
  const SmbMemoryPiece *one = a, *other = b;
  return (one->address > other->address) - (one->address < other->address);
}

static gboolean
add_piece(const SmbEngine *engine, GArray *pieces, guint64 address, guint64 bytes,
          const char *variable) {
  const guchar *memory = smb_engine_memory(engine, address, bytes);
  const SmbMemoryPiece piece = {
      address, bytes, variable, TRUE, {.fill = SMB_FILL_BYTES, .bytes = memory, .length = bytes}};
  if (memory)
    g_array_append_val(pieces, piece);
  return memory != NULL;
}

// All that is allocated, whose contents are those of the process (transfer full).
static GArray *
make_pieces(const SmbEngine *engine, const SmbCaptureLaunch *launch, GError **error) {
  g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(SmbMemoryPiece));
  gboolean fits = TRUE;
  for (guint i = 0; i < launch->memory->len; i++) {
    const SmbCaptureMemory *memory = &g_array_index(launch->memory, SmbCaptureMemory, i);
    fits = fits && add_piece(engine, pieces, memory->address, memory->bytes, NULL);
  }
  for (guint i = 0; i < launch->variables->len; i++) {
    const SmbCaptureVariable *variable = &g_array_index(launch->variables, SmbCaptureVariable, i);
    fits = fits && add_piece(engine, pieces, variable->address, variable->bytes, variable->name);
  }
  g_array_sort(pieces, compare_places);
  if (fits)
    return g_steal_pointer(&pieces);
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "memory outside of the range of the process");
  return NULL;
}

static GStrv
make_arguments(const SmbModuleKernel *kernel, GBytes *parameters) {
  GStrv arguments = g_new0(char *, kernel->parameters->len + 1);
  gsize n = 0;
  const guchar *data = parameters ? g_bytes_get_data(parameters, &n) : NULL;
  for (guint i = 0; i < kernel->parameters->len; i++) {
    SmbModuleParameter place = g_array_index(kernel->parameters, SmbModuleParameter, i);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%u=raw:", i);
    for (guint64 at = place.offset; at < place.offset + place.bytes; at++)
      g_string_append_printf(text, "%02x", at < n ? data[at] : 0);
    arguments[i] = g_string_free(text, FALSE);
  }
  return arguments;
}

// What a launch has written goes to the memory of the process.
typedef struct {
  const SmbEngine *engine;
  SmbEngineRun *run;
} Written;

static void
write_back(gpointer user, guint64 address, const guchar *bytes, gsize length, gsize n_unknown) {
  Written *written = user;
  written->run->n_unknown += n_unknown;
  memcpy(smb_engine_memory(written->engine, address, length), bytes, length);
}

static gboolean
run_launched(const SmbEngine *engine, const SmbProgram *program, const SmbArch *arch,
             const SmbLaunch *launch, SmbEngineRun *run, GError **error) {
  g_autoptr(SmbGlobal) global = smb_global_new(program, launch);
  const SmbAnalysisOptions options = {
      .limits = {.max_steps = G_MAXINT64, .max_memory = SMB_PROGRAM_LARGEST_MEMORY},
      .max_blocks = SMB_ANALYSIS_MAX_REPEATS,
      .threads = 1,
      .global = global,
      .every_block = TRUE,
      .in_order = TRUE};
  g_autoptr(SmbAnalysis) analysis = smb_analysis_run(program, arch, launch, &options, error);
  Written written = {engine, run};
  smb_global_each_written(global, write_back, &written);
  return analysis != NULL;
}

void
smb_engine_set_heap(SmbEngine *engine, guint64 address, guint64 bytes) {
  if (!engine->heap && bytes > 0)
    engine->heap = smb_heap_new(address, bytes);
}

void
smb_engine_run_clear(SmbEngineRun *run) {
  g_clear_pointer(&run->runtime, smb_runtime_free);
}

gboolean
smb_engine_run(SmbEngine *engine, guint64 number, const SmbCaptureLaunch *captured,
               SmbEngineRun *run, GError **error) {
  const SmbModule *module = smb_engine_module(engine, number);
  const SmbModuleKernel *kernel = module ? smb_module_kernel(module, captured->kernel) : NULL;
  *run = (SmbEngineRun){0};
  if (!kernel)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "no kernel '%s' is loaded",
                    captured->kernel);
  const SmbArch *arch = find_arch(engine, module->chip, error);
  const SmbProgram *program =
      arch ? find_program(engine, number, module, captured, arch, error) : NULL;
  g_autoptr(GArray) pieces = program ? make_pieces(engine, captured, error) : NULL;
  if (!pieces)
    return FALSE;
  g_auto(GStrv) arguments = make_arguments(kernel, captured->parameters);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  SmbLaunch launch = {.dynamic_bytes = captured->dynamic_bytes,
                      .arguments = (const char *const *)arguments,
                      .buffers = buffers,
                      .skips_unknown = TRUE,
                      .memory = pieces,
                      .runtime = run->runtime = smb_runtime_new(engine->heap)};
  for (guint i = 0; i < 3; i++) {
    launch.block[i] = captured->block[i];
    launch.grid[i] = captured->grid[i];
    launch.cluster[i] = captured->cluster[i];
  }
  smb_runtime_reach(run->runtime, engine->ticks);
  gboolean ran = run_launched(engine, program, arch, &launch, run, error);
  engine->ticks = smb_runtime_time(run->runtime);
  return ran;
}
