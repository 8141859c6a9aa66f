// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The inventory of the GPU side, on machines that are made up: every part missing or broken in turn.
#include <check.h>
#include <string.h>

#include "gpu/device.h"
#include "tests/suite.h"

enum {
  ERROR_NO_DEVICE = 100,
  ERROR_LOST = 46
};

static int
count_one(int *count) {
  *count = 1;
  return SMB_CUDA_SUCCESS;
}

static int
count_none(int *count) {
  *count = 0;
  return SMB_CUDA_SUCCESS;
}

static int
count_fails(int *count) {
  *count = 0;
  return ERROR_NO_DEVICE;
}

static int
name_device(int device, char *name, gsize size) {
  ck_assert_int_eq(device, 0);
  g_strlcpy(name, "Made-up 1", size);
  return SMB_CUDA_SUCCESS;
}

static int
lose_device(G_GNUC_UNUSED int device, G_GNUC_UNUSED char *name, G_GNUC_UNUSED gsize size) {
  return ERROR_LOST;
}

static int
tell_attribute(G_GNUC_UNUSED int device, SmbCudaAttribute attribute, int *value) {
  static const int values[SMB_CUDA_N_ATTRIBUTES] = {9, 0, 132, 232448};
  *value = values[attribute];
  return SMB_CUDA_SUCCESS;
}

static int
tell_versions(int *runtime, int *driver) {
  *runtime = 13000;
  *driver = 13010;
  return SMB_CUDA_SUCCESS;
}

static int
tell_old_driver(int *runtime, int *driver) {
  *runtime = 13000;
  *driver = 12040;
  return SMB_CUDA_SUCCESS;
}

static int
tell_no_driver(int *runtime, int *driver) {
  *runtime = 13000;
  *driver = 0;
  return SMB_CUDA_SUCCESS;
}

static const char *
tell_error(int error) {
  return error == ERROR_LOST ? "the device is lost" : "no CUDA-capable device is detected";
}

static gpointer
open_all(SmbCudaLibrary library, G_GNUC_UNUSED char **reason) {
  return GUINT_TO_POINTER(library + 1);
}

static gpointer
open_nothing(G_GNUC_UNUSED SmbCudaLibrary library, char **reason) {
  *reason = g_strdup("the library is not on this machine");
  return NULL;
}

static int
tell_library_version(SmbCudaLibrary library, G_GNUC_UNUSED gpointer handle) {
  return library == SMB_CUDA_NVRTC ? 13000 : 0;
}

static const SmbCuda complete = {
    .has_runtime = TRUE,
    .device_count = count_one,
    .device_name = name_device,
    .attribute = tell_attribute,
    .versions = tell_versions,
    .error_text = tell_error,
    .open = open_all,
    .library_version = tell_library_version,
};

// A machine that differs from the complete one, and what its inventory says of one part.
typedef struct {
  const char *part;
  gboolean usable;
  const char *detail;
  int (*device_count)(int *count);
  int (*device_name)(int device, char *name, gsize size);
  int (*versions)(int *runtime, int *driver);
  gpointer (*open)(SmbCudaLibrary library, char **reason);
  gboolean no_runtime;
} Case;

static const Case cases[] = {
    {"CUDA runtime", TRUE, "version 13.0"},
    {"driver", TRUE, "has CUDA 13.1"},
    {"devices", TRUE, "1"},
    {"NVRTC", TRUE, "version 13.0"},
    {"CUPTI", TRUE, "present"},
    {"devices", FALSE, "this machine has none", .device_count = count_none},
    {"devices", FALSE, "no CUDA-capable device is detected", .device_count = count_fails},
    {"devices", FALSE, "the device is lost", .device_name = lose_device},
    {"driver", FALSE, "it has CUDA 12.4; this program needs 13.0 or later",
     .versions = tell_old_driver},
    {"driver", FALSE, "the library is not on this machine", .open = open_nothing},
    {"NVRTC", FALSE, "the library is not on this machine", .open = open_nothing},
    {"CUPTI", FALSE, "the library is not on this machine", .open = open_nothing},
    {"CUDA runtime", FALSE, "built without a CUDA Toolkit; see configure --with-cuda",
     .no_runtime = TRUE},
    {"devices", FALSE, "unknown without the CUDA runtime", .no_runtime = TRUE},
    {"devices", FALSE, "unknown without a driver", .versions = tell_no_driver},
};

static SmbCuda
make_machine(const Case *test) {
  SmbCuda cuda = complete;
  if (test->device_count)
    cuda.device_count = test->device_count;
  if (test->device_name)
    cuda.device_name = test->device_name;
  if (test->versions)
    cuda.versions = test->versions;
  if (test->open)
    cuda.open = test->open;
  cuda.has_runtime = !test->no_runtime;
  return cuda;
}

START_TEST(test_part) {
  const Case *test = &cases[_i];
  SmbCuda cuda = make_machine(test);
  g_autoptr(SmbGpuInventory) inventory = smb_gpu_inventory(&cuda);
  const SmbGpuPart *found = NULL;
  for (guint i = 0; i < inventory->parts->len; i++) {
    const SmbGpuPart *part = g_ptr_array_index(inventory->parts, i);
    if (strcmp(part->name, test->part) == 0)
      found = part;
  }
  ck_assert_ptr_nonnull(found);
  ck_assert_int_eq(found->usable, test->usable);
  ck_assert_str_eq(found->detail, test->detail);
}
END_TEST

START_TEST(test_device) {
  g_autoptr(SmbGpuInventory) inventory = smb_gpu_inventory(&complete);
  ck_assert_uint_eq(inventory->devices->len, 1);
  const SmbGpuDevice *device = g_ptr_array_index(inventory->devices, 0);
  ck_assert_int_eq(device->index, 0);
  ck_assert_str_eq(device->name, "Made-up 1");
  ck_assert_uint_eq(device->capability_major, 9);
  ck_assert_uint_eq(device->capability_minor, 0);
  ck_assert_uint_eq(device->multiprocessors, 132);
  ck_assert_uint_eq(device->shared_per_block, 232448);
}
END_TEST

// Whatever this machine has, the real inventory names every part and gives each missing one a reason.
START_TEST(test_real) {
  g_autoptr(SmbGpuInventory) inventory = smb_gpu_inventory(smb_cuda_real());
  ck_assert_uint_eq(inventory->parts->len, 5);
  for (guint i = 0; i < inventory->parts->len; i++) {
    const SmbGpuPart *part = g_ptr_array_index(inventory->parts, i);
    ck_assert_ptr_nonnull(part->detail);
    ck_assert_uint_gt(strlen(part->detail), 0);
  }
}
END_TEST

Suite *
suite_gpu_device(void) {
  Suite *suite = suite_create("gpu-device");
  TCase *group = tcase_create("inventory");
  tcase_add_loop_test(group, test_part, 0, G_N_ELEMENTS(cases));
  tcase_add_test(group, test_device);
  tcase_add_test(group, test_real);
  suite_add_tcase(suite, group);
  return suite;
}
