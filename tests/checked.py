"""What a check finds of a claim, from the tables as they are or as a test makes them."""

import functools

import numpy as np

from flashwear import tables
from flashwear.study import claims
from flashwear.study.claims import kept, registry


@functools.cache
def ledger_claim(id_):
    """Return a claim of the ledger."""
    rows = tables.claims()
    (row,) = rows[rows["id"] == id_].itertuples()
    return registry.Claim.from_row(row)


def found(id_):
    """Return what a check finds of a claim, from the tables as they are now."""
    return claims._checks()[id_](ledger_claim(id_))


def other_table(monkeypatch, study, change):
    """Let the kept table of a study be a changed copy."""
    table, others = change(kept.table(study).copy()), kept.table
    monkeypatch.setattr(kept, "table", lambda name: table if name == study else others(name))


def other_cells(monkeypatch, study, column, change, **where):
    """Let some cells of a kept table hold something else."""

    def changed(table):
        rows = np.logical_and.reduce([table[key] == value for key, value in where.items()])
        assert rows.any()
        table.loc[rows, column] = [change(value) for value in table.loc[rows, column]]
        return table

    other_table(monkeypatch, study, changed)


def other_line(monkeypatch, study, line, **where):
    """Let a series of a kept study be another one at some of its points."""
    others, keys = kept.line, kept.result(study).keys
    rows = kept.table(study)
    assert np.logical_and.reduce([rows[key] == value for key, value in where.items()]).any()

    def changed(name, column, *point):
        is_meant = name == study and where.items() <= dict(zip(keys, point, strict=True)).items()
        return np.array(line, float) if is_meant else others(name, column, *point)

    monkeypatch.setattr(kept, "line", changed)
