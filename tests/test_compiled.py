"""Machine code is kept between processes, and never for another source."""

import os
import pickle
import subprocess
import sys
import time

import pytest

from flashwear import _compiled, _digest, _extras

RUN = """
from flashwear.wa import choices
from flashwear import wa
print(round(float(wa.d_choices(0.28, 2, 16)), 6))
"""


IMPATIENT = "from flashwear import _compiled\n_compiled._watch.__wrapped__.__defaults__ = (0.0,)\n"


@pytest.fixture(autouse=True)
def no_book(monkeypatch):
    monkeypatch.delenv("FLASHWEAR_BOOK", raising=False)


def run(base, code=RUN, **environment):
    return ran(base, code, **environment).stdout


def ran(base, code=RUN, **environment):
    done = subprocess.run([sys.executable, "-c", code],
                          env={**os.environ, "NUMBA_CACHE_DIR": str(base), **environment},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


def kept(base):
    return {path.name: path.stat().st_mtime_ns for path in base.rglob("*.nbc")}


def test_a_second_process_finds_the_code_of_the_first(tmp_path):
    first = run(tmp_path)
    files = kept(tmp_path)
    assert files
    (folder,) = tmp_path.glob("numba-*/flashwear.wa.choices-*")
    assert folder.name.endswith(_digest.digest(["flashwear.wa.choices"]))
    assert run(tmp_path) == first
    assert kept(tmp_path) == files


told = pytest.mark.skipif(_extras.plain_numba(), reason="by events that numba does not promise")
posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no such owner here")


@posix
def test_kept_code_is_for_its_user_alone_whatever_the_umask(tmp_path):
    base = tmp_path / "new" / "cache"
    run(base, "import os\nos.umask(0)\n" + RUN)
    folders = [base, *(path for path in base.rglob("*") if path.is_dir())]
    assert len(folders) > 2
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}


class Planted:
    """Leaves a file where it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@posix
@pytest.mark.parametrize("level", ["", "numba-*", "numba-*/flashwear.wa.choices-*"])
def test_nothing_is_read_or_kept_where_others_may_write(tmp_path, level):
    base, ran_it = tmp_path / "cache", tmp_path / "ran"
    first = run(base)
    for path in base.rglob("*.nbi"):
        path.write_bytes(pickle.dumps(Planted(ran_it)))
    (folder,) = [base] if not level else base.glob(level)
    folder.chmod(0o777)
    before = kept(base)
    assert run(base) == first
    assert not ran_it.exists()
    assert kept(base) == before
    folder.chmod(0o700)
    ran(base, "try:\n " + RUN.strip().replace("\n", "\n ") + "\nexcept BaseException: pass")
    assert ran_it.exists()  # of the user's own folder it is read


@posix
@told
def test_nothing_is_read_or_kept_in_a_folder_of_another_user(tmp_path):
    other = "import os\nown = os.geteuid()\nos.geteuid = lambda: own + 1\n"
    said = ran(tmp_path, other + IMPATIENT + RUN).stderr
    assert "not kept: no folder that you alone may write" in said
    assert not list(tmp_path.rglob("*.nb?"))


def test_code_of_a_source_that_was_edited_since_is_not_kept(tmp_path):
    edited = "from flashwear import _compiled\n_compiled._STARTED = 0.0\n" + RUN
    assert run(tmp_path, edited) == run(tmp_path / "other")
    assert kept(tmp_path / "other")
    assert not list(tmp_path.glob("numba-*"))


@pytest.mark.proof
def test_without_a_folder_functions_compile_each_time(tmp_path):
    (tmp_path / "file").write_text("")
    assert run(tmp_path / "file") == run(tmp_path)


@pytest.mark.proof
def test_a_file_that_a_full_disk_left_empty_is_compiled_again(tmp_path):
    first = run(tmp_path)
    for path in tmp_path.rglob("*.nb?"):
        path.write_bytes(b"")
    assert run(tmp_path) == first


@told
def test_a_long_compilation_says_once_where_its_result_is_kept_and_what_is_quicker(
    tmp_path,
):
    (line,) = ran(tmp_path, IMPATIENT + RUN).stderr.splitlines()
    (folder,) = tmp_path.glob("numba-*")
    assert line.startswith("flashwear: compiling")
    assert line.endswith(f"kept in {folder}")
    assert ran(tmp_path, IMPATIENT + RUN).stderr == ""  # nothing is left to compile
    code = """
from flashwear._compiled import compiled, rather
from flashwear.ftl.kernel import furthest
import numpy as np
with rather("a name is quicker"):
    furthest(np.zeros(3, np.int64))
"""
    (line,) = ran(tmp_path, IMPATIENT + code).stderr.splitlines()
    assert line.startswith("flashwear: compiling")
    assert "once (a name is quicker); the code is" in line


@told
def test_what_only_compiled_code_calls_is_compiled_once_for_all_values():
    from flashwear.ftl import _cleaning, simulate

    kept = _cleaning.open_next._bare.overloads  # some may be of other tests in this process
    before = len(kept)
    simulate(1000, 0.5, pages_per_block=16)  # opens blocks by a literal mode, and by one computed
    assert len(kept) <= before + 1


@told
@pytest.mark.proof
def test_a_compilation_says_where_nothing_can_be_kept(tmp_path):
    (tmp_path / "file").write_text("")
    assert "NUMBA_CACHE_DIR" in ran(tmp_path / "file", IMPATIENT + RUN).stderr


@pytest.mark.proof
def test_a_short_compilation_and_one_in_a_book_are_silent(tmp_path):
    patient = IMPATIENT.replace("0.0", "1e6")
    assert ran(tmp_path / "one", patient + RUN).stderr == ""
    assert ran(tmp_path / "two", IMPATIENT + RUN, FLASHWEAR_BOOK="1").stderr == ""


@pytest.mark.proof
@pytest.mark.parametrize(("days", "stays"), [(1, True), (40, False)])
def test_code_that_nobody_used_for_long_is_removed(tmp_path, days, stays):
    run(tmp_path)
    (folder,) = tmp_path.glob("numba-*/flashwear.wa.choices-*")
    old = folder.with_name("flashwear.wa.choices-0123")
    old.mkdir()
    then = time.time() - days * 86_400
    os.utime(old, (then, then))
    run(tmp_path)
    assert old.exists() == stays


FTL = """
import numpy as np
from flashwear import ftl
drive = ftl.State(1000, 0.5, pages_per_block=16, policy="d_choices")
drive.run(np.random.default_rng(1).integers(0, 1000, 20_000))
print(drive.arrays.counts, drive.arrays.l2p.tolist())
"""
TWIN = """
from flashwear import drives
from flashwear.queueing import twin
done = twin.run(drives.load("m600-256gb").scaled(1 / 64), "uniform", ios=2000, record=True)
print(done.elapsed_s, done.counts, done.latency_s.tobytes().hex())
"""


@pytest.mark.parametrize("code", [FTL, pytest.param(TWIN, marks=pytest.mark.proof)])
def test_plain_numba_gives_the_same_to_the_bit(code):
    base = os.environ.get("NUMBA_CACHE_DIR", "")
    assert run(base, code, FLASHWEAR_PLAIN_NUMBA="1") == run(base, code, FLASHWEAR_PLAIN_NUMBA="")


PRIVATE = """
import sys
from flashwear.queueing import twin
print(sorted({"flashwear._bare", "flashwear._pointer"} & sys.modules.keys()))
"""


def test_plain_numba_uses_no_private_name_nor_unknown_option(tmp_path, monkeypatch):
    assert run(tmp_path, PRIVATE, FLASHWEAR_PLAIN_NUMBA="1") == "[]\n"
    assert _compiled.Locator.from_function(run, __file__) is None
    monkeypatch.setattr(_compiled, "plain_numba", lambda: True)
    assert _compiled._allowed({"nogil": True, "vanished": 1}) == {"nogil": True}


@pytest.mark.parametrize(
    ("version", "is_newer"), [("0.65.0", False), ("0.68.9", False), ("0.69.0rc1", True)]
)
def test_a_numba_newer_than_was_tried_is_used_plainly_and_says_so(
    monkeypatch, caplog, version, is_newer
):
    monkeypatch.delenv("FLASHWEAR_PLAIN_NUMBA", raising=False)
    monkeypatch.setattr("importlib.metadata.version", lambda _: version)
    assert _extras.plain_numba.__wrapped__() == is_newer
    assert [version in line for line in caplog.messages] == [True] * is_newer


COUNT = """
import collections
import numba.core.event as events
made = collections.Counter()
class Count(events.Listener):
    def on_start(self, begun):
        function = begun.data["dispatcher"].py_func
        made[function.__module__ + "." + function.__qualname__] += 1
    def on_end(self, ended):
        pass
events.register("numba:compile", Count())
from flashwear import ftl
ftl.simulate(1000, 0.5, pages_per_block=16)
ours = {name: times for name, times in made.items() if name.startswith("flashwear")}
print(len(ours), max(ours.values()), sum(".loop" in name for name in ours))
"""


@pytest.mark.proof
def test_a_first_simulation_compiles_one_loop_of_four_and_few_functions_twice(tmp_path):
    functions, most, loops = map(int, run(tmp_path, COUNT).split())
    assert functions < 60
    assert most <= 2  # int32 beside int64
    assert loops == 0  # writes alone have a loop of their own
