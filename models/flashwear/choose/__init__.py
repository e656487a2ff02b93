"""Which drive to buy: a load and what lies beneath it against drives with prices.

The bytes of a row are those of :mod:`flashwear.host`, tabulated in ``data/host_layers.csv``; all
else is the standard library's, so that the page *Which drive?* runs this code too.
"""

from flashwear.choose._answer import answer, changes, copied, costs, table
from flashwear.choose._candidates import Candidate, candidates, rated_drives
from flashwear.choose._choose import Choice, Ranked, choose
from flashwear.choose._load import (
    BELOW,
    Array,
    Load,
    Named,
    Range,
    array,
    between,
    bytes_per_row,
    load,
    named_loads,
)
from flashwear.choose._measured import measured, watched
from flashwear.choose._needs import Layer, Needs
from flashwear.choose._words import measure, sentence

__all__ = ["BELOW", "Array", "Candidate", "Choice", "Layer", "Load", "Named", "Needs", "Range",
           "Ranked", "answer", "array", "between", "bytes_per_row", "candidates", "changes",
           "choose", "copied", "costs", "load", "measure", "measured", "named_loads",
           "rated_drives", "sentence", "table", "watched"]  # fmt: skip
