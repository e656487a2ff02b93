"""The book's own apparatus: the reviews' claims, their tests, and the outcomes.

Nothing in the library beside it imports it. ``sources`` reads the tables of what the documents say,
``protocols`` holds the reviews' tests as data, ``runs`` simulates them and keeps the results,
``claims`` compares the documents with what was computed, ``charts`` and ``live`` draw.
"""

from flashwear._extras import require

require("book", "altair", "joblib", "numba", "pandas", "simpy", "tqdm", "vl_convert")
