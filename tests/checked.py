"""What a check finds of a claim, from the tables as they are or as a test makes them."""

import functools

from flashwear_book import claims, sources, tables
from flashwear_book.claims import _field, _prices, registry


@functools.cache
def ledger_claim(id_):
    rows = tables.claims()
    (row,) = rows[rows["id"] == id_].itertuples()
    return registry.Claim.from_row(row)


def found(id_):
    """Return what a check finds of a claim, from the tables as they are now."""
    return claims._checks()[id_](ledger_claim(id_))


def forget():
    for cache in (sources._table, _prices._table, _field.lines):
        cache.cache_clear()
