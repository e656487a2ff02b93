"""The table of what each finding leads to, and the flags that leave a verdict open."""

from typing import NamedTuple

from flashwear.smart._rules import rows


class Consequence(NamedTuple):
    """What a finding leads to: a row of :func:`flashwear.tables.smart_findings`."""

    level: str
    """"critical", "warning" or "note"."""
    says: str
    """The finding in a sentence without numbers."""
    advice: str
    """What to do."""
    acknowledged: str
    """Whether it alarms no more once noted, "yes", "no", "until it rises" or "until mended"."""
    reason: str
    """Why it has this level."""
    source: str
    """Where the reason is from."""


FINDINGS = {row.pop("finding"): Consequence(**row) for row in rows("smart_findings")}
"""What each value of :attr:`Finding.word` leads to, the gravest first."""

LEVELS = {"none": 0, "warning": 1, "critical": 2, "unknown": 3}
"""The levels of a :class:`Verdict`, with the exit status that monitoring expects."""

NO_DRIVE = ("rotating", "raid_volume", "virtual_disk", "optical_disc", "memory_card", "usb_bridge",
            "no_smart")  # fmt: skip
"""Flags of reports whose device is no solid-state drive, or hides one."""

HIDES = ("raid_volume", "usb_bridge", "no_smart")
"""Those behind whose device a solid-state drive may stand."""

WEAR_DOUBTS = (
    *NO_DRIVE, "firmware_missing", "life_used_disagree", "life_used_unconfirmed",
    "erase_counter_wrapped_suspected", "all_zero",
)  # fmt: skip
"""Flags with which it is not certain how worn a drive is."""
