"""The book's own apparatus: the reviews' claims, their tests, the field, and the outcomes.

The library does not import this package. ``sources`` reads figures of the documents from tables,
``protocols`` has the reviews' tests as data, ``runs`` simulates them and keeps the results,
``field`` summarises a collection of reports, ``power`` simulates power cuts, ``claims`` compares
the documents with computed results, ``charts`` and ``live`` draw charts.
"""

from typing import TYPE_CHECKING

from flashwear import __version__ as __version__
from flashwear._extras import lazily

if TYPE_CHECKING:  # what loads lazily
    from flashwear_book import (
        cases as cases,
        charts as charts,
        claims as claims,
        drawings as drawings,
        field as field,
        live as live,
        panels as panels,
        power as power,
        protocols as protocols,
        reserved as reserved,
        runs as runs,
        scorecard as scorecard,
        scoring as scoring,
        slc as slc,
        sources as sources,
        tables as tables,
    )
else:
    __getattr__ = lazily(__name__)
