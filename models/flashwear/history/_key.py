"""The key file: with it a drive has the same name in every run and on every host."""

import hashlib
import os
import secrets
from pathlib import Path

_LEAST, _MOST = 16, 4096  # bytes of a key file


def default_key() -> Path:
    """Return where the key file is if none is named: in XDG_CONFIG_HOME, or in /etc for root."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    base = os.environ.get("XDG_CONFIG_HOME") or ("/etc" if root else "~/.config")
    return Path(base, "flashwear.key").expanduser()


def read_key(path: str | os.PathLike[str] | None = None) -> bytes:
    """Return the key of a key file, by which reports of one drive are recognised.

    Parameters
    ----------
    path : path, optional
        The file, by default :func:`default_key`. Copy it to all hosts: by another key the same
        drive is another.

    Raises
    ------
    ValueError
        If others may read the file, or it has fewer than 16 bytes or more than 4 KiB.
    OSError
        If it is not there or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = make_key(Path(folder, "key"))
    ...     made, made == make_key(Path(folder, "key")), len(read_key(Path(folder, "key")))
    (True, False, 32)
    """
    place = default_key() if path is None else Path(path)
    with place.open("rb") as file:
        if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
            raise ValueError(f"key file {place} must be for its owner alone: chmod 600 {place}")
        content = file.read(_MOST + 1).strip()
    if not _LEAST <= len(content) <= _MOST:
        raise ValueError(
            f"key file {place} must have {_LEAST} to {_MOST} bytes, got {len(content)}"
        )
    return hashlib.blake2b(content, digest_size=32).digest()


def make_key(path: str | os.PathLike[str] | None = None) -> bool:
    """Make a key file with mode 0600 if there is none, and return whether one was made."""
    place = default_key() if path is None else Path(path)
    if place.exists():
        return False
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(part, place)
    except FileExistsError:  # made by another process meanwhile
        return False
    finally:
        part.unlink(missing_ok=True)
    return True
