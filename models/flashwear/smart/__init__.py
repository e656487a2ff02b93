"""SMART reports of real drives: text to numbers, counters to bytes, a folder to a table.

What ``smartctl`` prints, as text or JSON, of SATA and NVMe drives. A counter gets its meaning from
a rule of the drive's family and firmware: ``data/smart_families.csv`` and
``data/smart_rules.csv`` hold them with the evidence for each. A drive that no rule knows gives
None and the flag "unknown_family"; what cannot be trusted is flagged, see ``smart.FLAGS``. ::

    report = smart.read("report.txt")
    report.waf, report.percent_used, report.flags
"""

from flashwear.smart._fleet import fleet
from flashwear.smart._found import Attribute, Unreadable
from flashwear.smart._outlook import rated_years_left, years_left
from flashwear.smart._read import parse, read
from flashwear.smart._report import FLAGS, Report

__all__ = [
    "FLAGS",
    "Attribute",
    "Report",
    "Unreadable",
    "fleet",
    "parse",
    "rated_years_left",
    "read",
    "years_left",
]
