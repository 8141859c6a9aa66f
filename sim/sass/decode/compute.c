// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that compute.
#include "sim/sass/decode/decode.h"

SassResult
smb_sass_decode_compute(G_GNUC_UNUSED SassDecoder *decoder) {
  return SASS_OTHER;
}
