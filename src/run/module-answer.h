// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a process is told of a module that it loads (RUN_MODULE, gpu/driver/protocol.h).
#pragma once

#include "gpu/inject/payload.h"
#include "sim/module/module.h"

// Adds all that follows the message.
void smb_module_answer(SmbPayload *answer, const SmbModule *module);
