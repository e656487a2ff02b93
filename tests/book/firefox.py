"""Firefox without a window, steered by WebDriver BiDi: Playwright steers none that a system has."""

import asyncio
import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from tornado.websocket import websocket_connect

NAMES = ("firefox", "firefox-esr")
PATIENCE_S = 60
_LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


def path() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


class Tab:
    """A tab, and what was wrong on its pages."""

    def __init__(self, address: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = ThreadPoolExecutor(1)  # Playwright's loop may be running in the main one
        self._socket = self._run(lambda: websocket_connect(f"{address}/session"))
        self._asked = 0
        self.problems: list[str] = []
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        self._context = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def close(self) -> None:
        self._ask("browser.close")
        while self._run(self._socket.read_message) is not None:
            pass  # until Firefox has closed the connection
        self._socket.close()
        self._thread.submit(self._loop.close).result()
        self._thread.shutdown()

    def go_to(self, address: str) -> None:
        self._ask("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """Return what an expression gives on the page: a text, a number or a truth value."""
        target = {"context": self._context}
        told = self._ask("script.evaluate", expression=expression, target=target, awaitPromise=True)
        assert told["type"] == "success", told
        return told["result"].get("value")

    def wait_for(self, expression: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not self.evaluate(f"Boolean({expression})"):
            assert time.monotonic() < deadline, f"waited in vain for {expression}"
            time.sleep(0.1)

    def _run(self, start: Callable[[], Any]) -> Any:
        async def wait() -> Any:
            return await asyncio.wait_for(start(), PATIENCE_S)

        return self._thread.submit(self._loop.run_until_complete, wait()).result()

    def _ask(self, method: str, **given: object) -> Any:
        self._asked += 1
        command = json.dumps({"id": self._asked, "method": method, "params": given})
        self._run(lambda: self._socket.write_message(command))
        while True:
            told = json.loads(self._run(self._socket.read_message))
            entry = told["params"] if told.get("method") == "log.entryAdded" else {}
            if entry.get("level") in ("warn", "error"):
                self.problems.append(entry["text"])
            if told.get("id") == self._asked:
                assert told["type"] == "success", told
                return told["result"]


@contextmanager
def started(program: str) -> Iterator[Tab]:
    """Start Firefox as a new reader has it, and give a tab of it."""
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--no-remote", "--profile", profile]
        process = subprocess.Popen([*command, "--remote-debugging-port", "0"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True)  # fmt: skip
        with process:
            try:
                found = next(filter(None, map(_LISTENING.search, process.stderr)), None)
                assert found, "Firefox ended before it listened"
                tab = Tab(found[1])
                yield tab
                tab.close()
            finally:
                process.terminate()
                process.stderr.read()  # until it has ended
