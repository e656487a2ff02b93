"""Ask ``server.py`` for a kernel, hand on signals to it, and end as it ends.

``client.py SOCKET CONNECTION_FILE``
"""

import json
import os
import signal
import socket
import sys


def main() -> int:
    """Run the command and return the kernel's exit status."""
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(sys.argv[1])
        asked = {
            "connection": sys.argv[2],
            "environment": dict(os.environ),
            "folder": os.getcwd(),
        }
        socket.send_fds(server, [json.dumps(asked).encode()], [0, 1, 2])
        answers = server.makefile()
        pid = int(answers.readline())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.kill(pid, number))
        status = int(answers.readline() or -signal.SIGKILL)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
