// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// PTX as a front end.
#pragma once

#include "sim/machine/front-end.h"

extern const SmbFrontEnd smb_ptx_front_end;
