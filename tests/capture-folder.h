// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the tests of captures share: a folder for the files of a test, and captures and cubins that are opened.
#pragma once

#include "sim/capture/capture.h"

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
