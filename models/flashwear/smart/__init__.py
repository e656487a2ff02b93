"""SMART reports of real drives: text to numbers, counters to bytes, a folder to a table.

The reports are those that ``smartctl`` prints for SATA and NVMe drives, as text or JSON. A counter
gets its meaning from a rule for the drive's family and firmware; ``data/smart_families.csv`` and
``data/smart_rules.csv`` hold the rules, with the evidence for each. For a drive without a rule the
figures are None and the flag is "unknown_family"; figures in doubt have flags, see ``smart.FLAGS``.
::

    report = smart.read("report.txt")
    report.waf, report.percent_used, report.flags
"""

from flashwear.smart._among import Among, InField, among, in_field
from flashwear.smart._between import Between, Written, between, written
from flashwear.smart._findings import Finding
from flashwear.smart._fleet import COLUMNS, fleet
from flashwear.smart._found import Attribute, Unreadable
from flashwear.smart._history import without_serial
from flashwear.smart._life_rows import LifeRow, life_rows
from flashwear.smart._read import parse, parse_all, read, read_states
from flashwear.smart._remaining_life import Forecast, forecast
from flashwear.smart._report import FLAGS, Report
from flashwear.smart._rules import Rating, rated, unrated
from flashwear.smart._verdict import Verdict, findings, verdict
from flashwear.smart._words import FINDINGS, LEVELS, NO_DRIVE, Consequence

__all__ = ["COLUMNS", "FINDINGS", "FLAGS", "LEVELS", "NO_DRIVE", "Among", "Attribute", "Between",
           "Consequence", "Finding", "Forecast", "InField", "LifeRow", "Rating", "Report",
           "Unreadable", "Verdict", "Written", "among", "between", "findings", "fleet", "forecast",
           "in_field", "life_rows", "parse", "parse_all", "rated", "read", "read_states",
           "unrated", "verdict", "without_serial", "written"]  # fmt: skip
