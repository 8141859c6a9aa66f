// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A layout with its accesses as a program: whatever counts, explains and reports kernels does so for them. The text is lines:
//
//     element f16                    (optional: the type of elements of layouts that do not say it)
//     shape 64x64                    (optional: the shape of layouts that do not say it)
//     layout Swizzle<3,3,3> o (64,64):(64,1)
//     access store row vec=8
//     access ldmatrix.x4.trans
//
// Lines that begin with "//" are comments. Each access is made once, by all warps that it names.
#pragma once

#include "sim/machine/front-end.h"

extern const SmbFrontEnd smb_layout_front_end;
