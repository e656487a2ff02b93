"""Rules for drives of no known family, from names that say what an attribute counts.

smartctl prints such a name if its database has one, but the name may be wrong: the unit in a name
is right for 123 of 133 models of the collection (for 9 of 13 of unknown families), so such figures
are marked. A share of life is taken if value and raw value agree, and is certain only if erases
agree too.
"""

import re

from flashwear.smart._found import Attribute, Found
from flashwear.smart._rules import Rule

_WRITES = re.compile(
    r"(?:Total_)?(Host|Lifetime|Total|NAND|Nand|Flash)(?:_NAND)?_Writes_(\d{1,2})?(MiB|GiB|GB)",
    re.ASCII,
)
_UNITS = {"MiB": 2**20, "GiB": 2**30, "GB": 10**9}
_LIFE = re.compile(
    r"Perc(?:ent)?_Life(?:time)?_(?:Remain(?:ing)?|Used|Left)|SSD_Life_Left"
    r"|Remaining_Lifetime_Perc|Perc_Rated_Life_Used|Lifetime_Remaining%",
    re.ASCII,
)
_ERASES = re.compile(r"A\w{1,6}_?(?:Block-|Write/)?Erase_C(?:oun)?t", re.ASCII)
_OF_CACHE = ("Perc_Write/Erase_Ct_BC", "NAND_GB_Written_SLC")  # both names of SanDisk's database
_PACKED = 2**32  # beside the life left, a raw value holds what is used above it
_RATED = ("Max_Erase_Count_of_Spec", "Max_PE_Count_Spec")
_AGREE = 5  # percent of life by which two counters of it may differ


def rules_by_name(found: Found) -> dict[str, tuple[Rule, ...]]:
    """Return rules for all numbers that can be read by the names of attributes alone."""
    made: dict[str, tuple[Rule, ...]] = {}
    for number, row in found.attributes.items():
        if match := _WRITES.fullmatch(row.name):
            flash = match[1] in ("NAND", "Nand", "Flash") or "_NAND_" in row.name
            side = "nand" if flash else "host"
            unit = int(match[2] or 1) * _UNITS[match[3]]
            made[f"{side}_bytes"] = (
                _rule(f"{number} by its name", number, unit, flag=f"{side}_unit_unverified"),
            )
            cache = found.attributes.get(234)
            if flash and number == 233 and cache and cache.name in _OF_CACHE:
                whole = _rule("234 by its name", 234, unit, flag="nand_unit_unverified")
                made["slc_bytes"] = (whole,)
        elif row.name == "Total_Host_Sector_Write":
            rule = _rule(f"{number} x 512 B by its name", number, 512, flag="host_unit_unverified")
            made["host_bytes"] = (rule,)
        elif _LIFE.fullmatch(row.name) and (how := _life(found, row)):
            by_value, flag = how
            rule = _rule(f"100-{number} by its name", number, -1, 100, flag)
            made["percent_used"] = (rule._replace(normalised=by_value, high=100, when="alone"),)
    return made


def _life(found: Found, row: Attribute) -> tuple[bool, str] | None:
    """Return whether the value tells the life left, else the raw value, and how sure that is."""
    erases = [other for other in found.attributes.values() if _ERASES.fullmatch(other.name)]
    rated = [other.raw for other in found.attributes.values() if other.name in _RATED]
    if erases and erases[0].raw is not None and rated and rated[0] and row.raw is not None:
        by_erases = 100 - 100 * erases[0].raw / rated[0]
        if row.name == "Remaining_Lifetime_Perc" and abs(row.raw - by_erases) <= _AGREE:
            return False, "life_used_by_name"
    left, raw = row.value, row.raw
    if left is None or raw is None:
        return None
    raw = raw // _PACKED if raw >= _PACKED else raw
    if min(abs(raw - left), abs(raw + left - 100)) > 1:
        return None
    # 100 stands as well where nothing is counted
    same = any(other.value == left < 100 for other in erases)
    return True, "life_used_by_name" if same else "life_used_unconfirmed"


def _rule(name: str, number: int, scale: float, offset: float = 0, flag: str = "") -> Rule:
    terms = ((str(number), 1),)
    return Rule(name, "attribute", terms, scale=scale, offset=offset, flag=flag)
