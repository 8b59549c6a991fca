"""Runs a command on a terminal of its own: python3 terminal.py COMMAND [ARG]... < SCRIPT

Each line of SCRIPT is `wait TEXT`, `type TEXT`, `pause MS`, or `end`, which types Ctrl-D. Prints what the terminal
showed, and exits as the command did.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

PATIENCE = 30


def main():
    """The conversation."""
    script = sys.stdin.read().splitlines()
    child, terminal = pty.fork()
    if child == 0:
        # 24 lines of 100 columns.
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        os.execvp(sys.argv[1], sys.argv[1:])
    shown = b""
    seen = 0
    limit = time.monotonic() + PATIENCE

    def read():
        """Takes in what the terminal shows; False when the command has ended."""
        nonlocal shown
        ready, _, _ = select.select([terminal], [], [], max(0, limit - time.monotonic()))
        if not ready:
            sys.stdout.buffer.write(shown)
            sys.exit("nothing happens any more")
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            chunk = b""
        shown += chunk
        return chunk != b""

    for line in script:
        action, _, text = line.partition(" ")
        if action == "wait":
            while (place := shown.find(text.encode(), seen)) < 0:
                if not read():
                    sys.stdout.buffer.write(shown)
                    sys.exit("the end came before: " + text)
            seen = place + len(text.encode())
        elif action == "type":
            os.write(terminal, text.encode() + b"\n")
        elif action == "pause":
            time.sleep(int(text) / 1000)
        elif action == "end":
            os.write(terminal, b"\x04")
    while read():
        pass
    sys.stdout.buffer.write(shown)
    sys.stdout.flush()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


main()
