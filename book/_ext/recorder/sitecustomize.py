"""Write down which files of the project a notebook opens; read by ``execution.py``.

Python imports this module as it starts, in the kernel and in the processes that it starts. A table
or a template of an installed package counts as that of the project.
"""

import os
import re
import sys

_FILE = os.environ.get("FLASHWEAR_RECORD")
_ROOT = os.environ.get("FLASHWEAR_ROOT", "") + os.sep
_INSTALLED = re.compile(
    r".*/(?:flashwear(?:_book)?/(data/.*)|(flashwear_book/panels/.*\.(?:html|json)))"
)
_known: set[str] = set()


def _record(event: str, arguments: tuple) -> None:
    if event != "open" or not isinstance(arguments[0], str):
        return
    path = os.path.abspath(arguments[0])
    if inside := _INSTALLED.fullmatch(path):
        name = inside[1] or f"models/{inside[2]}"
    elif path.startswith(_ROOT):
        name = path.removeprefix(_ROOT)
    else:
        return
    if name not in _known:
        _known.add(name)
        with open(_FILE, "a", encoding="utf-8") as file:
            file.write(f"{name}\n")


if _FILE:
    sys.addaudithook(_record)
