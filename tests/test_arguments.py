"""Every argument of a closed form moves its result, by more than ten times what tests forgive."""

import inspect

import numpy as np
import pytest

from test_columns import EXAMPLES, FUNCTIONS, _parts, _values

MOVES = 0.1  # simulations and brute force hold the closed forms to 1 % where they are exact
HOT = {"hot_write_share": 0.8, "hot_space_share": 0.2}
POINTS = {  # beside EXAMPLES: where what is constant there is not
    "host.checkpoint.pages_touched": {"updates": 50.0},
    "host.cow.copy_on_write": {"write_bytes": 100, "synced": 1.0},
    "host.lsm.lsm_levelled": {"exponent": 0.9, "file_bytes": 2**28},
    "host.lsm.lsm_tiered": {"exponent": 0.9},
    "host.innodb.innodb": {"indexes": 2.0, "index_pages": 5e3, "binlog_bytes": 700.0},
    "host.postgres.postgres": {"index_pages": 10_000, "hot_share": 0.5, "vacuums": 1.0},
    "host.sqlite.sqlite": {
        "indexes": 1.0,
        "index_pages": 500.0,
        "journal": "wal",
        "load": "insert_random",
        "checkpoint_pages": 1e4,
    },
    "host.syncs.sync_factor": {"commit_bytes": 100},
    "reliability.disturb.reads_until": {"retention_s": 1e7},
    "reliability.rber.at": {"retention_s": 1e7},
    "reliability.rber.cycles_at": {"retention_s": 1e7},
    "reliability.spares.bad_blocks": {"erases": 0.8},
    "reliability.spares.share_ended": {"erases": 0.6},
    "reliability.spares.erases_at_end": {"spread": 0.3, "drive_spread": 0.2},
    "wa.cache.slc_cache": {"op": 0.5, "cache_share": 0.02},
    "wa.cache.slc_waf": {"op": 1.0, "cache_share": 0.02},
    "wa.choices.d_choices_mixed": {"op": 0.5},
    "wa.map_cache.map_traffic": {"working_bytes": 1e8, "cache_bytes": 5e4, "exponent": 0.9},
    "wa.pools.separated": {"policy": "greedy", "pages_per_block": 16},
    "wa.skew.fifo_mixed": {"op": 0.5},
    "wa.skew.greedy_mixed": {"op": 0.5},
}
BARELY = {  # arguments that matter little by their nature, and the least that they must move
    ("reliability.rber.cycles_ratio", "limit"): 1e-4,  # it is the ratio's point that it does not
    ("reliability.spares.erases_at_end", "share"): 0.05,
    ("wa.cache.slc_waf", "hot_write_share"): 0.05,  # folding the cache outweighs it
}


def _moved(function, given, name):
    """Return the largest relative change of a part of the result when one argument changes."""
    base, most = _parts(function(**given)), 0.0
    for value in _values(given[name]):
        try:
            other = _parts(function(**given | {name: value}))
        except ValueError:  # outside the domain
            continue
        for part, before in base.items():
            before, after = np.asarray(before, float), np.asarray(other[part], float)
            if before.shape == after.shape:
                larger = np.maximum(np.maximum(np.abs(before), np.abs(after)), 1e-300)
                change = np.abs(after - before) / larger
                most = max(most, float(np.max(change, initial=0.0, where=~np.isnan(change))))
    return most


def _cases():
    for name, function in FUNCTIONS.items():
        for parameter in inspect.signature(function).parameters.values():
            value = parameter.default
            if value is parameter.empty or value is None:
                value = (HOT | EXAMPLES).get(parameter.name)
            if isinstance(value, float | int) and not isinstance(value, bool):
                yield pytest.param(name, parameter.name, value, id=f"{name}-{parameter.name}")


@pytest.mark.parametrize(("name", "argument", "value"), list(_cases()))
def test_an_argument_of_a_closed_form_moves_its_result(name, argument, value):
    function = FUNCTIONS[name]
    parameters = inspect.signature(function).parameters
    needed = {p for p, one in parameters.items() if one.default is one.empty}
    given = {p: EXAMPLES[p] for p in needed & EXAMPLES.keys()}
    given |= HOT if "hot_write_share" in parameters else {}
    points = [{argument: value} | given, {argument: value} | given | POINTS.get(name, {})]
    moved = max(_moved(function, point, argument) for point in points)
    assert moved > BARELY.get((name, argument), MOVES)
