// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "src/run/family.h"

#include <poll.h>
#include <string.h>

#include "gpu/driver/protocol.h"
#include "sim/base/range.h"
#include "src/capture/frames.h"

enum {
  ERROR_UNKNOWN = 999, // cudaErrorUnknown: the process does not answer
};

// --- questions of a kernel to its process

typedef struct {
  guint error;
  GByteArray *bytes;
  gboolean is_there;
} FamilyAnswer;

static gboolean
take_answer(gpointer user, guint64 kind, SmbPayload *payload) {
  FamilyAnswer *answer = user;
  gsize length;
  answer->error = (guint)smb_payload_number(payload);
  const guchar *bytes = smb_payload_bytes(payload, &length);
  g_byte_array_append(answer->bytes, bytes, (guint)length);
  answer->is_there = TRUE;
  return kind == RUN_QUESTION && !payload->failed;
}

// Waits for it. The process sends nothing else meanwhile.
static guint
receive_answer(int fd, GByteArray *bytes) {
  g_autoptr(GByteArray) in = g_byte_array_new();
  FamilyAnswer answer = {.bytes = bytes};
  struct pollfd ready = {fd, POLLIN, 0};
  while (!answer.is_there) {
    if (poll(&ready, 1, -1) > 0 && !smb_frames_read(fd, in, take_answer, &answer))
      break;
  }
  return answer.is_there ? answer.error : ERROR_UNKNOWN;
}

static guint
ask_process(gpointer user, const SmbQuestion *question, GByteArray *answer) {
  const SmbFamily *family = user;
  const SmbModule *module = smb_engine_module(family->engine, family->module);
  const SmbModuleKernel *kernel =
      question->kernel && module ? smb_module_kernel_at(module, *question->kernel) : NULL;
  SmbPayload payload = {.bytes = NULL};
  smb_payload_add_text(&payload, question->function);
  smb_payload_add_number(&payload, family->module);
  smb_payload_add_text(&payload, kernel ? kernel->symbol : "");
  smb_payload_add_number(&payload, question->n);
  for (guint i = 0; i < question->n; i++)
    smb_payload_add_number(&payload, question->numbers[i]);
  gboolean is_sent = smb_frames_send(family->fd, RUN_QUESTION, &payload);
  smb_payload_clear(&payload);
  return is_sent ? receive_answer(family->fd, answer) : ERROR_UNKNOWN;
}

// --- copies and fills

// Whether all bytes lie in one allocation, or in a variable.
static gboolean
is_allocated(const SmbCaptureLaunch *launch, guint64 address, guint64 bytes) {
  for (guint i = 0; i < launch->memory->len; i++) {
    const SmbCaptureMemory *memory = &g_array_index(launch->memory, SmbCaptureMemory, i);
    if (smb_range_is_within(address - memory->address, bytes, memory->bytes))
      return TRUE;
  }
  for (guint i = 0; i < launch->variables->len; i++) {
    const SmbCaptureVariable *variable = &g_array_index(launch->variables, SmbCaptureVariable, i);
    if (smb_range_is_within(address - variable->address, bytes, variable->bytes))
      return TRUE;
  }
  return FALSE;
}

// A row of one end; NULL, with what is wrong in words: no memory is there.
static guchar *
find_work_row(const SmbFamily *family, const SmbCaptureLaunch *launch, const SmbWork *work,
              const SmbWorkPlace *place, guint64 row) {
  guint64 slice = row / work->extent[1];
  guint64 address =
      place->address +
      place->pitch * (slice * (work->extent[2] > 1 ? place->height : 0) + row % work->extent[1]);
  guchar *memory = is_allocated(launch, address, work->extent[0])
                       ? smb_engine_memory(family->engine, address, work->extent[0])
                       : NULL;
  if (memory)
    return memory;
  g_autofree char *why =
      g_strdup_printf("a %s that a kernel asked for %s %" G_GUINT64_FORMAT
                      " bytes at 0x%" G_GINT64_MODIFIER "x, which are not all allocated",
                      work->kind == SMB_WORK_COPY ? "copy" : "memset",
                      place == &work->to ? "writes" : "reads", work->extent[0], address);
  family->fail(family->user, why);
  return NULL;
}

static gboolean
do_work(const SmbFamily *family, const SmbCaptureLaunch *launch, const SmbWork *work) {
  for (guint64 row = 0; row < work->extent[1] * work->extent[2]; row++) {
    guchar *to = find_work_row(family, launch, work, &work->to, row);
    const guchar *from = to && work->kind == SMB_WORK_COPY
                             ? find_work_row(family, launch, work, &work->from, row)
                             : to;
    if (!from)
      return FALSE;
    if (work->kind == SMB_WORK_COPY)
      memmove(to, from, work->extent[0]);
    else
      memset(to, work->value, work->extent[0]);
    smb_engine_note_written(family->engine, to, work->extent[0]);
  }
  return TRUE;
}

// --- launches

// As the first launch, of another kernel (transfer full); NULL: it is no kernel of the module.
static SmbCaptureLaunch *
make_child_launch(const SmbFamily *family, const SmbCaptureLaunch *first, const SmbWork *work) {
  const SmbModule *module = smb_engine_module(family->engine, family->module);
  const SmbModuleKernel *kernel = smb_module_kernel_at(module, work->kernel);
  if (!kernel)
    return NULL;
  SmbCaptureLaunch *launch = smb_capture_launch_new();
  launch->kernel = g_strdup(kernel->symbol);
  for (guint i = 0; i < 3; i++) {
    launch->grid[i] = work->grid[i];
    launch->block[i] = work->block[i];
  }
  launch->dynamic_bytes = work->dynamic_bytes;
  launch->parameters = g_bytes_get_size(work->parameters) ? g_bytes_ref(work->parameters) : NULL;
  for (guint i = 0; i < first->variables->len; i++) {
    const SmbCaptureVariable *variable = &g_array_index(first->variables, SmbCaptureVariable, i);
    smb_capture_launch_add_variable(launch, variable->name, variable->address, variable->bytes);
  }
  for (guint i = 0; i < first->memory->len; i++) {
    const SmbCaptureMemory *memory = &g_array_index(first->memory, SmbCaptureMemory, i);
    smb_capture_launch_add_memory(launch, memory->kind, memory->address, memory->bytes);
  }
  launch->stream = g_strdup(first->stream);
  launch->process = first->process;
  launch->driver = g_strdup(first->driver);
  launch->device_name = g_strdup(first->device_name);
  return launch;
}

// What a grid has asked for, and how far that is done.
typedef struct {
  GArray *work; // SmbWork
  guint next;
  gboolean is_tail; // all else is done
} Asked;

static void
clear_asked(gpointer asked) {
  g_array_unref(((Asked *)asked)->work);
}

// The next one; NULL: all is done.
static const SmbWork *
next_work(Asked *asked) {
  for (;; asked->is_tail = TRUE, asked->next = 0) {
    while (asked->next < asked->work->len) {
      const SmbWork *work = &g_array_index(asked->work, SmbWork, asked->next++);
      if (work->is_tail == asked->is_tail)
        return work;
    }
    if (asked->is_tail)
      return NULL;
  }
}

static gboolean
run_member(const SmbFamily *family, SmbCaptureLaunch *launch, GArray *open) {
  Asked asked = {.work = NULL};
  gboolean goes_on = family->run(family->user, launch, &asked.work);
  if (asked.work)
    g_array_append_val(open, asked);
  return goes_on;
}

static gboolean
run_work(const SmbFamily *family, const SmbCaptureLaunch *first, const SmbWork *work,
         GArray *open) {
  if (work->kind != SMB_WORK_LAUNCH)
    return do_work(family, first, work);
  g_autoptr(SmbCaptureLaunch) child = make_child_launch(family, first, work);
  return child && run_member(family, child, open);
}

void
smb_family_run(SmbFamily *family, SmbCaptureLaunch *first) {
  g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(Asked)); // the innermost last
  g_array_set_clear_func(open, clear_asked);
  smb_engine_set_ask(family->engine, ask_process, family);
  gboolean goes_on = run_member(family, first, open);
  while (goes_on && open->len > 0) {
    const SmbWork *work = next_work(&g_array_index(open, Asked, open->len - 1));
    if (work)
      goes_on = run_work(family, first, work, open);
    else
      g_array_set_size(open, open->len - 1);
  }
  smb_engine_set_ask(family->engine, NULL, NULL);
}
