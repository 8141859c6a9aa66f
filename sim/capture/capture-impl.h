// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#pragma once

#include "sim/capture/capture.h"
#include "sim/capture/member.h"

// Images that were unpacked, for all threads.
typedef struct {
  GMutex lock;
  GHashTable *kept; // (element-type utf8 GBytes): by hash
  gsize bytes;      // of those kept
} CaptureImages;

struct _SmbCapture {
  CaptureImages *images;
  gatomicrefcount references;
  char *path;
  SmbCaptureMembers *members;
  SmbCaptureHeader *header;
  GPtrArray *launches; // SmbCaptureLaunch
  SmbCaptureEnd *end;  // NULL: there is none
  GHashTable *seen;    // kernel to guint64: its launches
};
