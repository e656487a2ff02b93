"""What ``flashwear smart --history`` adds to the output about drives."""

from flashwear.cli._say import size
from flashwear.cli._told import Told
from flashwear.history import Change, History, Source, change, read_key
from flashwear.history._row import row_of

__all__ = ["read_key", "tell"]


def tell(drives: list[Told], path: str) -> None:
    """Add to each drive what changed in a history, with its present report."""
    with History(path) as store:
        for told in drives:
            told.history = _changed(store, told)


def _changed(store: History, told: Told) -> tuple[list[str], Change | None]:
    """Return in words and numbers what changed of a drive in a history, with its present report."""
    row = row_of(told.report, told.files[-1], Source("", None, None, b""))
    if row.drive is None:
        return ["not known: the report names no serial number"], None
    kept = [one for one in store.reports(row.drive, 90) if one.taken_at != row.taken_at]
    found = change(sorted([*kept, row], key=lambda one: one.taken_at or 0))
    if found is None:
        return ["not known: no other report of this drive has a time"], None
    lines = found.sentences()
    if found.host_bytes_per_day is not None:
        lines.append(f"{size(found.host_bytes_per_day)} a day by the host")
    if found.wear_per_month is None:
        lines.append(f"no rate of wear yet, by {found.days:.1f} days")
    return lines, found
