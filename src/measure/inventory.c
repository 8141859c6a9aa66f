// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/measure/inventory.h"

#include <string.h>

#include "src/measure/measure.h"

// What keeps anything from being measured, as in "without a device", or NULL.
static const char *
find_missing_need(const SmbGpuInventory *inventory) {
  if (inventory->devices->len == 0)
    return "a device";
  for (guint i = 0; i < inventory->parts->len; i++) {
    const SmbGpuPart *part = g_ptr_array_index(inventory->parts, i);
    if (!part->usable && strcmp(part->name, "NVRTC") == 0)
      return "NVRTC";
  }
  return NULL;
}

// Whether counters can be read shows only where they are tried, on the first device.
static void
add_counters(SmbGpuInventory *inventory) {
  static const SmbMeasureOptions first = {NULL, NULL};
  static const char name[] = "hardware counters";
  g_autoptr(GError) error = NULL;
  const char *missing = find_missing_need(inventory);
  if (missing) {
    smb_gpu_inventory_add(inventory, name, FALSE, g_strdup_printf("unknown without %s", missing));
    return;
  }
  g_autoptr(SmbMeter) meter = smb_measure_open(&first, &error);
  const SmbMeterDevice *device = meter ? smb_meter_device(meter) : NULL;
  if (device && device->profiler)
    smb_gpu_inventory_add(inventory, name, TRUE, g_strconcat("through ", device->profiler, NULL));
  else
    smb_gpu_inventory_add(inventory, name, FALSE,
                          g_strdup(device ? device->refusal : error->message));
}

SmbGpuInventory *
smb_measure_inventory(const SmbCuda *cuda) {
  SmbGpuInventory *inventory = smb_gpu_inventory(cuda);
  add_counters(inventory);
  return inventory;
}
