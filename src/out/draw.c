// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/draw.h"

void
smb_draw_finish(SmbDraw *draw, SmbSpool *out) {
  draw->methods->finish(draw, out);
}

void
smb_draw_free(SmbDraw *draw) {
  if (draw)
    draw->methods->free(draw);
}
