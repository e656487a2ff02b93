"""Where a file system puts its files: the first free space, file by file."""

from __future__ import annotations

import bisect

from flashwear._domain import whole


class Extents:
    """An allocator: free and used pages of a volume whose files are written whole.

    A file gets the free pages with the lowest numbers, in as many pieces as necessary. Any hashable
    object may stand for a file.

    Parameters
    ----------
    pages : int
        Pages of the volume, >= 1.
    first : int
        The number of its first page, >= 0.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    A hole of four pages and six pages behind the last file:

    >>> volume = Extents(100)
    >>> _ = volume.write("a", 4), volume.write("b", 3)
    >>> volume.drop("a")
    [(0, 4)]
    >>> volume.write("c", 10), volume.free
    ([(0, 4), (7, 6)], 87)
    """

    def __init__(self, pages: int, first: int = 0) -> None:
        start = whole("first", first, 0)
        self._holes = [(start, start + whole("pages", pages, 1))]
        self._files: dict[object, list[tuple[int, int]]] = {}

    @property
    def free(self) -> int:
        """Number of pages that belong to no file."""
        return sum(end - start for start, end in self._holes)

    def write(self, file: object, pages: int) -> list[tuple[int, int]]:
        """Allocate `pages` pages for `file`; return the first page and length of each piece.

        Raises
        ------
        ValueError
            If there is such a file, or too little space.
        """
        if file in self._files:
            raise ValueError(f"file must be a new one, got {file!r} again")
        left = whole("pages", pages, 1)
        if left > self.free:
            raise ValueError(f"pages must be <= {self.free}, which are free, got {pages}")
        pieces = []
        while left:
            start, end = self._holes[0]
            taken = min(left, end - start)
            pieces.append((start, taken))
            left -= taken
            if start + taken == end:
                del self._holes[0]
            else:
                self._holes[0] = start + taken, end
        self._files[file] = pieces
        return pieces

    def drop(self, file: object) -> list[tuple[int, int]]:
        """Free the pages of `file`; return the first page and length of each piece.

        Raises
        ------
        ValueError
            If there is no such file.
        """
        if file not in self._files:
            raise ValueError(f"file must be one that was written, got {file!r}")
        pieces = self._files.pop(file)
        for start, count in pieces:
            self._join(start, start + count)
        return pieces

    def _join(self, start: int, end: int) -> None:
        place = bisect.bisect(self._holes, (start, end))
        if place < len(self._holes) and self._holes[place][0] == end:
            end = self._holes.pop(place)[1]
        if place and self._holes[place - 1][1] == start:
            start = self._holes[place - 1][0]
            place -= 1
            del self._holes[place]
        self._holes.insert(place, (start, end))
