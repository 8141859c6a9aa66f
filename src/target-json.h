// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The members "kernel" and "arch" of JSON documents, the same for every command.
#pragma once

#include <json-glib/json-glib.h>

#include "src/target.h"

G_BEGIN_DECLS

/** "kernel": name, file, block, grid, shared_bytes, defines. */
void smb_json_target(JsonBuilder *json, const SmbTarget *target, gsize shared_bytes);

/** A member that holds macros as an object: numbers where they are numbers. */
void smb_json_defines(JsonBuilder *json, const char *const *defines);

/** "arch": name, banks, bank_width. */
void smb_json_arch(JsonBuilder *json, const SmbArch *arch);

G_END_DECLS
