// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/error.h"

G_DEFINE_QUARK(smb - gpu - error, smb_gpu_error)
