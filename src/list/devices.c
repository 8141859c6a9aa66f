// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/list/list.h"

#include "src/measure/inventory.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/table.h"

static void
write_device_table(SmbCli *cli, const SmbGpuInventory *inventory) {
  g_autoptr(SmbTable) table =
      smb_table_new("device>|name|compute capability>|multiprocessors>|shared bytes of a block>");
  for (guint i = 0; i < inventory->devices->len; i++) {
    const SmbGpuDevice *device = g_ptr_array_index(inventory->devices, i);
    smb_table_number(table, SMB_STYLE_PLAIN, (guint64)device->index);
    smb_table_cell(table, SMB_STYLE_BOLD, device->name);
    smb_table_printf(table, SMB_STYLE_PLAIN, "%u.%u", device->capability_major,
                     device->capability_minor);
    smb_table_number(table, SMB_STYLE_PLAIN, device->multiprocessors);
    smb_table_number(table, SMB_STYLE_PLAIN, device->shared_per_block);
  }
  smb_table_write(table, cli->out, cli->colour);
  smb_spool_puts(cli->out, "\n");
}

static void
write_devices_text(SmbCli *cli, gconstpointer result) {
  const SmbGpuInventory *inventory = result;
  g_autoptr(SmbTable) table = smb_table_new("part|usable|detail");
  if (inventory->devices->len > 0)
    write_device_table(cli, inventory);
  for (guint i = 0; i < inventory->parts->len; i++) {
    const SmbGpuPart *part = g_ptr_array_index(inventory->parts, i);
    smb_table_cell(table, SMB_STYLE_PLAIN, part->name);
    smb_table_cell(table, part->usable ? SMB_STYLE_GOOD : SMB_STYLE_BAD,
                   part->usable ? "yes" : "no");
    smb_table_cell(table, SMB_STYLE_PLAIN, part->detail);
  }
  smb_table_write(table, cli->out, cli->colour);
}

static void
write_devices_json(SmbCli *cli, gconstpointer result) {
  const SmbGpuInventory *inventory = result;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_array(json, "devices");
  for (guint i = 0; i < inventory->devices->len; i++) {
    const SmbGpuDevice *device = g_ptr_array_index(inventory->devices, i);
    g_autofree char *capability =
        g_strdup_printf("%u.%u", device->capability_major, device->capability_minor);
    smb_json_object(json, NULL);
    smb_json_number(json, "device", device->index);
    smb_json_text(json, "name", device->name);
    smb_json_text(json, "compute_capability", capability);
    smb_json_number(json, "multiprocessors", device->multiprocessors);
    smb_json_number(json, "shared_bytes_per_block", (gint64)device->shared_per_block);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_array(json, "parts");
  for (guint i = 0; i < inventory->parts->len; i++) {
    const SmbGpuPart *part = g_ptr_array_index(inventory->parts, i);
    smb_json_object(json, NULL);
    smb_json_text(json, "part", part->name);
    smb_json_boolean(json, "usable", part->usable);
    smb_json_text(json, "detail", part->detail);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_end(json, cli->out);
}

static void
write_devices_csv(SmbCli *cli, gconstpointer result) {
  const SmbGpuInventory *inventory = result;
  SmbCsv csv = smb_csv_begin(cli->out, "part,usable,detail");
  for (guint i = 0; i < inventory->parts->len; i++) {
    const SmbGpuPart *part = g_ptr_array_index(inventory->parts, i);
    smb_csv_text(&csv, part->name);
    smb_csv_text(&csv, part->usable ? "yes" : "no");
    smb_csv_text(&csv, part->detail);
    smb_csv_end_row(&csv);
  }
  for (guint i = 0; i < inventory->devices->len; i++) {
    const SmbGpuDevice *device = g_ptr_array_index(inventory->devices, i);
    g_autofree char *part = g_strdup_printf("device %d", device->index);
    g_autofree char *detail = g_strdup_printf("%s (compute capability %u.%u)", device->name,
                                              device->capability_major, device->capability_minor);
    smb_csv_text(&csv, part);
    smb_csv_text(&csv, "yes");
    smb_csv_text(&csv, detail);
    smb_csv_end_row(&csv);
  }
}

static const SmbFormat formats[] = {{"text", write_devices_text, NULL},
                                    {"json", write_devices_json, NULL},
                                    {"csv", write_devices_csv, NULL},
                                    {NULL, NULL, NULL}};

gboolean
smb_list_devices(SmbCli *cli, GError **error) {
  if (!smb_cli_view(cli, "devices", formats, error))
    return FALSE;
  g_autoptr(SmbGpuInventory) inventory = smb_measure_inventory(cli->cuda);
  cli->format->write(cli, inventory);
  return TRUE;
}
