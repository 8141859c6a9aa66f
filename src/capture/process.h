// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A process of the application: what the injection library in it says (gpu/inject/protocol.h).
#pragma once

#include "src/capture/recorder.h"

typedef struct _SmbProcess SmbProcess;

/** smb_process_new: @fd: (transfer full): the connection. Returns: (transfer full) */
SmbProcess *smb_process_new(int fd, SmbRecorder *recorder);

/** Hangs up. What was recorded of launches that had begun is kept. */
void smb_process_free(SmbProcess *process);

int smb_process_fd(const SmbProcess *process);

/** Reads what there is, and does what it says. Returns: whether there may be more: not after its end, nor after nonsense */
gboolean smb_process_read(SmbProcess *process);
