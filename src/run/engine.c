// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "src/run/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/analysis/execute.h"
#include "sim/base/error.h"
#include "sim/base/range.h"
#include "sim/check/trail.h"
#include "src/cli/hint.h"
#include "src/run/former.h"

struct _SmbEngine {
  guchar *memory;
  guint64 base, bytes;
  SmbFormer *former;      // what launches overwrite that are predicted
  guchar *written;        // (nullable): smb_engine_set_written()
  SmbArch *arch;          // (nullable): of all kernels
  GHashTable *modules;    // number to Loaded
  GHashTable *archs;      // chip to SmbArch
  GArray *moved;          // of Moved
  SmbHeap *heap;          // (nullable)
  GArray *textures;       // of SmbTexture
  GHashTable *references; // name to guint64: the handle of one of these
  guint64 graph;          // smb_engine_set_graph()
  guint64 ticks;          // the clock of the device
  SmbTrail *trail;        // (nullable): of the last launch that was checked
  char *name;             // of the program
  guchar *arena;          // (nullable): memory for the parameters of what kernels launch
  SmbChildren *children;  // (nullable): with it
  SmbAsk ask;
  gpointer ask_user;
};

enum {
  ARENA_BYTES = 256 << 20,
};

typedef struct {
  SmbModule *module;
  GHashTable *kernels; // symbol to Decoded
} Loaded;

// A kernel that was launched.
typedef struct {
  SmbProgram *program;
  gboolean in_order; // a launch of it has shown that its blocks have to run one after the other
} Decoded;

// Memory of the process that lies in the range, though it has other addresses.
typedef struct {
  guint64 address, place, bytes;
} Moved;

// --- what a process has

static void
free_loaded(gpointer data) {
  Loaded *loaded = data;
  g_hash_table_unref(loaded->kernels);
  smb_module_free(loaded->module);
  g_free(loaded);
}

static void
free_launched_kernel(gpointer data) {
  Decoded *decoded = data;
  smb_program_free(decoded->program);
  g_free(decoded);
}

static void
free_arch(gpointer arch) {
  smb_arch_unref(arch);
}

// Maps bytes of a file of a process, by its descriptor there; @at (nullable): to that place. @opened: (out) (optional): the file
static void *
map_file_at(guchar *at, guint64 pid, guint64 fd, guint64 from, guint64 bytes, int *opened,
            GError **error) {
  g_autofree char *path =
      g_strdup_printf("/proc/%" G_GUINT64_FORMAT "/fd/%" G_GUINT64_FORMAT, pid, fd);
  const int flags = MAP_SHARED | MAP_NORESERVE | (at ? MAP_FIXED : 0);
  int file = open(path, O_RDWR | O_CLOEXEC);
  void *memory =
      file < 0 ? MAP_FAILED : mmap(at, bytes, PROT_READ | PROT_WRITE, flags, file, (off_t)from);
  int failure = errno;
  if (opened && memory != MAP_FAILED)
    *opened = file;
  else if (file >= 0)
    close(file);
  if (memory != MAP_FAILED)
    return memory;
  smb_fail(error, G_FILE_ERROR, (gint)g_file_error_from_errno(failure), "%s: %s", path,
           g_strerror(failure));
  return NULL;
}

// The program that a process runs (transfer full).
static char *
find_program_name(guint64 pid) {
  g_autofree char *link = g_strdup_printf("/proc/%" G_GUINT64_FORMAT "/exe", pid);
  g_autofree char *path = g_file_read_link(link, NULL);
  return path ? g_path_get_basename(path) : g_strdup("the program");
}

static void *
map_file(guint64 pid, guint64 fd, guint64 bytes, GError **error) {
  return map_file_at(NULL, pid, fd, 0, bytes, NULL, error);
}

gboolean
smb_engine_share(SmbEngine *engine, guint64 place, guint64 pid, guint64 fd, guint64 from,
                 guint64 bytes) {
  guint64 page = (guint64)sysconf(_SC_PAGESIZE);
  int file;
  if (!smb_range_is_within(place, bytes, engine->bytes) || place % page != 0 || from % page != 0 ||
      !map_file_at((guchar *)engine->memory + place, pid, fd, from, bytes, &file, NULL))
    return FALSE;
  smb_former_add_file(engine->former, place, file, from, bytes);
  close(file);
  return TRUE;
}

SmbEngine *
smb_engine_new(const SmbEngineMemory *described, const SmbArch *arch, GError **error) {
  int file;
  void *memory =
      map_file_at(NULL, described->pid, described->fd, 0, described->bytes, &file, error);
  if (!memory)
    return NULL;
  SmbEngine *engine = g_new0(SmbEngine, 1);
  *engine = (SmbEngine){
      .memory = memory,
      .base = described->base,
      .bytes = described->bytes,
      .arch = arch ? smb_arch_ref((SmbArch *)arch) : NULL,
      .modules = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_loaded),
      .archs = g_hash_table_new_full(NULL, NULL, NULL, free_arch),
      .moved = g_array_new(FALSE, FALSE, sizeof(Moved)),
      .textures = g_array_new(FALSE, FALSE, sizeof(SmbTexture)),
      .references = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
      .former = smb_former_new(memory, described->bytes),
      .name = find_program_name(described->pid)};
  smb_former_add_file(engine->former, 0, file, 0, described->bytes);
  close(file);
  return engine;
}

gboolean
smb_engine_set_written(SmbEngine *engine, guint64 pid, guint64 fd, GError **error) {
  if (!engine->written)
    engine->written = map_file(pid, fd, engine->bytes / 8, error);
  return engine->written != NULL;
}

void
smb_engine_free(SmbEngine *engine) {
  if (!engine)
    return;
  munmap(engine->memory, engine->bytes);
  if (engine->written)
    munmap(engine->written, engine->bytes / 8);
  g_hash_table_unref(engine->modules);
  g_hash_table_unref(engine->archs);
  g_array_unref(engine->moved);
  g_array_unref(engine->textures);
  g_hash_table_unref(engine->references);
  g_clear_pointer(&engine->arch, smb_arch_unref);
  smb_heap_free(engine->heap);
  smb_children_free(engine->children);
  if (engine->arena)
    munmap(engine->arena, ARENA_BYTES);
  smb_former_free(engine->former);
  smb_trail_unref(engine->trail);
  g_free(engine->name);
  g_free(engine);
}

const SmbModule *
smb_engine_load(SmbEngine *engine, guint64 number, GBytes *file, guint chip, GError **error) {
  SmbModule *module = smb_module_new(file, engine->name, chip, error);
  if (!module)
    return NULL;
  Loaded *loaded = g_new0(Loaded, 1);
  *loaded = (Loaded){module,
                     g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_launched_kernel)};
  g_hash_table_insert(engine->modules, g_memdup2(&number, sizeof number), loaded);
  return module;
}

void
smb_engine_unload(SmbEngine *engine, guint64 number) {
  g_hash_table_remove(engine->modules, &number);
}

static Loaded *
find_loaded(const SmbEngine *engine, guint64 number) {
  return g_hash_table_lookup(engine->modules, &number);
}

const SmbModule *
smb_engine_module(const SmbEngine *engine, guint64 number) {
  const Loaded *loaded = find_loaded(engine, number);
  return loaded ? loaded->module : NULL;
}

void
smb_engine_add_moved(SmbEngine *engine, guint64 address, guint64 place, guint64 bytes) {
  const Moved moved = {address, place, bytes};
  g_array_append_val(engine->moved, moved);
}

void
smb_engine_clear_moved(SmbEngine *engine) {
  g_array_set_size(engine->moved, 0);
}

guchar *
smb_engine_memory(const SmbEngine *engine, guint64 address, guint64 bytes) {
  for (guint i = 0; i < engine->moved->len; i++) {
    const Moved *moved = &g_array_index(engine->moved, Moved, i);
    if (address - moved->address < moved->bytes &&
        bytes <= moved->bytes - (address - moved->address))
      address += moved->place - moved->address;
  }
  if (address < engine->base || address - engine->base > engine->bytes ||
      bytes > engine->bytes - (address - engine->base))
    return NULL;
  return engine->memory + (address - engine->base);
}

// --- a launch

static const SmbArch *
find_arch(SmbEngine *engine, guint chip, GError **error) {
  if (engine->arch)
    return engine->arch;
  SmbArch *arch = g_hash_table_lookup(engine->archs, GUINT_TO_POINTER(chip));
  g_autofree char *name = g_strdup_printf("sm_%u", chip);
  if (!arch && (arch = smb_arch_load(name, error)) != NULL)
    g_hash_table_insert(engine->archs, GUINT_TO_POINTER(chip), arch);
  return arch;
}

// Where variables of the module lie, and the handles of its references.
static GHashTable *
list_addresses(const SmbEngine *engine, const SmbCaptureLaunch *launch) {
  GHashTable *addresses = g_hash_table_new(g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer name, number;
  for (guint i = 0; i < launch->variables->len; i++) {
    SmbCaptureVariable *variable = &g_array_index(launch->variables, SmbCaptureVariable, i);
    g_hash_table_insert(addresses, variable->name, &variable->address);
  }
  g_hash_table_iter_init(&iter, engine->references);
  while (g_hash_table_iter_next(&iter, &name, &number))
    g_hash_table_insert(addresses, name, number);
  return addresses;
}

static Decoded *
find_decoded(const SmbEngine *engine, Loaded *loaded, const SmbCaptureLaunch *launch,
             const SmbArch *arch, GError **error) {
  const char *symbol = launch->kernel;
  Decoded *decoded = g_hash_table_lookup(loaded->kernels, symbol);
  if (decoded)
    return decoded;
  g_autoptr(GHashTable) addresses = list_addresses(engine, launch);
  const SmbProgramOptions options = {
      .entry = symbol,
      .addresses = addresses,
      .cuda_arch = smb_program_cuda_arch(arch),
      .lanes = smb_arch_info(arch)->lanes,
      .limits = {.max_steps = G_MAXINT64, .max_memory = SMB_PROGRAM_LARGEST_MEMORY}};
  SmbProgram *program = smb_program_read(loaded->module->code, &options, error);
  if (!program)
    return NULL;
  decoded = g_new0(Decoded, 1);
  decoded->program = program;
  g_hash_table_insert(loaded->kernels, g_strdup(symbol), decoded);
  return decoded;
}

static gint
compare_places(gconstpointer a, gconstpointer b) {
  const SmbMemoryPiece *one = a, *other = b;
  return (one->address > other->address) - (one->address < other->address);
}

// Of memory that the host does not reach it is known what was written there.
static gboolean
add_piece(const SmbEngine *engine, GArray *pieces, guint64 address, guint64 bytes,
          const char *variable, SmbMemoryKind kind) {
  guchar *memory = smb_engine_memory(engine, address, bytes);
  const SmbMemoryPiece piece = {
      .address = address,
      .bytes = bytes,
      .variable = variable,
      .begins = TRUE,
      .contents = {.fill = SMB_FILL_BYTES, .bytes = memory, .length = bytes},
      .home = memory,
      .written = kind == SMB_MEMORY_DEVICE && engine->written && memory
                     ? engine->written + (gsize)(memory - engine->memory) / 8
                     : NULL,
      .kind = kind};
  if (memory)
    g_array_append_val(pieces, piece);
  return memory != NULL;
}

// --- what kernels launch

void
smb_engine_set_ask(SmbEngine *engine, SmbAsk ask, gpointer user) {
  engine->ask = ask;
  engine->ask_user = user;
}

void
smb_engine_note_written(SmbEngine *engine, const guchar *memory, guint64 bytes) {
  guint64 first = (guint64)(memory - engine->memory);
  for (guint64 bit = first; engine->written && bit < first + bytes; bit++)
    engine->written[bit / 8] |= (guchar)(1u << bit % 8);
}

static guint
ask_for_kernel(gpointer user, const SmbQuestion *question, GByteArray *answer) {
  enum {
    NOT_SUPPORTED = 801, // cudaErrorNotSupported
  };
  const SmbEngine *engine = user;
  return engine->ask ? engine->ask(engine->ask_user, question, answer) : NOT_SUPPORTED;
}

// Memory for parameters lies behind that of the process. Its pages are taken when they are used.
static guint64
find_arena_address(const SmbEngine *engine) {
  return engine->base + engine->bytes;
}

static gboolean
need_children(SmbEngine *engine, GError **error) {
  if (engine->children)
    return TRUE;
  const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  // cppcheck-suppress invalidFunctionArg ; memory that is no file's
  void *arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, kind, -1, 0);
  if (arena == MAP_FAILED)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "no memory for the parameters of kernels that kernels launch");
  engine->arena = arena;
  engine->children =
      smb_children_new(find_arena_address(engine), arena, ARENA_BYTES, ask_for_kernel, engine);
  return TRUE;
}

static void
add_arena(const SmbEngine *engine, GArray *pieces) {
  const SmbMemoryPiece piece = {
      .address = find_arena_address(engine),
      .bytes = ARENA_BYTES,
      .begins = TRUE,
      .contents = {.fill = SMB_FILL_BYTES, .bytes = engine->arena, .length = ARENA_BYTES},
      .home = engine->arena};
  g_array_append_val(pieces, piece);
}

// All that is allocated, whose contents are those of the process (transfer full).
static GArray *
make_pieces(const SmbEngine *engine, const SmbCaptureLaunch *launch, gboolean launches,
            GError **error) {
  g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(SmbMemoryPiece));
  gboolean fits = TRUE;
  for (guint i = 0; i < launch->memory->len; i++) {
    const SmbCaptureMemory *memory = &g_array_index(launch->memory, SmbCaptureMemory, i);
    fits = fits && add_piece(engine, pieces, memory->address, memory->bytes, NULL, memory->kind);
  }
  for (guint i = 0; i < launch->variables->len; i++) {
    const SmbCaptureVariable *variable = &g_array_index(launch->variables, SmbCaptureVariable, i);
    fits = fits && add_piece(engine, pieces, variable->address, variable->bytes, variable->name,
                             SMB_MEMORY_MANAGED);
  }
  if (launches)
    add_arena(engine, pieces);
  g_array_sort(pieces, compare_places);
  if (fits)
    return g_steal_pointer(&pieces);
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "memory outside of the range of the process");
  return NULL;
}

// What is to be said of what a launch has written.
typedef struct {
  SmbEngineRun *run;
} Written;

static void
note_written(gpointer user, guint64 address, const guchar *bytes, gsize length, gsize n_unknown) {
  Written *written = user;
  (void)address;
  (void)bytes;
  (void)length;
  written->run->n_unknown += n_unknown;
}

// @lengths: (nullable): SmbAnalysisOptions.lengths
static gboolean
run_launched(SmbEngine *engine, Decoded *decoded, const SmbLaunch *launch,
             const SmbEngineOptions *options, gboolean is_cooperative, GArray *lengths,
             SmbEngineRun *run, GError **error) {
  g_autoptr(SmbGlobal) global = smb_global_new(decoded->program, launch);
  const SmbAnalysisOptions how = {
      .limits = {.max_steps = G_MAXINT64, .max_memory = SMB_PROGRAM_LARGEST_MEMORY},
      .threads = options->threads,
      .in_order = is_cooperative || decoded->in_order,
      .only_runs = !options->counts,
      .lengths = lengths,
      .write_hint = smb_cli_write_hint,
      .progress = options->progress,
      .is_cancelled = options->is_cancelled,
      .cancel_user = options->user};
  gboolean in_order = FALSE;
  smb_former_begin(engine->former);
  if (options->predictions)
    smb_global_watch_homes(global, smb_former_keep, engine->former);
  gboolean ran = smb_execute_launch(decoded->program, run->arch, launch, &how, global, &in_order,
                                    &run->analysis, error);
  decoded->in_order =
      decoded->in_order || (in_order && !is_cooperative && smb_launch_n_blocks(launch) > 1);
  Written written = {run};
  smb_global_each_written(global, note_written, &written);
  run->is_blurred = smb_global_is_blurred(global);
  return ran;
}

gboolean
smb_engine_add_texture(SmbEngine *engine, const guchar *bytes, gsize length) {
  SmbTexture texture;
  if (length != sizeof texture)
    return FALSE;
  memcpy(&texture, bytes, sizeof texture);
  if (texture.n_levels < 1 || texture.n_levels > SMB_TEXTURE_LEVELS || texture.n_components > 4 ||
      texture.bits > 32)
    return FALSE;
  for (guint i = 0; i < texture.n_levels; i++)
    if (!texture.levels[i].width || !texture.levels[i].height || !texture.levels[i].depth)
      return texture.shape == SMB_SHAPE_BUFFER && g_array_append_val(engine->textures, texture);
  g_array_append_val(engine->textures, texture);
  return TRUE;
}

void
smb_engine_add_reference(SmbEngine *engine, const char *name, guint64 number) {
  g_hash_table_insert(engine->references, g_strdup(name), g_memdup2(&number, sizeof number));
}

void
smb_engine_clear_textures(SmbEngine *engine) {
  g_array_unref(engine->textures); // a launch that waits may have them
  engine->textures = g_array_new(FALSE, FALSE, sizeof(SmbTexture));
  g_hash_table_remove_all(engine->references);
}

void
smb_engine_set_graph(SmbEngine *engine, guint64 graph) {
  engine->graph = graph;
}

void
smb_engine_forget_trail(SmbEngine *engine) {
  g_clear_pointer(&engine->trail, smb_trail_unref);
}

void
smb_engine_set_heap(SmbEngine *engine, guint64 address, guint64 bytes) {
  if (!engine->heap && bytes > 0)
    engine->heap = smb_heap_new(address, bytes);
}

SmbHeap *
smb_engine_heap(const SmbEngine *engine) {
  return engine->heap;
}

void
smb_engine_run_clear(SmbEngineRun *run) {
  g_clear_pointer(&run->analysis, smb_analysis_free);
  g_clear_pointer(&run->runtime, smb_runtime_free);
  g_clear_pointer(&run->defects, smb_defects_free);
  g_clear_pointer(&run->work, g_array_unref);
}

// Predicts a launch that has run, unless one is known that has done the same.
static void
predict_launched(SmbEngine *engine, const SmbEngineOptions *options, SmbEngineRun *run,
                 const SmbLaunch *launch, const GArray *lengths) {
  SmbLaunch shown = *launch;
  shown.runtime = NULL;
  shown.defects = NULL;
  shown.trail = NULL;
  shown.lengths = lengths;
  shown.has_printed = smb_runtime_output(run->runtime)->len > 0;
  SmbLaunchWork work = smb_launch_work_of(run->analysis, lengths);
  if (!shown.has_printed)
    run->prediction = smb_predictions_find(options->predictions, run->program, &shown, &work);
  if (run->prediction)
    return;
  g_autoptr(GArray) pieces =
      smb_former_pieces(engine->former, launch->memory, engine->arena, FALSE);
  g_autoptr(GArray) left = smb_former_pieces(engine->former, launch->memory, engine->arena, TRUE);
  shown.memory = pieces;
  shown.left = left;
  run->prediction = smb_predictions_make(options->predictions, run->program, run->arch, &shown,
                                         &work, options->is_cancelled, options->user);
}

static GArray *
new_lengths(const SmbLaunch *launch) { // room for the instructions of each block
  GArray *lengths = g_array_new(FALSE, TRUE, sizeof(guint32));
  return g_array_set_size(lengths, (guint)MIN(smb_launch_n_blocks(launch), G_MAXUINT));
}

// The kernel of a launch; NULL, with an error: it is not there, or cannot be read. @arch: (out): on which it runs
static Decoded *
decode_launched(SmbEngine *engine, guint64 number, const SmbCaptureLaunch *captured,
                const SmbArch **arch, GError **error) {
  Loaded *loaded = find_loaded(engine, number);
  *arch = NULL;
  if (!loaded || !smb_module_kernel(loaded->module, captured->kernel)) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "no kernel '%s' is loaded", captured->kernel);
    return NULL;
  }
  *arch = find_arch(engine, loaded->module->chip, error);
  return *arch ? find_decoded(engine, loaded, captured, *arch, error) : NULL;
}

gboolean
smb_engine_may_wait(SmbEngine *engine, guint64 number, const SmbCaptureLaunch *launch) {
  const SmbArch *arch;
  const Decoded *decoded = decode_launched(engine, number, launch, &arch, NULL);
  return decoded && smb_program_polls(decoded->program) && !smb_program_asks(decoded->program);
}

gboolean
smb_engine_run(SmbEngine *engine, guint64 number, const SmbCaptureLaunch *captured,
               const SmbEngineOptions *options, SmbEngineRun *run, GError **error) {
  *run = (SmbEngineRun){.program = NULL};
  Decoded *decoded = decode_launched(engine, number, captured, &run->arch, error);
  gboolean launches = decoded && smb_program_asks(decoded->program);
  if (launches && !need_children(engine, error))
    return FALSE;
  g_autoptr(GArray) pieces = decoded ? make_pieces(engine, captured, launches, error) : NULL;
  if (!pieces)
    return FALSE;
  run->program = decoded->program;
  g_autoptr(GBytes) none = g_bytes_new_static("", 0);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new();
  g_autoptr(SmbTrail) ahead = smb_trail_ref(options->overlaps ? engine->trail : NULL);
  SmbLaunch launch = {.dynamic_bytes = captured->dynamic_bytes,
                      .parameters = captured->parameters ? captured->parameters : none,
                      .buffers = buffers,
                      .skips_unknown = options->skips_unknown,
                      .memory = pieces,
                      .runtime = run->runtime = smb_runtime_new(engine->heap),
                      .defects = run->defects = options->checks ? smb_defects_new() : NULL,
                      .trail = options->checks ? smb_trail_new(captured->kernel) : NULL,
                      .ahead = ahead};
  for (guint i = 0; i < 3; i++) {
    launch.block[i] = captured->block[i];
    launch.grid[i] = captured->grid[i];
    launch.cluster[i] = captured->cluster[i];
  }
  g_autoptr(GArray) lengths = options->predictions ? new_lengths(&launch) : NULL;
  g_autoptr(GArray) textures = g_array_ref(engine->textures);
  launch.textures = textures;
  smb_runtime_set_outsider(run->runtime, options->outsider, options->outsider_user);
  smb_runtime_set_graph(run->runtime, engine->graph);
  smb_runtime_reach(run->runtime, engine->ticks, FALSE);
  if (launches) {
    smb_runtime_set_children(run->runtime, engine->children);
    smb_children_begin(engine->children);
  }
  gboolean ran = run_launched(engine, decoded, &launch, options, captured->is_cooperative, lengths,
                              run, error);
  smb_engine_forget_trail(engine);
  engine->trail = launch.trail;
  engine->ticks = MAX(engine->ticks, smb_runtime_time(run->runtime));
  if (launches)
    run->work = smb_children_take_work(engine->children);
  if (ran && options->predictions && run->analysis)
    predict_launched(engine, options, run, &launch, lengths);
  return ran;
}
