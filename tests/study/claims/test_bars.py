"""What the kept tables of the short tests say stands beside the claims, and decides none alone."""

import pytest

from checked import found, other_table

SHORT = ["M6-157", "M6-160", "M6-162", "M6-163", "MX-143", "MX-149", "MX-153", "MX-162", "MX-163"]


@pytest.mark.parametrize("id_", SHORT)
def test_one_modelled_drive_decides_nothing(id_):
    assert (found(id_).outcome, found(id_).evidence) == ("undecided", "none")


@pytest.mark.parametrize(
    ("id_", "study", "drive"),
    [
        ("M6-157", "client_tests", "mx100"),
        ("M6-162", "transfers", "mx100"),
        ("MX-149", "desktop_depths", "mx200-1000gb"),
        ("MX-162", "transfers", "mx300-750gb"),
    ],
)
def test_what_is_computed_follows_the_kept_table(monkeypatch, id_, study, drive):
    before = found(id_).computed

    def halved(table):
        rows = table["drive"].str.startswith(drive)
        if "depth" in table:
            rows &= table["depth"] == 1
        table.loc[rows, "mb_per_s"] /= 2
        return table

    other_table(monkeypatch, study, halved)
    assert found(id_).computed != before
