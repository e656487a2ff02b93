"""Write down which files of the book a notebook opens; read by ``execution.py``.

Python imports this module as it starts, in the kernel and in the processes that it starts.
"""

import os
import sys

_ROOT = os.environ.get("FLASHWEAR_RECORD_BELOW", "")
_FILE = os.environ.get("FLASHWEAR_RECORD", "")
_known: set[str] = set()


def _record(event: str, arguments: tuple) -> None:
    if event != "open" or not isinstance(arguments[0], (str, os.PathLike)):
        return
    path = os.path.abspath(os.fspath(arguments[0]))
    if isinstance(path, str) and path.startswith(_ROOT) and path not in _known:
        _known.add(path)
        with open(_FILE, "a", encoding="utf-8") as file:
            file.write(f"{path}\n")


if _FILE and _ROOT:
    sys.addaudithook(_record)
