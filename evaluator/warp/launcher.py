"""Run by file name, in a process of its own, as the last step before the program that is to be started.

It stays small and free of the package: isolated start-up takes some 15 ms, and nothing of it may leak into
the program. What to run comes as JSON through an inherited socket, which closes by itself when the program
starts; before that it carries the reason why it could not.
"""

import ctypes
import json
import os
import signal
import socket
import sys

PR_SET_PDEATHSIG = 1
"""From <linux/prctl.h>: the signal that this process gets when its parent ends."""


def main(descriptor: int) -> None:
    """Read the order, bind this process's life to its parent's, become the program."""
    channel = socket.socket(fileno=descriptor)
    channel.set_inheritable(False)
    channel.sendall(b"R")  # ready: from here on, the next execve is the one that starts the program
    with channel.makefile("rb") as reader:
        order = json.loads(reader.read())
    try:
        if sys.platform == "linux":
            # No scheduler may survive an evaluator that was killed. Kept across execve, and too late when the
            # parent has gone already.
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != order["parent"]:
                os._exit(1)
        os.execve(order["program"], order["argv"], order["env"])  # noqa: S606 - becoming it is the point
    except OSError as error:
        channel.sendall(f"{error.strerror}: {order['program']}".encode())
        os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
