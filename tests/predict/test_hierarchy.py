"""What the times of a drive are made of."""

import re
from dataclasses import replace

import numpy as np
import pytest

from flashwear import drives
from flashwear.predict.hierarchy import FIXED_S, Term, bus, generation, prior, terms
from flashwear.queueing import work

M600 = drives.load("m600-256gb")


def test_flash_has_a_generation_by_its_name_and_programs_what_is_usual_for_it():
    for name in drives.flashes():
        named = re.search(r"-\d+(nm|l)(-|$)", name)
        assert named or name == "micron-3d-tlc-384gbit"  # of 32 layers, which are generation 0
        assert -3 <= generation(name) <= 7, name
    names = ["34nm", "25nm", "20nm", "16nm", "32l", "48l", "64l", "96l", "128l", "176l", "232l"]
    generations = [generation(f"x-{part}-y") for part in names]
    assert generations == [-3, -2, -1, 0, 0, 1, 2, 3, 4, 5, 6]
    assert generation("") == generation("something-new") == 0
    # Of four bits nothing is faster by a trend that leads to it from flash of 32 layers.
    qlc = drives.load("670p-512gb")  # of 144 layers, the mean of its kind
    own = [term for term in terms(qlc) if term.time == "program_s"]
    assert {term.group: term.factor for term in own}["generation"] == 0
    assert sum(prior(term)[0] * term.factor for term in own) == pytest.approx(np.log(4e-3))
    read = [term.factor for term in terms(qlc) if term[:2] == ("read_s", "generation")]
    assert read == [generation(qlc.flash)]


def test_terms_go_by_their_groups_which_have_their_spread_from_the_fit():
    assert bus(M600) == "sata"
    assert bus(drives.load("970-evo-1000gb")) == "pcie"
    found = list(terms(M600))
    populations = {term.time for term in found if term.group == "population"}
    assert populations | set(FIXED_S) == set(work.TIMES)
    assert not populations & set(FIXED_S)
    shared = set(terms(M600)) & set(terms(drives.load("mx100-256gb")))
    assert {"controller", "population", "flash"} <= {term.group for term in shared}
    assert "line" not in {term.group for term in shared}
    for enterprise in (False, True):
        groups = {term.group for term in terms(replace(M600, enterprise=enterprise))}
        assert ("enterprise" in groups) is enterprise
    measured, rated = set(terms(M600, "a bench")), set(terms(M600))
    assert measured - rated == {Term("pause_s", "bench", "a bench")}
    assert rated < measured
    assert prior(Term("read_s", "flash", "x")) == (0.0, None)
    mean, wide = prior(Term("read_s", "population", "2 bits, planar"))
    assert np.exp(mean) == pytest.approx(80e-6)
    assert prior(Term("read_s", "population", "2 bits, planar"), 2.0) == (mean, 2 * wide)
    sata, pcie = (prior(Term("read_unit_s", "population", one))[0] for one in ("sata", "pcie"))
    assert pcie < sata
