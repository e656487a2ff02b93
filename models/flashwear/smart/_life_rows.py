"""Attributes that may tell the life used, as printed, for drives without a rule for wear."""

import re
from typing import NamedTuple

from flashwear.smart._checked import a_report
from flashwear.smart._report import Report

_NAMES = re.compile(r"life|wear|erase_c|endurance|p/?e_c|rated", re.IGNORECASE)
# what many makers count under these numbers, where smartctl has no name for them
_NUMBERS = (167, 168, 169, 173, 177, 202, 230, 231, 233, 245)
_OTHER = re.compile(r"temperature|lifetime_(?:reads|writes)", re.IGNORECASE)


class LifeRow(NamedTuple):
    """A SMART attribute that may tell the life used.

    ``number`` and ``name`` are as printed, ``value`` is normalised by the firmware (None if it is
    not printed), and ``raw`` is the raw value as text.
    """

    number: int
    name: str
    value: int | None
    """Value as normalised by the firmware."""
    raw: str


def life_rows(report: Report) -> tuple[LifeRow, ...]:
    r"""Return the attributes whose names or numbers suggest life, wear or erases.

    What they really count is not known: smartctl may have taken the name from another drive, and
    makers use numbers differently.

    Parameters
    ----------
    report : Report
        Report from :func:`flashwear.smart.read` or :func:`flashwear.smart.parse`.

    Returns
    -------
    tuple of LifeRow
        Attributes in the order of the report.

    Examples
    --------
    >>> from flashwear import smart
    >>> rows = '''
    ... ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE
    ...   9 Power_On_Hours          -O--CK   100   100   000    -    4000
    ... 169 Remaining_Lifetime_Perc -O--CK   092   092   000    -    92
    ... 231 Temperature_Celsius     -O--CK   100   100   000    -    41
    ... 233 Unknown_Attribute       -O--CK   100   100   000    -    7
    ...
    ... '''
    >>> [(row.number, row.value, row.raw) for row in life_rows(smart.parse(rows))]
    [(169, 92, '92'), (231, 100, '41'), (233, 100, '7')]
    """
    a_report("report", report)
    return tuple(
        LifeRow(number, row.name, row.value, row.text)
        for number, row in report.attributes.items()
        if number in _NUMBERS or (_NAMES.search(row.name) and not _OTHER.search(row.name))
    )
