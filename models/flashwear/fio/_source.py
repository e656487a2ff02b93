"""Files from outside: read once, and not beyond a limit."""

import gzip
import io
import os
import zlib
from typing import IO, TypeAlias

Source: TypeAlias = str | os.PathLike[str] | IO[bytes]


def name_of(source: Source) -> str:
    """Return the name of a file without its folder, for messages."""
    path = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", "file")
    return os.path.basename(os.fsdecode(path)) if isinstance(path, (str, os.PathLike)) else "file"


def content(source: Source, most: int) -> bytes:
    """Return the bytes of a file, unpacked if gzipped; raise ValueError if more than `most`."""
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            return content(file, most)
    if not hasattr(source, "read"):
        raise TypeError(f"source must be a path or a binary file, got {type(source).__name__}")
    found = source.read(most + 1)
    if not isinstance(found, bytes):
        raise TypeError('source must be a binary file, got one of text: open it in mode "rb"')
    if found.startswith(b"\x1f\x8b"):
        try:
            found = gzip.GzipFile(fileobj=io.BytesIO(found)).read(most + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{name_of(source)}: the gzip file is broken: {error}") from None
    if len(found) > most:
        raise ValueError(f"{name_of(source)} must have at most {most:,} bytes, got more")
    return found
