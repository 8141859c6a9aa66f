// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#pragma once

#include "sim/capture/capture.h"
#include "sim/capture/member.h"

struct _SmbCapture {
  gatomicrefcount references;
  char *path;
  SmbCaptureMembers *members;
  SmbCaptureHeader *header;
  GPtrArray *launches; // SmbCaptureLaunch
  SmbCaptureEnd *end;  // NULL: there is none
  GHashTable *seen;    // kernel to guint64: its launches
};
