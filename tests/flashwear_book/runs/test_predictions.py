"""Left-out predictions: the rivals by hand, and that nothing is told what it predicts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from flashwear.predict.fit import fit
from flashwear.predict.hierarchy import generation
from flashwear.predict.rated_speeds import of_table, rated_speeds
from flashwear.predict.tests import planes_apart
from flashwear.queueing import work
from flashwear_book import tables
from flashwear_book.runs import kept_result, mechanisms, predictions
from flashwear_book.runs.mechanisms import IN_LIBRARY, MECHANISMS, with_mechanisms

ROWS = rated_speeds()
SEEN = tables.speeds()
# one figure each, of MLC drives on SATA: line, dies, and the number that a test puts in
DRIVES = {"Crucial MX100 128GB": 8, "Crucial BX100 250GB": 16, "OCZ Vector 256GB": 32,
          "Plextor M5 Pro 256GB": 32}  # fmt: skip


def figures(values, **changes):
    """A figure of sequential writes for each of the drives above."""
    row = SEEN[(SEEN.drive == "OCZ Vector 256GB") & (SEEN.test == "sequential write")].iloc[[0]]
    rows = []
    for (drive, _), value in zip(DRIVES.items(), values, strict=True):
        one = row.assign(drive=drive, line=drive.rsplit(" ", 1)[0], value=float(value), **changes)
        rows.append(one)
    return of_table(pd.concat(rows))


def split(rows, line):
    mine = (rows.table.line == line).to_numpy()
    return rows.where(~mine), rows.where(mine)


def guessed(by, rows, line):
    others, wanted = split(rows, line)
    draws = predictions._guesser(by)(others, wanted, np.random.default_rng(1))
    return float(np.exp(np.median(draws))) * 0.131072


def test_rivals_are_the_mean_of_other_lines_or_the_drive_with_as_many_dies_up_to_the_link():
    rows = figures([100, 200, 400, 999])
    assert guessed("constant", rows, "Plextor M5 Pro") == pytest.approx(200, rel=0.1)
    assert guessed("nearest", rows, "Plextor M5 Pro") == pytest.approx(400, rel=0.1)
    # of 8 dies the nearest are 16, and half as many write half as fast
    assert guessed("nearest", rows, "Crucial MX100") == pytest.approx(200, rel=0.1)
    scaled = guessed("nearest, scaled by dies", rows, "Crucial MX100")
    assert scaled == pytest.approx(100, rel=0.1)
    rows = figures([100, 400, 150, 150])
    found = guessed("nearest, scaled by dies", rows, "OCZ Vector")
    assert found == pytest.approx(150, rel=0.1)
    others, wanted = split(figures([100, 400, 400, 400]), "OCZ Vector")
    few = others.where((others.table.line == "Crucial BX100").to_numpy())
    one = predictions._nearest(few, wanted, 0, predictions._alike, True)
    assert np.exp(one) * 0.131072 == pytest.approx(566, abs=1)


@pytest.mark.parametrize("by", predictions.RIVALS)
def test_a_rival_guesses_the_first_line_as_it_is_kept_and_none_beyond_the_link(by):
    others, wanted = split(figures([900, 900, 900, 900]), "OCZ Vector")
    draws = predictions._guesser(by)(others, wanted, np.random.default_rng(1))
    assert np.exp(draws.max()) * 0.131072 == pytest.approx(566, abs=1)
    row, series = at("new_lines", by=by)
    found = predictions.new_lines(by, seed=row["seed"], most=1)
    first = (ROWS.table.line == ROWS.table.line.min()).to_numpy()
    for name, kept in series.loc[:, "seen":][first].items():
        assert found[name] == pytest.approx(kept.to_numpy(), rel=1e-5, abs=1e-6), name
    assert found["first_crps"] == pytest.approx(row["first_crps"], rel=1e-6)


def test_a_regression_finds_a_power_of_the_dies_and_a_sibling_is_of_the_same_line():
    sata = ROWS.where(ROWS.table.test.eq("random write, fresh").to_numpy())
    made = replace(sata, log_rate=0.5 * np.log(sata.dies))
    others, wanted = split(made, "Crucial MX100")
    draws = predictions._guesser("ridge regression")(others, wanted, np.random.default_rng(1))
    assert np.median(draws, axis=0) == pytest.approx(wanted.log_rate, abs=0.15)
    own = ROWS.where((ROWS.table.key == "bx100-250gb").to_numpy())
    for row in range(len(own)):
        same = ROWS.table[predictions._siblings(ROWS, own, row)]
        assert set(same.line) == {"Crucial BX100"}
        assert "bx100-250gb" not in set(same.key)
        assert set(same.test) == {own.table.test.iloc[row]}
        assert set(same.kind) == {own.table.kind.iloc[row]}


@pytest.mark.parametrize("by", ["model", *predictions.RIVALS])
def test_what_is_predicted_does_not_go_by_what_was_seen_of_it(by):
    few = ROWS.where(ROWS.table.bus.eq("sata").to_numpy() & ROWS.table.bits.eq(2).to_numpy())
    others, wanted = split(few, "OCZ Vector")
    changed = replace(wanted, log_rate=wanted.log_rate + 3.0)

    def draws(each):
        rng = np.random.default_rng(2)
        if by == "model":
            return predictions.predicted(fit(others, rounds=3), each, rng)
        return predictions._guesser(by)(others, each, rng)

    assert (draws(wanted) == draws(changed)).all()


def test_every_figure_is_predicted_once_and_by_others():
    seen = []

    def note(others, wanted, rng):
        assert not set(others.table.line) & set(wanted.table.line)
        seen.extend(wanted.table.index)
        return np.zeros((predictions._DRAWS, len(wanted)))

    told = predictions._left_out(ROWS, ROWS.table.line.to_numpy(), note, seed=1)
    assert len(seen) == len(ROWS) == len(told["median"])
    assert (told["seen"] == ROWS.log_rate).all()


def test_the_library_left_out_in_part_changes_what_it_multiplies_and_all_of_it_nothing():
    found = with_mechanisms(ROWS, IN_LIBRARY)
    np.testing.assert_allclose(found.work.fixed_s, ROWS.work.fixed_s, rtol=1e-12)
    np.testing.assert_allclose(found.work.counts, ROWS.work.counts, rtol=1e-12)
    table = ROWS.table
    measured = (table.kind == "measured").to_numpy()
    shifted = replace(ROWS, log_rate=ROWS.log_rate + 0.3 * measured)
    assert mechanisms._offset(shifted) == pytest.approx(mechanisms._offset(ROWS) + 0.3)
    # Ratios by hand for effects that only scale what a test asks of a station.
    random = ROWS.where((ROWS.table.test == "random read").to_numpy())
    together = with_mechanisms(
        random, IN_LIBRARY - {"planes of 112 layers and more that read apart"}
    )
    apart = np.array([planes_apart(drive) for drive in random.drives])
    assert set(apart) > {1}
    die, host = work.STATIONS.index("die"), work.STATIONS.index("host")
    for found, library in (
        (together.work.fixed_s[:, die], random.work.fixed_s[:, die]),
        (together.work.counts[:, die], random.work.counts[:, die]),
    ):
        assert found == pytest.approx((library.T * apart).T)
    commands = [work.TIMES.index("read_command_s"), work.TIMES.index("write_command_s")]
    two = with_mechanisms(ROWS, IN_LIBRARY | {"a controller of two stages"}).work.counts
    assert two[:, host, commands] == pytest.approx(2 * ROWS.work.counts[:, host, commands])
    assert two[:, host, commands].any(axis=0).all()
    one = with_mechanisms(
        ROWS, IN_LIBRARY | {"programs of one plane in flash of 25 nm and before"}
    ).work.counts
    program = work.TIMES.index("program_s")
    times = one[:, die, program] / np.where(ROWS.work.counts, ROWS.work.counts, 1)[:, die, program]
    for row, drive in enumerate(ROWS.drives):
        old = generation(drive.flash) <= -2  # 25 nm
        assert times[row] in (0, pytest.approx(drive.planes if old else 1))


CHANGES = {
    "controller time per map unit, copies too": set(ROWS.table.test),
    "folding in turn with the host's programs": {"folding write"},
    "requests that wait for the same die": {"random read"},
    "a die held while its page is moved": {
        "sequential read", "random read", "random read, depth 1"},
    "programs of one plane in flash of 25 nm and before": {
        "sequential write", "random write, fresh", "random write, depth 1",
        "random write, steady", "direct write"},
    "half a page of the map written for each random write": {
        "random write, fresh", "random write, depth 1", "random write, steady"},
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_mechanism_changes_its_tests_and_no_others(name):
    found = with_mechanisms(ROWS, IN_LIBRARY ^ {name})
    same = {"rtol": 1e-12, "atol": 0}
    moved = ~np.isclose(found.work.counts, ROWS.work.counts, **same).all(axis=(1, 2))
    moved |= ~np.isclose(found.work.fixed_s, ROWS.work.fixed_s, **same).all(axis=1)
    assert moved.any()
    assert set(ROWS.table.test[moved]) <= CHANGES[name]
    assert (found.work.counts >= 0).all()


def test_folding_beside_the_host_is_two_programs_and_the_controller():
    rows = with_mechanisms(ROWS, IN_LIBRARY - {"folding in turn with the host's programs"})
    folds = rows.where((rows.table.test == "folding write").to_numpy())
    direct = ROWS.where(((ROWS.table.test == "direct write")
                         & ROWS.table.key.isin(folds.table.key)).to_numpy())  # fmt: skip
    folds = folds.where(folds.table.key.isin(direct.table.key).to_numpy())
    die, program = 3, 6
    bits = np.array([drive.bits_per_cell for drive in folds.drives])
    assert set(bits) == {2, 3}
    expected = (1 + 1 / (bits - 1)) * direct.work.counts[:, die, program]
    assert folds.work.counts[:, die, program] == pytest.approx(expected)
    assert (folds.work.counts[:, die, :4] == 0).all()
    assert folds.work.fixed_s[:, die] == pytest.approx(0, abs=1e-18)
    controller = folds.work.counts[:, 1, :4] - direct.work.counts[:, 1, :4]
    # of the units of 128 KiB as many are copied as make room for them
    copied = 32 / (bits - 1)
    assert controller == pytest.approx(copied[:, None] * [0, 1, 0, 1])


def at(study, **keys):
    kept = kept_result(study)
    (row,) = kept.table[(kept.table[[*keys]] == [*keys.values()]).all(axis=1)].to_dict("records")
    return row, kept.series[(kept.series[[*keys]] == [*keys.values()]).all(axis=1)]


@pytest.mark.parametrize("by", predictions.SIBLINGS)
def test_a_sibling_guesses_the_first_drive_as_it_is_kept(by):
    row, series = at("new_capacities", by=by)
    found = predictions.new_capacities(by, seed=row["seed"], most=1)
    keys = ROWS.table.key[predictions.has_sibling(ROWS)]
    for name, kept in series.loc[:, "seen":][(keys == keys.min()).to_numpy()].items():
        assert found[name] == pytest.approx(kept.to_numpy(), rel=1e-5, abs=1e-6), name


def test_all_lines_by_the_constant_are_scored_as_they_are_kept():
    row, series = at("new_lines", by="constant")
    found = predictions.new_lines("constant", seed=row["seed"])
    for name, value in found.items():
        kept = series[name] if isinstance(value, np.ndarray) else row[name]
        assert value == pytest.approx(np.asarray(kept), rel=1e-5, abs=1e-6), name


def test_a_wider_prior_is_handed_to_the_fit(monkeypatch):
    given = []

    def note(rows, widened):
        given.append(widened)
        raise InterruptedError

    monkeypatch.setattr(predictions, "fit", note)
    for options in ({}, {"widened": 3.0}):
        with pytest.raises(InterruptedError):
            predictions.new_lines("model", seed=1, most=1, **options)
    assert given == [1, 3]


@pytest.mark.parametrize("step", [-1, 4, 8])
def test_the_first_line_is_scored_with_the_mechanisms_admitted_before(step):
    kept = kept_result("mechanisms").table.set_index("step")
    names = [one.name for one in MECHANISMS]
    before = {names[one] for one in range(max(step, 0)) if kept.admitted[one]}
    scores = mechanisms._scores(frozenset(before | {*names[step : step + 1]}), most=1)
    first = ROWS.table.line == ROWS.table.line.min()
    # the fit ends when its steps are small, which may move a score by some thousandths
    assert scores[first].mean() == pytest.approx(kept["first"][step], abs=5e-4)
    assert (scores[~first] == 0).all()


def test_a_gain_of_one_line_is_chance_at_every_second_toss(monkeypatch):
    table = ROWS.table
    weight = np.where(table.at_link, 0, table.weight)
    lines = sorted(table.line[weight > 0].unique())
    better, worse, scores = table.line == lines[0], table.line == lines[1], np.full(len(ROWS), 2.0)
    share, other = (weight[each].sum() / weight.sum() for each in (better, worse))
    found = mechanisms._gained(scores, scores + 1.0 * better)
    assert found["crps"] == pytest.approx(2)
    assert found["gain"] == pytest.approx(share)
    assert found["chance"] == pytest.approx(0.5, abs=0.02)
    # what each line is off the mean gain, as one error
    by_line = [weight[table.line == line].sum() * ((line == lines[0]) - share) for line in lines]
    assert found["error"] == pytest.approx(np.hypot.reduce(by_line) / weight.sum())
    found = mechanisms._gained(scores, scores + 1.0 * better - 2.0 * worse)
    assert found["gain"] == pytest.approx(share - 2 * other)
    assert (found["better"], found["worse"]) == (1, 1)
    first = 5.0 * (table.line == table.line.min())
    none = mechanisms._gained(first, first)
    assert (none["better"], none["worse"], none["chance"], none["first"]) == (0, 0, 1, 5)
    monkeypatch.setattr(mechanisms, "_scores", lambda admitted, without=frozenset(), most=0: (
        scores + 1.0 * better * bool(without)))  # fmt: skip
    assert mechanisms.without_group("bench")["gain"] == pytest.approx(share)


def test_a_mechanism_is_admitted_below_the_chance_of_two_errors(monkeypatch):
    gains = {0: 0.0226, 1: 0.0229}

    def scores(admitted, without=frozenset(), most=0):
        return admitted

    def gained(found, before):
        asked.add((found, before))
        return {"chance": gains.get(len(before), 0.5)}

    asked = set()
    monkeypatch.setattr(mechanisms, "_scores", scores)
    monkeypatch.setattr(mechanisms, "_gained", gained)
    first, second, third = (one.name for one in MECHANISMS[:3])
    mechanisms.tried.cache_clear()
    try:
        told = [mechanisms.tried(step, most=7)["admitted"] for step in range(-1, 3)]
    finally:
        mechanisms.tried.cache_clear()
    assert told == [1, 1, 0, 0]
    pairs = [((), ()), ((first,), ()), ((first, second), (first,)), ((first, third), (first,))]
    assert asked == {(frozenset(found), frozenset(before)) for found, before in pairs}
