"""File systems that overwrite in place and keep a journal of their metadata: ext4, XFS."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, number, plain


class Journal(NamedTuple):
    """Bytes written per byte of data: ``data`` in place, ``journal``, ``metadata`` in place."""

    data: FloatOrArray
    """Bytes of data written in place."""
    journal: FloatOrArray
    """Bytes written to the journal."""
    metadata: FloatOrArray
    """Bytes of metadata blocks written in place, when the journal is emptied."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes written in all, per byte of data."""
        return self.data + self.journal + self.metadata


@elementwise()
def journal(
    write_bytes: ArrayLike,
    *,
    metadata_blocks: ArrayLike = 1.0,
    commits_per_checkpoint: ArrayLike = 100.0,
    block_bytes: ArrayLike = 4096,
    data: bool = False,
) -> Journal:
    r"""Return what a journalling file system writes for each synced write, per byte of data.

    .. math:: \frac{\lceil w/b\rceil b}{w}, \qquad \frac{(m + 2)\,b}{w}, \qquad \frac{m\,b}{C\,w}

    The terms are data, journal and metadata. A write of :math:`w` bytes takes whole blocks of
    :math:`b` bytes. Its commit puts :math:`m` changed blocks of metadata into the journal, between
    a descriptor and a commit block. In place, these blocks are written once for :math:`C` commits
    that change the same ones. With ``data=journal`` the data go through the journal too.

    Parameters
    ----------
    write_bytes : array_like
        Bytes between two syncs :math:`w`, > 0.
    metadata_blocks : array_like
        Blocks of metadata that a commit changes :math:`m`, >= 0: 1 for an overwrite that changes
        the inode's times, more where blocks are allocated (bitmap, group descriptor, extent tree).
    commits_per_checkpoint : array_like
        Commits that change the same metadata before it is written in place :math:`C`, >= 1.
    block_bytes : array_like
        Bytes of a block of the file system :math:`b`, > 0.
    data : bool
        Whether data are journalled too, as with ``data=journal``.

    Returns
    -------
    Journal
        Bytes for each byte of data: ``data``, ``journal``, ``metadata``, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Examples
    --------
    A page of 4 KiB and a sync, and a megabyte and a sync:

    >>> [round(float(journal(size).total), 2) for size in (4096, 2**20)]
    [4.01, 1.01]
    """
    size = number("write_bytes", write_bytes, above=0)
    block = number("block_bytes", block_bytes, above=0)
    changed = number("metadata_blocks", metadata_blocks, low=0)
    commits = number("commits_per_checkpoint", commits_per_checkpoint, low=1)
    whole = -(-size // block) * block / size
    logged = (changed + 2) * block / size + whole * data
    placed = changed * block / (commits * size)
    return Journal(*map(plain, np.broadcast_arrays(whole, logged, placed)))
