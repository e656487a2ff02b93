import hashlib
import os
import re
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

import flashwear
import fresh_install
from flashwear import drives, tables

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    return fresh_install.build(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def built(wheels):
    return wheels[0]


@pytest.fixture(scope="module")
def of_the_book(wheels):
    return wheels[1]


@pytest.fixture(scope="module")
def bare_python(built, tmp_path_factory):
    return fresh_install.install([built], tmp_path_factory.mktemp("bare") / "venv")


def run(python, code, folder):
    return subprocess.run(
        [python, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )


def held(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    package = wheel.name.partition("-")[0]
    tops = {name.split("/")[0] for name in names}
    assert tops == {package, f"{package}-{flashwear.__version__}.dist-info"}
    data = {name.partition("/data/")[2] for name in names if name.startswith(f"{package}/data/")}
    return package, {name for name in names if name.startswith(f"{package}/")}, data


def test_the_wheel_of_the_library_is_small_and_carries_licences_modules_and_their_tables(built):
    package, names, data = held(built)
    modules = (ROOT / "models" / package).rglob("*.py")
    kept = {path.relative_to(ROOT / "models").as_posix() for path in modules}
    beside = ("py.typed", "cli/_fleet_page.css", "cli/_fleet_page.js")
    kept |= {f"{package}/{name}" for name in beside}
    assert names - {f"{package}/data/{name}" for name in data} == kept
    loaded = {f"{name}.csv" for name in tables.__all__} - {"data_folder.csv", "loader.csv"}
    others = data - loaded - {"datapackage.json", "CITATION.cff", "references.bib"}
    assert loaded < data
    source = "".join(path.read_text("utf-8") for path in (ROOT / "models" / package).rglob("*.py"))
    assert {name for name in others if Path(name).stem not in source} == set()
    assert built.stat().st_size < 850_000
    archive = zipfile.ZipFile(built)
    works = archive.read(f"{package}/data/references.bib").decode()
    cited = re.findall(r":cite:\w+:`([^`]+)`", source)
    assert {one.strip() for keys in cited for one in keys.split(",")} == set(
        re.findall(r"@\w+\{([^,]+),", works)
    )
    (about,) = [name for name in archive.namelist() if name.endswith("METADATA")]
    text = archive.read(about).decode()
    assert "License-Expression: MIT AND CC-BY-4.0\n" in text
    for name in ("LICENSE", "LICENSE-CC-BY-4.0.txt"):
        assert any(path.endswith(f"licenses/{name}") for path in archive.namelist())
    pythons = re.findall(r"Classifier: Programming Language :: Python :: (3\.\d+)\n", text)
    assert pythons == ["3.11", "3.12", "3.13"]


def test_the_wheel_of_the_book_requires_this_library_and_carries_all_tables(of_the_book):
    package, names, data = held(of_the_book)
    kinds = (".py", ".typed", ".html", ".json")
    kept = [path for path in fresh_install.BOOK.rglob("*.*") if path.suffix in kinds]
    modules = {path.relative_to(ROOT / "models").as_posix() for path in kept}
    assert names - {f"{package}/data/{name}" for name in data} == modules
    paths = (ROOT / "data").rglob("*.*")
    assert data == {path.relative_to(ROOT / "data").as_posix() for path in paths}
    metadata = f"{package}-{flashwear.__version__}.dist-info/METADATA"
    about = zipfile.ZipFile(of_the_book).read(metadata)
    assert f"\nRequires-Dist: flashwear[charts,sim]=={flashwear.__version__}\n" in about.decode()


def test_functions_drives_and_the_command_need_numpy_and_scipy_only_away_from_the_checkout(
    bare_python, tmp_path, built
):
    code = (
        "import flashwear, importlib.util as u\n"
        "assert not [n for n in ('pandas', 'altair', 'simpy', 'joblib') if u.find_spec(n)]\n"
        "print(flashwear.__file__)\n"
        "print(round(flashwear.endurance.dwpd(3.5e15, 200e9, 5), 6))\n"
        "fit = flashwear.pricing.fit_fixed_plus_per_gb([1e11, 2e11, 3e11], [60, 109, 161])\n"
        "print(round(fit.per_gb_usd, 3), flashwear.capacity.raw_bytes(16, 384) / 2**30)\n"
    )
    done = run(bare_python, code, tmp_path)
    assert done.returncode == 0, done.stderr
    where, *figures = done.stdout.split()
    assert not Path(where).is_relative_to(ROOT)
    assert figures == ["9.589041", "0.505", "768.0"]
    code = ("from flashwear import drives, smart, wa\n"
            "made = [drives.load(name) for name in drives.names()]\n"
            "print(len(made), round(wa.fifo(0.1), 3))\n"
            "from flashwear import cite\n"
            "assert 'desnoyers2012' in cite.bibtex(wa.fifo_mixed)\n")  # fmt: skip
    done = run(bare_python, code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(len(drives.names())), "5.677"]
    (tmp_path / "report").write_text("Device Model: CT500MX500SSD1\n")
    command = [bare_python, "-m", "flashwear", "smart", "report"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "holds no counter of wear or writes" in done.stdout
    archive = zipfile.ZipFile(built)
    (scripts,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
    assert b"flashwear = flashwear.cli:main" in archive.read(scripts)


@pytest.mark.proof
def test_the_tables_are_read_from_the_wheels(wheels, tmp_path):
    python = fresh_install.install(wheels, tmp_path / "venv")
    code = ("from flashwear_book import claims, tables\n"
            "print(tables.data_folder())\n"
            "print(len(claims.verdicts()), len(tables.claims()))\n")  # fmt: skip
    done = run(python, code, tmp_path)
    assert done.returncode == 0, done.stderr
    folder, *counts = done.stdout.split()
    assert Path(folder).is_relative_to(tmp_path)
    assert counts[0] == counts[1] != "0"


def test_the_sources_carry_tests_and_citation_and_one_version_everywhere(tmp_path):
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (sources,) = tmp_path.iterdir()
    with tarfile.open(sources) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"CITATION.cff", "LICENSE-CC-BY-4.0.txt", "README.md", "tests/test_package.py"} <= names
    assert re.fullmatch(r"\d+\.\d+\.\d+", flashwear.__version__)
    assert f"## {flashwear.__version__} " in (ROOT / "CHANGELOG.md").read_text()
    assert f"\nversion: {flashwear.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = flashwear.nothing


@pytest.mark.proof
def test_the_same_sources_give_the_same_archives(tmp_path):
    """Built twice, seconds apart, wheel and sdist are equal bytes."""
    digests = []
    for name in ("first", "second"):
        folder = tmp_path / name
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
        environment = os.environ | {"SOURCE_DATE_EPOCH": "1764000000"}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
        files = sorted(folder.iterdir())
        assert [file.suffix for file in files] == [".whl", ".gz"]
        digests.append([hashlib.sha256(file.read_bytes()).hexdigest() for file in files])
        time.sleep(2.1)  # longer than an archive tells times apart
    assert digests[0] == digests[1]
