"""The files of a folder or a tar archive, read with limits because archives may lie."""

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any, TypeAlias

from flashwear.smart._backblaze import HEADER, drives
from flashwear.smart._found import Found, Unreadable
from flashwear.smart._read import LARGEST

Content: TypeAlias = bytes | Found | str

_MOST_BYTES = 2**36  # of an unpacked archive
_LARGEST_HEADER = 2**20  # of the long name or the extended header of a member
_LARGEST_WINDOW = 2**28  # memory of the xz decoder
_CHUNK = 2**16
_READS_PAST_END = 100
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
_BROKEN = (tarfile.TarError, lzma.LZMAError, zlib.error)
_EXTENDED = (
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)  # fmt: skip


def is_archive(path: str) -> bool:
    """Return whether a path has the name of an archive."""
    return path.lower().endswith(_ARCHIVES)


def files(
    source: str | os.PathLike[str], model: re.Pattern[str] | None = None
) -> Iterator[tuple[str, Content]]:
    """Yield the name of each file with its content, or with the reason why it was not read.

    Folders are read in the order of names, without following links. Archives are not unpacked to
    disk, and no more of a member is held in memory than a report may have. A daily table of
    Backblaze gives a content for each line whose drive model begins with `model`.
    """
    path = os.fspath(source)
    if os.path.isdir(path):
        yield from _folder(path, model)
        return
    with open(path, "rb") as file:
        if _is_table(file):
            yield from _table(file, os.path.basename(path), model)
        else:
            yield from _archive(file, path)


def _is_table(file: io.BufferedReader) -> bool:
    start = file.peek(_CHUNK)[:_CHUNK]
    if start.startswith(b"\x1f\x8b"):
        with suppress(zlib.error):
            start = zlib.decompressobj(wbits=31).decompress(start, len(HEADER))
    return start.startswith(HEADER)


def _table(
    file: io.BufferedReader, name: str, model: re.Pattern[str] | None
) -> Iterator[tuple[str, Content]]:
    try:
        for line, drive in drives(io.BufferedReader(_Unpacked(file)), model):
            yield f"{name}:{line}", drive
    except (*_BROKEN, OSError, EOFError, ValueError) as error:
        yield name, f"the rest of the table is not readable: {error}"


def _folder(top: str, model: re.Pattern[str] | None) -> Iterator[tuple[str, Content]]:
    waiting = [top]  # no recursion: folders may be nested to any depth
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            yield os.path.relpath(folder, top), f"not readable: {error.strerror}"
            continue
        folders = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        for entry in entries:
            if entry.path not in folders:
                yield from one_file(entry.path, os.path.relpath(entry.path, top), model)
        waiting += reversed(folders)


def one_file(
    path: str, name: str, model: re.Pattern[str] | None = None
) -> Iterator[tuple[str, Content]]:
    """Yield a file with its content or the reason why it was not read; of a table each line."""
    if name.endswith((".csv", ".csv.gz")):
        with suppress(OSError), open(path, "rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode) and _is_table(file):
                yield from _table(file, name, model)
                return
    yield name, _file(path)


def _file(path: str) -> bytes | str:
    try:
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode):
            return "not a plain file"
        if status.st_size > LARGEST:
            return _too_large(status.st_size)
        with open(path, "rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        return f"not readable: {error.strerror}"
    return content if len(content) <= LARGEST else _too_large(len(content))


def _too_large(size: int) -> str:
    return f"a report must have at most {LARGEST} bytes, got {size}"


class _Member(tarfile.TarInfo):
    """A member of a whole archive, whose extended headers are read only if they are small."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_Member":
        if len(buf) < tarfile.BLOCKSIZE:  # an archive ends with blocks of zeros
            raise Unreadable("it ends too early")
        member = super().frombuf(buf, encoding, errors)
        if member.type in _EXTENDED and member.size > _LARGEST_HEADER:
            raise Unreadable(f"the archive has a header of {member.size} bytes")
        return member

    def _refuse(self, *_: object) -> None:
        raise Unreadable("the archive has a sparse member")

    # how tarfile reads maps of sparse members: of any length, and without end where they are cut
    _proc_sparse = _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse


def _archive(file: io.BufferedReader, path: str) -> Iterator[tuple[str, bytes | str]]:
    archive: Any  # its list of members is no public name
    begun = False
    try:
        with tarfile.open(
            fileobj=_Unpacked(file), mode="r|", tarinfo=_Member, errors="replace"
        ) as archive:
            while (member := archive.next()) is not None:
                archive.members.clear()  # it would keep them all
                if member.isdir():
                    continue
                name = member.name.removeprefix("./")
                if not member.isreg():
                    yield name, "not a plain file"
                elif member.size > LARGEST:
                    yield name, _too_large(member.size)
                else:
                    content = archive.extractfile(member)
                    yield name, content.read() if content else "not a plain file"
                begun = True
    except (*_BROKEN, OSError, EOFError, ValueError, OverflowError, RecursionError) as error:
        reason = str(error) or type(error).__name__
        if not begun:
            raise Unreadable(f"{path} is no folder and no readable tar archive: {reason}") from None
        yield os.path.basename(path), f"the rest of the archive is not readable: {reason}"


class _Unpacked(io.RawIOBase):
    """A file as it is, or unpacked if it is packed with xz, gzip or bzip2."""

    def __init__(self, file: io.BufferedReader) -> None:
        start = file.peek(6)  # no seek: it may be a pipe
        self._file: Any = file
        self._left = _MOST_BYTES
        self._past_end = 0
        if start.startswith(b"\xfd7zXZ\x00"):
            self._file = _Xz(file)
        elif start.startswith(b"\x1f\x8b"):
            self._file = gzip.GzipFile(fileobj=file)
        elif start.startswith(b"BZh"):
            self._file = bz2.BZ2File(file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def read(self, size: int = -1) -> bytes:
        part: bytes = self._file.read(size)
        self._left -= len(part)
        if self._left < 0:
            raise Unreadable(f"more than {_MOST_BYTES} bytes unpacked")
        if size and not part:  # tarfile skips a member of any size that a header claims
            self._past_end += 1
            if self._past_end > _READS_PAST_END:
                raise Unreadable("it ends too early")
        return part


class _Xz:
    """An xz file, read with a bound on the decoder's memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decoder = self._new()
        self._rest = b""

    @staticmethod
    def _new() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_LARGEST_WINDOW)

    def read(self, size: int) -> bytes:
        parts, left = [], size
        while left > 0 and (part := self._more(left)):
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def _more(self, size: int) -> bytes:
        while True:
            if self._decoder.eof:  # another stream may follow
                self._rest = (self._decoder.unused_data or self._file.read(_CHUNK)).lstrip(b"\0")
                if not self._rest:
                    return b""
                self._decoder = self._new()
            packed = self._rest
            self._rest = b""
            if not packed and self._decoder.needs_input and not (packed := self._file.read(_CHUNK)):
                raise EOFError("the xz file ends too early")
            if part := self._decoder.decompress(packed, size):
                return part
