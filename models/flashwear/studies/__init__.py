"""The studies whose results the book keeps: ``python -m flashwear.studies`` remakes them.

Each is listed in :data:`STUDIES`; ``make study`` runs those that are not current at full scale and
writes ``data/results/``.
"""

from flashwear.studies._caching import CACHING
from flashwear.studies._timing import TIMING
from flashwear.studies._writing import WRITING
from flashwear.studies.formulas import skewed_writes, trimmed_writes, uniform_writes
from flashwear.studies.prices import price_bootstrap
from flashwear.studies.steady import settling, simulated
from flashwear.studies.wearing import wear, wear_out

__all__ = [
    "STUDIES",
    "price_bootstrap",
    "settling",
    "simulated",
    "skewed_writes",
    "trimmed_writes",
    "uniform_writes",
    "wear",
    "wear_out",
]

STUDIES = {study.name: study for study in (*WRITING, *TIMING, *CACHING)}
"""All kept studies by name."""
