#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Makes the pictures of the README anew: make pictures. Arguments: the program, the folder that takes them.
# bank-map.svg is what the program writes; report.png is the article of an access in a page of it, in a
# headless Chromium (tests/cli/browser.py drives it).
set -eu
program=$1
folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$folder"
"$program" explain --rows 16 --cols 32 --pad 1 --svg "$folder/bank-map.svg" >/dev/null
"$program" report "$work/report.html" --rows 16 --cols 32 --pad 1 >/dev/null
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$0")/../tests/cli \
  python3 - "$work" "$folder/report.png" <<'EOF'
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
EOF
