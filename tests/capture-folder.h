// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the tests of captures share: a folder for the files of a test, captures and cubins that are opened, and captures that are
// written.
#pragma once

#include "sim/capture/capture.h"
#include "sim/capture/writer.h"

// A fixture: an empty folder before each test, which is gone afterwards.
void capture_folder_make(void);
void capture_folder_remove(void);

// The path of a file in it (transfer full).
char *capture_in_folder(const char *name);

// Opens a capture that has to be one.
SmbCapture *capture_open_whole(const char *path);

// A cubin, and its first kernel with parameters (both transfer full); @bytes: how many bytes they have.
GBytes *capture_load_cubin(void);
char *capture_find_kernel(GBytes *image, guint *bytes);

// What a capture that is written begins with.
extern const SmbCaptureHeader capture_header;

// A launch that needs nothing but its image.
SmbCaptureLaunch *capture_make_launch(guint64 number, const char *kernel, const char *image);

// What has to work: a capture is begun, an image or memory is stored (its hash: transfer full), a launch is written, and the end, with
// which @writer is freed.
SmbCaptureWriter *capture_start(const char *path);
char *capture_store(SmbCaptureWriter *writer, const guchar *data, gsize n);
char *capture_store_image(SmbCaptureWriter *writer, GBytes *image);
void capture_write_launch(SmbCaptureWriter *writer, const SmbCaptureLaunch *launch);
void capture_finish(SmbCaptureWriter *writer);
