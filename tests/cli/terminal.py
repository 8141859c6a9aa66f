# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# terminal.py [--interrupt TEXT] PROGRAM ARGUMENT...: runs a program on a terminal of its own and prints what the terminal
# got, then "status N" or "signal N". --interrupt types Ctrl-C as soon as the terminal shows TEXT.
import os
import pty
import select
import sys

arguments = sys.argv[1:]
interrupt = None
if arguments[0] == "--interrupt":
    interrupt = arguments[1].encode()
    arguments = arguments[2:]
child, terminal = pty.fork()
if child == 0:
    os.execv(arguments[0], arguments)
output = b""
while True:
    if interrupt is not None and interrupt in output:
        os.write(terminal, b"\x03")
        interrupt = None
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        output += data
status = os.waitpid(child, 0)[1]
sys.stdout.buffer.write(output)
if os.WIFSIGNALED(status):
    print("\nsignal", os.WTERMSIG(status))
else:
    print("\nstatus", os.WEXITSTATUS(status))
