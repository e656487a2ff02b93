"""Many reports as a table, from folders and archives that may be hostile."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import random
import sys
import tarfile
import zlib

import pandas as pd
import pytest
import reports
from reports import header, packed

from flashwear import smart
from flashwear.smart import _archive, _fleet
from memory import Traced

MIB = 2**20
NAND = {9: 20_000, 177: (93, 500), 241: 6_250_000_000, 251: 12_500_000_000}
SAMSUNG = reports.ata("SAMSUNG MZ7LH960HAJR-00005", "HXT7404Q", 960_197_124_096, {**NAND, 5: 3},
                      {"write_commands": 70, "sectors_read": 100})  # fmt: skip
NVME = reports.nvme(
    health={"data_units_read": 9, "data_units_written": 2_000_000, "host_writes": 8}
)
FILES = {
    "README.md": b"# Reports\n", "SSD/Samsung/one": SAMSUNG.encode(),
    "SSD/Samsung/twin": SAMSUNG.encode(),
    "SSD/unknown": reports.ata("NEW", "1", None, {9: 5}).encode(), "empty": b"",
    "nvme.json": reports.nvme_json(health={"percentage_used": 3}).encode(),
    "nvme.txt": NVME.encode(), "scsi": reports.SCSI.encode(), "too long": b"x" * (4 * MIB + 1),
    "long": b"x" * 4 * MIB,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    top = tmp_path_factory.mktemp("reports")
    for name, content in FILES.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(content)
    return top


@pytest.fixture(scope="module")
def table(folder):
    return smart.fleet(folder, jobs=1, progress=False)


def test_one_row_per_file_in_order_of_the_names_whose_types_do_not_depend_on_the_rows(
    table, tmp_path
):
    assert list(table.path) == [
        "README.md", "empty", "long", "nvme.json", "nvme.txt", "scsi", "too long",
        "SSD/unknown", "SSD/Samsung/one", "SSD/Samsung/twin",
    ]  # fmt: skip
    assert table.columns.is_unique
    empty = smart.fleet(tmp_path, jobs=1, progress=False)
    assert len(empty) == 0
    assert dict(empty.dtypes) == dict(table.dtypes)
    assert set(map(str, table.dtypes)) == {str(pd.Series(dtype="str").dtype), "boolean", "float64"}


def test_a_row_holds_what_the_report_gives_its_flags_as_words_and_failures_their_reason(
    table, folder
):
    report = smart.read(folder / "SSD/Samsung/one")
    row = table.set_index("path").loc["SSD/Samsung/one"]
    for name in ("model", "firmware", "kind", "family", "smartctl", "year", "capacity_bytes",
                 "power_on_hours", "host_bytes_written", "nand_bytes_written", "waf",
                 "average_erases", "percent_used", "passed"):  # fmt: skip
        assert row[name] == getattr(report, name), name
    assert (row.host_rule, row.nand_rule) == ("241 x 512 B", "251 x 512 B")
    assert (row.erases_rule, row.used_rule) == ("attribute 177 raw", "100-177 value")
    assert (row.write_commands, row.host_bytes_read) == (70, 51_200)
    assert row.reallocated_blocks == 3
    assert row[["waf_pages", "host_pages", "media_errors", "error"]].isna().all()
    row = table.set_index("path").loc["nvme.txt"]
    assert (row.host_bytes_read, row.write_commands) == (9 * 512_000, 8)
    rows = table.set_index("path")
    assert rows["doubts"]["SSD/unknown"] == "unknown_family"
    assert rows["doubts"]["scsi"] == ""
    assert rows["error"].dropna().to_dict() == {
        "README.md": "the text holds no report of smartctl", "empty": "the text is empty",
        "long": "the text holds no report of smartctl",
        "too long": "a report must have at most 4194304 bytes, got 4194305"}  # fmt: skip
    assert rows.loc["empty"].drop("error").isna().all()


@pytest.mark.parametrize(("opened", "style"), [
    (open, tarfile.USTAR_FORMAT), (gzip.open, tarfile.GNU_FORMAT), (bz2.open, tarfile.PAX_FORMAT),
    (lzma.open, tarfile.PAX_FORMAT),
])  # fmt: skip
def test_an_archive_gives_the_same(folder, table, tmp_path, opened, style):
    members = [(f"./{name}", (folder / name).read_bytes()) for name in table.path]
    path = packed(tmp_path / "reports.tar", members, opened, format=style)
    pd.testing.assert_frame_equal(smart.fleet(path, jobs=1, progress=False), table)


def test_several_paths_give_the_rows_of_each(folder, table, tmp_path):
    with tarfile.open(tmp_path / "reports.tar", "w") as archive:
        archive.add(folder / table.path[0], "a")
    files = [folder / name for name in table.path]
    given = smart.fleet([*files, tmp_path / "reports.tar", folder, "absent"], 1, False)
    assert list(given.path) == [*map(str, files), "a", *table.path, "absent"]
    for part in (given[: len(table)], given[len(table) + 1 : -1]):
        same = part.reset_index(drop=True).drop(columns="path")
        pd.testing.assert_frame_equal(same, table.drop(columns="path"))
    assert given.error.iloc[-1] == "not readable: No such file or directory"


def test_two_processes_give_the_same_and_progress_goes_to_stderr_where_that_is_a_terminal(
    folder, table, monkeypatch, capsys
):
    monkeypatch.setattr(_fleet, "_BATCH", 2)
    pd.testing.assert_frame_equal(smart.fleet(folder, jobs=2, progress=False), table)
    _, states = _fleet.fleet_and_states(folder, 1, False, None, keep=False)
    assert not any(states)
    smart.fleet(folder, jobs=1)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    smart.fleet(folder, jobs=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "10 reports" in err


@pytest.mark.parametrize("jobs", [0, -1, 1.5, True])
def test_jobs_are_a_whole_number_and_the_place_is_there(folder, jobs):
    with pytest.raises(ValueError, match="jobs must be a whole number >= 1"):
        smart.fleet(folder, jobs=jobs)
    with pytest.raises(FileNotFoundError):
        smart.fleet("no/such/place", progress=False)


def test_links_pipes_and_unreadable_files_of_a_folder_are_failures(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to("/etc/passwd")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "\x1b[31mname\n").write_text("x")
    table = smart.fleet(tmp_path, jobs=1, progress=False)
    assert dict(zip(table.path, table.error, strict=True)) == {
        "\\x1b[31mname\\n": "the text holds no report of smartctl", "link": "not a plain file",
        "loop": "not a plain file", "pipe": "not a plain file",
    }  # fmt: skip


def test_hostile_members_of_an_archive_are_failures(tmp_path):
    members = []
    for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE),
                       ("device", tarfile.CHRTYPE), ("pipe", tarfile.FIFOTYPE)):  # fmt: skip
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, "/etc/passwd"
        members.append((info, b""))
    folder = tarfile.TarInfo("folder")
    folder.type = tarfile.DIRTYPE
    members += [(folder, b""), ("/etc/absolute", b"x"), ("../../up", b"x"), ("n" * 3000, b"x")]
    path = packed(tmp_path / "hostile.tar", members)
    before = sorted(os.listdir(tmp_path))
    table = smart.fleet(path, jobs=1, progress=False)
    assert sorted(os.listdir(tmp_path)) == before
    assert dict(zip(table.path, table.error, strict=True)) == {
        **dict.fromkeys(("link", "hard", "device", "pipe"), "not a plain file"),
        **dict.fromkeys(("/etc/absolute", "../../up", "n" * 3000),
                        "the text holds no report of smartctl"),
    }  # fmt: skip


class Zeros(io.RawIOBase):
    """200 MiB that take no room."""

    def __init__(self):
        self.left = 200 * MIB

    def read(self, size=-1):
        count = min(size, self.left)
        self.left -= count
        return bytes(count)


def test_a_huge_member_is_passed_over_and_a_long_archive_takes_the_memory_of_its_table(tmp_path):
    path = tmp_path / "huge.tar.gz"
    info = tarfile.TarInfo("huge")
    info.size = 200 * MIB
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        archive.addfile(info, Zeros())
        small = tarfile.TarInfo("small")
        small.size = len(SAMSUNG)
        archive.addfile(small, io.BytesIO(SAMSUNG.encode()))
    with Traced() as memory:
        table = smart.fleet(path, jobs=1, progress=False)
    error = "a report must have at most 4194304 bytes, got 209715200"
    assert list(table.error.fillna("")) == [error, ""]
    assert memory.peak < 50 * MIB
    path = packed(tmp_path / "long.tar", ((f"{i}", b"x" * 5000) for i in range(3000)))
    list(_archive.files(path))
    with Traced() as memory:
        count = sum(1 for _ in _archive.files(path))
    assert (count, memory.peak < MIB) == (3000, True)


TAR = b"".join(
    (tarfile.TarInfo("a").tobuf(), header(600, tarfile.REGTYPE), b"y" * 600, bytes(424),
     bytes(1024))
)  # fmt: skip


def with_window(content, code):
    """Return an xz file with another size of its window, 2**(code / 2 + 12) bytes."""
    size = 4 * (content[12] + 1)  # of the header of its only block
    block = bytearray(content[12 : 12 + size - 4])
    block[block.index(b"\x21\x01") + 2] = code
    return content[:12] + block + zlib.crc32(block).to_bytes(4, "little") + content[12 + size :]


BROKEN = {"nothing": b"", "text": b"Device Model: x\n" * 100, "a report": SAMSUNG.encode(),
          "a name of a gigabyte": header(2**30, tarfile.GNUTYPE_LONGNAME) + bytes(1024),
          "an extended header of a gigabyte": header(2**30, tarfile.XHDTYPE) + bytes(1024),
          "an extended header of nonsense": header(600, tarfile.XHDTYPE) + b"9" * 600 + bytes(424),
          "xz cut short": lzma.compress(TAR)[:-20],
          "xz spoilt": lzma.compress(TAR)[:30] + b"spoilt" * 10,
          "xz of a window of 1 GiB": with_window(lzma.compress(TAR), 36),
          "gzip cut short": gzip.compress(TAR)[:-20],
          "gzip spoilt": gzip.compress(TAR)[:20] + b"spoilt" * 10,
          "a negative size": tarfile.TarInfo("a").tobuf()[:124] + b"\xff" * 12 + TAR[136:],
          "bzip2 spoilt": bz2.compress(TAR)[:20] + b"spoilt" * 10}  # fmt: skip


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_archive_is_unreadable(tmp_path, content):
    path = tmp_path / "broken.tar"
    path.write_bytes(content)
    told = pytest.raises(smart.Unreadable, match=r"is no folder and no readable tar archive: .")
    with told, Traced() as memory:
        smart.fleet(path, jobs=1, progress=False)
    assert memory.peak < 50 * MIB


def test_the_window_of_an_xz_file_and_what_an_archive_unpacks_to_are_bounded(tmp_path, monkeypatch):
    path = tmp_path / "reports.tar.xz"
    path.write_bytes(with_window(lzma.compress(TAR), 30))  # 128 MiB, more than xz -9 takes
    assert len(smart.fleet(path, jobs=1, progress=False)) == 2
    path.write_bytes(BROKEN["xz of a window of 1 GiB"])
    with pytest.raises(smart.Unreadable, match=r"[Mm]emory usage limit"):
        smart.fleet(path, jobs=1, progress=False)
    monkeypatch.setattr(_archive, "_MOST_BYTES", 10 * MIB)
    path = packed(tmp_path / "bomb.tar.xz", [("x", bytes(3 * MIB))] * 4, lzma.open)
    table = smart.fleet(path, jobs=1, progress=False)
    assert table["error"].iloc[-1].endswith("more than 10485760 bytes unpacked")
    assert len(table) == 4


@pytest.mark.parametrize(("content", "read"), [
    (TAR[:800], 1),
    (TAR[:1100], 1),
    (TAR[:-1024], 2),
    (lzma.compress(TAR[:-1024]), 2),
    (lzma.compress(TAR[:700]) + bytes(4) + lzma.compress(TAR[700:-1024]), 2),  # two streams
])  # fmt: skip
def test_an_archive_without_its_end_keeps_what_was_read(tmp_path, content, read):
    path = tmp_path / "cut.tar"
    path.write_bytes(content)
    table = smart.fleet(path, jobs=1, progress=False)
    assert table["path"].tolist() == [*["a", "x"][:read], "cut.tar"]
    assert table["error"].iloc[-1].startswith("the rest of the archive is not readable: ")


def test_archives_spoilt_at_random_raise_nothing_else(tmp_path):
    chance = random.Random(0)
    whole = [TAR, lzma.compress(TAR), gzip.compress(TAR), bz2.compress(TAR)]
    for _ in range(500):
        content = bytearray(chance.choice(whole))
        for _ in range(chance.randrange(1, 10)):
            content[chance.randrange(min(len(content), 1600))] = chance.randrange(256)
        path = tmp_path / "spoilt.tar"
        path.write_bytes(content[: chance.choice((len(content), chance.randrange(len(content))))])
        with contextlib.suppress(smart.Unreadable):
            list(_archive.files(path))


@pytest.mark.parametrize("headers", [
    {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "5"},
    {"GNU.sparse.map": "0,5", "GNU.sparse.size": "5"},
    {"GNU.sparse.size": "5", "GNU.sparse.numblocks": "1"},
    None,
])  # fmt: skip
def test_sparse_members_are_refused(tmp_path, headers):
    member = tarfile.TarInfo("sparse")
    if headers is None:
        member.type = tarfile.GNUTYPE_SPARSE
    else:
        member.pax_headers = headers
    path = packed(tmp_path / "sparse.tar", [(member, b"9\n")], format=tarfile.PAX_FORMAT)
    path.write_bytes(path.read_bytes()[:2048])
    with pytest.raises(smart.Unreadable, match="sparse member"):
        smart.fleet(path, jobs=1, progress=False)


def test_the_parts_of_tarfile_that_are_overridden_are_there():
    own = [name for name in vars(_archive._Member) if name.startswith("_proc_")]
    vanished = [name for name in own if not hasattr(tarfile.TarInfo, name)]
    assert own
    assert not vanished, f"tarfile no longer has {', '.join(vanished)}"
