"""The evaluated report, and the warnings about figures that cannot be trusted."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flashwear.smart._found import Attribute
from flashwear.smart._rules import rows

FLAGS = {row["flag"]: row["means"] for row in rows("smart_flags")}
"""All words that :attr:`Report.flags` may have, in their order there, and what each means."""


class _Fixed(dict[Any, Any]):
    """A dict that stays as it is."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a report does not change: make another with dataclasses.replace")

    __setitem__ = __delitem__ = __ior__ = update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


@dataclass(frozen=True)
class Report:
    """What one SMART report of a drive tells, as numbers in common units.

    Attributes
    ----------
    model, firmware : str or None
        As the drive reports them. Serial numbers are not kept.
    kind : str
        The command set, "ata", "nvme" or "scsi", or "emmc".
    family : str or None
        Name of the family of drives with the same counters (``data/smart_families.csv``), or None.
    capacity_bytes : int or None
        User capacity in bytes.
    power_on_hours : int or None
        Hours under power.
    host_bytes_written : int or None
        Bytes written by the host.
    nand_bytes_written : int or None
        Bytes programmed in flash, except in an SLC cache with a counter of its own.
    slc_bytes_written : int or None
        Bytes programmed in an SLC cache, if the drive counts them separately.
    waf : float or None
        Write amplification factor, `nand_bytes_written` over `host_bytes_written`; below 1 on
        drives that compress data or count their SLC cache separately.
    waf_pages : float or None
        All pages programmed over those programmed for the host, on drives that count pages.
    waf_reported : float or None
        Write amplification as the drive itself reports it, unchecked.
    waf_fdp : float or None
        Write amplification since flexible data placement (FDP) was set up, by its own counters.
    erase_ratio : float or None
        Mean erases times user capacity, over host writes, if flash writes are not counted. Where
        other drives of the family, which count flash writes too, show that it is a lower bound of
        the write amplification, its entry in ``rules`` says "lower bound", else "no bound": blocks
        that are erased before they are full make the ratio larger.
    average_erases : int or None
        Mean number of erases (P/E cycles) of a block.
    percent_used : int or None
        Rated life used, in whole percent; above 100 on some drives.
    percent_used_range : tuple of float, or None
        Least and most percent of life used that are possible: a counter is printed in whole
        percent, and in some families two counters differ by up to 5 percent. The most is infinite
        if the counter has reached its end.
    rated_bytes : int or None
        Host bytes that the maker rates the drive for, from ``data/endurance_ratings.csv``.
    passed : bool or None
        The drive's own health verdict; None if it gives none.
    flags : tuple of str
        Doubts about the numbers, as words that ``smart.FLAGS`` explains.
    rules : dict of str to str
        How each number was computed from counters (``data/smart_rules.csv``), by field name.
    attributes : dict
        The table of SMART attributes, an :class:`Attribute` for each number.
    statistics : dict of str to int
        ATA device statistics by name: power_on_resets, power_on_hours, sectors_written (of 512
        bytes), write_commands, sectors_read, read_commands, reallocated_sectors,
        uncorrectable_errors, interface_errors, percentage_used, pending_defects,
        temperature_c, over_temperature_minutes, maximum_temperature_c.
    health : dict of str to int
        The NVMe health log under the names of smartctl's JSON, ``data_units_written`` and so on;
        ``warning_temperature_c`` and ``critical_temperature_c``, the drive's own limits; of the
        entries in its log of errors ``listed_errors``, ``listed_media_errors``,
        ``listed_refused_writes`` and ``listed_refused`` (other commands).
    utilization_bytes : int or None
        Allocated bytes of the first NVMe namespace.
    smartctl : str or None
        Version that printed the report.
    year : int or None
        Year in which the report was printed.
    time_s : int or None
        Time at which it was printed, in seconds since 1970, in UTC if the report tells its zone.
    temperature_c : int or None
        Temperature at the time of the report, in degrees Celsius.
    scsi : dict of str to int
        Counters of a SCSI drive: used (percent), power_on_hours, bytes_written,
        uncorrected_errors, grown_defects, pending_defects, trip_temperature_c.
    said : str or None
        Verdict of a drive that gives it as a sentence, if the verdict is not good.
    told_left : int or None
        Life left in percent, as CrystalDiskInfo tells it.
    worse_percent_used : int or None
        The worse of the two counts of wear of a SanDisk or WD drive, where it is more than 5
        percent above `percent_used`; the maker's own program may tell this one.
    self_test_failed : bool
        Whether a self-test found an error, and no extended self-test has passed since.
    logged_errors : int
        Number of errors in the log of an ATA drive.
    last_error_hours : int or None
        Hours under power at the last error of that log.
    unreadable_data : bool
        Whether that log holds data that could not be read.
    exit_status : int
        Exit status of smartctl, a sum of bits; 0 if the report does not tell.
    identity : str or None
        Key by which reports of the same drive are recognised: within this process, or by a key
        file (:mod:`flashwear.history`).
    """

    model: str | None
    firmware: str | None
    kind: str
    family: str | None
    capacity_bytes: int | None
    power_on_hours: int | None
    host_bytes_written: int | None
    nand_bytes_written: int | None
    slc_bytes_written: int | None
    waf: float | None
    waf_pages: float | None
    waf_reported: float | None
    average_erases: int | None
    percent_used: int | None
    rated_bytes: int | None
    passed: bool | None
    flags: tuple[str, ...]
    rules: Mapping[str, str]
    attributes: Mapping[int, Attribute] = field(repr=False)
    statistics: Mapping[str, int] = field(repr=False)
    health: Mapping[str, int] = field(repr=False)
    utilization_bytes: int | None = None
    smartctl: str | None = None
    year: int | None = None
    time_s: int | None = None
    percent_used_range: tuple[float, float] | None = None
    waf_fdp: float | None = None
    erase_ratio: float | None = None
    temperature_c: int | None = None
    scsi: Mapping[str, int] = field(default_factory=dict, repr=False)
    said: str | None = None
    told_left: int | None = None
    worse_percent_used: int | None = None
    self_test_failed: bool = False
    logged_errors: int = 0
    last_error_hours: int | None = None
    unreadable_data: bool = False
    exit_status: int = 0
    identity: str | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("rules", "attributes", "statistics", "health", "scsi"):
            object.__setattr__(self, name, _Fixed(getattr(self, name)))

    def as_dict(self) -> dict[str, Any]:
        """Return the whole report as numbers, text, lists and dicts, ready for JSON."""
        names = (name for name in self.__dataclass_fields__ if name != "identity")
        plain = {name: getattr(self, name) for name in names}
        plain["flags"] = list(self.flags)
        if self.percent_used_range is not None:
            ends = self.percent_used_range
            plain["percent_used_range"] = [end if math.isfinite(end) else None for end in ends]
        plain["attributes"] = {
            str(number): row._asdict() for number, row in self.attributes.items()
        }
        return plain
