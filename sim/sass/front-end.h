// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Machine code as a front end.
#pragma once

#include "sim/machine/front-end.h"

extern const SmbFrontEnd smb_sass_front_end;
