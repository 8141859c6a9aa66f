// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The error domain of the GPU side.
#include "gpu/error.h"

G_DEFINE_QUARK(smb - gpu - error, smb_gpu_error)
