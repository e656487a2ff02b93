"""Columns and arrays in and out, and ranges, of every function that works number by number."""

import importlib
import inspect
import pkgutil
import re
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pint
import pytest
import xarray as xr

from flashwear import capacity, endurance, wa
from flashwear.reliability import jedec, rber, retention
from refusals import refusals

FLASH = rber.load("mlc-20nm")

EXAMPLES = {
    "acknowledged": 8.0, "after": 0.01, "age_s": 2.0, "application": jedec.CLIENT, "bits": 3,
    "blocks": 1000, "bits_per_cell": 3, "bytes_per_day": 3e10, "bytes_per_s": 4e8,
    "cache_bytes": 1e8, "cache_share": 0.1, "capacitance_f": 1e-3, "capacity_bytes": 1e12,
    "codeword_bits": 9000,
    "correctable": 40, "d": 4, "data_bits": 8192, "data_units": 7, "die_gibit": 128,
    "dies": 8, "dwpd": 1.0, "ea_ev": 1.1, "energy_j": 0.1, "erases": 3000.0, "flash": FLASH,
    "folded_share": 0.5, "fresh": 1e-4, "from_c": 40.0, "from_v": 5.0, "held_bytes": 1e6,
    "interval_s": 1e3, "keep_years": 5.0, "limit": 1e-2, "main_bytes": 1e12, "main_writes": 1.5,
    "op": 0.2,
    "pages_per_block": 64, "pe_cycles": 3000.0, "per_s": 100.0, "map_bytes": 4096,
    "physical_bytes": 2.0**40, "power_w": 5.0, "price": 90.0, "price_now": 80.0,
    "price_then": 100.0, "price_usd": 90.0, "program_bytes": 32768, "program_s": (1e-3, 2e-3),
    "programmed": 2.0, "protection": "none",
    "rber": 1e-3, "reads": 1e5, "reference": 100.0, "reference_price_usd": 80.0,
    "reference_tbw_bytes": 3e14, "request_bytes": 8192, "requirement": retention.CLIENT,
    "rest_s": 1e5, "share": 0.1, "slc_bytes": 1e10, "slc_pe_cycles": 3e4, "sold_gb": 480.0,
    "spare_factor": 0.1, "spares": 20, "span_share": 0.5, "spread": 0.2, "storage_c": 25.0,
    "stress_c": 85.0, "target_wa": 3.0, "tbw_bytes": 4e14, "time_s": 1e6, "to_c": 25.0,
    "to_v": 3.0, "trim_share": 0.2, "uber": 1e-15, "unit": 4096, "unit_bytes": 4096,
    "unit_loss": 1e-4, "units": 100, "use_c": 30.0, "user_bytes": 1e12, "user_pages": 1e6,
    "wa": 2.0, "working_bytes": 1e12, "written_share": 0.4, "years": 5.0,
    # of programs and file systems
    "changes": 1e4, "commit_bytes": 8192, "data_bytes": 1e9, "drive_op": 0.1, "file_bytes": 1e8,
    "file_pages": 1e4, "memtable_bytes": 6.4e7, "pages": 50.0, "record_bytes": 100,
    "row_bytes": 200.0, "rows": 1e6, "table_pages": 1e4, "updates": 1e4, "used_bytes": 5e10,
    "volume_bytes": 1e11, "write_bytes": 8192, "writes": 100.0,
}  # fmt: skip


ROOMS = ("capacity", "endurance", "energy", "host", "pricing", "reliability", "steady", "wa")
NOT_BY_NUMBER = {  # whose arrays are one whole: measured points, or a course in time
    "pricing.fit_fixed_plus_per_gb", "steady.advice", "steady.snia", "wa.transient.settled",
    "wa.transient_skew.transient_mixed",
    "wa.uniform.counts", "wa.uniform.whole_pages",  # which check arguments of the others
}  # fmt: skip


def _modules():
    for name in ROOMS:
        package = importlib.import_module(f"flashwear.{name}")
        yield package
        for inside in pkgutil.iter_modules(getattr(package, "__path__", [])):
            if not inside.name.startswith("_"):
                yield importlib.import_module(f"{package.__name__}.{inside.name}")


def _takes_arrays(function):
    parameters = inspect.signature(function).parameters.values()
    return any(str(one.annotation).startswith("ArrayLike") for one in parameters)


OFFERED = {name for module in _modules() for name in getattr(module, "__all__", vars(module))}
FUNCTIONS = {f"{module.__name__.removeprefix('flashwear.')}.{name}": function
             for module in _modules() for name, function in vars(module).items()
             if inspect.isfunction(function) and function.__module__ == module.__name__
             if name in OFFERED and not name.startswith("_")
             and _takes_arrays(function)}  # fmt: skip
FUNCTIONS = {name: function for name, function in FUNCTIONS.items() if name not in NOT_BY_NUMBER}
over_functions = pytest.mark.parametrize("name", FUNCTIONS)


def _arguments(name):
    """Return arguments for a function, and the names of those that may be columns."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    needed = needed or [p for p in parameters if p.name in EXAMPLES]
    given = {p.name: EXAMPLES[p.name] for p in needed}
    columns = [p.name for p in needed if str(p.annotation).startswith("ArrayLike")]
    rng = np.random.default_rng(len(name))
    for column in columns:
        near = given[column] * rng.uniform(0.95, 1.0, 4)
        given[column] = near if isinstance(given[column], float) else np.full(4, given[column])
    if "write_share" in {p.name for p in parameters}:
        columns += ["hot_write_share", "hot_space_share"]
        given |= {"hot_write_share": np.linspace(0.6, 0.9, 4), "hot_space_share": np.full(4, 0.3)}
    return given, columns


def _parts(result):
    if isinstance(result, tuple):
        return dict(result._asdict())
    return vars(result) if hasattr(result, "__dataclass_fields__") else {"": result}


def _compare(result, expected, index=None):
    """Assert that results agree, part by part, and are labelled if an index is given."""
    for part, values in _parts(expected).items():
        found = _parts(result)[part]
        if np.shape(values)[:1] != (4,):
            continue
        if index is not None and values.ndim == 1:
            assert list(found.index) == list(index), part
        np.testing.assert_allclose(np.asarray(found), values, rtol=1e-9, err_msg=part)


@over_functions
def test_columns_come_back_with_their_labels_and_are_aligned_by_them(name):
    given, columns = _arguments(name)
    table = pd.DataFrame({c: given[c] for c in columns}, index=list("abcd"))
    expected = FUNCTIONS[name](**given)
    assert any(np.shape(values)[:1] == (4,) for values in _parts(expected).values())
    _compare(FUNCTIONS[name](**given | dict(table.items())), expected, table.index)
    mixed = {c: table[c].sample(frac=1, random_state=seed) for seed, c in enumerate(columns)}
    _compare(_sorted(FUNCTIONS[name](**given | mixed)), expected, table.index)


def _sorted(result):
    parts = {
        n: v.sort_index() if isinstance(v, pd.Series) else v for n, v in _parts(result).items()
    }
    return parts[""] if list(parts) == [""] else SimpleNamespace(**parts, __dataclass_fields__=1)


@over_functions
def test_nan_in_a_column_gives_nan_there_alone_and_one_number_that_is_nan_is_refused(name):
    given, columns = _arguments(name)
    whole = FUNCTIONS[name](**given)
    for column in columns:
        gaps = given[column].astype(float)
        gaps[2] = np.nan
        result = FUNCTIONS[name](**given | {column: gaps})
        for part, values in _parts(whole).items():
            if np.shape(values)[:1] == (4,):
                expected = np.array(values, np.float64)
                expected[2] = np.nan
                np.testing.assert_allclose(_parts(result)[part], expected, rtol=1e-9)
    given |= {column: given[column][0] for column in columns}
    for column in columns:
        with pytest.raises(ValueError, match="got nan"):
            FUNCTIONS[name](**given | {column: np.nan})


NUMBER = r"(-?\d+(?:\.\d+)?(?:e-?\d+|\*\*\d+)?)(?![\d`*])"
BOUNDS = {
    "low": rf">= {NUMBER}|in \[{NUMBER},", "above": rf"> {NUMBER}|in \({NUMBER},",
    "high": rf"<= {NUMBER}|in [\[(][^,\])]+, {NUMBER}\]",
    "below": rf"< {NUMBER}|in [\[(][^,\])]+, {NUMBER}\)",
}  # fmt: skip


def _bounds(name):
    """Yield argument, kind and value of each bound that a docstring states."""
    text = inspect.getdoc(FUNCTIONS[name]).partition("Parameters\n---")[2]
    entries = re.split(r"^(\w[\w, ]*) : (.*)$", text.partition("\n\n")[0], flags=re.MULTILINE)
    arrays = [p.name for p in inspect.signature(FUNCTIONS[name]).parameters.values()
              if str(p.annotation).startswith("ArrayLike")]  # fmt: skip
    for names, kind, about in zip(entries[1::3], entries[2::3], entries[3::3], strict=True):
        for argument in set(names.split(", ")) & set(arrays):
            for bound, pattern in BOUNDS.items():
                if found := re.search(pattern, " ".join(f"{kind} {about}".split())):
                    base, _, power = next(filter(None, found.groups())).partition("**")
                    yield argument, bound, float(base) ** int(power or 1)


def _refused(name, argument, value):
    given, columns = _arguments(name)
    given |= {column: given[column][0] for column in columns}
    try:
        with np.errstate(all="ignore"):
            FUNCTIONS[name](**given | {argument: value})
    except ValueError as error:
        return bool(re.match(rf"{argument} must be (a |one |< \d).*, got", str(error)))
    return False


NOT_STATED = {
    ("endurance.balance.tbw", "waf"),  # its line is that of wlf too
    ("host.syncs.sync_factor", "block_bytes"),  # told as unit_bytes
    ("wa.choices.d_choices_mixed", "op"),  # seven seconds, and not settled then
}
STATED = [(name, *bound) for name in FUNCTIONS for bound in _bounds(name)
          if (name, bound[0]) not in NOT_STATED]  # fmt: skip


@pytest.mark.parametrize("name", sorted({name for name, *_ in STATED}))
def test_a_range_begins_and_ends_where_the_docstring_says(name):
    for _, argument, bound, limit in [each for each in STATED if each[0] == name]:
        out = -1 if bound in ("low", "above") else 1
        unit = max(abs(limit), 1)
        inside = limit if bound in ("low", "high") else limit - out * 0.01 * unit
        outside = limit if bound in ("above", "below") else limit + out * 1e-9 * unit
        where = f"{argument} {bound} {limit:g}"
        assert _refused(name, argument, outside), where
        assert _refused(name, argument, limit + out * unit), where
        assert not _refused(name, argument, inside), where


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if len(_arguments(name)[1]) > 1])
def test_columns_of_unequal_length_are_named(name):
    given, columns = _arguments(name)
    first, second = columns[:2]
    with pytest.raises(ValueError, match=rf"{first} \(4,\).*{second} \(3,\)"):
        FUNCTIONS[name](**given | {second: given[second][:3]})


over_shapes = pytest.mark.parametrize(
    "name", [name for name in FUNCTIONS if name != "reliability.rating.implied_cycles"]
)  # which returns an interval


def _values(value):
    if value:
        scaled = [type(value)(value * factor) for factor in (1 / 64, 1 / 4, 1 / 2, 5 / 4, 2, 4, 64)]
        return scaled + [1 - (1 - value) / 8] * (isinstance(value, float) and value < 1)
    return [0.1, 0.5, 0.9, 10, 1000, 10**6, 10**8]


@over_shapes
def test_arrays_are_combined_number_by_number_and_numbers_stay_numbers(name):
    given, columns = _arguments(name)
    first, *others = columns
    arrays = {first: given[first][:2, None]} | {other: given[other][:3] for other in others}
    shape = (2, 3 if others else 1)
    found = _parts(FUNCTIONS[name](**given | arrays))
    for index in np.ndindex(shape):
        one = {column: np.broadcast_to(arrays[column], shape)[index].item() for column in columns}
        for part, value in _parts(FUNCTIONS[name](**given | one)).items():
            assert type(value) is float, part
            assert found[part].shape == shape
            assert found[part][index] == pytest.approx(value, rel=1e-9), part


@over_shapes
def test_numbers_far_apart_come_out_as_each_does_alone_and_none_give_none(name):
    given, columns = _arguments(name)
    given |= {column: given[column][0] for column in columns}
    for column in columns:
        alone = {}
        for value in _values(np.asarray(given[column]).item()):
            with suppress(ValueError, RuntimeError):
                alone[value] = _parts(FUNCTIONS[name](**given | {column: value}))
        found = _parts(FUNCTIONS[name](**given | {column: np.array(list(alone))}))
        for place, parts in enumerate(alone.values()):
            for part, value in parts.items():
                one = np.broadcast_to(found[part], len(alone))[place]
                assert one == pytest.approx(value, rel=1e-9, nan_ok=True), (column, part)
        nothing = FUNCTIONS[name](**given | {column: np.zeros((0, 2))})
        assert {np.shape(values) for values in _parts(nothing).values()} == {(0, 2)}


def test_labels_that_only_one_column_has_give_nan_and_repeats_are_refused():
    flash = pd.Series([20.0, 40.0], index=["a", "b"])
    user = pd.Series([10.0, 10.0], index=["b", "c"])
    found = capacity.over_provisioning(flash, user)
    pd.testing.assert_series_equal(found, pd.Series([np.nan, 3.0, np.nan], index=list("abc")))
    assert np.isnan(wa.fifo(np.full(3, np.nan))).all()
    parts = wa.separated(np.full(3, np.nan), hot_write_share=0.8, hot_space_share=0.2)
    assert np.isnan(parts.wa).all()
    op = np.array([[0.1, np.nan, 0.3]])
    found = wa.greedy(op, np.array([[32], [64]]))
    assert found.shape == (2, 3)
    assert np.isnan(found).tolist() == [[False, True, False]] * 2
    found = wa.fifo(pd.Series([0.1, None], dtype="Float64"))
    assert found.isna().tolist() == [False, True]
    twice = pd.Series([1e12, 2e12], index=["a", "a"])
    assert list(endurance.drive_fills(twice * 600, twice).index) == ["a", "a"]
    with pytest.raises(ValueError, match=r"^user_bytes must have an index without repeats"):
        endurance.drive_fills(pd.Series([6e14, 6e14], index=["a", "b"]), twice)


test_what_is_no_column_is_refused_by_name = refusals([
    (pd.DataFrame({"a": [0.1], "b": [0.2]}), "^op must be .* got a DataFrame"),
    (pd.Series(["0.1", "0.2"]), "^op must be a finite number > 0, got"),
], by=wa.fifo)  # fmt: skip


@pytest.mark.parametrize(
    "model",
    [wa.fifo_mixed, wa.square_root_wa,
     lambda op, **hot: wa.greedy_mixed(op, pages_per_block=64, **hot),
     lambda op, **hot: wa.slc_cache(op, 0.1, **hot),
     lambda op, **hot: wa.separated(op, **hot).wa,
     lambda op, **hot: wa.d_choices_mixed(op, 3, 64, **hot)],
)  # fmt: skip
def test_hot_shares_as_columns_are_two_classes_in_each_row(model):
    writes, space = np.array([0.5, 0.8, 0.95]), np.array([0.5, 0.2, 0.1])
    rows = model(0.2, hot_write_share=writes, hot_space_share=space)
    for row, w, s in zip(rows, writes, space, strict=True):
        one = model(0.2, write_share=[w, 1 - w], space_share=[s, 1 - s])
        assert row == pytest.approx(one, rel=1e-9)


test_shares_that_say_too_little_or_too_much_are_refused = refusals([
    ({"hot_write_share": 0.8}, "hot_space_share"),
    ({"hot_write_share": 0.8, "hot_space_share": 0.2, "write_share": [0.8, 0.2]}, "write_share"),
    ({"hot_write_share": 1.2, "hot_space_share": 0.2}, "hot_write_share must be .* got 1.2"),
    ({"write_share": pd.Series([0.8, 0.2]), "space_share": [0.2, 0.8]}, "hot_write_share"),
], by=lambda shares: wa.fifo_mixed(0.2, **shares))  # fmt: skip


units = pint.UnitRegistry()


test_what_an_array_would_strip_is_refused_with_the_call_that_converts = refusals([
    (lambda: capacity.over_provisioning(256 * units.GiB, 240e9),
     r'^physical_bytes .* got a quantity with a unit: give physical_bytes.to\("byte"\).magnitude'),
    (lambda: endurance.lifetime_years(6e14, units.Quantity(np.ones(3), "GB/day")),
     r'give bytes_per_day.to\("byte/day"\).magnitude'),
    (lambda: wa.fifo(units.Quantity(7, "percent")), r'give op.to\("dimensionless"\).magnitude'),
    (lambda: wa.fifo(SimpleNamespace(unit="percent", to_value=float)), r'give op.to_value\(""\)'),
    (lambda: wa.greedy(xr.DataArray([0.1, 0.2], dims="op"), 64),
     "^op .* got an array with named dimensions: give op.to_numpy.*xarray.apply_ufunc"),
])  # fmt: skip


def test_the_calls_that_convert_do_so():
    flash = 256 * units.GiB
    spare = capacity.over_provisioning(flash.to("byte").magnitude, 240e9)
    assert spare == pytest.approx(0.14532, rel=1e-4)
    op = xr.DataArray([0.1, 0.2], dims="op")
    assert xr.apply_ufunc(wa.fifo, op).dims == ("op",)
