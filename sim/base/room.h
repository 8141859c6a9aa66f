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
 * smb_room_group_limit: Linux, "Control Groups version 1" and "version 2".
 * @root: where their files are: /sys/fs/cgroup
 * @groups: the groups that the process is in, as in /proc/self/cgroup
 *
 * Returns: bytes of memory that these have, and those that they are in; %G_MAXUINT64: any number
 */
guint64 smb_room_group_limit(const char *root, const char *groups);

/**
 * smb_room_bytes: Returns: bytes of memory that the process may have at most: what the machine has, or its container,
 * or what smb_room_address_space() allows, whichever is least
 */
guint64 smb_room_bytes(void);

/** smb_room_available: Returns: the same, of what other processes leave now */
guint64 smb_room_available(void);
