// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The machine around the made-up GPU, and how it breaks.
#include "tests/fake-impl.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *const fault_names[FAKE_N_FAULTS] = {
#define FAKE_FAULT(id, name) [FAKE_##id] = name,
#include "tests/fake-faults.def"
#undef FAKE_FAULT
};

// The one thing of the tests that is global and changes: SmbCuda has no argument to hold it.
FakeMachine *
fake_machine(void) {
  static FakeMachine machine;
  return &machine;
}

int
fake_begin(void) {
  while (fake_machine()->hangs)
    pause();
  return fake_machine()->broken;
}

// Whether the launch that was counted last has the machine's fault.
static gboolean
is_concerned(const char *entry) {
  const FakeMachine *machine = fake_machine();
  return (!machine->entry || strcmp(machine->entry, entry) == 0) &&
         (!machine->at || machine->at == machine->matching);
}

gboolean
fake_spoils(FakeFault fault, const char *entry) {
  return fake_machine()->fault == fault && is_concerned(entry);
}

int
fake_begin_launch(const char *entry) {
  FakeMachine *machine = fake_machine();
  int error = fake_begin();
  machine->launches++;
  machine->matching += !machine->entry || strcmp(machine->entry, entry) == 0;
  if (error != SMB_CUDA_SUCCESS)
    return error;
  if (fake_spoils(FAKE_CRASH, entry))
    raise(SIGKILL);
  machine->hangs = fake_spoils(FAKE_HANG, entry);
  return fake_spoils(FAKE_LAUNCH_REFUSED, entry) ? FAKE_INVALID_CONFIGURATION : SMB_CUDA_SUCCESS;
}

void
fake_end_launch(const char *entry, int error) {
  FakeMachine *machine = fake_machine();
  const char *lost = g_getenv("SMEMBANK_FAKE_LOST");
  machine->broken = fake_spoils(FAKE_LAUNCH_FAILURE, entry) ? FAKE_FAILED_LAUNCH : error;
  if (!fake_spoils(FAKE_LOST_DEVICE, entry))
    return;
  machine->broken = FAKE_DEVICE_UNAVAILABLE;
  if (lost)
    g_file_set_contents(lost, "", 0, NULL);
}

// What stands in the way of the device, as the runtime tells it.
static int
find_obstacle(void) {
  const char *lost = g_getenv("SMEMBANK_FAKE_LOST");
  if (fake_machine()->fault == FAKE_NO_DRIVER)
    return FAKE_INSUFFICIENT_DRIVER;
  if (fake_machine()->fault == FAKE_NO_DEVICE)
    return FAKE_NOT_A_DEVICE;
  if (lost && g_file_test(lost, G_FILE_TEST_EXISTS))
    return FAKE_DEVICE_UNAVAILABLE;
  return fake_begin();
}

static int
count_devices(int *count) {
  int error = find_obstacle();
  *count = error == SMB_CUDA_SUCCESS;
  return error;
}

static int
name_device(int device, char *name, gsize size) {
  g_strlcpy(name, "Made-up GPU", size);
  return device == 0 ? find_obstacle() : FAKE_INVALID_VALUE;
}

static int
tell_attribute(int device, SmbCudaAttribute attribute, int *value) {
  static const int values[SMB_CUDA_N_ATTRIBUTES] = {
      [SMB_CUDA_CAPABILITY_MAJOR] = 9,     [SMB_CUDA_CAPABILITY_MINOR] = 0,
      [SMB_CUDA_MULTIPROCESSORS] = 132,    [SMB_CUDA_SHARED_PER_BLOCK_OPTIN] = FAKE_SHARED_BYTES,
      [SMB_CUDA_L2_BYTES] = FAKE_L2_BYTES,
  };
  *value = values[attribute];
  return device == 0 ? find_obstacle() : FAKE_INVALID_VALUE;
}

static int
tell_versions(int *runtime, int *driver) {
  *runtime = 13000;
  *driver = fake_machine()->fault == FAKE_NO_DRIVER ? 0 : 13010;
  return SMB_CUDA_SUCCESS;
}

static const char *
tell_error(int error) {
  static const struct {
    int error;
    const char *text;
  } texts[] = {
      {FAKE_INVALID_VALUE, "invalid argument"},
      {FAKE_MEMORY_ALLOCATION, "out of memory"},
      {FAKE_INVALID_CONFIGURATION, "invalid configuration argument"},
      {FAKE_INSUFFICIENT_DRIVER, "CUDA driver version is insufficient for CUDA runtime version"},
      {FAKE_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable"},
      {FAKE_NOT_A_DEVICE, "no CUDA-capable device is detected"},
      {FAKE_INVALID_IMAGE, "device kernel image is invalid"},
      {FAKE_INVALID_PTX, "a PTX JIT compilation failed"},
      {FAKE_SYMBOL_NOT_FOUND, "named symbol not found"},
      {FAKE_ILLEGAL_ADDRESS, "an illegal memory access was encountered"},
      {FAKE_MISALIGNED_ADDRESS, "misaligned address"},
      {FAKE_FAILED_LAUNCH, "unspecified launch failure"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    if (texts[i].error == error)
      return texts[i].text;
  }
  return "unrecognized error code";
}

static int
bind_device(int device) {
  return device == 0 ? find_obstacle() : FAKE_INVALID_VALUE;
}

static gpointer
open_library(SmbCudaLibrary library, char **reason) {
  static const struct {
    FakeFault fault;
    const char *name;
  } libraries[SMB_CUDA_N_LIBRARIES] = {
      [SMB_CUDA_DRIVER] = {FAKE_NO_DRIVER, "libcuda.so.1"},
      [SMB_CUDA_NVRTC] = {FAKE_NO_NVRTC, "libnvrtc.so.13"},
      [SMB_CUDA_CUPTI] = {FAKE_NO_CUPTI, "libcupti.so.13"},
  };
  if (fake_machine()->fault != libraries[library].fault)
    return GUINT_TO_POINTER(library + 1);
  *reason = g_strdup_printf("%s not found", libraries[library].name);
  return NULL;
}

static int
tell_library_version(SmbCudaLibrary library, G_GNUC_UNUSED gpointer handle) {
  return library == SMB_CUDA_NVRTC ? 13000 : 0;
}

static char *
tell_driver_release(void) {
  return fake_machine()->fault == FAKE_NO_DRIVER ? NULL : g_strdup("100.01");
}

static const SmbCuda complete = {
    .has_runtime = TRUE,
    .device_count = count_devices,
    .device_name = name_device,
    .attribute = tell_attribute,
    .versions = tell_versions,
    .error_text = tell_error,
    .bind = bind_device,
    .allocate = fake_allocate,
    .release = fake_release,
    .upload = fake_upload,
    .download = fake_download,
    .load = fake_load,
    .unload = fake_unload,
    .launch = fake_launch,
    .synchronize = fake_begin,
    .time_launches = fake_time_launches,
    .compile = fake_compile,
    .open = open_library,
    .library_version = tell_library_version,
    .driver_release = tell_driver_release,
    .profiler = fake_profiler,
};

static const SmbCuda without_runtime = {
    .compile = fake_compile,
    .open = open_library,
    .library_version = tell_library_version,
    .driver_release = tell_driver_release,
    .profiler = fake_profiler,
};

const SmbCuda *
fake_cuda_new(const char *fault) {
  FakeMachine *machine = fake_machine();
  g_auto(GStrv) launch = g_strsplit(fault, "@", 2);
  g_auto(GStrv) words = g_strsplit(launch[0] ? launch[0] : "", ":", 2);
  const char *name = words[0] ? words[0] : "";
  guint found = 0;
  while (found < FAKE_N_FAULTS && strcmp(fault_names[found], name) != 0)
    found++;
  if (found == FAKE_N_FAULTS)
    return NULL;
  g_clear_pointer(&machine->allocations, g_hash_table_unref);
  g_clear_pointer(&machine->noted, g_hash_table_unref);
  g_free(machine->entry);
  *machine = (FakeMachine){.fault = (FakeFault)found};
  machine->entry = words[0] && words[1] ? g_strdup(words[1]) : NULL;
  machine->at = launch[0] && launch[1] ? (guint)g_ascii_strtoull(launch[1], NULL, 10) : 0;
  machine->allocations = g_hash_table_new(NULL, NULL);
  machine->noted = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  return machine->fault == FAKE_NO_RUNTIME ? &without_runtime : &complete;
}

char *
fake_cuda_faults(void) {
  GString *names = g_string_new(NULL);
  for (guint i = FAKE_NONE + 1; i < FAKE_N_FAULTS; i++)
    g_string_append_printf(names, "%s%s", names->len ? ", " : "", fault_names[i]);
  return g_string_free(names, FALSE);
}

guint
fake_cuda_launches(void) {
  return fake_machine()->launches;
}

gsize
fake_cuda_allocated(void) {
  GHashTableIter iter;
  gpointer size;
  gsize sum = 0;
  g_hash_table_iter_init(&iter, fake_machine()->allocations);
  while (g_hash_table_iter_next(&iter, NULL, &size))
    sum += GPOINTER_TO_SIZE(size);
  return sum;
}
