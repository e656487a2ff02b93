"""File systems that never overwrite: ZFS, and btrfs in outline."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from flashwear._columns import elementwise
from flashwear._domain import FloatOrArray, nested, number, plain
from flashwear.host.checkpoint import pages_touched


class CopyOnWrite(NamedTuple):
    """Bytes that a copy-on-write file system writes for each byte that an application writes."""

    data: FloatOrArray
    """Records, each written whole."""
    metadata: FloatOrArray
    """Blocks of the tree above them."""
    intent: FloatOrArray
    """The intent log of writes that are synced, on its own device or not."""

    @property
    def total(self) -> FloatOrArray:
        """Bytes written in all, for each byte that an application writes."""
        return self.data + self.metadata + self.intent


@elementwise()
def copy_on_write(
    write_bytes: ArrayLike,
    file_bytes: ArrayLike,
    writes: ArrayLike,
    *,
    record_bytes: ArrayLike = 131_072,
    children: ArrayLike = 1024,
    block_bytes: ArrayLike = 8_192,
    copies: ArrayLike = 2,
    fixed_blocks: ArrayLike = 20,
    synced: ArrayLike = 0.0,
    log_block: ArrayLike = 4096,
) -> CopyOnWrite:
    r"""Return what a copy-on-write file system writes for random writes into a file.

    .. math:: \frac{R\,D(n,N)}{n w} + \frac{c\,B}{n w}\left(F + \sum_{i\ge1}
              D\big(n, \lceil N/C^i\rceil\big)\right) + z\,\frac{\lceil w/g\rceil g}{w}

    A transaction group has :math:`n` writes of :math:`w` bytes, none of which crosses a record of
    :math:`R` bytes. They touch :math:`D` different records (:func:`pages_touched`) of the :math:`N
    = V/R` of the file, and each is written whole, once. Also written, in :math:`c` copies, are the
    indirect blocks above these records, of :math:`C` children and :math:`B` bytes after
    compression, and :math:`F` further blocks of metadata. A share :math:`z` of the writes is synced
    and goes to a log first, in blocks of :math:`g` bytes.

    Parameters
    ----------
    write_bytes : array_like
        Bytes of a write :math:`w`, > 0 and <= `record_bytes`.
    file_bytes : array_like
        Size of the file or the volume :math:`V`, >= `record_bytes`.
    writes : array_like
        Writes in a transaction group :math:`n`, > 0.
    record_bytes : array_like
        Bytes of a record :math:`R` (``recordsize`` or ``volblocksize`` of ZFS), > 0.
    children : array_like
        Pointers of an indirect block :math:`C`, >= 2.
    block_bytes : array_like
        Bytes of an indirect block as written :math:`B`, > 0: 128 KiB of pointers compress well.
    copies : array_like
        Copies of each block of metadata :math:`c`, >= 1.
    fixed_blocks : array_like
        Blocks of metadata that a group writes whatever it holds :math:`F`, >= 0.
    synced : array_like
        Share of the writes that are synced :math:`z`, in [0, 1].
    log_block : array_like
        Bytes of a block of the log of synced writes :math:`g`, > 0.

    Returns
    -------
    CopyOnWrite
        Bytes for each byte written: ``data``, ``metadata``, ``intent`` log, and the sum ``total``.

    Raises
    ------
    ValueError
        Outside these ranges, or for sizes that do not nest.

    Notes
    -----
    The defaults of `block_bytes`, `copies` and `fixed_blocks` are assumptions; measure them on your
    own system. Fragmented free space, RAID and deduplication are left out.

    Examples
    --------
    Pages of 8 KiB into a file of 100 GB, 5,000 to a group, with records of 128 and of 8 KiB:

    >>> [round(float(copy_on_write(8192, 100e9, 5000, record_bytes=r).total), 1)
    ...  for r in (131_072, 8192)]
    [16.3, 2.6]
    """
    size = number("write_bytes", write_bytes, above=0)
    record = number("record_bytes", record_bytes, above=0)
    volume = number("file_bytes", file_bytes, above=0, high=2**60)
    count = number("writes", writes, above=0)
    wide = number("children", children, low=2)
    block = number("block_bytes", block_bytes, above=0)
    twice = number("copies", copies, low=1)
    fixed = number("fixed_blocks", fixed_blocks, low=0)
    grain = number("log_block", log_block, above=0)
    share = number("synced", synced, low=0, high=1)
    # larger writes would fill whole records
    nested(("write_bytes", size), ("record_bytes", record), ("file_bytes", volume))
    records = np.ceil(volume / record)
    asked = count * size
    data = record * pages_touched(count, records) / asked
    count, records, wide = np.broadcast_arrays(count, records, wide)
    blocks, left = np.zeros(records.shape), records
    going = left > 1
    while going.any():
        left = np.where(going, np.ceil(left / wide), left)
        blocks += np.where(going, pages_touched(count, left), 0.0)
        going = going & (left > 1)
    above = twice * block * (fixed + blocks) / asked
    logged = share * np.ceil(size / grain) * grain / size
    return CopyOnWrite(*map(plain, np.broadcast_arrays(data, above, logged)))
