"""Reports as people have them: pasted, quoted, wrapped, cut; the same figures, or a flag."""

import html
import io
import json
import quopri
import random
import re

import pytest
import reports

from flashwear import smart

FIGURES = ("model", "firmware", "capacity_bytes", "power_on_hours", "host_bytes_written",
           "nand_bytes_written", "average_erases", "percent_used", "passed")  # fmt: skip
HEALTH = {"available_spare": 100, "available_spare_threshold": 10, "percentage_used": 3,
          "data_units_written": 50_000_000, "power_on_hours": 10_000,
          "media_errors": 0}  # fmt: skip
ROWS = {5: 0, 9: 20_000, 177: (60, 800), 241: 100_000_000_000}
SAMSUNG = ("Samsung SSD 850 EVO 500GB", "EMT02B6Q", 500_107_862_016)
MX300 = ("Crucial_CT750MX300SSD1", "M0CR011", 750_156_374_016)
MX300_ROWS = {5: 1, 9: 46_948, 173: (61, 390), 202: (61, 39), 246: 113_239_502_265,
              247: 3_633_824_371, 248: 11_439_462_313}  # fmt: skip
NVME = reports.nvme(health=HEALTH)
BRIEF = reports.ata(*MX300, MX300_ROWS, {"power_on_hours": 46_948, "percentage_used": 39})
OLD = reports.ata(*SAMSUNG, ROWS, layout="old", options="-a")


def figures(report):
    return [getattr(report, name) for name in FIGURES]


WAYS = {
    "no last newline": lambda text: text.rstrip("\n"),
    "every line end twice": lambda text: text.replace("\n", "\n\n"),
    "every line end twice, of Windows": lambda text: text.replace("\n", "\r\n\r\n"),
    "CR CR LF": lambda text: text.replace("\n", "\r\r\n"),
    "line ends of old": lambda text: text.replace("\n", "\r"),
    "quoted": lambda text: re.sub("^", "> ", text, flags=re.MULTILINE),
    "quoted twice": lambda text: re.sub("^", ">> ", text, flags=re.MULTILINE),
    "quoted, blanks lost": lambda text: re.sub("^(?=.)", "> ", text, flags=re.MULTILINE),
    "quoted below a prompt": lambda text: (
        "me@host:~$ sudo smartctl -x /dev/sda\n" + re.sub("^", "> ", text, flags=re.MULTILINE)
    ),
    "below a prompt of root": lambda text: f"[root@host ~]# smartctl -x /dev/sda\n{text}",
    "below a bare prompt": lambda text: f"$ smartctl -x /dev/sda\n{text}",
    "a mail": lambda text: (
        "Content-Transfer-Encoding: quoted-printable\n\n"
        + quopri.encodestring(text.encode()).decode()
    ),
    "the heading of the table broken": lambda text: text.replace(" WHEN_FAILED", "\nWHEN_FAILED"),
    "after a letter": lambda text: f"Hi all,\n\nhere is my drive, is it ok?\n\n{text}\nThanks\n",
    "indented": lambda text: re.sub("^", "    ", text, flags=re.MULTILINE),
    "indented, but some lines less": lambda text: "".join(
        f"{' ' * (2 + 2 * line.startswith('='))}{line}\n" for line in text.split("\n")
    ),
    "indented but for the first line": lambda text: text.replace("\n", "\n    "),
    "a tab before each line": lambda text: re.sub("^", "\t", text, flags=re.MULTILINE),
    "log of a service": lambda text: re.sub("^", "drive_1  | ", text, flags=re.MULTILINE),
    "a clock before each line": lambda text: "".join(
        f"[{12 + i}.{i:04}] {line}\n" for i, line in enumerate(text.split("\n"))
    ),
    "blanks run together": lambda text: re.sub("(?<=\\S) +", " ", text),
    "tabs for blanks": lambda text: re.sub("(?<=\\S) {2,}", "\t", text),
    "hard blanks": lambda text: re.sub(" {2}", "\u00a0 ", text),
    "a code block": lambda text: f"```\n{text}```\n",
    "a forum's tags": lambda text: f"[code]{text}[/code]\n",
    "HTML": lambda text: f"<pre>{html.escape(text)}</pre>",
    "HTML with breaks": lambda text: f"<p>{text}</p>".replace("\n", "<br>\n"),
    "a string of JSON": lambda text: json.dumps({"output": text}),
    "a string of JSON, lines": lambda text: json.dumps({"output": text}, indent=1),
    "colours": lambda text: text.replace("PASSED", "\x1b[32mPASSED\x1b[0m"),
    "a word processor's dashes": lambda text: text.replace(" -  ", " \u2013  "),
    "the prompt after it": lambda text: f"{text.rstrip()}\nroot@host:~# ",
}


@pytest.mark.parametrize("text", [NVME, BRIEF, OLD], ids=["NVMe", "brief", "old"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_way_of_pasting_changes_no_figure(text, way):
    there, report = smart.parse(text), smart.parse(way(text))
    assert figures(report) == figures(there)
    assert smart.verdict(report).level == smart.verdict(there).level == "none"


def test_each_report_reads_as_it_should_in_old_code_pages_too():
    assert figures(smart.parse(NVME))[2:] == [
        3_840_755_982_336, 10_000, 25_600_000_000_000, None, None, 3, True]  # fmt: skip
    assert figures(smart.parse(OLD))[2:] == [
        500_107_862_016, 20_000, 51_200_000_000_000, None, 800, 40, True]  # fmt: skip
    assert smart.parse(BRIEF).percent_used == 39
    content = reports.nvme(health=HEALTH, separator="\u00a0").encode("cp850")
    assert b"\xff" in content
    assert figures(smart.read(io.BytesIO(content))) == figures(smart.parse(NVME))
    for encoding in ("utf-16-le", "utf-16-be"):  # without its mark
        assert figures(smart.read(io.BytesIO(OLD.encode(encoding)))) == figures(smart.parse(OLD))


@pytest.mark.parametrize("sign", ["?", "\ufffd", " ", "\u00a0", "\u202f", "'", "\u2019", ".", ""])
def test_a_foreign_or_lost_group_sign(sign):
    report = smart.parse(reports.nvme(health=HEALTH, separator=sign))
    assert figures(report) == figures(smart.parse(NVME))
    assert "number_unreadable" not in report.flags


@pytest.mark.parametrize(("there", "figure", "name"), [
    # a count that its bracket contradicts is left out
    *(("50,000,000 [", f"{count} [", "host_bytes_written")
      for count in ("50,000", "500,000,000", "50,000,00", "5?0", "25.6", "25 million")),
    # what may belong to a number is no remark
    *(("10,000\n", f"{figure}\n", "power_on_hours")
      for figure in ("10,000 000", "10,000 5", "10,000 million", "10,000 k", "10,000k", "417 days",
                     "10  weeks")),
])  # fmt: skip
def test_a_number_in_doubt_is_left_out(there, figure, name):
    assert "50,000,000 [25.60 TB]" in NVME
    report = smart.parse(NVME.replace(there, figure))
    assert getattr(report, name) is None
    assert "number_unreadable" in report.flags


@pytest.mark.parametrize("remark", [
    " <<<<", "  <-- look", " (!)", " # bad", " \u2190 here", " ** this **",
    "  that is a lot"])  # fmt: skip
def test_a_remark_behind_a_figure(remark):
    for figure in ("3%", "10,000", "[25.60 TB]"):
        text = NVME.replace(f"{figure}\n", f"{figure}{remark}\n", 1)
        assert text != NVME
        assert figures(smart.parse(text)) == figures(smart.parse(NVME))
    rows = OLD.replace("100000000000\n", f"100000000000{remark}\n")
    assert figures(smart.parse(rows)) == figures(smart.parse(OLD))


def test_broken_rows_are_joined_broken_numbers_not_and_rows_alone_are_read():
    broken = OLD.replace("-       100000000000", "-\n       100000000000")
    assert figures(smart.parse(broken)) == figures(smart.parse(OLD))
    report = smart.parse(OLD.replace("100000000000", "10000\n0000000"))
    assert report.host_bytes_written is None
    assert "number_unreadable" in report.flags
    rows = "\n".join(line for line in OLD.splitlines() if line[:3].strip().isdigit())
    report = smart.parse(f"Device Model: {SAMSUNG[0]}\n{rows}\n")
    assert (report.percent_used, report.power_on_hours) == (40, 20_000)
    assert "table_ends_text" in report.flags
    assert smart.verdict(report).level == "none"
    text = "    EXAMPLE   SAS960           0004\nSolid state media page  [0x11]\n"
    report = smart.parse(text + "  Percentage used endurance indicator: 64%\n")
    assert (report.kind, report.percent_used) == ("scsi", 64)


@pytest.mark.parametrize("row", [
    "24l Total_LBAs_Written      0x0032   099   099   000    Old_age   Always       -       5",
    "241 Total_LBAs_Written      0x0032   099   099",
    "241 Total_LBAs Written      0x0032   099   099   000    Old_age   Always       -       5",
    "0xf1 Total_LBAs_Written     0x0032   0x63  0x63  0x00   Old_age   Always       -       5",
])  # fmt: skip
def test_a_row_that_is_not_read_is_said(row):
    old = next(line for line in OLD.splitlines() if line.startswith("241"))
    report = smart.parse(OLD.replace(old, row))
    assert "rows_unread" in report.flags
    assert report.host_bytes_written is None
    assert smart.verdict(report).level == "unknown"


@pytest.mark.parametrize(("cut", "flag", "level"), [
    ("100000000000", "last_number_unsure", "none"),
    ("10000000", "last_number_unsure", "none"),
    ("0", "table_ends_text", "none"),  # to which no digit can be missing
])  # fmt: skip
def test_only_a_number_at_the_end_is_doubtful(cut, flag, level):
    text = OLD[: OLD.index("100000000000")] + cut
    report = smart.parse(text)
    assert flag in report.flags
    assert report.host_bytes_written == int(cut) * 512
    assert (report.percent_used, smart.verdict(report).level) == (40, level)


def test_what_rests_on_a_cut_number_or_section_is_not_certain():
    text = reports.ata(*MX300, {9: 5, 246: 10**9, 202: (61, 39)}, layout="old", options="-a")
    report = smart.parse(text.rstrip())
    assert report.percent_used == 39
    assert {"truncated", "last_number_unsure"} <= set(report.flags)
    assert smart.verdict(report).level == "unknown"
    row = "184 End-to-End_Error      0x0032   060   060   099    Old_age   Always   FAILING_NOW 40"
    verdict = smart.verdict(smart.parse(f"{OLD.rstrip()}\n{row}"))
    assert (verdict.level, verdict.findings[0].word) == ("warning", "attribute_low")
    for text, end in ((NVME, "Media"), (BRIEF, "      ||||||_ K"), (BRIEF, "0x07  0x008")):
        report = smart.parse(text[: text.index(end)])
        assert "truncated" in report.flags
        assert smart.verdict(report).level == "unknown"
    long = BRIEF.replace("Device Stat", "General Purpose Log Directory Version 1\n\nDevice Stat")
    assert smart.parse(long).flags == smart.parse(BRIEF).flags
    assert "truncated" in smart.parse(long[: long.index("\n\nDevice Stat")]).flags
    begun = smart.parse("\n" + BRIEF[BRIEF.index("Device Statistics") :])  # in the middle
    assert smart.verdict(begun).level == "unknown"


IDENTITY = OLD[: OLD.index("=== START OF READ")]
BANNER = "smartctl 7.1 2020-06-20 r5066 (local build)\n\n"
TABLE = BANNER + OLD[OLD.index("=== START OF READ") :]


def test_an_identity_and_a_table_or_figures_after_it_are_one_report_if_of_one_drive():
    section = "=== START OF READ SMART DATA SECTION ==="
    twice = OLD.replace("SMART Attributes Data", f"{section}\nSMART A")
    for text, flags in ((twice, ()), (f"{IDENTITY}\n{TABLE}", ("joined",))):
        (report,) = smart.parse_all(text)
        assert (report.flags, figures(report)) == (flags, figures(smart.parse(OLD)))
    same = f"# smartctl -i /dev/sda\n{IDENTITY}\n# smartctl -A /dev/sda\n{TABLE}"
    assert len(smart.parse_all(same)) == 1
    other = f"# smartctl -i /dev/sda\n{IDENTITY}\n# smartctl -A /dev/sdb\n{TABLE}"
    both = f"{IDENTITY}\n{IDENTITY.replace('500GB', '250GB')}\n{TABLE}\n{TABLE}"
    log = f"{BANNER}{NVME[NVME.index('=== START OF READ') :]}"
    for text in (other, both, f"{OLD}\n{TABLE}", f"{IDENTITY}\n{log}"):
        found = smart.parse_all(text)
        assert len(found) > 1
        assert not any("joined" in report.flags for report in found)
    verdict = "SMART overall-health self-assessment test result: PASSED"
    health = f"{BANNER}=== START OF READ SMART DATA SECTION ===\n{verdict}\n\n"
    (report,) = smart.parse_all(f"{IDENTITY}\n{health}{TABLE}")
    assert figures(report) == figures(smart.parse(OLD))
    first = f"# smartctl -i -d megaraid,0 /dev/sda\n{IDENTITY}\n"
    assert len(smart.parse_all(f"{first}# smartctl -A -d megaraid,1 /dev/sda\n{TABLE}")) == 2
    assert len(smart.parse_all(f"{first}# smartctl -A -d megaraid,0 /dev/sda\n{TABLE}")) == 1
    one = "".join(f"{line}\n" for line in NVME.split("\n") if ": " in line)
    two = re.sub("(Percentage Used: +)3%", r"\g<1>98%", one)
    assert [report.percent_used for report in smart.parse_all(one + two)] == [3, 98]
    assert "several_reports" in smart.parse(one + two).flags
    nameless = [text.split("\n", 2)[2] for text in (one, two)]
    assert "Model" not in nameless[0]
    report = smart.parse("".join(nameless))
    assert "figures_twice" in report.flags
    assert smart.verdict(report).level == "unknown"


def at_random(seed):
    draw = random.Random(seed)
    used, hours = draw.randint(0, 88), draw.randint(200, 60_000)
    if draw.random() < 0.4:
        health = {**HEALTH, "percentage_used": used, "power_on_hours": hours,
                  "data_units_written": draw.randint(10**6, 10**9)}  # fmt: skip
        return reports.nvme(health=health, separator=draw.choice(",.' "))
    rows = {5: 0, 9: hours, 177: (100 - used, draw.randint(1, 3_000)),
            241: draw.randint(10**9, 10**12)}  # fmt: skip
    if draw.random() < 0.5:
        rows = {5: 0, 9: hours, 173: (100 - used, 15 * used + 7), 202: (100 - used, used),
                246: (host := draw.randint(10**9, 10**11)), 247: host // 32,
                248: host // 20}  # fmt: skip
    statistics = {"power_on_hours": hours, "percentage_used": used} if draw.random() < 0.5 else None
    drive = SAMSUNG if 177 in rows else MX300
    return reports.ata(
        *drive, rows, statistics, layout=draw.choice(["brief", "old"]),
        options=draw.choice(["-x", "-a"]),
    )  # fmt: skip


@pytest.mark.parametrize(
    "seeds", [range(1, 41), pytest.param(range(41, 2_541), marks=pytest.mark.proof)]
)
def test_a_cut_or_a_way_of_pasting_gives_the_same_figures_or_a_flag(seeds):
    for seed in seeds:
        text, draw = at_random(seed), random.Random(-seed)
        there = smart.parse(text)
        pasted = smart.parse(draw.choice(list(WAYS.values()))(text))
        assert figures(pasted) == figures(there) or pasted.flags != there.flags, seed
        start = text.index("Firmware Version")
        at = draw.randrange(start, len(text.rstrip()))
        cut = smart.parse(text[:at])
        lost = figures(cut) != figures(there)
        assert not lost or cut.flags != there.flags, (seed, at)
        if smart.verdict(cut).level == "none":
            assert cut.percent_used == there.percent_used, (seed, at)


def test_tables_of_markdown_and_lines_in_json_are_read_and_commas_said():
    rows = re.compile(r"^(ID#|[ \d]{3} \w).*$", re.MULTILINE)
    piped = rows.sub(lambda row: f"| {re.sub(' +', ' | ', row[0].strip())} |", OLD)
    assert figures(smart.parse(piped)) == figures(smart.parse(OLD))
    commas = re.sub("(?<=[^ ]) +(?=[^ ])", ",", OLD[OLD.index("ID#") :])
    report = smart.parse(OLD[: OLD.index("ID#")] + commas)
    assert "rows_unread" in report.flags
    assert smart.verdict(report).level == "unknown"
    lines = json.dumps({"stdout_lines": OLD.split("\n"), "rc": 0}, indent=1)
    assert figures(smart.parse(lines)) == figures(smart.parse(OLD))
    report = json.loads(reports.nvme_json(health=HEALTH))
    report |= {"json_format_version": [1, 0], "smartctl": {"output": NVME.split("\n")}}
    assert smart.parse(json.dumps(report, indent=1)).percent_used == 3


@pytest.mark.parametrize("width", [60, 68, 76, 90])
def test_lines_that_were_cut_at_a_column_are_flagged(width):
    banner = OLD.split("\n", 1)[0]
    for text in (NVME, OLD, OLD.replace(banner, "")):
        report = smart.parse("\n".join(line[:width] for line in text.split("\n")))
        whole = all(len(line) <= width for line in text.split("\n") if ": " in line)
        same = whole and figures(report) == figures(smart.parse(text))
        assert "truncated" in report.flags or same


@pytest.mark.parametrize("blanks", ["\n", ""])
def test_blank_lines_that_were_lost(blanks):
    log = "SMART Error Log Version: 1\nNo Errors Logged\n 1  0  0  Not_testing\n"
    text = re.sub("\n\n+", "\n" + blanks, f"{OLD}{log}")
    assert smart.parse(text).flags == ()


@pytest.mark.parametrize("sign", ["# ", "#", "// ", "  # "])
def test_json_behind_comment_signs_is_read(sign):
    log = {"nvme_smart_health_information_log": HEALTH, "device": {"protocol": "NVMe"}}
    text = re.sub("^", sign, json.dumps(log, indent=1), flags=re.MULTILINE)
    report = smart.parse(text)
    assert (report.percent_used, report.power_on_hours) == (3, 10_000)
    with pytest.raises(smart.Unreadable):
        smart.parse(text.replace(sign, "", 1))  # a line that is not
