// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Textures and surfaces of the process.
#pragma once

#include "gpu/driver/abi.h"
#include "gpu/inject/payload.h"

// Adds how many there are, and each of them (RUN_LAUNCH).
void textures_add(SmbPayload *payload);

// There is none any more.
void textures_reset(void);
