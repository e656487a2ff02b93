"""What is calibrated, against what, and that the drives carry it."""

import tomllib
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest

from flashwear import drives, tables
from flashwear.study.runs import calibration


def test_at_most_three_parameters_are_calibrated_for_a_flash():
    count = defaultdict(int)
    for fit in calibration.FITS.values():
        count[fit.flash] += len(fit.parameters)
        assert len(fit.targets) >= len(fit.parameters)
    assert max(count.values()) <= 3


def test_the_ledger_marks_what_was_used_to_calibrate():
    claims = tables.claims().fillna({"role": ""})
    marked = set(claims.id[claims.role.str.contains("calibration")])
    used = {t.source for fit in calibration.FITS.values() for t in fit.targets}
    assert marked == {source for source in used if ":" not in source}


def test_targets_are_rates_as_printed():
    stated = {t.source: t.stated() for fit in calibration.FITS.values() for t in fit.targets}
    assert stated["P4-019"] == 26_000
    assert stated["M6-081"] == 400
    assert stated["M500DC 480GB: rated random write 4KB"] == 35_000


def test_what_is_calibrated_in_the_catalogue_is_what_is_fitted():
    catalogue = tomllib.loads((tables.data_folder() / "drives.toml").read_text("utf-8"))
    parts = [
        catalogue.pop("common"),
        *(part for section in catalogue.values() for part in section.values()),
    ]
    entries = [item for part in parts for item in part.items() if isinstance(item[1], dict)]
    fits = [(entry["fit"], key) for key, entry in entries if "fit" in entry]
    assert set(fits) == {(n, p) for n, fit in calibration.FITS.items() for p in fit.parameters}
    assert all(("fit" in entry) == (entry["origin"] == "calibrated") for _, entry in entries)


@pytest.mark.parametrize("name", calibration.FITS)
def test_the_drives_of_a_figure_take_the_values_that_are_set_against_it(name):
    kept = pd.read_csv(tables.data_folder() / "results" / "calibration.csv")
    best = kept[(kept.parameter == "none") & (kept.fit == name)].iloc[0]
    for target in calibration.FITS[name].targets:
        table = drives.parameters(target.drive).set_index("parameter")
        for parameter in calibration.FITS[name].parameters:
            assert table.value[parameter] == pytest.approx(best[parameter], abs=0.5e-8)


@pytest.mark.parametrize("name", calibration.FITS)
def test_a_calibration_does_not_read_what_it_makes(name, monkeypatch):
    monkeypatch.delattr(drives._catalogue, "_fitted")
    table = drives.parameters(calibration.FITS[name].targets[0].drive, calibrated=False)
    table = table.set_index("parameter")
    held = {parameter: table.value[parameter] for parameter in calibration.FITS[name].parameters}
    values, misfit = calibration.fitted(name, held)
    assert values == {}
    assert np.isfinite(misfit).all()


def test_a_controller_that_limits_reads_takes_the_inverse_of_their_rate():
    values, misfit = calibration.fitted("MX300")
    assert values["read_command_s"] == pytest.approx(1 / 92_000, rel=0.005)
    assert np.abs(misfit).max() < 0.01


def test_a_die_that_limits_takes_the_time_of_its_share_of_the_rate():
    values, misfit = calibration.fitted("M600 cache")
    drive = drives.load("m600-128gb")
    program = drive.dies * drive.planes * drive.page_bytes
    assert values["slc_program_s"] == pytest.approx(program / 400e6, rel=0.005)
    assert np.abs(misfit).max() < 0.01


def test_a_parameter_that_is_held_leaves_a_misfit():
    found = calibration.profile("MX300", "read_command_s", 0.0)
    assert found["held"] == found["read_command_s"] == 3e-6
    assert found["misfit"] > 0.05
