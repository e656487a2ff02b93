"""Damage SMART reports at random and see that the reader only ever says Unreadable.

Every parse must give a report fit for JSON, with flags that are explained, or raise
smart.Unreadable, in little time. Starts from the reports of the tests; --corpus adds the files of a
folder. What fails is written to --out and printed with its seed.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "smart"))
import reports

from flashwear import smart
from flashwear.smart._read import decoded

SLOWEST_S = 2.0
TOKENS = [
    b"\0", b"\n", b"\r\n", b" " * 500, b"-", b"---", b"0x", b"[", b"]", b"%", b",", b".",
    b"\xc2\xa0",
    b"\xa0", b"\xff", b"\xef\xbb\xbf", b"9" * 50, b"1e400", b"NaN", b"null", b"true", b"-1", b"{}",
    b"[[]]", b"ID# ATTRIBUTE_NAME x\n", b"Device Statistics (GP Log 0x04)\n", b"Model Number: x\n",
    b"=== START OF INFORMATION SECTION ===\n", b"Product: x\n", b"Revision: y\n",
    b"246 x -O--CK   100   100   000    -    5\n", b"h+07m+35.430s", b" (Min/Max 1/2)", b"\x1b[2J",
]  # fmt: skip


def corpus(folder: Path | None) -> list[bytes]:
    attributes = {
        9: 5_000, 173: (61, 390), 177: (1, 2_000), 202: (61, 39), 233: (50, 77), 241: 10**8, 245: 7,
        246: 10**11, 247: 3 * 10**9, 248: 10**10, 249: 5_000, 251: 10**12,
    }  # fmt: skip
    statistics = {"sectors_written": 10**11, "percentage_used": 39, "power_on_hours": 5_000}
    health = dict.fromkeys(reports.HEALTH, 1_462_492_615)
    texts = [reports.SCSI, reports.nvme(health=health), reports.nvme_json(health=health)]
    logs = [
        reports.smart_log(),
        reports.ENDURANCE_LOG.format(written="33,108", media="46,350"),
        reports.OCP_LOG.format(high=0, low=46_350_123_008_000, guid=reports.GUID),
        reports.FDP_STATS,
    ]
    attrs = {"percentage_used": {"value": 3, "thresh": 100}, "5": {"raw_value": 1}}
    states = [("2025-06-15T15:06:40Z", 800, attrs), ("2025-05-15T15:06:40Z", 80, attrs)]
    texts += [*logs, "".join(logs), reports.scrutiny(states), reports.scrutiny(states, "X", "ATA")]
    texts.append("2025-06-15 15:06:40;\t9;97;13541;\t177;98;31;\n" * 3)
    for model, firmware in (
        ("Crucial_CT750MX300SSD1", "M0CR011"), ("CT500MX500SSD1", "M3CR023"),
        ("SAMSUNG MZ7LH960HAJR-00005", "HXT7404Q"), ("INTEL SSDSC2CW120A3", "400i"),
        ("WDC  WDS200T1R0A-68A4W0", "411000WR"), ("LITEON IT EBT-480N9S", "LKBN11RE"),
        ("NEW DRIVE", "1"),
    ):  # fmt: skip
        drive = (model, firmware, 750_156_374_016, attributes, statistics)
        texts += [reports.ata(*drive), reports.ata(*drive, layout="old"), reports.ata_json(*drive)]
    found = [text.encode() for text in texts]
    if folder:
        found += [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]
    return found


def damaged(random: random.Random, whole: list[bytes]) -> bytes:
    content = bytearray(random.choice(whole))
    for _ in range(random.choice((1, 1, 2, 5, 30))):
        at, end = sorted(random.randrange(len(content) + 1) for _ in range(2))
        kind = random.randrange(8)
        if kind == 0 and content:
            content[at % len(content)] = random.randrange(256)
        elif kind == 1 and content:
            content[at % len(content)] ^= 1 << random.randrange(8)
        elif kind == 2:
            content[at:at] = random.choice(TOKENS)
        elif kind == 3:
            del content[at : at + random.randrange(1, 50)]
        elif kind == 4:
            del content[at:]
        elif kind == 5:
            other = random.choice(whole)
            start = random.randrange(len(other))
            content[at:at] = other[start : start + random.randrange(2_000)]
        elif kind == 6:
            content[at:at] = content[at : min(end, at + 500)] * random.choice((1, 2, 20))
        else:
            lines = content.split(b"\n")
            random.shuffle(lines)
            content = bytearray(b"\n".join(lines))
    return bytes(content)


def check(content: bytes) -> str:
    """Read a damaged report and give what came of it."""
    try:
        found = smart.parse_all(decoded(content), "attrlog.X-Y.ata.csv")
    except smart.Unreadable:
        return "unreadable"
    for report in found:
        json.dumps(report.as_dict(), allow_nan=False)
        assert set(report.flags) <= set(smart.FLAGS), report.flags
        assert (report.model or "").isprintable()
        for figure in ("host_bytes_written", "nand_bytes_written", "average_erases"):
            value = getattr(report, figure)
            assert value is None or (value >= 0 and figure in report.rules), figure
        low, high = report.percent_used_range or (0, 0)
        assert low <= (report.percent_used or 0) <= high or "disagree" in str(report.flags)
        assert smart.verdict(report).level in smart.LEVELS
        left = smart.forecast(report, 1e14, 1e10)
        assert left.wear is None or 0 <= left.wear[0] <= left.wear[1]
        assert (left.wear is None) == (left.wear_unknown is not None)
        assert (left.rating is None) == (left.rating_unknown is not None)
    with suppress(ValueError):
        smart.between(found[0], found[-1])
    return "flagged" if found[0].flags else "read"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--corpus", type=Path, help="a folder of reports to start from besides")
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="where failures go")
    options = parser.parse_args()

    whole = corpus(options.corpus)
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    end = time.monotonic() + 60 * options.minutes
    seed = options.seed
    while time.monotonic() < end:
        content = damaged(random.Random(seed), whole)
        start = time.process_time()
        try:
            outcome = check(content)
            slowest = max(slowest, time.process_time() - start)
            assert time.process_time() - start < SLOWEST_S, "slow"
        except Exception as error:
            outcome = "FAILED"
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / f"seed-{seed}").write_bytes(content)
            print(f"seed {seed}: {type(error).__name__}: {error}")
        outcomes[outcome] += 1
        seed += 1
    print(f"{outcomes.total():,} damaged reports in {options.minutes:g} minutes:", dict(outcomes))
    print(f"slowest {slowest:.3f} s of processor time")
    return 1 if outcomes["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
