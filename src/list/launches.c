// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// list launches FILE: the launches of a capture.
#include "src/list/list.h"

#include "sim/capture/capture.h"
#include "sim/program/symbol.h"
#include "src/list/listing.h"
#include "src/target/captured.h"

static void
add_extent(SmbListing *listing, const guint extent[3]) {
  g_autofree char *text = g_strdup_printf("%u %u %u", extent[0], extent[1], extent[2]);
  smb_listing_text(listing, extent[0] ? text : NULL);
}

static void
add_listed_launch(SmbListing *listing, const SmbCapture *capture, const SmbCaptureLaunch *launch) {
  g_autofree char *name = smb_symbol_demangle(launch->kernel, FALSE);
  smb_listing_number(listing, launch->number);
  smb_listing_text(listing, name);
  smb_listing_text(listing, launch->kernel);
  add_extent(listing, launch->grid);
  add_extent(listing, launch->block);
  add_extent(listing, launch->cluster);
  smb_listing_number(listing, launch->dynamic_bytes);
  smb_listing_text(listing, launch->stream);
  if (launch->nanoseconds >= 0)
    smb_listing_number(listing, (guint64)(launch->nanoseconds + 0.5));
  else
    smb_listing_text(listing, NULL);
  smb_listing_number(listing, smb_capture_held(launch));
  smb_listing_number(listing, smb_capture_left_out(launch));
  smb_listing_number(listing, smb_capture_seen(capture, launch->kernel));
  smb_listing_text(listing, launch->arch);
  smb_listing_number(listing, launch->process);
  smb_listing_number(listing, launch->launch);
}

gboolean
smb_list_launches(SmbCli *cli, const char *file, GError **error) {
  static const SmbListingColumn columns[] = {
      {"number", "launch", SMB_LISTING_NUMBER},
      {"kernel", "kernel", SMB_LISTING_TEXT},
      {"symbol", NULL, SMB_LISTING_TEXT},
      {"grid", "grid", SMB_LISTING_NUMBERS},
      {"block", "block", SMB_LISTING_NUMBERS},
      {"cluster", "cluster", SMB_LISTING_NUMBERS},
      {"dynamic_bytes", "dynamic bytes", SMB_LISTING_NUMBER},
      {"stream", "stream", SMB_LISTING_TEXT},
      {"nanoseconds", "ns", SMB_LISTING_NUMBER},
      {"memory_bytes", "bytes of memory", SMB_LISTING_NUMBER},
      {"left_out_bytes", "left out", SMB_LISTING_NUMBER},
      {"seen", "of the kernel", SMB_LISTING_NUMBER},
      {"arch", "for", SMB_LISTING_TEXT},
      {"process", NULL, SMB_LISTING_NUMBER},
      {"launch", NULL, SMB_LISTING_NUMBER},
  };
  if (!smb_capture_recognize(file) && g_file_test(file, G_FILE_TEST_EXISTS))
    return smb_cli_usage_error(error, "'%s' is not a capture: only captures have launches", file);
  g_autoptr(SmbCapture) capture = smb_capture_open(file, error);
  if (!capture)
    return FALSE;
  g_autoptr(SmbListing) listing = smb_listing_new("launches", columns, G_N_ELEMENTS(columns));
  smb_listing_set_note(listing, "of the kernel: all of its launches, recorded or not; left out: "
                                "bytes of memory that are not in the capture.");
  for (guint i = 0; i < smb_capture_n_launches(capture); i++)
    add_listed_launch(listing, capture, smb_capture_launch(capture, i));
  cli->format->write(cli, listing);
  smb_captured_write_end(capture, cli->messages);
  return TRUE;
}
