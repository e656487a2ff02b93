"""Laws: what is written into a report is read out of it, and no damage does worse than a flag."""

import json

import reports
from hypothesis import given, strategies as st

from flashwear import smart

counter = st.integers(0, 2**47)
COUNTERS = st.fixed_dictionaries(
    {9: st.integers(0, 200_000), 177: st.tuples(st.integers(2, 100), st.integers(0, 100_000)),
     241: counter, 251: counter}
)  # fmt: skip
STATISTICS = st.fixed_dictionaries(
    {name: counter for name in reports.OFFSETS if name != "percentage_used"}
    | {"percentage_used": st.integers(0, 254)}
)
HEALTH = st.fixed_dictionaries({name: st.integers(0, 2**64) for name in reports.HEALTH})
SEPARATORS = st.sampled_from([",", ".", " ", "'", "\u2019", "\u00a0", "\u202f", ""])


@given(capacity=st.integers(10**9, 2**57), attributes=COUNTERS, statistics=STATISTICS,
       separator=SEPARATORS, layout=st.sampled_from(["brief", "old"]))  # fmt: skip
def test_counters_of_a_sata_drive_come_back(capacity, attributes, statistics, separator, layout):
    drive = ("SAMSUNG MZ7LH960HAJR-00005", "HXT7404Q", capacity, attributes, statistics)
    report = smart.parse(reports.ata(*drive, separator=separator, layout=layout))
    value, erases = attributes[177]
    assert report.capacity_bytes == capacity
    assert report.power_on_hours == attributes[9]
    assert report.host_bytes_written == attributes[241] * 512
    if attributes[251] or not attributes[241]:
        assert report.nand_bytes_written == attributes[251] * 512
    assert report.average_erases == erases
    assert report.percent_used == max(100 - value, statistics["percentage_used"])
    assert report.statistics == statistics
    again = smart.parse(reports.ata_json(*drive))
    assert again == report


@given(capacity=st.integers(10**9, 2**57), health=HEALTH, separator=SEPARATORS)
def test_counters_of_an_nvme_drive_come_back(capacity, health, separator):
    report = smart.parse(reports.nvme(capacity=capacity, health=health, separator=separator))
    assert report.capacity_bytes == report.utilization_bytes == capacity
    assert {name: report.health[name] for name in health} == health
    assert report.host_bytes_written == health["data_units_written"] * 512_000
    assert smart.parse(reports.nvme_json(capacity=capacity, health=health)) == report


WHOLE = [
    reports.ata("Crucial_CT750MX300SSD1", "M0CR011", 750_156_374_016,
                {9: 5_000, 173: 390, 202: (61, 39), 246: 10**11, 247: 3 * 10**9, 248: 10**10},
                {"sectors_written": 10**11, "percentage_used": 39}),
    reports.ata_json(attributes={9: 500, 246: 10**11, 247: 5}, statistics={"read_commands": 1}),
    reports.nvme(health={"data_units_written": 1_462_492_615, "percentage_used": 3}),
    reports.nvme_json(health={"data_units_written": 1_462_492_615, "percentage_used": 3}),
    reports.SCSI,
]  # fmt: skip
FIGURES = ("host_bytes_written", "nand_bytes_written", "average_erases", "capacity_bytes")


def sound(text):
    """Read a text, which must give a report fit for JSON or the one error that is documented."""
    try:
        report = smart.parse(text)
    except smart.Unreadable:
        return None
    json.dumps(report.as_dict(), allow_nan=False)
    assert set(report.flags) <= set(smart.FLAGS)
    assert (report.waf is None) or report.waf >= 0
    return report


@given(st.data(), st.sampled_from(WHOLE))
def test_a_text_cut_anywhere_gives_a_figure_right_or_not_at_all(data, text):
    whole = smart.parse(text)
    report = sound(text[: data.draw(st.integers(0, len(text)))])
    if report is not None:
        for figure in FIGURES:
            assert getattr(report, figure) in (None, getattr(whole, figure))


@given(st.data(), st.sampled_from(WHOLE))
def test_bytes_changed_anywhere_and_lines_shuffled_raise_nothing_else(data, text):
    content = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 20))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    sound(content.decode("utf-8", errors="replace"))
    sound("".join(data.draw(st.permutations(text.splitlines(keepends=True)))))


@given(st.text() | st.binary().map(lambda content: content.decode("utf-8", errors="replace")))
def test_any_text_at_all(text):
    sound(text)


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
                    lambda inner: (st.lists(inner, max_size=3)
                                   | st.dictionaries(st.text(max_size=5), inner, max_size=3)),
                    max_leaves=5)  # fmt: skip


@given(
    st.dictionaries(st.sampled_from([*json.loads(WHOLE[1]), *json.loads(WHOLE[3])]),
                    JSON | st.just("5"), max_size=8)
)  # fmt: skip
def test_json_of_any_shape(parts):
    sound(json.dumps(json.loads(WHOLE[1]) | parts))
