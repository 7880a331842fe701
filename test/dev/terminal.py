"""Runs a command in a pseudo terminal of 80 columns: the input is typed, what it shows is the output."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])

sources = [terminal, 0]
while True:
    readable, _, _ = select.select(sources, [], [])
    if 0 in readable:
        typed = os.read(0, 1024)
        os.write(terminal, typed)
        if not typed:
            sources.remove(0)
    if terminal in readable:
        try:
            shown = os.read(terminal, 65536)
        except OSError:
            break
        if not shown:
            break
        os.write(1, shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
