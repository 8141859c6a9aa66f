#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Makes the pictures of the documents anew: make pictures. Arguments: the program, the folder that takes them, and "svg" if that is all that
# is made. bank-map.svg is what the program writes, session.svg a session of it (doc/terminal.py). report.png is the article of an access in
# a page of it, in a headless Chromium (tests/cli/browser.py drives it). tests/pictures.sh compares those that are SVG.
set -eu
program=$(realpath "$1")
folder=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 SMEMBANK_NVCC=no
export PYTHONDONTWRITEBYTECODE SMEMBANK_NVCC

"$program" explain --rows 16 --cols 32 --pad 1 --svg "$folder/bank-map.svg" >/dev/null

mkdir "$work/bin"
printf '#!/bin/sh\nexec "%s" "$@" --color always\n' "$program" >"$work/bin/smembank"
chmod +x "$work/bin/smembank"
cat >"$work/transpose.cu" <<'EOS'
__global__ void transpose(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * pitch + x];
  __syncthreads();
  out[y * pitch + x] = tile[x][y];
}
EOS
(
  cd "$work"
  PATH="$work/bin:$PATH" python3 "$here/terminal.py" "$folder/session.svg" 'smembank' \
    'smembank analyze transpose.cu --block 32,32 --arg pitch=1024 --text -q' \
    'smembank advise transpose.cu --block 32,32 --arg pitch=1024 --text'
)

[ "${3-}" != svg ] || exit 0
"$program" report "$work/report.html" --rows 16 --cols 32 --pad 1 >/dev/null
PYTHONPATH=$here/../tests/cli python3 - "$work" "$folder/report.png" <<'EOS'
import base64
import sys
from browser import Browser

work, picture = sys.argv[1:]
browser = Browser(work + '/profile')
try:
    browser.open(work + '/report.html')
    box = browser.run('''const box = document.querySelector('.access').getBoundingClientRect();
      return [box.x + scrollX, box.y + scrollY, box.width, box.height]''')
    clip = {'x': box[0] - 16, 'y': box[1] - 8, 'width': box[2] + 32, 'height': box[3] + 24, 'scale': 1}
    shot = browser.devtools('Page.captureScreenshot', captureBeyondViewport=True, clip=clip)
    with open(picture, 'wb') as file:
        file.write(base64.b64decode(shot['data']))
finally:
    browser.close()
EOS
