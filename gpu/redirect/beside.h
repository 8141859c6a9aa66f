// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Libraries that lie in the folder of the one that this is compiled into.
#pragma once

// Opens one by its name there, as dlopen() does.
void *beside_open(const char *name, int mode);
