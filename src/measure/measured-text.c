// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/measure/measured-text.h"

#include <math.h>

#include "sim/arch/arch.h"
#include "src/out/json.h"
#include "src/out/table.h"

char *
smb_measured_text(double number) {
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  if (number == SMB_NOT_MEASURED)
    return g_strdup("-");
  return g_strdup(g_ascii_formatd(buffer, sizeof buffer, "%.2f", number));
}

void
smb_measured_write_device(SmbCli *cli, const SmbMeterDevice *device, const SmbArch *arch) {
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, device->name);
  smb_spool_printf(cli->out, " (compute capability %u.%u, driver %s), by the rules of %s\n",
                   device->capability_major, device->capability_minor,
                   device->driver ? device->driver : "unknown", smb_arch_info(arch)->name);
}

void
smb_measured_write_counters(SmbCli *cli, const char *refusal) {
  if (refusal)
    smb_text_wrap_printf(cli->out, "Wavefronts were not counted: %s. Only cycles were compared.",
                         refusal);
  else
    smb_text_wrap_printf(cli->out, "Wavefronts were counted by %s.", smb_meter_request_counter());
}

void
smb_measured_json_device(JsonBuilder *json, const SmbMeterDevice *device, const char *refusal) {
  g_autofree char *capability =
      g_strdup_printf("%u.%u", device->capability_major, device->capability_minor);
  smb_json_text(json, "device", device->name);
  smb_json_text(json, "compute_capability", capability);
  smb_json_text(json, "driver", device->driver);
  smb_json_text(json, "toolkit", device->toolkit);
  smb_json_text(json, "counter", refusal ? NULL : smb_meter_request_counter());
  smb_json_text(json, "counters_refused", refusal);
}

// A number that was measured, with the digits that mean something.
static void
add_measured_number(JsonBuilder *json, const char *key, double number) {
  smb_json_double_if(json, key, number != SMB_NOT_MEASURED, round(number * 1e4) / 1e4);
}

void
smb_measured_json(JsonBuilder *json, guint wavefronts, double counted, guint cycles,
                  double measured) {
  smb_json_number(json, "wavefronts", wavefronts);
  add_measured_number(json, "counted", counted);
  smb_json_number(json, "cycles", cycles);
  add_measured_number(json, "measured", measured);
}
