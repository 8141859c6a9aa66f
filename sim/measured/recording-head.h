// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a result says of a recording that it is about: who measured what, and how, without what was measured.
#pragma once

#include "sim/base/json-member.h"
#include "sim/measured/recording.h"

/** The members, of an SmbRecording. */
G_GNUC_INTERNAL extern const SmbMembers smb_recording_head;
