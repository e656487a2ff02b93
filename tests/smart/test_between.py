"""Two reports of one drive: what lies between them, in the library and in the command."""

import json
from datetime import datetime, timedelta

import pytest
import reports

from flashwear import smart
from refusals import refusals

MX300 = ("Crucial_CT750MX300SSD1", "M0CR060", 750_156_374_016)


def state(hours, sectors, host_pages, own_pages, used=39, erases=585):
    rows = {9: hours, 173: erases, 202: (100 - used, used), 246: sectors, 247: host_pages,
            248: own_pages}  # fmt: skip
    return later(reports.ata(*MX300, rows), days=hours / 24)


def later(text, days):
    at = datetime(2022, 3, 16, 11, 26, 40) + timedelta(days=days)
    return text.replace("Wed Mar 16 11:26:40 2022", at.strftime("%a %b %d %H:%M:%S %Y"))


OLD = state(26_280, 175_000_000_000, 5_500_000_000, 18_700_000_000)
NEW = state(27_000, 178_000_000_000, 5_600_000_000, 19_000_000_000, 40)


def change(old=OLD, new=NEW, **more):
    return smart.between(smart.parse(old), smart.parse(new), **more)


def test_what_was_written_between_and_years_left_at_that_load():
    found = change()
    assert found.hours == 720
    assert found.host_bytes == 3_000_000_000 * 512
    assert found.nand_bytes == 400_000_000 * 16_384
    assert found.waf == pytest.approx(4.267, abs=0.001)
    assert found.percent == 1
    assert found.seconds == 720 * 3600
    # flash writes a day were those of the life before, times this
    old, new = smart.parse(OLD), smart.parse(NEW)
    ratio = (400_000_000 / 720) / (24_600_000_000 / 27_000)
    found = smart.between(old, new)
    low, high = new.percent_used_range
    years = 27_000 / 8_760 / ratio
    # the hours of a life are known to a day
    expected = (years * (100 / high - 1), years * (100 / low - 1))
    assert found.forecast.wear == pytest.approx(expected, rel=1e-3)
    host_a_year = 3_000_000_000 * 512 * 8_760 / 720
    left = (new.rated_bytes - new.host_bytes_written) / host_a_year
    assert found.forecast.rating == pytest.approx(left)
    left = (2e15 - new.host_bytes_written) / host_a_year
    assert smart.between(old, new, rated_bytes=2e15).forecast.rating == pytest.approx(left)
    # each of two counters of pages may be a page behind
    odd = smart.parse(state(27_000, 178_000_000_000, 5_600_000_000, 19_000_000_001, 40))
    assert smart.written(old, odd).nand_step == 2 * 16_384


def test_a_drive_that_counts_no_flash_writes_goes_by_the_host_and_none_by_no_writes():
    health = {"power_on_hours": 1_000, "data_units_written": 1_000_000, "percentage_used": 10}
    more = {"power_on_hours": 1_100, "data_units_written": 1_200_000, "percentage_used": 12}
    found = change(reports.nvme(health=health), later(reports.nvme(health=more), 5))
    assert (found.waf, found.nand_bytes) == (None, None)
    days = 1_200_000 / (200_000 / (100 / 24))
    expected = (days / 365 * (100 / 13 - 1), days / 365 * (100 / 11 - 1))
    assert found.forecast.wear == pytest.approx(expected)
    found = change(OLD, state(27_000, 175_000_000_000, 5_500_000_000, 18_700_000_000))
    assert (found.host_bytes, found.waf, found.forecast.wear) == (0, None, None)
    assert found.forecast.wear_unknown == "the host wrote nothing between the reports"


test_what_cannot_be_compared_is_refused = refusals([
    (NEW, OLD, "hours under power fell from 27,000 to 26,280"),
    (OLD, OLD, "at least an hour under power apart"),
    (OLD, state(27_000, 1, 5_600_000_000, 19_000_000_000), "host writes fell"),
    (OLD, state(27_000, 178_000_000_000, 5_600_000_000, 19_000_000_000, 3), "life used fell"),
    (OLD, NEW.replace("PRIVATE-SERIAL-1", "OTHER-2"), "their serial numbers differ"),
    (OLD, NEW.replace(MX300[0], "Crucial_CT525MX300SSD1"), "two drives: model"),
    (OLD, reports.nvme(health={"power_on_hours": 30_000}), "two drives: kind"),
], by=lambda old, new: change(old, new))  # fmt: skip


@pytest.mark.parametrize("order", [(OLD, NEW), (NEW, OLD)])
def test_the_command_compares_reports_of_one_drive_in_any_order(run, order):
    status, out, err = run(*order)
    assert (status, err) == (0, "")
    assert "PRIVATE" not in out + run(*order, options=["--json"])[1]
    assert out.count("Drive   ") == 1
    assert "Between the reports   720 h under power in 30.0 days" in out
    assert "1.536 TB by the host, 51.2 GB a day; 6.554 TB to flash, write amplification 4.27" in out


@pytest.mark.parametrize("serial", ["", "XXXXXXXX", "[No Information Found]", "0000000000"])
def test_reports_without_serial_numbers_are_of_one_drive_only_if_that_is_said(run, serial):
    texts = [text.replace("PRIVATE-SERIAL-1", serial) for text in (OLD, NEW)]
    assert run(*texts)[1].count("Drive   ") == 2
    out = run(*texts, options=["--same-drive"])[1]
    assert out.count("Drive   ") == 1
    assert "Between the reports   720 h" in out


def test_of_sisters_and_earlier_reports_each_fault_is_told(run):
    failing = NEW.replace("PASSED", "FAILED!").replace("PRIVATE-SERIAL-1", "")
    status, out, _ = run(OLD.replace("PRIVATE-SERIAL-1", ""), failing)
    assert (status, out.count("Drive   ")) == (2, 2)
    other = reports.smart_log(critical_warning=5).replace("0n1", "1")
    status, out, _ = run(reports.smart_log(), other)
    assert (status, out.count("Drive   ")) == (2, 2)
    status, out, _ = run(OLD.replace("PASSED", "FAILED!"), NEW)
    assert status == 2
    assert "In an earlier report  the drive says of itself that it fails" in out
    status, out, _ = run(OLD[: OLD.index("246 Attribute_246")], NEW)
    assert (status, out.count("Drive   ")) == (0, 1)
    assert "earlier report" not in out


def test_one_unreadable_file_does_not_cost_the_others_and_errors_are_json_too(run):
    status, out, err = run(OLD, options=["--json", "--tbw", "1TB", "--dwpd", "1"])
    assert (status, err) == (3, "")
    assert "say the same; give one" in json.loads(out)["errors"][0]["error"]
    status, out, err = run(OLD, "nonsense")
    assert status == 3
    assert "Drive   " in out
    assert "1.txt: the text holds no report" in err
    status, out, err = run(OLD.replace("PASSED", "FAILED!"), "nonsense", options=["--json"])
    result = json.loads(out)
    assert (status, result["status"], err) == (2, 2, "")
    assert [error["file"][-5:] for error in result["errors"]] == ["1.txt"]
    assert "no report" in result["errors"][0]["error"]
    assert result["drives"][0]["files"][0].endswith("0.txt")


@pytest.mark.parametrize(("options", "told"), [
    (["--tbw", "600TB"], "Rated to write        600 TB (as given), of which 14.9 % written"),
    (["--tbw", "0.6 PB"], "Rated to write        600 TB (as given)"),
    (["--tbw", "1PiB"], "Rated to write        1.126 PB (as given)"),
    (["--dwpd", "0.3"], "Rated to write        410.7 TB (0.3 drive writes a day for 5 years)"),
    (["--dwpd", "0.3", "--years", "3"], "Rated to write        246.4 TB (0.3 drive writes"),
    (["--load", "20GB/day"], "under power at 20 GB a day: "),
    (["--load", "1MiB/s"], "under power at 90.6 GB a day: "),
    (["--load", "300MB/h"], "under power at 7.2 GB a day: "),
])  # fmt: skip
def test_what_owners_know_is_taken(run, options, told):
    status, out, err = run(OLD, options=options)
    assert (status, err) == (0, "")
    assert told in out


def test_a_given_rating_and_load_move_the_forecast_and_hours_and_clock_must_fit(run):
    left = smart.forecast(smart.parse(OLD), rated_bytes=100e12, bytes_per_day=20e9)
    used, host = smart.parse(OLD).percent_used_range, 175_000_000_000 * 512
    assert left.rating == pytest.approx((100e12 - host) / 20e9 / 365)
    expected = tuple(host / 20e9 / 365 * (100 / used[end] - 1) for end in (1, 0))
    assert left.wear == pytest.approx(expected)
    assert left.binds == "rating"
    _, out, _ = run(OLD, options=["--tbw", "100TB", "--load", "20GB/day"])
    assert "17 months by its rating; rating ends first" in out
    drive = {9: 27_000, 173: 585, 202: (61, 39), 246: 178_000_000_000}
    at_once = later(reports.ata(*MX300, drive), 26_280 / 24 + 1)
    out = run(OLD, at_once)[1]
    assert "Not compared          720 hours under power do not fit into the 1.0 days" in out
    assert out.count("Drive   ") == 2
    reset = later(reports.ata(*MX300, {9: 100, 202: (61, 39), 246: 178_000_000_000}), 2_000)
    status, out, _ = run(OLD, reset.replace("PASSED", "FAILED!"))
    assert status == 2
    assert "hours under power fell from 26,280 to 100" in out
