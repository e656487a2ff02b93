"""Write down which tables a notebook opens; read by ``execution.py``.

Python imports this module as it starts, in the kernel and in the processes that it starts.
"""

import os
import sys

_FILE = os.environ.get("FLASHWEAR_RECORD")
_TABLES = f"{os.sep}flashwear{os.sep}data{os.sep}"  # where the wheel has them
_known: set[str] = set()


def _record(event: str, arguments: tuple) -> None:
    if event != "open" or not isinstance(arguments[0], str):
        return
    _, inside, name = arguments[0].partition(_TABLES)
    if inside and name not in _known:
        _known.add(name)
        with open(_FILE, "a", encoding="utf-8") as file:
            file.write(f"{name}\n")


if _FILE:
    sys.addaudithook(_record)
