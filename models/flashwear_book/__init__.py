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
    from flashwear_book import cases as cases
    from flashwear_book import charts as charts
    from flashwear_book import claims as claims
    from flashwear_book import drawings as drawings
    from flashwear_book import field as field
    from flashwear_book import live as live
    from flashwear_book import panels as panels
    from flashwear_book import power as power
    from flashwear_book import protocols as protocols
    from flashwear_book import reserved as reserved
    from flashwear_book import runs as runs
    from flashwear_book import scorecard as scorecard
    from flashwear_book import scoring as scoring
    from flashwear_book import slc as slc
    from flashwear_book import sources as sources
    from flashwear_book import tables as tables
else:
    __getattr__ = lazily(__name__)
