"""Drives to choose from: a price list or pasted lines, joined with ratings of public pages."""

import csv
import functools
import math
import re
from typing import Any, NamedTuple

from flashwear.smart._rules import rows

_MOST_BYTES, _MOST_LINES, _MOST_LINE = 2**20, 500, 2000
_NUMBER = r"(\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:[,\u202f']\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
_PRICE = r"US ?\$|\$|€|£|¥|\bUSD|\bEUR|\bGBP|\bCHF|\bJPY|\bprice"
_CURRENCY = {"$": "USD", "US$": "USD", "US $": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_FIELDS = {
    "tbw": re.compile(rf"{_NUMBER} ?([TP])B ?(?:W\b|written)|{_NUMBER} ?([TP])BW\b|"
                      rf"\bTBW:? ?{_NUMBER}", re.I),
    "dwpd": re.compile(rf"{_NUMBER} ?DWPD|\bDWPD:? ?{_NUMBER}", re.I),
    "years": re.compile(r"(\d{1,2}(?:\.\d)?)[ -]?(?:years?|yrs?|y)\b", re.I),
    "price": re.compile(rf"({_PRICE}):? ?{_NUMBER}|{_NUMBER} ?({_PRICE})", re.I),
    "capacity": re.compile(rf"{_NUMBER} ?([TG])(i?)B\b(?! ?(?:W\b|written))", re.I),
    "plp": re.compile(r"\b(no |without )?(?:PLP\b|power[- ]loss(?: protection)?)", re.I),
    "dram": re.compile(r"\b(no |without )?DRAM(-?less|-free)?\b", re.I),
    "interface": re.compile(r"\b(SATA|SAS|NVMe|PCIe ?\d\.\d|PCIe)\b", re.I),
    "bits": re.compile(r"\b(SLC|MLC|TLC|QLC|PLC)\b", re.I),
}  # fmt: skip
_HEADS = {
    "model": ("model", "drive", "name", "product", "artikel", "produkt"),
    "capacity": ("capacity", "size", "user_gb", "kapazit", "capacit"),
    "price": ("price", "cost", "eur", "usd", "gbp", "chf", "preis", "prix"),
    "tbw": ("tbw", "endurance"), "dwpd": ("dwpd",),
    "years": ("years", "warranty", "garantie"),
    "interface": ("interface", "bus", "schnittstelle"),
    "dram": ("dram",), "bits": ("bits", "nand", "flash", "cell"), "plp": ("plp", "power"),
}  # fmt: skip
_CARD = re.compile(r"\b(?:micro)?SD(?:HC|XC)?(?: card)?\b|\beMMC\b|\bUSB (?:stick|key)\b", re.I)
_DISK = re.compile(
    r"\bHDD\b|hard (?:disk|drive)|\d ?rpm\b|WD Purple|Sky ?Hawk|Iron ?Wolf(?! (?:1|5)\d\d\b)"
    r"|\bExos\b|\bN300\b|WD Red (?:Plus|Pro)\b", re.I)  # fmt: skip
_MONEY = ("eur", "usd", "gbp", "chf", "jpy")
_NOISE = {"ssd", "nas", "nvme", "m", "2", "5", "with", "heatsink", "inch", "internal", "drive"}
_BITS = {"SLC": 1, "MLC": 2, "TLC": 3, "QLC": 4, "PLC": 5}
CONSUMER = 0.6  # drive writes a day over five years, below which ratings here have no protection
_OF_A_SIZE = ("years", "dram", "bits")
OTHER_SIZES, _TIMES = "other sizes of its line", 4.5
_LARGER = (
    2.0  # times that a larger size is rated at most: the largest often have fewer writes a day
)
_NEAR, _PART = 0.03, 8  # of a size; letters of a part number


class Candidate(NamedTuple):
    """A drive that may be bought. What is not known is None."""

    model: str
    capacity_bytes: float
    price: float | None = None
    currency: str = ""
    rated_bytes: float | None = None
    """Host bytes that its maker warrants."""
    years: float | None = None
    """Years of the warranty."""
    interface: str | None = None
    dram: bool | None = None
    bits: int | None = None
    power_loss: bool | None = None
    rated_by: str = ""
    """Who says what it is rated for."""
    line: str = ""
    """Its line among the ratings of public pages."""
    other: str = ""
    """A hard disk or a card, where it is no solid-state drive."""
    server_year: int | None = None
    """Year in which a drive of the data centre was announced, where a page says so."""

    @property
    def writes_a_day(self) -> float | None:
        """Drive writes a day over five years, so that ratings over three compare."""
        return self.rated_bytes and self.rated_bytes / self.capacity_bytes / 1825

    @property
    def estimated(self) -> bool:
        """Whether its rating is taken from other sizes of its line."""
        return self.rated_by == OTHER_SIZES

    @property
    def protected(self) -> bool | None:
        """Whether it is taken to protect data under way.

        None where it is not known. Drives that are rated for less than `CONSUMER` do not, but for
        those of the data centre.
        """
        light = (self.writes_a_day or CONSUMER) < CONSUMER and not self.server_year
        return False if self.power_loss is None and light else self.power_loss

    @property
    def of_servers(self) -> bool:
        """Whether it is a drive of the data centre, as its page says or its rating."""
        least = 1.5 if self.line else CONSUMER
        return bool(self.power_loss or self.server_year or (self.writes_a_day or 0) >= least)


def candidates(text: str) -> tuple[Candidate, ...]:
    """Read drives, one a line, from CSV with a header or from lines as they were pasted.

    Parameters
    ----------
    text : str
        At most 500 lines. Each names its model and capacity; price, TBW or DWPD with its years,
        interface, DRAM, cells (TLC, QLC) and power-loss protection (PLP) where known. Columns are
        parted by commas, semicolons, tabs or bars.

    Returns
    -------
    tuple of Candidate
        What the text does not tell is taken from ``data/model_ratings.csv``, by model and size.

    Raises
    ------
    ValueError
        If a line has no capacity, prices have two currencies, or there is no drive.

    Examples
    --------
    >>> one, = candidates("Samsung 870 EVO 1TB  SATA  85,90 €")
    >>> one.price, one.currency, one.rated_bytes / 1e12, one.protected
    (85.9, 'EUR', 600.0, False)
    """
    lines = [line for line in text[:_MOST_BYTES].splitlines() if re.search(r"\w", line)]
    if not lines or len(lines) > _MOST_LINES or max(map(len, lines)) > _MOST_LINE:
        raise ValueError(f"candidates must be 1 to {_MOST_LINES} lines, got {len(lines)}")
    found = tuple(_candidate(line) for line in _plain(lines))
    currencies = sorted({one.currency for one in found if one.price is not None})
    if len(currencies) > 1:
        raise ValueError(f"prices must be in one currency, got {' and '.join(currencies)}")
    if not found:
        raise ValueError("candidates must have a drive below their header")
    return found


def _plain(lines: list[str]) -> list[str]:
    """Return lines that say what each cell of a table is."""

    def heads(mark: str) -> list[str]:
        return [cell.strip() for cell in lines[0].strip("| ").lower().split(mark)]

    def name(head: str) -> str | None:
        return next((key for key, words in _HEADS.items() if head.startswith(words)), None)

    mark = max(",;\t|", key=lambda mark: sum(name(head) is not None for head in heads(mark)))
    columns = [(head, name(head)) for head in heads(mark)]
    if sum(known is not None for _, known in columns) < 2:
        return [re.sub(r"[|;\t]", "  ", line) for line in lines]
    table = csv.reader((line.strip("| ") for line in lines[1:]), delimiter=mark)
    return [
        "  ".join(
            _told(head, known, cell.strip())
            for (head, known), cell in zip(columns, row, strict=False)
            if known and cell.strip()
        )
        for row in table
    ]


def _told(head: str, name: str, cell: str) -> str:
    """Return a cell as a pasted line would say it."""
    bare = re.fullmatch(_NUMBER, cell) is not None
    if name in ("dram", "plp"):
        no = cell.lower() in ("no", "false", "0", "none", "n", "-")
        return f"{'no ' if no else ''}{name.upper()}"
    if not bare:
        return cell
    money = next((one for one in _MONEY if one in head), "price")
    ends = {
        "capacity": f"{cell} {'TB' if 'tb' in head else 'GB'}", "price": f"{money.upper()} {cell}",
        "tbw": f"{cell} TBW", "dwpd": f"{cell} DWPD", "years": f"{cell} years",
        "bits": next((word for word, bits in _BITS.items() if str(bits) == cell), ""),
    }  # fmt: skip
    return ends.get(name, cell)


def _value(text: str) -> float:
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d{1,2}", text):
        return float(text.replace(".", "").replace(",", "."))
    if re.fullmatch(r"[1-9]\d{0,2}([,\u202f']\d{3})+(\.\d+)?", text):
        return float(re.sub(r"[,\u202f']", "", text))
    return float(text.replace(",", "."))


def _candidate(line: str) -> Candidate:
    line = re.sub(r"^\s*\d{1,3} ?x ", "", line)  # how many
    seen = {name: pattern.search(line) for name, pattern in _FIELDS.items()}

    def number(name: str) -> float | None:
        match = seen[name]
        told = (g for g in (match.groups() if match else ()) if g and re.fullmatch(_NUMBER, g))
        if name in ("tbw", "price"):  # a dot before three digits parts thousands
            told = (re.sub(r"(?<=\d)\.(?=\d{3}(?:\D|$))", "", one) for one in told)
        return next(map(_value, told), None)

    size, capacity = seen["capacity"], number("capacity")
    if size is None or not capacity:
        raise ValueError(f"candidates must have a capacity on each line, as 960 GB: {line[:60]!r}")
    capacity *= (1024 if size[3] else 1000) ** (4 if size[2] in "Tt" else 3)
    if not 1e9 <= capacity <= 1e15:
        raise ValueError(f"candidates must have 1 GB to 1 PB, got {size[0]!r}")
    begin = size.end() if not line[: size.start()].strip() else 0
    ends = (m.start() for m in seen.values() if m and m.start() > begin)
    model = " ".join(line[begin : min(ends, default=None)].split()).strip(' ,-"')
    model = model or line.split()[0]
    tbw, dwpd, years = number("tbw"), number("dwpd"), number("years")
    rated = dwpd and dwpd * capacity * 365 * (years or 5)
    if tbw and (told := seen["tbw"]):
        rated = tbw * (1e15 if "P" in re.sub("TB", "", told[0].upper()) else 1e12)
    dram, plp, bus, cells = (seen[name] for name in ("dram", "plp", "interface", "bits"))
    given: dict[str, Any] = {
        "model": f"{model} {size[0].strip()}", "capacity_bytes": capacity,
        "rated_bytes": rated, "years": years, "rated_by": rated and "as given",
        "interface": bus and bus[0], "bits": cells and _BITS[cells[0].upper()],
        "dram": dram and not (dram[1] or dram[2]), "power_loss": plp and not plp[1],
        "price": number("price"), "currency": "",
    }  # fmt: skip
    if price := seen["price"]:
        label = next(g for g in price.groups() if g and not re.fullmatch(_NUMBER, g)).upper()
        given["currency"] = _CURRENCY.get(label, label).replace("PRICE", "")
    if given["price"] == 0 or re.search(r"(?<![\w.])-\d", line):
        raise ValueError(f"candidates must have sizes and prices > 0, got {line[:60]!r}")
    disk = "a hard disk" if _DISK.search(line) else ""
    given["other"] = disk or ("a card or stick" if _CARD.search(line) else "")
    known = {name: value for name, value in given.items() if value is not None}
    found = _of(_known(model, size[0], capacity))
    if rated and found.rated_bytes and not 0.1 < rated / found.rated_bytes < 10:
        raise ValueError(
            f"candidates must be rated within ten times what is known of them, "
            f"{found.rated_bytes / 1e12:,.0f} TBW: {line[:60]!r}"
        )
    found = found._replace(**known)
    return found._replace(rated_bytes=None) if found.other else found


def _of(row: dict[str, str]) -> Candidate:
    """Return the drive of a row of ratings; of none, one of which nothing is known."""
    if not row:
        return Candidate("", 0.0)
    yes = {"yes": True, "no": False}
    row = row | {"dram": row["dram"] or _alike()[words(row["line"])]["dram"]}
    size = float(row["user_gb"])
    bits = int(float(row["bits"] or 0))
    if bits < 4 and sold(row["line"]):
        bits = 0  # of a line that may have four today
    name = f"{row['line']} {f'{size:g} GB' if size < 1000 else f'{size / 1000:g} TB'}"
    return Candidate(
        name, size * 1e9, None, "", float(row["tbw_tb"] or 0) * 1e12 or None,
        float(row["years"] or 0) or None, row["interface"] or None,
        yes.get(row["dram"]), bits or None,
        yes.get(row["power_loss"]),
        OTHER_SIZES if row["source"] == OTHER_SIZES else row["line"], row["line"], "",
        int(float(row["server_year"] or 0)) or None,
    )  # fmt: skip


@functools.lru_cache(maxsize=1)
def _ratings() -> tuple[tuple[re.Pattern[str], frozenset[str], dict[str, str]], ...]:
    table = rows("model_ratings")
    return tuple((re.compile(row["model_pattern"]), words(row["line"]), row) for row in table)


def words(text: str) -> frozenset[str]:
    """Return the words of a name, without what stands in parentheses."""
    return frozenset(re.findall(r"[a-z0-9]+", re.sub(r"\(.*?\)", "", text).lower()))


def _known(model: str, size: str, capacity: float) -> dict[str, str]:
    """Return the row of ratings of a model and size by its name, whole but for the maker.

    Of another size of the line it is a row without what may differ between sizes, and with the
    drive writes a day of the nearest size.
    """
    best: dict[str, str] = {}
    nearest = math.inf
    told = {word for word in words(model) if len(word) < _PART} - _NOISE
    for pattern, named, row in _ratings():
        near = abs(capacity / (1e9 * float(row["user_gb"])) - 1) < _NEAR
        if near and (pattern.match(f"{model} {size}") or pattern.match(model)):
            return row
        maker = row["line"].lower().split()[0]
        if told and told | {maker} == named | {maker}:
            if near:
                best = row
                nearest = 0.0
            elif (apart := abs(math.log(capacity / 1e9 / float(row["user_gb"])))) < nearest:
                best, nearest = _resized(row, capacity), apart
    return best


def _resized(row: dict[str, str], capacity: float) -> dict[str, str]:
    """Return a row of another size of a line, with as many drive writes a day if it is near."""
    times = capacity / (1e9 * float(row["user_gb"]))
    more = min(times, _LARGER)
    rated = f"{float(row['tbw_tb']) * more}" if 1 / _TIMES < times < _TIMES else ""
    return row | _alike()[words(row["line"])] | {"tbw_tb": rated, "source": OTHER_SIZES}


@functools.lru_cache(maxsize=1)
def _alike() -> dict[frozenset[str], dict[str, str]]:
    """Return by line what all its sizes have in common, of what may differ between them."""
    found: dict[frozenset[str], dict[str, set[str]]] = {}
    for row in rows("model_ratings"):
        told = found.setdefault(words(row["line"]), {name: set() for name in _OF_A_SIZE})
        for name in _OF_A_SIZE:
            told[name] |= {row[name]} - {""}
    return {
        line: {name: next(iter(one)) if len(one) == 1 else "" for name, one in told.items()}
        for line, told in found.items()
    }


@functools.lru_cache(maxsize=1)
def _sold() -> dict[frozenset[str], str]:
    return {
        words(row["line"]): row["line"].partition("(")[2].rstrip(")")
        for row in rows("model_ratings")
        if "(sold" in row["line"]
    }


def sold(line: str) -> str:
    """Return what is said of a line whose drives have several flashes, at whatever size."""
    return _sold().get(words(line), "")


def rated_drives() -> tuple[Candidate, ...]:
    """Return the drives of public ratings, without prices, one of a line and size.

    Examples
    --------
    >>> len(rated_drives()) > 300
    True
    """
    drives = (_of(row) for _, _, row in _ratings())
    return tuple({one.model: one for one in drives}.values())
