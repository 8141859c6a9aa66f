// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Records one launch or graph launch: memory before it runs, its time afterwards.
#define _GNU_SOURCE
#include "gpu/inject/record.h"

#include "gpu/inject/digest.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  REST_SECONDS = 10,        // how long a device may take to come to rest
  ACTIVITY_BYTES = 1 << 20, // of a buffer of activities
  MAX_TIMED = 4096,         // launches of one graph whose times are found
};

typedef struct {
  char *name;
  uint64_t start, end; // nanoseconds
} Timed;

static const InjectDriver *driver;
static const InjectCupti *cupti;
static RecordOptions options;
static pthread_mutex_t recording = PTHREAD_MUTEX_INITIALIZER;
static __thread bool is_open;
static unsigned long n_matching;

// Of the launches between record_begin() and record_end().
static const Kernel *launched[MAX_TIMED];
static size_t n_launched;
static Timed timed[MAX_TIMED];
static size_t n_timed;
static int capture_mode;

// --- coming to rest, with a limit: the driver has no wait that ends

static pthread_mutex_t rest_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t rest_changed = PTHREAD_COND_INITIALIZER;
static void *rest_context;
static enum {
  REST_IDLE,
  REST_ASKED,
  REST_DONE
} rest_state;
static bool rest_failed;

static void *
wait_for_device(void *unused) {
  (void)unused;
  pthread_mutex_lock(&rest_lock);
  for (;;) {
    while (rest_state != REST_ASKED)
      pthread_cond_wait(&rest_changed, &rest_lock);
    void *context = rest_context;
    pthread_mutex_unlock(&rest_lock);
    int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    driver->exchange_capture_mode(&mode);
    int result = driver->set_context(context);
    result = result ? result : driver->synchronize();
    pthread_mutex_lock(&rest_lock);
    rest_failed = result != CU_SUCCESS;
    rest_state = REST_DONE;
    pthread_cond_broadcast(&rest_changed);
  }
  return NULL;
}

// A thread that waits for longer than that is left to it, and nothing more is recorded meanwhile. Returns NULL, or why
// the device is not at rest.
static const char *
come_to_rest(void) {
  static bool is_started;
  struct timespec end;
  pthread_t thread;
  const char *why = "the device did not become idle before it: something on it does not end";
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += REST_SECONDS;
  pthread_mutex_lock(&rest_lock);
  if (!is_started && pthread_create(&thread, NULL, wait_for_device, NULL) == 0) {
    pthread_detach(thread);
    is_started = true;
  }
  if (is_started && rest_state != REST_ASKED && driver->get_context(&rest_context) == CU_SUCCESS) {
    rest_state = REST_ASKED;
    pthread_cond_broadcast(&rest_changed);
    int result = 0;
    while (rest_state == REST_ASKED && result != ETIMEDOUT)
      result = pthread_cond_timedwait(&rest_changed, &rest_lock, &end);
    if (rest_state == REST_DONE) {
      why = rest_failed ? "the device reports an earlier failure" : NULL;
      rest_state = REST_IDLE;
    }
  }
  pthread_mutex_unlock(&rest_lock);
  return why;
}

// --- times

static void
request_buffer(uint8_t **buffer, size_t *size, size_t *max_records) {
  *buffer = aligned_alloc(8, ACTIVITY_BYTES);
  *size = *buffer ? ACTIVITY_BYTES : 0;
  *max_records = 0;
}

static void
complete_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
  (void)context, (void)stream, (void)size;
  void *record = NULL;
  while (buffer && valid > 0 && cupti->activity_next(buffer, valid, &record) == CU_SUCCESS) {
    const CuptiActivityKernel *kernel = record;
    if (kernel->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && n_timed < MAX_TIMED &&
        kernel->name && !digest_is_kernel(kernel->name))
      timed[n_timed++] = (Timed){strdup(kernel->name), kernel->start, kernel->end};
  }
  free(buffer);
}

static void
forget_times(void) {
  for (size_t i = 0; i < n_timed; i++)
    free(timed[i].name);
  n_timed = 0;
}

static int
compare_piece_starts(const void *a, const void *b) {
  const Timed *one = a, *other = b;
  return (one->start > other->start) - (one->start < other->start);
}

// The next run of a kernel of that name that was not taken yet; NULL: there is none.
static Timed *
take_time(const char *symbol) {
  for (size_t i = 0; i < n_timed; i++)
    if (timed[i].name && strcmp(timed[i].name, symbol) == 0)
      return &timed[i];
  return NULL;
}

static void
send_times(void) {
  SmbPayload payload = {0};
  qsort(timed, n_timed, sizeof *timed, compare_piece_starts);
  for (size_t i = 0; i < n_launched; i++) {
    Timed *found = take_time(launched[i]->symbol);
    bool is_timed = found && found->end > found->start;
    smb_payload_add_number(&payload, is_timed);
    smb_payload_add_number(&payload, is_timed ? found->end - found->start : 0);
    channel_send(INJECT_END, &payload);
    if (found) {
      free(found->name);
      found->name = NULL;
    }
  }
  smb_payload_clear(&payload);
}

// --- a launch

void
record_start(const InjectDriver *the_driver, const InjectCupti *the_cupti,
             const RecordOptions *the_options) {
  driver = the_driver;
  cupti = the_cupti;
  options = *the_options;
}

bool
record_chooses(unsigned long *number) {
  *number = __atomic_add_fetch(&n_matching, 1, __ATOMIC_RELAXED);
  return *number >= options.first && *number <= options.last &&
         (*number - options.first) % options.every == 0;
}

bool
record_is_open(void) {
  return is_open;
}

bool
record_is_capturing(void *stream) {
  int status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver->stream_capturing(stream, &status) == CU_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void
record_drop(const char *symbol, const char *why) {
  SmbPayload payload = {0};
  smb_payload_add_text(&payload, symbol);
  smb_payload_add_text(&payload, why);
  channel_send(INJECT_LOST, &payload);
  smb_payload_clear(&payload);
}

bool
record_begin(const Kernel *kernel) {
  pthread_mutex_lock(&recording);
  is_open = true;
  n_launched = 0;
  forget_times();
  capture_mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  driver->exchange_capture_mode(&capture_mode);
  // From here on CUPTI costs each launch more: not before one is recorded.
  static bool is_registered;
  if (!is_registered)
    cupti->activity_register(request_buffer, complete_buffer);
  is_registered = true;
  const char *why = come_to_rest();
  if (!why) {
    cupti->activity_enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    return true;
  }
  record_drop(kernel->symbol, why);
  record_end();
  return false;
}

static void
send_device(SmbPayload *payload, const Kernel *kernel) {
  int device = 0, major = 0, minor = 0, registers = 0, shared = 0;
  char name[256] = "";
  driver->get_device(&device);
  driver->device_name(name, sizeof name, device);
  driver->device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  driver->device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  if (kernel->function) {
    driver->function_attribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel->function);
    driver->function_attribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel->function);
  }
  smb_payload_add_number(payload, (uint64_t)device);
  smb_payload_add_text(payload, name);
  smb_payload_add_number(payload, (uint64_t)major);
  smb_payload_add_number(payload, (uint64_t)minor);
  smb_payload_add_number(payload, (uint64_t)registers);
  smb_payload_add_number(payload, (uint64_t)shared);
}

static void
send_launch(const Launch *launch, const Place *place) {
  SmbPayload payload = {0};
  smb_payload_add_text(&payload, launch->kernel->symbol);
  smb_payload_add_number(&payload, launch->kernel->module);
  smb_payload_add_number(&payload, launch->number);
  for (int i = 0; i < 3; i++)
    smb_payload_add_number(&payload, launch->grid[i]);
  for (int i = 0; i < 3; i++)
    smb_payload_add_number(&payload, launch->block[i]);
  for (int i = 0; i < 3; i++)
    smb_payload_add_number(&payload, launch->cluster[i]);
  smb_payload_add_number(&payload, launch->dynamic_bytes);
  smb_payload_add_number(&payload, launch->is_cooperative);
  smb_payload_add_number(&payload, (uintptr_t)launch->stream);
  smb_payload_add_number(&payload, place->graph);
  smb_payload_add_number(&payload, place->node);
  send_device(&payload, launch->kernel);
  smb_payload_add_bytes(&payload, launch->parameters, launch->parameter_bytes);
  channel_send(INJECT_LAUNCH, &payload);
  smb_payload_clear(&payload);
}

// Variables of the image, where the driver has put them, and what they hold.
static void
send_variables(const Kernel *kernel, const Place *place, Reach *reach) {
  void *module = NULL;
  if (!kernel->function || driver->function_module(&module, kernel->function) != CU_SUCCESS)
    return;
  for (size_t i = 0; i < kernel->n_variables; i++) {
    const Variable *variable = &kernel->variables[i];
    uint64_t address;
    size_t bytes;
    if (driver->module_global(&address, &bytes, module, variable->name) != CU_SUCCESS)
      continue;
    bool is_spoilt = place->all_spoilt || (place->others && !variable->is_constant);
    bool is_kept = !is_spoilt && bytes <= options.memory_bytes;
    unsigned char *contents = is_kept ? malloc(bytes + 1) : NULL;
    is_kept = contents && driver->download(contents, address, bytes) == CU_SUCCESS;
    SmbPayload payload = {0};
    smb_payload_add_text(&payload, variable->name);
    smb_payload_add_number(&payload, address);
    smb_payload_add_number(&payload, bytes);
    smb_payload_add_bytes(&payload, contents, is_kept ? bytes : 0);
    channel_send(INJECT_VARIABLE, &payload);
    smb_payload_clear(&payload);
    if (is_kept)
      reach_add(reach, contents, bytes);
    free(contents);
  }
}

static void
send_note(const char *text) {
  SmbPayload payload = {0};
  smb_payload_add_text(&payload, text);
  channel_send(INJECT_NOTE, &payload);
  smb_payload_clear(&payload);
}

void
record_launch(const Launch *launch, const Place *place) {
  Reach reach;
  SmbPayload empty = {0};
  reach_begin(&reach, driver);
  send_launch(launch, place);
  kernel_send_count(launch->kernel);
  if (place->others || place->all_spoilt)
    send_note("memory that other nodes of its graph may write before it runs is not recorded");
  send_variables(launch->kernel, place, &reach);
  reach_add(&reach, launch->parameters, launch->parameter_bytes);
  reach_send(&reach, place->others, place->all_spoilt ? 0 : options.memory_bytes);
  channel_send(INJECT_READY, &empty);
  smb_payload_clear(&empty);
  if (n_launched < MAX_TIMED)
    launched[n_launched++] = launch->kernel;
  reach_clear(&reach);
}

void
record_end(void) {
  int mode = capture_mode;
  if (n_launched > 0) {
    come_to_rest();
    cupti->activity_flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    send_times();
  }
  cupti->activity_disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  driver->exchange_capture_mode(&mode);
  is_open = false;
  pthread_mutex_unlock(&recording);
}
