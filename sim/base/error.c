// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/error.h"

G_DEFINE_QUARK(smb - error, smb_error)
