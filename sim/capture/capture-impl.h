// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The members of an open capture. Private to sim/capture.
#pragma once

#include "sim/capture/capture.h"
#include "sim/capture/once.h"
#include "sim/capture/member.h"

struct _SmbCapture {
  SmbOnce *codes;    // SmbSource: images that were read, by hash
  SmbOnce *programs; // SmbProgram: by image, kernel and how it was read
  gatomicrefcount references;
  char *path;
  SmbCaptureMembers *members;
  SmbCaptureHeader *header;
  GPtrArray *launches; // SmbCaptureLaunch
  SmbCaptureEnd *end;  // NULL: there is none
  GHashTable *seen;    // kernel to guint64: its launches
};

// Begins to keep code that was read (launched-code.c).
void smb_capture_keep(SmbCapture *capture);
