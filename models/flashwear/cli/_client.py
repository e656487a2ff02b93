"""Ask a database by a client that the user names, in bounded time and memory."""

import os
import shlex
import signal
import subprocess
import threading
from contextlib import suppress
from typing import IO

from flashwear.cli._say import one_line, shown

PATIENCE_S = 60
MOST = 1 << 20  # bytes of an answer


def ask(option: str, line: str, query: str) -> str:
    """Return what a client answers to a query; a ValueError names the option and what is wrong."""
    try:
        words = shlex.split(line)
        if not words:
            raise ValueError("it names no command")
        client = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
    except (ValueError, OSError) as error:
        raise ValueError(f"{option} cannot be called: {one_line(error)}") from None
    answer, complaint = _Reader(client.stdout), _Reader(client.stderr)
    with suppress(OSError), client.stdin:  # type: ignore[union-attr]
        client.stdin.write(query.encode())  # type: ignore[union-attr]
    answer.join(PATIENCE_S)
    late, out = answer.is_alive(), answer.text
    if not late and len(out) < MOST:
        with suppress(subprocess.TimeoutExpired):
            client.wait(1)
    with suppress(OSError):  # what it started, too
        os.killpg(client.pid, signal.SIGKILL)
    status = client.wait()
    for reader in (answer, complaint):
        reader.join(1)
    if late:
        raise ValueError(f"{option} gave no answer in {PATIENCE_S} s")
    if len(out) >= MOST:
        raise ValueError(f"{option} must answer with less than {MOST} bytes: it is no client")
    if status:
        said = shown(" ".join(complaint.text.decode(errors="replace").split()))
        raise ValueError(f"{option} ended with status {status}: {said[:200]}")
    return out.decode(errors="replace")


class _Reader(threading.Thread):
    """Reads the beginning of a pipe, so that neither side waits for the other."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        super().__init__(daemon=True)
        self._pipe, self.text = pipe, b""
        self.start()

    def run(self) -> None:
        if self._pipe:
            with self._pipe:
                self.text = self._pipe.read(MOST)
