// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/kernel/module.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/client.h"
#include "gpu/driver/context.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/device-heap.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/texture/texture-reference.h"

#define WRAPPER_MAGIC 0x466243b1u // __fatBinC_Wrapper_t (fatbinary_section.h)
#define FATBIN_MAGIC  0xba55ed50u
#define ELF_CUDA      190 // e_machine
#define LINK_VERSION  2   // of a wrapper of a program that was linked with -rdc=true
#define LINK_FATBIN   2   // CU_JIT_INPUT_FATBINARY
#define MOST_BYTES    ((uint64_t)1 << 40) // of what is taken for an image

typedef struct {
  uint32_t magic, version;
  const void *data;
  const void *const
      *bundles; // of what is to be linked (LINK_VERSION): those of each file, and NULL
} Wrapper;

typedef struct {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes; // behind the header
} Fatbin;

// The header of an ELF file of 64 bits, as far as the end of the file follows from it.
typedef struct {
  unsigned char magic[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, segments, sections;
  uint32_t flags;
  uint16_t header_bytes, segment_bytes, n_segments, section_bytes, n_sections, names;
} Elf;
// In what a variable holds at first: the address of another one, which is known once all have memory.
typedef struct {
  uint64_t offset, variable, addend;
} Pointer;

typedef struct {
  char *name;
  void *memory;
  size_t bytes;
  Pointer *pointers;
  size_t n_pointers;
} Variable;

// What the host calls a kernel or a variable.
typedef struct Name {
  struct Name *next;
  const void *host;
  Module *module;
  const char *name;
  void **managed; // (nullable): the host's pointer to a managed variable
  Kernel *kernel;
} Name;

struct Module {
  Module *next;
  uint64_t number;
  const void *bytes;
  size_t n_bytes;
  const void *const *bundles;  // (nullable): what is to be linked if that is no code for the device
  bool is_loaded, is_programs; // opened by the program
  uint64_t context;            // that it was opened in
  void *library;               // (nullable): that it is in
  cudaError_t failure;
  Kernel *kernels;
  size_t n_kernels;
  Variable *variables;
  size_t n_variables;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Module *modules;
static Name *functions, *variables;
static uint64_t last_number;

// --- what an image is

// The tables of sections and of segments end the cubins that there are.
static size_t
elf_measure(const void *image) {
  const Elf *elf = image;
  if (memcmp(elf->magic, "\177ELF", 4) != 0 || elf->machine != ELF_CUDA ||
      elf->sections > MOST_BYTES || elf->segments > MOST_BYTES)
    return 0;
  uint64_t sections = elf->sections + (uint64_t)elf->section_bytes * elf->n_sections;
  uint64_t segments = elf->segments + (uint64_t)elf->segment_bytes * elf->n_segments;
  return sections > segments ? sections : segments;
}

// PTX begins with comments and directives.
bool
module_is_ptx(const char *text) {
  size_t n = strspn(text, " \t\r\n");
  return strncmp(text + n, "//", 2) == 0 || strncmp(text + n, "/*", 2) == 0 || text[n] == '.';
}

size_t
module_measure(const void **image) {
  const Wrapper *wrapper = *image;
  if (wrapper->magic == WRAPPER_MAGIC)
    *image = wrapper->data;
  const Fatbin *fatbin = *image;
  if (fatbin->magic == FATBIN_MAGIC)
    return fatbin->header_bytes + fatbin->bytes;
  size_t bytes = elf_measure(*image);
  return bytes > 0 || !module_is_ptx(*image) ? bytes : strlen(*image);
}

// --- loading

static char *
take_string(SmbPayload *payload) {
  size_t length;
  const unsigned char *bytes = smb_payload_bytes(payload, &length);
  char *text = malloc(length + 1);
  if (!text) {
    payload->failed = true;
    return NULL;
  }
  memcpy(text, bytes, length);
  text[length] = '\0';
  return text;
}

static void
read_module_kernel(Module *module, SmbPayload *answer, Kernel *kernel) {
  kernel->module = module;
  kernel->symbol = take_string(answer);
  kernel->registers = (unsigned)smb_payload_number(answer);
  kernel->local_bytes = (unsigned)smb_payload_number(answer);
  kernel->shared_bytes = (unsigned)smb_payload_number(answer);
  kernel->parameter_bytes = (unsigned)smb_payload_number(answer);
  kernel->max_threads = smb_payload_number(answer);
  kernel->cluster.x = (unsigned)smb_payload_number(answer);
  kernel->cluster.y = (unsigned)smb_payload_number(answer);
  kernel->cluster.z = (unsigned)smb_payload_number(answer);
  kernel->names_references = smb_payload_number(answer);
  kernel->must_cluster = kernel->cluster.x > 0;
  kernel->carveout = -1;
  kernel->n_parameters = smb_payload_number(answer);
  kernel->parameters = calloc(2 * kernel->n_parameters + 1, sizeof(uint64_t));
  for (size_t i = 0; kernel->parameters && i < 2 * kernel->n_parameters; i++)
    kernel->parameters[i] = smb_payload_number(answer);
  unsigned block_shared = client_device()->block_shared;
  kernel->dynamic_bytes =
      block_shared > kernel->shared_bytes ? block_shared - kernel->shared_bytes : 0;
}

static bool
read_module_variable(SmbPayload *answer, Variable *variable) {
  size_t length;
  variable->name = take_string(answer);
  variable->bytes = smb_payload_number(answer);
  smb_payload_number(answer);
  const unsigned char *contents = smb_payload_bytes(answer, &length);
  variable->memory = memory_allocate(variable->bytes, INJECT_DEVICE, true);
  if (variable->memory && length <= variable->bytes)
    memcpy(variable->memory, contents, length);
  variable->n_pointers = smb_payload_number(answer);
  if (variable->n_pointers > variable->bytes)
    return false;
  variable->pointers = calloc(variable->n_pointers + 1, sizeof *variable->pointers);
  for (size_t i = 0; variable->pointers && i < variable->n_pointers; i++) {
    Pointer *pointer = &variable->pointers[i];
    pointer->offset = smb_payload_number(answer);
    pointer->variable = smb_payload_number(answer);
    pointer->addend = smb_payload_number(answer);
  }
  return variable->memory && variable->pointers;
}

static void
set_pointers(const Module *module) {
  for (size_t i = 0; i < module->n_variables; i++) {
    const Variable *variable = &module->variables[i];
    for (size_t k = 0; k < variable->n_pointers; k++) {
      Pointer pointer = variable->pointers[k];
      uint64_t address = pointer.variable < module->n_variables
                             ? (uintptr_t)module->variables[pointer.variable].memory
                             : 0;
      address += pointer.addend;
      if (pointer.offset + sizeof address <= variable->bytes)
        memcpy((char *)variable->memory + pointer.offset, &address, sizeof address);
    }
  }
}

// Those of a module that is loaded anew are made anew.
static bool
read_references(const Module *module, SmbPayload *answer) {
  bool is_made = true;
  references_close(module);
  uint64_t n = smb_payload_number(answer);
  for (uint64_t i = 0; i < n && is_made && !answer->failed; i++) {
    char *name = take_string(answer);
    bool is_surface = smb_payload_number(answer);
    is_made = name && reference_new(module, name, is_surface);
    free(name);
  }
  return is_made;
}

static cudaError_t
read_loaded(Module *module, SmbPayload *answer) {
  module->n_kernels = smb_payload_number(answer);
  module->kernels = calloc(module->n_kernels + 1, sizeof *module->kernels);
  for (size_t i = 0; module->kernels && i < module->n_kernels; i++)
    read_module_kernel(module, answer, &module->kernels[i]);
  module->n_variables = smb_payload_number(answer);
  module->variables = calloc(module->n_variables + 1, sizeof *module->variables);
  for (size_t i = 0; module->variables && i < module->n_variables; i++)
    if (!read_module_variable(answer, &module->variables[i]))
      return cudaErrorMemoryAllocation;
  set_pointers(module);
  if ((smb_payload_number(answer) && !heap_need()) || !read_references(module, answer))
    return cudaErrorMemoryAllocation;
  return answer->failed || !module->kernels || !module->variables ? cudaErrorMemoryAllocation
                                                                  : cudaSuccess;
}

// Managed variables are reached by a pointer of the host.
static void
set_managed(const Module *module) {
  for (Name *name = variables; name; name = name->next)
    for (size_t i = 0; name->module == module && name->managed && i < module->n_variables; i++)
      if (strcmp(module->variables[i].name, name->name) == 0) {
        *name->managed = module->variables[i].memory;
        memory_set_kind(module->variables[i].memory, INJECT_MANAGED);
      }
}

void
module_keep_log(ModuleLog *log, const unsigned char *message, size_t length) {
  if (!log || log->room == 0)
    return;
  log->length = length < log->room - 1 ? length : log->room - 1;
  memcpy(log->text, message, log->length);
  log->text[log->length] = '\0';
}

// By what the image is: machine code, of which a bundle has none for this device, or text.
static cudaError_t
find_load_error(const Module *module) {
  return module_is_ptx(module->bytes) ? cudaErrorInvalidPtx : cudaErrorNoKernelImageForDevice;
}

static RunStatus
ask_module(Module *module, const void *bytes, size_t n_bytes, SmbPayload *payload) {
  payload->length = payload->at = 0;
  module->number = ++last_number;
  smb_payload_add_number(payload, module->number);
  smb_payload_add_bytes(payload, bytes, n_bytes);
  return client_ask(RUN_MODULE, payload);
}

// A program of several files that was linked where only their text was: what a driver links when it loads it.
static RunStatus
ask_linked(Module *module, SmbPayload *payload) {
  size_t n = 0, length;
  while (module->bundles[n])
    n++;
  payload->length = payload->at = 0;
  smb_payload_add_number(payload, n);
  for (size_t i = 0; i < n; i++) {
    const Fatbin *fatbin = module->bundles[i];
    smb_payload_add_number(payload, LINK_FATBIN);
    smb_payload_add_bytes(payload, fatbin, fatbin->header_bytes + fatbin->bytes);
  }
  RunStatus status = client_ask(RUN_LINK, payload);
  if (status != RUN_DONE)
    return status; // with what is to be said
  smb_payload_bytes(payload, &length);
  const unsigned char *code = smb_payload_bytes(payload, &length);
  void *copy = malloc(length + 1);
  if (copy)
    memcpy(copy, code, length);
  status = copy ? ask_module(module, copy, length, payload) : RUN_FAILED;
  free(copy);
  return status;
}

static cudaError_t
load_once(Module *module, ModuleLog *log) {
  SmbPayload payload = {0};
  if (module->is_loaded)
    return module->failure;
  module->is_loaded = true;
  RunStatus status = ask_module(module, module->bytes, module->n_bytes, &payload);
  if (status == RUN_NO_IMAGE && module->bundles && module->bundles[0])
    status = ask_linked(module, &payload);
  size_t length;
  const unsigned char *message = smb_payload_bytes(&payload, &length);
  error_tell(message, length);
  module_keep_log(log, message, length);
  module->failure = status == RUN_DONE ? read_loaded(module, &payload) : find_load_error(module);
  smb_payload_clear(&payload);
  if (!module->failure)
    set_managed(module);
  return module->failure;
}

uint64_t
module_id(const Module *module) {
  return module->number;
}

void
module_set_library(Module *module, void *library) {
  module->library = library;
  module->context = 0; // libraries are of no context
}

void *
module_library(const Module *module) {
  return module->library;
}

void
module_add_variables(SmbPayload *payload, const Module *module) {
  smb_payload_add_number(payload, module->n_variables);
  for (size_t i = 0; i < module->n_variables; i++) {
    smb_payload_add_text(payload, module->variables[i].name);
    smb_payload_add_number(payload, (uintptr_t)module->variables[i].memory);
    smb_payload_add_number(payload, module->variables[i].bytes);
  }
}

// --- by their names on the host

static Name *
find_name(Name *names, const void *host) {
  while (names && names->host != host)
    names = names->next;
  return names;
}

static cudaError_t
find_kernel(Name *name) {
  cudaError_t error = load_once(name->module, NULL);
  for (size_t i = 0; !error && !name->kernel && i < name->module->n_kernels; i++)
    if (strcmp(name->module->kernels[i].symbol, name->name) == 0)
      name->kernel = &name->module->kernels[i];
  return error ? error : name->kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

// What is no function of the program is taken for a handle (an H200 with CUDA 13).
static cudaError_t
find_handle(const void *function, Kernel **kernel) {
  *kernel = handle_is(function, HANDLE_KERNEL) ? (Kernel *)function : NULL;
  return *kernel                                  ? cudaSuccess
         : CUDART_MAJOR == 12 || function == NULL ? cudaErrorInvalidDeviceFunction
                                                  : cudaErrorInvalidResourceHandle;
}

cudaError_t
module_kernel(const void *function, Kernel **kernel) {
  cudaError_t error = error_check();
  if (error)
    return error;
  pthread_mutex_lock(&lock);
  Name *name = find_name(functions, function);
  error = name ? find_kernel(name) : find_handle(function, kernel);
  if (name)
    *kernel = name->kernel;
  pthread_mutex_unlock(&lock);
  return error;
}

cudaError_t
module_variable(const void *host, void **address, size_t *bytes) {
  cudaError_t error = error_check();
  *address = NULL;
  if (error)
    return error;
  pthread_mutex_lock(&lock);
  const Name *name = find_name(variables, host);
  error = name ? load_once(name->module, NULL) : cudaErrorInvalidSymbol;
  for (size_t i = 0; !error && i < name->module->n_variables; i++) {
    const Variable *variable = &name->module->variables[i];
    if (strcmp(variable->name, name->name) != 0)
      continue;
    *address = variable->memory;
    *bytes = variable->bytes;
  }
  pthread_mutex_unlock(&lock);
  return error ? error : *address ? cudaSuccess : cudaErrorInvalidSymbol;
}

// --- that a program loads itself

cudaError_t
module_open(const void *bytes, size_t n_bytes, ModuleLog *log, Module **module) {
  Module *opened = calloc(1, sizeof *opened);
  void *copy = malloc(n_bytes + 1);
  if (!opened || !copy) {
    free(opened);
    free(copy);
    return cudaErrorMemoryAllocation;
  }
  memcpy(copy, bytes, n_bytes);
  ((char *)copy)[n_bytes] = '\0';
  opened->bytes = copy;
  opened->n_bytes = n_bytes;
  opened->is_programs = true;
  opened->context = context_id();
  pthread_mutex_lock(&lock);
  cudaError_t error = load_once(opened, log);
  if (!error) {
    opened->next = modules;
    modules = opened;
  }
  pthread_mutex_unlock(&lock);
  if (!error)
    handle_add(opened, HANDLE_MODULE);
  for (size_t i = 0; !error && i < opened->n_kernels; i++)
    handle_add(&opened->kernels[i], HANDLE_KERNEL);
  *module = error ? NULL : opened;
  return error;
}

void
module_close(Module *module) {
  SmbPayload payload = {0};
  queue_wait(queue_last());
  smb_payload_add_number(&payload, module->number);
  client_ask(RUN_UNLOAD, &payload);
  smb_payload_clear(&payload);
  handle_forget(module);
  references_close(module);
  for (size_t i = 0; i < module->n_kernels; i++)
    handle_forget(&module->kernels[i]);
  for (size_t i = 0; i < module->n_variables; i++)
    memory_drop(module->variables[i].memory);
}

void
module_close_context(uint64_t context) {
  pthread_mutex_lock(&lock);
  for (Module *module = modules; module; module = module->next)
    if (module->is_programs && module->context == context && handle_is(module, HANDLE_MODULE))
      module_close(module);
  pthread_mutex_unlock(&lock);
}

Kernel *
module_numbered_kernel(uint64_t number, const char *symbol, size_t length) {
  Kernel *kernel = NULL;
  pthread_mutex_lock(&lock);
  for (const Module *module = modules; module; module = module->next)
    for (size_t i = 0; module->number == number && i < module->n_kernels; i++)
      if (strlen(module->kernels[i].symbol) == length &&
          memcmp(module->kernels[i].symbol, symbol, length) == 0)
        kernel = &module->kernels[i];
  pthread_mutex_unlock(&lock);
  return kernel;
}

cudaError_t
module_find_kernel(Module *module, const char *symbol, Kernel **kernel) {
  *kernel = NULL;
  for (size_t i = 0; i < module->n_kernels && !*kernel; i++)
    if (strcmp(module->kernels[i].symbol, symbol) == 0)
      *kernel = &module->kernels[i];
  return *kernel ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t
module_find_variable(Module *module, const char *name, void **address, size_t *bytes) {
  for (size_t i = 0; i < module->n_variables; i++)
    if (strcmp(module->variables[i].name, name) == 0) {
      *address = module->variables[i].memory;
      *bytes = module->variables[i].bytes;
      return cudaSuccess;
    }
  return cudaErrorSymbolNotFound;
}

size_t
module_count_kernels(const Module *module) {
  return module->n_kernels;
}

Kernel *
module_get_kernel(const Module *module, size_t i) {
  return &module->kernels[i];
}

// Kernels stay where they are: calls that are recorded have them.
void
module_reset(void) {
  pthread_mutex_lock(&lock);
  for (Module *module = modules; module; module = module->next)
    module->is_loaded = false;
  for (Name *name = functions; name; name = name->next)
    name->kernel = NULL;
  pthread_mutex_unlock(&lock);
}

// --- what nvcc's code calls

static void
add_host_name(Name **names, const void *host, Module *module, const char *text, void **managed) {
  Name *name = calloc(1, sizeof *name);
  if (!name)
    return;
  *name = (Name){*names, host, module, text, managed, NULL};
  pthread_mutex_lock(&lock);
  name->next = *names;
  *names = name;
  pthread_mutex_unlock(&lock);
}

API void **
__cudaRegisterFatBinary(void *data) {
  const Wrapper *wrapper = data;
  const Fatbin *fatbin = wrapper->data;
  Module *module = calloc(1, sizeof *module);
  if (!module || wrapper->magic != WRAPPER_MAGIC || fatbin->magic != FATBIN_MAGIC) {
    free(module);
    return NULL;
  }
  module->bytes = fatbin;
  module->n_bytes = fatbin->header_bytes + fatbin->bytes;
  module->bundles = wrapper->version == LINK_VERSION ? wrapper->bundles : NULL;
  pthread_mutex_lock(&lock);
  module->next = modules;
  modules = module;
  pthread_mutex_unlock(&lock);
  return (void **)module;
}

API void
__cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle;
}

// The process ends, or a library is closed: kernels of it are not called any more.
API void
__cudaUnregisterFatBinary(void **handle) {
  (void)handle;
}

API void
__cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                       void *tid, void *bid, dim3 *block, dim3 *grid, int *warp) {
  (void)device, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  add_host_name(&functions, host, (Module *)handle, name, NULL);
}

API void
__cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                  size_t bytes, int constant, int global) {
  (void)device, (void)external, (void)bytes, (void)constant, (void)global;
  add_host_name(&variables, host, (Module *)handle, name, NULL);
}

API void
__cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                         size_t bytes, int constant, int global) {
  (void)device, (void)external, (void)bytes, (void)constant, (void)global;
  add_host_name(&variables, host, (Module *)handle, name, host);
}

API char
__cudaInitModule(void **handle) {
  pthread_mutex_lock(&lock);
  cudaError_t error =
      handle && client_device() ? load_once((Module *)handle, NULL) : cudaErrorNoDevice;
  pthread_mutex_unlock(&lock);
  return error == cudaSuccess;
}
