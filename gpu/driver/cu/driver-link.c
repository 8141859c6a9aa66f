// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The linker: inputs are kept, and linked by the toolkit's compiler when all are there.
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/client.h"
#include "gpu/driver/cu/driver.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"

// CUjitInputType
typedef enum {
  INPUT_CUBIN,
  INPUT_PTX,
  INPUT_FATBIN,
  INPUT_OBJECT,
  INPUT_LIBRARY,
  INPUT_NVVM,
} InputKind;

typedef struct {
  InputKind kind;
  char *bytes;
  size_t n_bytes;
} Input;

struct Link {
  Input *inputs;
  unsigned n_inputs;
  char *linked; // (nullable)
  size_t n_linked;
  bool is_complete;
  int *options; // of logs
  void **values;
  unsigned n_options;
};

cudaError_t
cuLinkCreate_v2(unsigned n, const int *options, void **values, CUlinkState *link) {
  if (!link || (n > 0 && (!options || !values)))
    return cudaErrorInvalidValue;
  const ModuleLog log = module_find_log(options, values, n);
  int *kept = malloc((n + 1) * sizeof *kept);
  *link = kept ? handle_new(HANDLE_LINK, sizeof **link) : NULL;
  if (!*link) {
    free(kept);
    return cudaErrorMemoryAllocation;
  }
  if (n > 0)
    memcpy(kept, options, n * sizeof *kept);
  if (log.room > 0)
    log.text[0] = '\0';
  **link = (struct Link){.options = kept, .values = values, .n_options = n};
  return cudaSuccess;
}

static cudaError_t
use_link(const void *answer, CUlinkState link) {
  return !answer                        ? cudaErrorInvalidValue
         : handle_is(link, HANDLE_LINK) ? cudaSuccess
                                        : cudaErrorInvalidResourceHandle;
}

// By how it begins; objects and libraries are the linker's to know.
static cudaError_t
check_input(InputKind kind, const char *bytes, size_t n_bytes) {
  switch (kind) {
  case INPUT_CUBIN:
  case INPUT_FATBIN:
    return n_bytes > sizeof(uint64_t) && !module_is_ptx(bytes) &&
                   module_measure((const void **)&bytes) > 0
               ? cudaSuccess
               : cudaErrorInvalidKernelImage;
  case INPUT_PTX:
    return module_is_ptx(bytes) ? cudaSuccess : cudaErrorInvalidKernelImage;
  case INPUT_OBJECT:
  case INPUT_LIBRARY:
    return cudaSuccess;
  case INPUT_NVVM:
    return error_missing("cuLinkAddData of NVVM, deprecated since CUDA 12,");
  }
  return cudaErrorInvalidValue;
}

cudaError_t
cuLinkAddData_v2(CUlinkState link, int kind, const void *data, size_t n_bytes, const char *name,
                 unsigned n, const int *options, void **values) {
  cudaError_t error = use_link(n_bytes > 0 ? data : NULL, link);
  (void)name, (void)n, (void)options, (void)values;
  if (!error && link->is_complete)
    error = cudaErrorInvalidValue;
  if (error)
    return error;
  Input *more = realloc(link->inputs, (link->n_inputs + 1) * sizeof *more);
  char *bytes = malloc(n_bytes + 1);
  link->inputs = more ? more : link->inputs;
  if (!more || !bytes) {
    free(bytes);
    return cudaErrorMemoryAllocation;
  }
  memcpy(bytes, data, n_bytes);
  bytes[n_bytes] = '\0';
  error = check_input((InputKind)kind, bytes, n_bytes);
  if (error)
    free(bytes);
  else
    link->inputs[link->n_inputs++] = (Input){(InputKind)kind, bytes, n_bytes};
  return error;
}

cudaError_t
cuLinkAddFile_v2(CUlinkState link, int kind, const char *path, unsigned n, const int *options,
                 void **values) {
  size_t n_bytes = 0;
  cudaError_t error = use_link(path, link);
  char *data = error ? NULL : module_read_file(path, &n_bytes);
  if (!error && !data)
    error = cudaErrorFileNotFound;
  if (!error)
    error = cuLinkAddData_v2(link, kind, data, n_bytes, path, n, options, values);
  free(data);
  return error;
}

// Whether there is one input that can be loaded as it is.
static bool
is_one_image(const struct Link *link) {
  return link->n_inputs == 1 && link->inputs[0].kind <= INPUT_FATBIN;
}

// Machine code alone needs no linker. PTX alone does, as it may lack a function, but can do without.
static bool
needs_linker(const struct Link *link) {
  return !is_one_image(link) || link->inputs[0].kind == INPUT_PTX;
}

static cudaError_t
link_inputs(CUlinkState link, ModuleLog *log) {
  SmbPayload payload = {0};
  size_t length;
  smb_payload_add_number(&payload, link->n_inputs);
  for (unsigned i = 0; i < link->n_inputs; i++) {
    smb_payload_add_number(&payload, link->inputs[i].kind);
    smb_payload_add_bytes(&payload, link->inputs[i].bytes, link->inputs[i].n_bytes);
  }
  RunStatus status = client_ask(RUN_LINK, &payload);
  const unsigned char *message = smb_payload_bytes(&payload, &length);
  module_keep_log(log, message, length);
  if (status != RUN_DONE && !(status == RUN_NO_IMAGE && is_one_image(link)))
    error_tell(message, length);
  const unsigned char *code = smb_payload_bytes(&payload, &length);
  link->linked = status == RUN_DONE ? malloc(length + 1) : NULL;
  if (link->linked) {
    memcpy(link->linked, code, length);
    link->n_linked = length;
  }
  smb_payload_clear(&payload);
  return status == RUN_DONE       ? link->linked ? cudaSuccess : cudaErrorMemoryAllocation
         : status != RUN_NO_IMAGE ? cudaErrorInvalidSource
         : is_one_image(link)     ? cudaSuccess
                                  : cudaErrorJitCompilerNotFound;
}

cudaError_t
cuLinkComplete(CUlinkState link, void **image, size_t *n_bytes) {
  cudaError_t error = use_link(image, link);
  if (error || link->n_inputs == 0)
    return error ? error : cudaErrorInvalidValue;
  ModuleLog log = module_find_log(link->options, link->values, link->n_options);
  if (!link->linked && needs_linker(link))
    error = link_inputs(link, &log);
  module_tell_log(&log, link->options, link->values, link->n_options);
  if (error)
    return error;
  link->is_complete = true;
  *image = link->linked ? link->linked : link->inputs[0].bytes;
  if (n_bytes)
    *n_bytes = link->linked ? link->n_linked : link->inputs[0].n_bytes;
  return cudaSuccess;
}

cudaError_t
cuLinkDestroy(CUlinkState link) {
  cudaError_t error = use_link(link, link);
  if (error)
    return cudaErrorInvalidResourceHandle;
  for (unsigned i = 0; i < link->n_inputs; i++)
    free(link->inputs[i].bytes);
  free(link->inputs);
  free(link->linked);
  free(link->options);
  handle_free(link);
  return cudaSuccess;
}
