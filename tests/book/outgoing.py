"""Ways in which a page could send something, and a server that counts what arrives."""

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from built import HTML

WAYS = ("fetch", "xhr", "beacon", "events", "image", "script", "style", "font", "video", "frame",
        "object", "worker", "form")  # fmt: skip

# tries each of them: the end of the address says which
TRY = """async (to) => {
    const make = (tag, given) => Object.assign(document.createElement(tag), given);
    const add = (tag, given) => document.body.append(make(tag, given));
    const ways = {
        fetch: (url) => void fetch(url, { mode: "no-cors" }).catch(() => 0),
        xhr: (url) => {
            const request = new XMLHttpRequest();
            request.open("GET", url);
            request.send();
        },
        beacon: (url) => navigator.sendBeacon(url, "report"),
        events: (url) => new EventSource(url),
        image: (url) => (new Image().src = url),
        script: (src) => add("script", { src }),
        style: (href) => add("link", { rel: "stylesheet", href }),
        font: (url) => new FontFace("sent", `url(${url})`).load().catch(() => 0),
        video: (src) => add("video", { src }),
        frame: (src) => add("iframe", { src }),
        object: (data) => add("object", { data }),
        worker: (url) => {
            const code = new Blob([`fetch("${url}", { mode: "no-cors" })`]);
            new Worker(URL.createObjectURL(code));
        },
        form: (action) => {
            const form = make("form", { action, target: "sent" });
            add("iframe", { name: "sent" });
            document.body.append(form);
            form.submit();
        },
    };
    for (const [name, go] of Object.entries(ways)) {
        try {
            go(`${to}/${name}`);
        } catch {
            // refused at once
        }
    }
    await new Promise((done) => setTimeout(done, 2000));
}"""


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
