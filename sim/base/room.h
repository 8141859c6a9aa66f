// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How much memory there is to be had.
#pragma once

#include <glib.h>

/**
 * smb_room_address_space: Returns: bytes of address space that the process may have (ulimit -v); %G_MAXUINT64: any
 * number
 */
guint64 smb_room_address_space(void);

/**
 * smb_room_bytes: Returns: bytes of memory that the process may have at most: what the machine has, or its container,
 * or what * smb_room_address_space() allows, whichever is least
 */
guint64 smb_room_bytes(void);
