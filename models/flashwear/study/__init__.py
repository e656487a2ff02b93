"""The book's own apparatus: the reviews' claims, their tests, and the outcomes.

Nothing in the library beside it imports it. ``sources`` reads the tables of what the documents say,
``protocols`` holds the reviews' tests as data, ``runs`` simulates them and keeps the results,
``claims`` compares the documents with what was computed, ``charts`` and ``live`` draw.
"""

from typing import TYPE_CHECKING

from flashwear._extras import lazily, require

require("book", "altair", "joblib", "numba", "pandas", "simpy", "tqdm", "vl_convert")

if TYPE_CHECKING:  # what loads lazily
    from flashwear.study import cases as cases
    from flashwear.study import charts as charts
    from flashwear.study import claims as claims
    from flashwear.study import drawings as drawings
    from flashwear.study import live as live
    from flashwear.study import protocols as protocols
    from flashwear.study import reserved as reserved
    from flashwear.study import running as running
    from flashwear.study import runs as runs
    from flashwear.study import scorecard as scorecard
    from flashwear.study import scoring as scoring
    from flashwear.study import slc as slc
    from flashwear.study import sources as sources
else:
    __getattr__ = lazily(__name__)
