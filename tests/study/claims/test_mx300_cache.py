"""What the kept runs say of the MX300's cache stands beside the claims, and decides none alone."""

import numpy as np
import pytest

from checked import found, other_line
from flashwear.study.claims import _mx300_cache, rules

MX300 = {"drive": "mx300-750gb", "variant": "as modelled"}


def seconds(*levels):
    """A run of an hour: each level for some seconds, then 5,000 a second."""
    parts = [np.full(length, rate, float) for rate, length in levels]
    return np.append(np.concatenate(parts), np.full(3600, 5_000.0))[:3600]


def test_the_phases_are_read_off_the_kept_seconds(monkeypatch):
    wave = seconds(*[(68_000, 40), (22_000, 60)] * 5)
    other_line(monkeypatch, "cache_consistency", wave, drive="mx300-750gb")
    assert found("MX-098").computed == "8.3 to 8.3"
    assert found("MX-099").computed.startswith("22.0K to 68.0K (as modelled)")
    assert found("MX-098").outcome == "undecided"


def test_a_cache_is_full_when_the_steps_have_written_what_it_holds(monkeypatch):
    other_line(monkeypatch, "cache_spans", [1] * 6, test="random write", **MX300)
    assert found("MX-142").computed == "never full"
    assert found("MX-141").computed == "1, 1, 1, 1, 1, 1 MB/s"


@pytest.mark.parametrize(
    ("slower", "outcome"), [(1.05, "holds"), (1.0, "in tension"), (1.3, "in tension")]
)
def test_the_model_speaks_if_all_draws_agree(monkeypatch, slower, outcome):
    draws = {"mx300-750gb": 12e-6 * slower}
    monkeypatch.setattr(
        _mx300_cache, "_draws_of_a_write", lambda drive: np.full(9, draws.get(drive, 12e-6))
    )
    assert found("MX-138").outcome == outcome


def test_draws_that_differ_leave_it_undecided(monkeypatch):
    draws = {"mx300-750gb": np.linspace(11e-6, 14e-6, 9)}
    monkeypatch.setattr(
        _mx300_cache, "_draws_of_a_write", lambda drive: draws.get(drive, np.full(9, 12e-6))
    )
    assert found("MX-138").outcome == "undecided"


def test_a_test_without_skill_silences_the_model(monkeypatch):
    monkeypatch.setattr(_mx300_cache, "_draws_of_a_write", lambda drive: np.full(9, 12e-6))
    monkeypatch.setattr(rules, "passed", lambda: {"random write, depth 1": False})
    assert found("MX-138").outcome == "undecided"
