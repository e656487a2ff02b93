"""Pages for a browser, and files that are there whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def page(title: str, head: str, body: str) -> str:
    """Return a self-contained HTML page; `head` and `body` are HTML, so texts must be escaped."""
    return f"""\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
{head}
</head><body>
{body}
</body></html>
"""


@contextmanager
def replaced(path: str) -> Iterator[str]:
    """Yield the name of a new file, which replaces the file `path` if no error occurs."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"an output must be a regular file, got {path}")
    folder, name = os.path.split(path)
    mask = os.umask(0)
    os.umask(mask)
    opened, part = tempfile.mkstemp(dir=folder or ".", prefix=f".{name[:100]}.")
    os.close(opened)
    try:
        os.chmod(part, 0o666 & ~mask)
        yield part
        os.replace(part, path)
    except OSError as error:
        error.filename = error.filename or path
        raise
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)
