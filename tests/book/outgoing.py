"""Ways in which a page could send something, and a server that counts what arrives."""

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from built import HTML, script

WAYS = ("fetch", "xhr", "beacon", "events", "image", "script", "style", "font", "video", "frame",
        "object", "worker", "form")  # fmt: skip

TRY = script("try_all_ways")  # the end of the address says which


class Handler(SimpleHTTPRequestHandler):
    """Serve the book, and note what it does not have."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Note the last word of the address."""
        self.server.arrived.add(self.path.rpartition("/")[2].rstrip("?"))
        super().send_error(code, message, explain)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[ThreadingHTTPServer]:
    """Serve the book; what arrives beside its files is in `arrived`."""
    handler = functools.partial(Handler, directory=str(HTML))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.arrived = set()
        server.base = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
