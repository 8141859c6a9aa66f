// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/capture/process.h"

#include <unistd.h>

#include "gpu/inject/payload.h"
#include "gpu/inject/protocol.h"
#include "sim/capture/image.h"
#include "src/capture/frames.h"

// A launch that is being said, or that runs.
// A module that the process has loaded.
typedef struct {
  guint64 number;
  SmbCaptureImage *image;
} Module;

typedef struct {
  SmbCaptureLaunch *launch;
  GBytes *image;                   // (nullable): of its kernel
  guint64 registers, shared_bytes; // of its kernel, as the driver has it
} Open;

// The contents of a piece that was sent last of its address.
typedef struct {
  guint64 length;
  char *hash; // (nullable)
} Contents;

static void
free_contents(gpointer data) {
  g_free(((Contents *)data)->hash);
  g_free(data);
}

struct _SmbProcess {
  int fd;
  SmbRecorder *recorder;
  GByteArray *in; // read, and not yet understood
  guint64 pid;
  guint64 driver;
  GArray *modules;      // Module, in the order in which they were loaded
  GHashTable *counts;   // symbol to guint64
  GHashTable *contents; // address to Contents
  Open said;            // the one that is being said
  GQueue running;       // Open
};

static void
clear_module(gpointer data) {
  smb_capture_image_free(((Module *)data)->image);
}

SmbProcess *
smb_process_new(int fd, SmbRecorder *recorder) {
  SmbProcess *process = g_new0(SmbProcess, 1);
  process->fd = fd;
  process->recorder = recorder;
  process->in = g_byte_array_new();
  process->modules = g_array_new(FALSE, FALSE, sizeof(Module));
  g_array_set_clear_func(process->modules, clear_module);
  process->counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  process->contents = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_contents);
  g_queue_init(&process->running);
  return process;
}

int
smb_process_fd(const SmbProcess *process) {
  return process->fd;
}

// --- images

// The image of a kernel: that of its module; where the driver does not say which that is, the one that was loaded last of those
// of which the driver says the same. *@several: there are others.
static const SmbCaptureImage *
choose_image(const SmbProcess *process, const char *symbol, guint64 module, guint64 registers,
             gboolean *several) {
  const SmbCaptureImage *chosen = NULL;
  gboolean fits = FALSE;
  *several = FALSE;
  for (guint i = process->modules->len; i-- > 0;) {
    const Module *loaded = &g_array_index(process->modules, Module, i);
    const SmbCaptureImageKernel *kernel = smb_capture_image_kernel(loaded->image, symbol);
    gboolean is_same = kernel && (registers == 0 || kernel->registers == registers);
    if (module > 0 && loaded->number == module)
      return loaded->image;
    if (module > 0 || !kernel || (chosen && fits && !is_same))
      continue;
    *several = chosen && fits == is_same;
    if (!chosen || (is_same && !fits)) {
      chosen = loaded->image;
      fits = is_same;
    }
  }
  return chosen;
}

static gboolean
take_sent_image(SmbProcess *process, SmbPayload *payload) {
  guint64 number = smb_payload_number(payload);
  g_autoptr(GBytes) bytes = smb_frames_bytes(payload);
  for (guint i = 0; i < process->modules->len; i++) {
    const Module *other = &g_array_index(process->modules, Module, i);
    if (!g_bytes_equal(other->image->bytes, bytes))
      continue;
    g_bytes_unref(bytes);
    bytes = g_bytes_ref(other->image->bytes);
    break;
  }
  const Module module = {number, smb_capture_image_new(bytes)};
  g_array_append_val(process->modules, module);
  return TRUE;
}

static gboolean
take_unload(SmbProcess *process, SmbPayload *payload) {
  guint64 number = smb_payload_number(payload);
  for (guint i = process->modules->len; i-- > 0;) {
    if (g_array_index(process->modules, Module, i).number == number)
      g_array_remove_index(process->modules, i);
  }
  return TRUE;
}

// --- kernels

static gboolean
take_kernel(SmbProcess *process, SmbPayload *payload) {
  g_autofree char *symbol = smb_frames_text(payload);
  guint64 module = smb_payload_number(payload);
  SmbPayload answer = {.bytes = NULL};
  gboolean several;
  const SmbCaptureImage *image = choose_image(process, symbol, module, 0, &several);
  const SmbCaptureImageKernel *kernel = image ? smb_capture_image_kernel(image, symbol) : NULL;
  guint n_parameters = kernel ? kernel->parameters->len : 0;
  guint n_variables = image ? image->variables->len : 0;
  smb_payload_add_number(&answer, smb_recorder_wants(process->recorder, symbol));
  smb_payload_add_number(&answer, kernel != NULL);
  smb_payload_add_number(&answer, n_parameters);
  for (guint i = 0; i < n_parameters; i++) {
    const SmbCaptureParameter *parameter =
        &g_array_index(kernel->parameters, SmbCaptureParameter, i);
    smb_payload_add_number(&answer, parameter->offset);
    smb_payload_add_number(&answer, parameter->bytes);
  }
  smb_payload_add_number(&answer, n_variables);
  for (guint i = 0; i < n_variables; i++) {
    const SmbCaptureImageVariable *variable =
        &g_array_index(image->variables, SmbCaptureImageVariable, i);
    smb_payload_add_text(&answer, variable->name);
    smb_payload_add_number(&answer, variable->is_constant);
  }
  gboolean is_sent = smb_frames_send(process->fd, INJECT_ANSWER, &answer);
  smb_payload_clear(&answer);
  return is_sent;
}

static gboolean
take_count(SmbProcess *process, SmbPayload *payload) {
  char *symbol = smb_frames_text(payload);
  const guint64 *before = g_hash_table_lookup(process->counts, symbol);
  guint64 *count = g_new(guint64, 1);
  *count = (before ? *before : 0) + smb_payload_number(payload);
  g_hash_table_insert(process->counts, symbol, count);
  return TRUE;
}

static gboolean
take_lost(SmbProcess *process, SmbPayload *payload) {
  g_autofree char *symbol = smb_frames_text(payload), *why = smb_frames_text(payload);
  smb_recorder_lose(process->recorder, symbol, why);
  return TRUE;
}

// --- launches

static void
add_note(SmbCaptureLaunch *launch, const char *text) {
  guint n = launch->notes ? g_strv_length(launch->notes) : 0;
  launch->notes = g_renew(char *, launch->notes, n + 2);
  launch->notes[n] = g_strdup(text);
  launch->notes[n + 1] = NULL;
}

// The image of a launch, which may be unloaded before the launch is over.
static void
choose_for(const SmbProcess *process, Open *open, guint64 module) {
  gboolean several;
  const SmbCaptureImage *image =
      choose_image(process, open->launch->kernel, module, open->registers, &several);
  open->image = image ? g_bytes_ref(image->bytes) : NULL;
  if (several)
    add_note(open->launch, "several images of the process have a kernel of this name: the recorded "
                           "image may be the wrong one");
}

static gboolean
take_sent_launch(SmbProcess *process, SmbPayload *payload) {
  if (process->said.launch)
    return FALSE;
  SmbCaptureLaunch *launch = smb_capture_launch_new();
  process->said.launch = launch;
  launch->kernel = smb_frames_text(payload);
  guint64 module = smb_payload_number(payload);
  launch->launch = smb_payload_number(payload);
  smb_frames_configuration(payload, launch);
  launch->graph_launch = smb_payload_number(payload);
  launch->graph_node = smb_payload_number(payload);
  launch->is_in_graph = launch->graph_launch > 0;
  launch->device = smb_payload_number(payload);
  launch->device_name = smb_frames_text(payload);
  guint64 major = smb_payload_number(payload), minor = smb_payload_number(payload);
  launch->arch = g_strdup_printf("sm_%u", (guint)(10 * major + minor));
  process->said.registers = smb_payload_number(payload);
  process->said.shared_bytes = smb_payload_number(payload);
  choose_for(process, &process->said, module);
  GBytes *parameters = smb_frames_bytes(payload);
  if (g_bytes_get_size(parameters) > 0)
    launch->parameters = g_bytes_ref(parameters);
  g_bytes_unref(parameters);
  launch->process = process->pid;
  launch->driver = g_strdup_printf("%" G_GUINT64_FORMAT, process->driver);
  launch->time = smb_recorder_time(process->recorder);
  return TRUE;
}

static gboolean
take_variable(SmbProcess *process, SmbPayload *payload) {
  g_autofree char *name = smb_frames_text(payload);
  guint64 address = smb_payload_number(payload), bytes = smb_payload_number(payload);
  gsize length;
  const guchar *contents = smb_payload_bytes(payload, &length);
  if (!process->said.launch || (length != 0 && length != bytes))
    return FALSE;
  SmbCaptureVariable *variable =
      smb_capture_launch_add_variable(process->said.launch, name, address, bytes);
  if (length == 0)
    return TRUE;
  variable->hashes = smb_capture_variable_new_hashes();
  for (gsize at = 0; at < length; at += SMB_CAPTURE_PIECE_BYTES)
    g_ptr_array_add(variable->hashes,
                    smb_recorder_memory(process->recorder, contents + at,
                                        MIN(length - at, SMB_CAPTURE_PIECE_BYTES)));
  return TRUE;
}

// Whether a variable lies there: its contents are known as its own.
static gboolean
is_device_variable(const SmbCaptureLaunch *launch, guint64 address) {
  for (guint i = 0; i < launch->variables->len; i++)
    if (g_array_index(launch->variables, SmbCaptureVariable, i).address == address)
      return TRUE;
  return FALSE;
}

// What a MEMORY or SAME frame says first; NULL: nonsense. Pieces of one allocation come one after another.
typedef struct {
  guint64 address, bytes, kind, offset;
} SentPiece;

static SentPiece
read_sent_piece(SmbPayload *payload) {
  SentPiece piece = {.address = smb_payload_number(payload), .bytes = smb_payload_number(payload)};
  piece.kind = smb_payload_number(payload);
  piece.offset = smb_payload_number(payload);
  return piece;
}

// @length: 0 of one without contents; @hash: (nullable): of them
static void
add_sent_piece(SmbCaptureLaunch *launch, const SentPiece *piece, gsize length, const char *hash) {
  static const SmbMemoryKind kinds[] = {[INJECT_DEVICE] = SMB_MEMORY_DEVICE,
                                        [INJECT_MANAGED] = SMB_MEMORY_MANAGED,
                                        [INJECT_HOST] = SMB_MEMORY_HOST};
  if (is_device_variable(launch, piece->address))
    return;
  SmbCaptureMemory *memory =
      launch->memory->len > 0
          ? &g_array_index(launch->memory, SmbCaptureMemory, launch->memory->len - 1)
          : NULL;
  if (!memory || memory->address != piece->address)
    memory =
        smb_capture_launch_add_memory(launch, kinds[piece->kind], piece->address, piece->bytes);
  if (length > 0)
    smb_capture_memory_add(memory, piece->offset, length, hash);
}

static gboolean
take_sent_memory(SmbProcess *process, SmbPayload *payload) {
  const SentPiece piece = read_sent_piece(payload);
  gsize length;
  const guchar *bytes = smb_payload_bytes(payload, &length);
  if (!process->said.launch || piece.kind > INJECT_HOST || length > SMB_CAPTURE_PIECE_BYTES)
    return FALSE;
  if (length == 0) {
    add_sent_piece(process->said.launch, &piece, 0, NULL);
    return TRUE;
  }
  guint64 at = piece.address + piece.offset;
  Contents *contents = g_new0(Contents, 1);
  contents->length = length;
  contents->hash = smb_recorder_memory(process->recorder, bytes, length);
  g_hash_table_replace(process->contents, g_memdup2(&at, sizeof at), contents);
  add_sent_piece(process->said.launch, &piece, length, contents->hash);
  return TRUE;
}

static gboolean
take_same_memory(SmbProcess *process, SmbPayload *payload) {
  const SentPiece piece = read_sent_piece(payload);
  guint64 length = smb_payload_number(payload), at = piece.address + piece.offset;
  const Contents *contents = g_hash_table_lookup(process->contents, &at);
  if (!process->said.launch || piece.kind > INJECT_HOST || !contents || contents->length != length)
    return FALSE;
  add_sent_piece(process->said.launch, &piece, length, contents->hash);
  return TRUE;
}

static gboolean
take_note(SmbProcess *process, SmbPayload *payload) {
  g_autofree char *text = smb_frames_text(payload);
  if (process->said.launch)
    add_note(process->said.launch, text);
  return process->said.launch != NULL;
}

static gboolean
take_ready(SmbProcess *process, SmbPayload *payload) {
  (void)payload;
  if (!process->said.launch)
    return FALSE;
  g_queue_push_tail(&process->running, g_memdup2(&process->said, sizeof process->said));
  process->said = (Open){0};
  return TRUE;
}

static void
finish_launch(SmbProcess *process, Open *open, double nanoseconds) {
  SmbCaptureLaunch *launch = open->launch;
  launch->nanoseconds = nanoseconds;
  if (open->image)
    smb_recorder_launch(process->recorder, launch, open->image);
  else
    smb_recorder_lose(process->recorder, launch->kernel,
                      "the driver did not say which image it is in");
  smb_capture_launch_free(launch);
  g_clear_pointer(&open->image, g_bytes_unref);
  g_free(open);
}

static gboolean
take_end(SmbProcess *process, SmbPayload *payload) {
  gboolean is_timed = smb_payload_number(payload) != 0;
  double nanoseconds = (double)smb_payload_number(payload);
  Open *open = g_queue_pop_head(&process->running);
  if (!open)
    return FALSE;
  finish_launch(process, open, is_timed ? nanoseconds : -1);
  return TRUE;
}

// --- frames

static gboolean
take_hello(SmbProcess *process, SmbPayload *payload) {
  gboolean is_ours = smb_payload_number(payload) == INJECT_PROTOCOL;
  process->pid = smb_payload_number(payload);
  process->driver = smb_payload_number(payload);
  return is_ours;
}

static gboolean
take_process_frame(gpointer process, guint64 kind, SmbPayload *payload) {
  static gboolean (*const takers[])(SmbProcess * process,
                                    SmbPayload * payload) = {[INJECT_HELLO] = take_hello,
                                                             [INJECT_IMAGE] = take_sent_image,
                                                             [INJECT_UNLOAD] = take_unload,
                                                             [INJECT_KERNEL] = take_kernel,
                                                             [INJECT_LAUNCH] = take_sent_launch,
                                                             [INJECT_VARIABLE] = take_variable,
                                                             [INJECT_MEMORY] = take_sent_memory,
                                                             [INJECT_SAME] = take_same_memory,
                                                             [INJECT_NOTE] = take_note,
                                                             [INJECT_READY] = take_ready,
                                                             [INJECT_END] = take_end,
                                                             [INJECT_LOST] = take_lost,
                                                             [INJECT_COUNT] = take_count};
  return kind < G_N_ELEMENTS(takers) && takers[kind] && takers[kind](process, payload) &&
         !payload->failed;
}

gboolean
smb_process_read(SmbProcess *process) {
  return smb_frames_read(process->fd, process->in, take_process_frame, process) &&
         !smb_recorder_is_full(process->recorder);
}

void
smb_process_free(SmbProcess *process) {
  Open *open;
  GHashTableIter iter;
  gpointer symbol, count;
  while ((open = g_queue_pop_head(&process->running)) != NULL) {
    add_note(open->launch, "the process ended before the kernel did");
    finish_launch(process, open, -1);
  }
  g_clear_pointer(&process->said.launch, smb_capture_launch_free);
  g_clear_pointer(&process->said.image, g_bytes_unref);
  g_hash_table_iter_init(&iter, process->counts);
  while (g_hash_table_iter_next(&iter, &symbol, &count))
    smb_recorder_count(process->recorder, symbol, *(guint64 *)count);
  close(process->fd);
  g_byte_array_unref(process->in);
  g_array_unref(process->modules);
  g_hash_table_unref(process->counts);
  g_hash_table_unref(process->contents);
  g_free(process);
}
