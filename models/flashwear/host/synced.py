"""What a file system adds to a write that is synced: its journal, its log, its tree of changes."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import Array, FloatOrArray, flag, number, one_of, plain
from flashwear.wa import map_unit_factor

FileSystem: TypeAlias = Literal["ext4", "xfs", "btrfs"]
"""A file system with the settings that its tools choose."""
SyncedLoad: TypeAlias = Literal["overwrite", "scattered", "append", "create", "replace"]
"""What is written: bytes of a file that are there, in order or here and there, its new end, a new
file, or a file anew under its name (written, synced, renamed, its folder synced)."""

_BLOCK, _SECTOR = 4_096, 512
_NODE = 2 * 16_384  # of btrfs, which keeps two copies of its trees on one device
_BTRFS = 2.0  # nodes of its tree of changes
_BTRFS_SCATTERED = 3.6  # where these hold many places of a file: between 2 and 4, as counted
_SUPERBLOCK = 4_096
# blocks of metadata that change on ext4, and sectors of changes in the log of XFS, where an fsync
# of an overwrite changes the times of the inode
_EXT4 = {"overwrite": 1.0, "scattered": 1.0, "append": 1.0, "create": 6.0, "replace": 11.0}
_XFS = {"overwrite": 1.0, "scattered": 1.0, "append": 1.0, "create": 6.5, "replace": 7.0}
_NEW_BLOCKS = 2.0  # bitmap and group descriptor, where an append needs a block


class SyncedWrite(NamedTuple):
    """Bytes written per byte of data: ``data`` in place, ``journal``, ``metadata`` in place."""

    data: FloatOrArray
    """Bytes of data written in whole blocks."""
    journal: FloatOrArray
    """Bytes written to the journal, to the log of XFS, or to the tree of changes of btrfs."""
    metadata: FloatOrArray
    """Bytes of metadata blocks written in place, when a journal is emptied."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes written in all, per byte of data."""
        return self.data + self.journal + self.metadata


@elementwise()
def synced_write(
    write_bytes: ArrayLike,
    file_system: FileSystem = "ext4",
    load: SyncedLoad = "overwrite",
    *,
    data_only: bool = False,
    journal_data: bool = False,
    commits_per_checkpoint: ArrayLike = 100.0,
) -> SyncedWrite:
    r"""Return what a file system writes for a write that is synced, per byte of data.

    .. math:: \frac{f(w, b)}{1}, \qquad
              \frac{(m + 2k)\,b}{w}, \quad \frac{(s + k)\,b_s}{w} \quad\text{or}\quad
              \frac{2\cdot 2 N + b}{w}, \qquad \frac{m\,b}{C\,w}

    The terms are data, journal and metadata. A write of :math:`w` bytes takes whole blocks of
    :math:`b` = 4,096 bytes, :math:`f` times its bytes where one write follows the other. A sync is
    :math:`k` commits: one, two where a file is replaced, and none where ``fdatasync`` finds nothing
    but data to write. On ext4 a commit puts the :math:`m` blocks that changed between a descriptor
    and a commit block; in place they are written once for :math:`C` commits. XFS writes a header
    and :math:`s` sectors of :math:`b_s` = 512 bytes of changes. btrfs writes a leaf and a root of a
    tree of changes, nodes of :math:`N` = 16 KiB in two copies, and a superblock; where the changes
    are scattered over a large file, 3.6 nodes.

    Parameters
    ----------
    write_bytes : array_like
        Bytes of a write :math:`w`, a whole number >= 1.
    file_system : {"ext4", "xfs", "btrfs"}
        File system as its tools make it.
    load : {"overwrite", "scattered", "append", "create", "replace"}
        Bytes that are there are overwritten in order, or here and there in a large file; a file
        grows, a file is new, or a file is replaced by a new one under its name.
    data_only : bool
        Whether the sync is ``fdatasync``, which leaves out what only changes times.
    journal_data : bool
        Whether data go through the journal of ext4 too, as with ``data=journal``.
    commits_per_checkpoint : array_like
        Commits that change the same blocks before these are written in place :math:`C`, >= 1.

    Returns
    -------
    SyncedWrite
        Bytes for each byte of data: ``data``, ``journal``, ``metadata``, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges.

    Notes
    -----
    The blocks of ext4 are the inode for an overwrite; a bitmap and a group descriptor more where an
    append needs a block; both bitmaps, the descriptor, two inodes and the folder for a new file.
    Against 19 settings of each file system that were named before they were counted on a device
    (:func:`flashwear_book.tables.synced_writes`): ext4 is 2 % low to 2 % high, XFS up to 4 % low.
    For overwrites and appends btrfs is up to 6 % low; for new and replaced files up to 37 %, since
    its tree of changes then has more nodes. On arrays XFS may pad each commit to a stripe.

    Examples
    --------
    A page of 4 KiB and ``fsync``, then ``fdatasync``, which commits nothing:

    >>> [float(synced_write(4096, data_only=only).data + synced_write(4096, data_only=only).journal)
    ...  for only in (False, True)]
    [4.0, 1.0]
    """
    size = number("write_bytes", write_bytes, low=1, high=2**40)
    if (size != np.floor(size)).any():
        raise ValueError(f"write_bytes must be a whole number, got {write_bytes!r}")
    one_of("file_system", file_system, ("ext4", "xfs", "btrfs"))
    one_of("load", load, tuple(_EXT4))
    data_only, journal_data = flag("data_only", data_only), flag("journal_data", journal_data)
    commits = number("commits_per_checkpoint", commits_per_checkpoint, low=1)
    apart, there = load in ("create", "replace"), load in ("overwrite", "scattered")
    whole = -(-size // _BLOCK) * _BLOCK / size if apart else map_unit_factor(size, _BLOCK)
    whole = np.asarray(whole, float)
    rounds = 2 if load == "replace" else 0 if data_only and there else 1
    placed = np.zeros_like(size)
    if file_system == "ext4":
        rounds = max(rounds, journal_data)
        changed = rounds and _EXT4[load] + (load == "append") * _NEW_BLOCKS * (size / _BLOCK).clip(
            0, 1
        )
        logged = (changed + 2 * rounds) * _BLOCK / size + whole * journal_data
        placed = changed * _BLOCK / (commits * size)
    elif file_system == "xfs":
        logged = (bool(rounds) * _XFS[load] + rounds) * _SECTOR / size
    else:
        nodes = _BTRFS_SCATTERED if load == "scattered" else _BTRFS
        logged = max(rounds, 1) * (nodes * _NODE + _SUPERBLOCK) / size
    return SyncedWrite(*map(plain, np.broadcast_arrays(whole, logged, placed)))


def sync_bytes(
    file_system: FileSystem | None, load: SyncedLoad, write_bytes: float | Array = _BLOCK
) -> FloatOrArray:
    """Return the bytes of journal that ``fdatasync`` adds to a write; none without a file system.

    Examples
    --------
    >>> sync_bytes("ext4", "append"), sync_bytes("ext4", "overwrite"), sync_bytes(None, "append")
    (20480.0, 0.0, 0.0)
    """
    size = np.ceil(np.asarray(write_bytes, float)).clip(1)
    if file_system is None:
        return plain(np.zeros_like(size))
    found = synced_write(size, file_system, load, data_only=True)
    return plain(np.asarray(found.journal) * size)
