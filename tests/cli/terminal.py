# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# terminal.py [--interrupt SECONDS] PROGRAM ARGUMENT...: runs a program on a terminal of its own and prints what the
# terminal got, then "status N" or "signal N" and how long it took. --interrupt types Ctrl-C.
import os
import pty
import select
import sys
import time

arguments = sys.argv[1:]
interrupt = None
if arguments[0] == "--interrupt":
    interrupt = float(arguments[1])
    arguments = arguments[2:]
child, terminal = pty.fork()
if child == 0:
    os.execv(arguments[0], arguments)
start = time.monotonic()
typed = None
output = b""
while True:
    if interrupt is not None and typed is None and time.monotonic() - start > interrupt:
        os.write(terminal, b"\x03")
        typed = time.monotonic()
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        output += data
status = os.waitpid(child, 0)[1]
end = time.monotonic()
sys.stdout.buffer.write(output)
if os.WIFSIGNALED(status):
    print("\nsignal", os.WTERMSIG(status))
else:
    print("\nstatus", os.WEXITSTATUS(status))
if typed is not None:
    print("late" if end - typed > 1.5 else "at once")
