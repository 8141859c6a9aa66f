// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels seen so far, by handle, with what the recording command wants to know of each.
#include "gpu/inject/kernel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/inject/module.h"

enum {
  N_BUCKETS = 1 << 12
};

static Kernel *buckets[N_BUCKETS];
static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; // of those who add, and of the channel while they ask

static Kernel **
find_bucket(const void *handle) {
  uint64_t hash = (uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15);
  return &buckets[hash >> 52];
}

static Kernel *
look_up_kernel(void *handle, const char *symbol) {
  Kernel *kernel = __atomic_load_n(find_bucket(handle), __ATOMIC_ACQUIRE);
  while (kernel &&
         (kernel->handle != handle || __atomic_load_n(&kernel->is_gone, __ATOMIC_ACQUIRE) ||
          (kernel->symbol_seen != symbol && strcmp(kernel->symbol, symbol) != 0)))
    kernel = kernel->next;
  return kernel;
}

static char *
copy_name(const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (copy) {
    memcpy(copy, text, length);
    copy[length] = 0;
  }
  return copy;
}

// As the driver has it, since CUDA 12.4.
static void
ask_driver(const InjectDriver *driver, Kernel *kernel) {
  size_t offset, bytes;
  while (driver->function_parameter && kernel->function && kernel->n_parameters < MAX_PARAMETERS &&
         driver->function_parameter(kernel->function, kernel->n_parameters, &offset, &bytes) ==
             CU_SUCCESS)
    kernel->parameters[kernel->n_parameters++] = (ParameterPlace){offset, bytes};
}

static void
record_parameters(Kernel *kernel, SmbPayload *answer) {
  uint64_t n = smb_payload_number(answer);
  for (uint64_t i = 0; i < n && !answer->failed; i++) {
    ParameterPlace place = {smb_payload_number(answer), smb_payload_number(answer)};
    if (kernel->n_parameters < MAX_PARAMETERS)
      kernel->parameters[kernel->n_parameters++] = place;
  }
}

static void
record_variables(Kernel *kernel, SmbPayload *answer) {
  uint64_t n = smb_payload_number(answer);
  kernel->variables = n < answer->length ? calloc(n + 1, sizeof *kernel->variables) : NULL;
  for (uint64_t i = 0; kernel->variables && i < n && !answer->failed; i++) {
    size_t length;
    const char *name = (const char *)smb_payload_bytes(answer, &length);
    Variable *variable = &kernel->variables[kernel->n_variables];
    variable->name = copy_name(name, length);
    variable->is_constant = smb_payload_number(answer) != 0;
    kernel->n_variables += variable->name != NULL;
  }
}

// The function that a handle is, and its module; that of a CUkernel is loaded by asking for it, and so is its image.
static void
find_driver_function(const InjectDriver *driver, Kernel *kernel) {
  int registers;
  void *module;
  module_begin();
  if (driver->function_attribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel->handle) ==
      CU_SUCCESS)
    kernel->function = kernel->handle;
  if (driver->kernel_function &&
      driver->kernel_function(&kernel->function, kernel->handle) != CU_SUCCESS &&
      kernel->function != kernel->handle)
    kernel->function = NULL;
  if (!kernel->function || driver->function_module(&module, kernel->function) != CU_SUCCESS)
    return;
  module_found(module);
  kernel->module = module_number(module);
}

bool
kernel_is_wanted(const char *symbol) {
  SmbPayload payload = {0};
  pthread_mutex_lock(&lock);
  smb_payload_add_text(&payload, symbol);
  smb_payload_add_number(&payload, 0);
  channel_send(INJECT_KERNEL, &payload);
  bool is_wanted = channel_receive(INJECT_ANSWER, &payload) && smb_payload_number(&payload) != 0;
  pthread_mutex_unlock(&lock);
  smb_payload_clear(&payload);
  return is_wanted;
}

static void
query_kernel(const InjectDriver *driver, Kernel *kernel) {
  SmbPayload payload = {0};
  smb_payload_add_text(&payload, kernel->symbol);
  smb_payload_add_number(&payload, kernel->module);
  channel_send(INJECT_KERNEL, &payload);
  kernel->n_parameters = 0;
  if (channel_receive(INJECT_ANSWER, &payload)) {
    kernel->is_wanted = smb_payload_number(&payload) != 0;
    kernel->has_image = smb_payload_number(&payload) != 0;
    record_parameters(kernel, &payload);
    record_variables(kernel, &payload);
  }
  smb_payload_clear(&payload);
  if (!kernel->has_image)
    ask_driver(driver, kernel);
  kernel->parameter_bytes = 0;
  for (size_t i = 0; i < kernel->n_parameters; i++) {
    size_t end = kernel->parameters[i].offset + kernel->parameters[i].bytes;
    kernel->parameter_bytes = end > kernel->parameter_bytes ? end : kernel->parameter_bytes;
  }
}

static Kernel *
make(const InjectDriver *driver, void *handle, const char *symbol) {
  Kernel *kernel = calloc(1, sizeof *kernel);
  if (!kernel)
    return NULL;
  kernel->handle = handle;
  kernel->symbol = copy_name(symbol, strlen(symbol));
  kernel->symbol_seen = symbol;
  kernel->parameters = calloc(MAX_PARAMETERS, sizeof *kernel->parameters);
  if (!kernel->symbol || !kernel->parameters) {
    free(kernel->symbol);
    free(kernel->parameters);
    free(kernel);
    return NULL;
  }
  find_driver_function(driver, kernel);
  query_kernel(driver, kernel);
  return kernel;
}

Kernel *
kernel_find(const InjectDriver *driver, void *handle, const char *symbol) {
  Kernel *kernel = look_up_kernel(handle, symbol);
  if (kernel)
    return kernel;
  pthread_mutex_lock(&lock);
  kernel = look_up_kernel(handle, symbol);
  if (!kernel && (kernel = make(driver, handle, symbol))) {
    Kernel **bucket = find_bucket(handle);
    kernel->next = *bucket;
    __atomic_store_n(bucket, kernel, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
  return kernel;
}

void
kernel_complete(const InjectDriver *driver, Kernel *kernel) {
  pthread_mutex_lock(&lock);
  if (!kernel->has_image)
    query_kernel(driver, kernel);
  pthread_mutex_unlock(&lock);
}

void
kernel_unloaded(uint32_t module) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < N_BUCKETS; i++)
    for (Kernel *kernel = buckets[i]; kernel; kernel = kernel->next)
      if (kernel->module == module || kernel->module == 0)
        __atomic_store_n(&kernel->is_gone, true, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
}

void
kernel_send_count(Kernel *kernel) {
  SmbPayload payload = {0};
  smb_payload_add_text(&payload, kernel->symbol);
  smb_payload_add_number(&payload, __atomic_exchange_n(&kernel->seen, 0, __ATOMIC_RELAXED));
  channel_send(INJECT_COUNT, &payload);
  smb_payload_clear(&payload);
}

void
kernel_send_counts(void) {
  for (size_t i = 0; i < N_BUCKETS; i++)
    for (Kernel *kernel = buckets[i]; kernel; kernel = kernel->next)
      if (kernel->seen > 0)
        kernel_send_count(kernel);
}

static unsigned char *
gather_buffer(void *const *extra, size_t *length) {
  const void *buffer = NULL;
  size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = *(const size_t *)extra[1];
  }
  unsigned char *copy = buffer ? malloc(bytes + 1) : NULL;
  if (copy)
    memcpy(copy, buffer, bytes);
  *length = copy ? bytes : 0;
  return copy;
}

unsigned char *
kernel_gather(const Kernel *kernel, void *const *parameters, void *const *extra, size_t *length) {
  if (!parameters && extra)
    return gather_buffer(extra, length);
  unsigned char *bytes = calloc(kernel->parameter_bytes + 1, 1);
  *length = bytes ? kernel->parameter_bytes : 0;
  for (size_t i = 0; bytes && parameters && i < kernel->n_parameters; i++)
    memcpy(bytes + kernel->parameters[i].offset, parameters[i], kernel->parameters[i].bytes);
  return bytes;
}
