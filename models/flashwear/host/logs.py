"""A log on a log: a file system that writes in segments and cleans them, F2FS, over a drive."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, number, plain, refuse
from flashwear.wa import greedy


class LogOnLog(NamedTuple):
    """Write amplification of a log-structured ``file_system`` and of the ``drive`` below it."""

    file_system: FloatOrArray
    """Bytes that the file system writes for each byte that applications write."""
    drive: FloatOrArray
    """Bytes that the drive programs for each byte that the file system writes."""

    @property
    def total(self) -> FloatOrArray:
        """Write amplification of both together, their product."""
        return self.file_system * self.drive


@elementwise()
def log_on_log(
    used_bytes: ArrayLike,
    volume_bytes: ArrayLike,
    drive_op: ArrayLike,
    *,
    segment_bytes: ArrayLike = 2_097_152,
    superblock_bytes: ArrayLike = 1_073_741_824,
    block_bytes: ArrayLike = 4096,
) -> LogOnLog:
    r"""Return write amplification of a log-structured file system and of the drive below it.

    .. math:: A_\mathrm{greedy}\!\left(\frac{V}{u} - 1, \frac{s}{g}\right), \qquad
              A_\mathrm{greedy}\!\left(\mathrm{op}, \frac{B}{s}\right)

    The first is the file system's, the second the drive's; both clean greedily
    (:math:`A_\mathrm{greedy}` is :func:`flashwear.wa.greedy`, op is `drive_op`). The file system
    keeps :math:`u` bytes of files in a volume of :math:`V` bytes, whose free space is its spare
    space, and cleans segments of :math:`s` bytes made of blocks of :math:`g` bytes. It cleans as
    late as it can, so hardly a segment is free and TRIM has little to report: to the drive the
    volume is full. The drive sees random overwrites of whole segments, of which :math:`B/s` make up
    a superblock. If a segment is as large as a superblock, the drive has nothing to copy.

    Parameters
    ----------
    used_bytes : array_like
        Bytes of files and metadata :math:`u`, > 0.
    volume_bytes : array_like
        Space of the file system :math:`V`, > `used_bytes`.
    drive_op : array_like
        Over-provisioning of the drive over the volume, > 0.
    segment_bytes : array_like
        Bytes that the file system cleans at once :math:`s`, a whole number of blocks from two on.
        With F2FS a section, by default one segment of 2 MiB.
    superblock_bytes : array_like
        Bytes that the drive erases at once :math:`B`, a whole number of segments; a smaller number
        counts as one segment.
    block_bytes : array_like
        Bytes of a block of the file system :math:`g`, > 0.

    Returns
    -------
    LogOnLog
        ``file_system`` and ``drive``, both factors >= 1, and ``total``, their product.

    Raises
    ------
    ValueError
        Outside these ranges, or for sizes that do not nest.

    Notes
    -----
    Blocks are taken to be overwritten at random. Hot and cold data kept apart, as F2FS does, lower
    both factors. Compared with two simulated logs, the drive's factor is 4 % low at 7 % of spare
    space, and 9 % high at 28 %. Why two logs are worse than one is shown by :cite:t:`yang2014`.

    Examples
    --------
    A volume that is 80 % full on a drive with 7 %, with segments of 2 MiB and of a superblock:

    >>> found = log_on_log(800e9, 1000e9, 0.07, segment_bytes=[2**21, 2**30])
    >>> found.file_system.round(1), found.drive.round(1)
    (array([2.7, 2.7]), array([7.7, 1. ]))
    """
    used = number("used_bytes", used_bytes, above=0)
    volume = number("volume_bytes", volume_bytes, above=0)
    spare = number("drive_op", drive_op, above=0)
    segment = number("segment_bytes", segment_bytes, above=0)
    superblock = number("superblock_bytes", superblock_bytes, above=0)
    block = number("block_bytes", block_bytes, above=0)
    refuse("used_bytes must be < volume_bytes", used >= volume, used, volume)
    inner = segment / block
    outer = np.maximum(superblock / segment, 1)
    rule = "segment_bytes must be two or more whole blocks of block_bytes"
    refuse(rule, (inner < 2) | (inner != np.floor(inner)), segment, block)
    rule = "superblock_bytes must be a whole number of segment_bytes"
    refuse(rule, outer != np.floor(outer), superblock, segment)
    above = greedy(volume / used - 1, inner)
    below = np.where(outer > 1, greedy(spare, np.maximum(outer, 2)), 1.0)
    return LogOnLog(*map(plain, np.broadcast_arrays(above, below)))
