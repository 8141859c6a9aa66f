// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a program is told of the device that it runs on: of its architecture, and of one device of it (data/devices).
#pragma once

#include "gpu/inject/payload.h"
#include "sim/arch/arch.h"

/**
 * smb_run_device_add:
 * @chip: 90 of sm_90
 * @answer: what RUN_HELLO says of the device is added to it (gpu/driver/protocol.h)
 * @error: SMB_ERROR_INPUT: the file of the device is broken
 *
 * An architecture of which no device is known has the numbers of one of another, under a name that says so.
 */
gboolean smb_run_device_add(const SmbArch *arch, guint chip, SmbPayload *answer, GError **error);
