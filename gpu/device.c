// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The list of devices, and what this machine lacks to use one.
#include "gpu/device.h"

static void
device_free(gpointer data) {
  SmbGpuDevice *device = data;
  g_free(device->name);
  g_free(device);
}

static void
part_free(gpointer data) {
  SmbGpuPart *part = data;
  g_free(part->detail);
  g_free(part);
}

void
smb_gpu_inventory_add(SmbGpuInventory *inventory, const char *name, gboolean usable, char *detail) {
  SmbGpuPart *part = g_new0(SmbGpuPart, 1);
  part->name = name;
  part->usable = usable;
  part->detail = detail;
  g_ptr_array_add(inventory->parts, part);
}

static char *
describe_version(int version) {
  return g_strdup_printf("version %d.%d", version / 1000, version % 1000 / 10);
}

static void
check_runtime(const SmbCuda *cuda, SmbGpuInventory *inventory) {
  int runtime = 0, driver = 0;
  if (!cuda->has_runtime)
    smb_gpu_inventory_add(inventory, "CUDA runtime", FALSE,
                          g_strdup("built without a CUDA Toolkit; see configure --with-cuda"));
  else if (cuda->versions(&runtime, &driver) != SMB_CUDA_SUCCESS)
    smb_gpu_inventory_add(inventory, "CUDA runtime", FALSE, g_strdup("its version is unknown"));
  else
    smb_gpu_inventory_add(inventory, "CUDA runtime", TRUE, describe_version(runtime));
}

static void
check_driver(const SmbCuda *cuda, SmbGpuInventory *inventory) {
  g_autofree char *reason = NULL;
  int runtime = 0, driver = 0;
  if (!cuda->open(SMB_CUDA_DRIVER, &reason))
    smb_gpu_inventory_add(inventory, "driver", FALSE, g_steal_pointer(&reason));
  else if (!cuda->has_runtime || cuda->versions(&runtime, &driver) != SMB_CUDA_SUCCESS)
    smb_gpu_inventory_add(inventory, "driver", TRUE, g_strdup("present"));
  else if (driver / 1000 < runtime / 1000)
    smb_gpu_inventory_add(inventory, "driver", FALSE,
                          g_strdup_printf("it has CUDA %d.%d; this program needs %d.%d or later",
                                          driver / 1000, driver % 1000 / 10, runtime / 1000, 0));
  else
    smb_gpu_inventory_add(inventory, "driver", TRUE,
                          g_strdup_printf("has CUDA %d.%d", driver / 1000, driver % 1000 / 10));
}

// One device; FALSE with the error of what it would not tell.
static gboolean
add_device(const SmbCuda *cuda, SmbGpuInventory *inventory, int index, int *error) {
  char name[256] = "";
  int values[SMB_CUDA_N_ATTRIBUTES];
  *error = cuda->device_name(index, name, sizeof name);
  for (guint i = 0; *error == SMB_CUDA_SUCCESS && i < SMB_CUDA_N_ATTRIBUTES; i++)
    *error = cuda->attribute(index, (SmbCudaAttribute)i, &values[i]);
  if (*error != SMB_CUDA_SUCCESS)
    return FALSE;
  SmbGpuDevice *device = g_new0(SmbGpuDevice, 1);
  device->index = index;
  device->name = g_strdup(name);
  device->capability_major = (guint)values[SMB_CUDA_CAPABILITY_MAJOR];
  device->capability_minor = (guint)values[SMB_CUDA_CAPABILITY_MINOR];
  device->multiprocessors = (guint)values[SMB_CUDA_MULTIPROCESSORS];
  device->shared_per_block = (gsize)values[SMB_CUDA_SHARED_PER_BLOCK_OPTIN];
  device->l2_bytes = (gsize)MAX(values[SMB_CUDA_L2_BYTES], 0);
  g_ptr_array_add(inventory->devices, device);
  return TRUE;
}

// Why no device can be asked for, or NULL.
static const char *
find_device_obstacle(const SmbCuda *cuda) {
  int runtime = 0, driver = 0;
  if (!cuda->has_runtime)
    return "unknown without the CUDA runtime";
  if (cuda->versions(&runtime, &driver) == SMB_CUDA_SUCCESS && driver == 0)
    return "unknown without a driver";
  return NULL;
}

static void
check_devices(const SmbCuda *cuda, SmbGpuInventory *inventory) {
  int count = 0, error;
  const char *obstacle = find_device_obstacle(cuda);
  if (obstacle) {
    smb_gpu_inventory_add(inventory, "devices", FALSE, g_strdup(obstacle));
    return;
  }
  error = cuda->device_count(&count);
  for (int i = 0; error == SMB_CUDA_SUCCESS && i < count; i++) {
    if (!add_device(cuda, inventory, i, &error))
      break;
  }
  if (error != SMB_CUDA_SUCCESS)
    smb_gpu_inventory_add(inventory, "devices", FALSE, g_strdup(cuda->error_text(error)));
  else if (count == 0)
    smb_gpu_inventory_add(inventory, "devices", FALSE, g_strdup("this machine has none"));
  else
    smb_gpu_inventory_add(inventory, "devices", TRUE, g_strdup_printf("%d", count));
}

static void
check_library(const SmbCuda *cuda, SmbGpuInventory *inventory, SmbCudaLibrary library,
              const char *name) {
  g_autofree char *reason = NULL;
  gpointer handle = cuda->open(library, &reason);
  if (!handle) {
    smb_gpu_inventory_add(inventory, name, FALSE, g_steal_pointer(&reason));
    return;
  }
  int version = cuda->library_version(library, handle);
  gboolean toolkit_version = library == SMB_CUDA_NVRTC && version > 0;
  smb_gpu_inventory_add(inventory, name, TRUE,
                        toolkit_version ? describe_version(version) : g_strdup("present"));
}

SmbGpuInventory *
smb_gpu_inventory(const SmbCuda *cuda) {
  SmbGpuInventory *inventory = g_new0(SmbGpuInventory, 1);
  inventory->devices = g_ptr_array_new_with_free_func(device_free);
  inventory->parts = g_ptr_array_new_with_free_func(part_free);
  check_runtime(cuda, inventory);
  check_driver(cuda, inventory);
  check_devices(cuda, inventory);
  check_library(cuda, inventory, SMB_CUDA_NVRTC, "NVRTC");
  check_library(cuda, inventory, SMB_CUDA_CUPTI, "CUPTI");
  return inventory;
}

void
smb_gpu_inventory_free(SmbGpuInventory *inventory) {
  if (!inventory)
    return;
  g_ptr_array_unref(inventory->devices);
  g_ptr_array_unref(inventory->parts);
  g_free(inventory);
}
