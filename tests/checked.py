"""What a check finds of a claim."""

import functools
import importlib
import pkgutil

from flashwear import tables
from flashwear.study import claims
from flashwear.study.claims import _registry

for module in pkgutil.iter_modules(claims.__path__):
    importlib.import_module(f"{claims.__name__}.{module.name}")


@functools.cache
def _ledger():
    rows = tables.claims().fillna({"stated": "", "unit": "", "role": ""})
    return {row.id: _registry.Claim.from_row(row) for row in rows.itertuples()}


def found(id_):
    """Give the finding on a claim, from the tables as they are now."""
    return _registry.registered()[id_](_ledger()[id_])
