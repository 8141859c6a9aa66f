// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where a shell or a batch system limits memory (ulimit -v), the program ends with an error once there is no more.
#pragma once

#include <glib.h>

/** smb_shortage_prepare: To be called first. Memory that cannot be had ends the program with a message and SMB_EXIT_INPUT.
 * Under a limit on address space, threads share what each would set aside for itself. */
void smb_shortage_prepare(void);

/**
 * smb_shortage_stack_bytes:
 * @wanted: what a thread is to have
 *
 * Returns: @wanted, or less where a limit on address space leaves no room for as much
 */
gsize smb_shortage_stack_bytes(gsize wanted);

/** smb_shortage_guard_stack: The same for the calling thread when it is too late for a message of GLib, which takes memory. */
void smb_shortage_guard_stack(void);
