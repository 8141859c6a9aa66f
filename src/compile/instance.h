// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An instance of a template that is asked for by its name alone: how a compiler is made to make it, and which kernel it became.
#pragma once

#include <glib.h>

/** smb_instance_text: @instance: (nullable): "sgemm<128, 8>". Returns: (transfer full): what follows a text, so that it is made; "" for
 * %NULL */
char *smb_instance_text(const char *instance);

/**
 * smb_instance_find:
 * @space: (nullable): the namespace that smb_instance_text() was put into
 *
 * Returns: (transfer full) (nullable): the kernel that @image has of it, as a demangler writes it
 */
char *smb_instance_find(GBytes *image, const char *space);
