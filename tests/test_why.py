"""Who writes to a drive and what for: put together, on a made machine and by real counters."""

import json
import re
import sys
from functools import partial

import pytest
import reports

from flashwear import cli, host, smart, wa, watch, why
from flashwear.cli import _client
from flashwear.cli._client import ask
from host.test_counters import TOLD, told
from refusals import refusals
from test_watch import MB, Machine

LATE, EARLY = (told("postgresql-random-ext4", when) for when in ("after", "before"))
FILES = [str(TOLD / f"postgresql-random-ext4-{when}.txt") for when in ("after", "before")]
ENGINE = host.engine_writes(LATE, EARLY)
OTHER = host.engine_writes(*(told("innodb-random-ext4", when) for when in ("after", "before")))


@pytest.fixture
def machine(tmp_path, monkeypatch):
    made = Machine(tmp_path)
    monkeypatch.setattr(watch, "_sleep", made.sleep)
    monkeypatch.setattr(watch, "_clock", lambda: made.now)
    monkeypatch.setattr(watch, "watch", partial(watch.watch, proc=made.root, sys=made.root / "sys"))
    return made


def printing(path):
    return f"{sys.executable} -c \"import sys; sys.stdin.read(); print(open('{path}').read())\""


def run(capsys, *line):
    status = cli.main(["why", *map(str, line)])
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    return out


def test_parts_and_the_rest_add_up_to_what_the_drives_took(machine):
    machine.journal(100, 3)
    machine.start(7, "postgres")
    machine.start(8, "rsync")
    machine.at(2, lambda: machine.write(7, 30 * MB))
    machine.at(3, lambda: machine.write(8, 5 * MB))
    machine.at(4, lambda: machine.journal(200, 3))
    machine.at(4, lambda: machine.flush(9 * MB))
    seen = machine.watch()
    found = why.explain(seen, [ENGINE])
    by = {(part.who, part.what): part for part in found.parts}
    assert "postgres" not in {part.who for part in found.parts}
    assert by["PostgreSQL", "log"].bytes == ENGINE.parts["log"]
    assert by["PostgreSQL", "log"].counted
    assert by["rsync", None] == why.Part("rsync", None, 5 * MB, False)
    assert by["ext4 on /", "journal"].bytes == seen.journals[0].bytes > 0
    assert [part.bytes for part in found.parts] == sorted(
        (part.bytes for part in found.parts), reverse=True
    )
    whole = sum(part.bytes for part in found.parts)
    assert whole + found.unexplained == pytest.approx(found.bytes + found.excess)
    assert found.bytes == 44 * MB
    assert min(found.unexplained, found.excess) == 0
    assert found.unexplained > 0
    alone = host.savings(ENGINE)
    assert [one.option for one in found.savings] == [one.option for one in alone]
    for one, before in zip(found.savings, alone, strict=True):
        for name in ("low", "middle", "high"):
            share = getattr(before, name) * ENGINE.total / (44 * MB)
            assert getattr(one, name) == pytest.approx(share)
    both = why.explain(None, [ENGINE, OTHER], times=3)
    assert both.bytes == pytest.approx(ENGINE.total + OTHER.total)
    assert both.rows == ENGINE.rows + OTHER.rows
    assert both.unexplained == both.excess == 0
    assert sum("3 times" in one.change for one in both.savings) == 2
    assert "rsync" not in {part.who for part in why.explain(
        seen, [ENGINE], programs={"PostgreSQL": {"rsync"}}).parts}  # fmt: skip
    few = why.explain(seen, [ENGINE._replace(parts={**ENGINE.parts, "log": 1e9})])
    assert few.excess == pytest.approx(sum(part.bytes for part in few.parts) - 44 * MB)
    assert few.savings[0].middle < 1  # of what the database wrote, here or elsewhere


def test_a_change_is_judged_by_the_row_and_else_by_the_day():
    then = why.explain(None, [ENGINE])
    twice = then._replace(bytes=then.bytes / 2, rows=then.rows / 5)
    assert why.since(then, twice).saved == pytest.approx(1 - 2.5)
    idle = [one._replace(rows=0.0) for one in (then, twice)]
    assert why.since(*idle).saved == pytest.approx(0.5)
    assert why.since(*idle).before == pytest.approx(then.bytes / then.seconds * 86_400)
    other = ENGINE._replace(engine="InnoDB", seconds=3 * ENGINE.seconds)
    longer = why.explain(None, [ENGINE, other])
    assert longer.seconds == 3 * then.seconds


def test_inside_the_drive_its_counters_tell_or_a_form_bounds():
    attributes = {9: 900, 246: 32 * 999_983, 247: 999_983, 248: 2 * 999_983}
    model = "Crucial_CT750MX300SSD1", "M0CR060", 750_156_374_016
    first = smart.parse(reports.ata(*model, attributes))
    grown = {246: 32 * 500_009, 247: 500_009, 248: 2 * 500_009}
    later = {name: count + grown.get(name, 0) for name, count in attributes.items()}
    found = why.inside(first, smart.parse(reports.ata(*model, later)))
    assert found.counted
    assert found.low < 3 < found.high < 3.01
    assert why.inside(first, first) is None
    assert why.inside(first, first, op=0.1) == why.Inside(1.0, wa.fifo(0.1), False)
    assert why.inside() is None


def test_the_command_joins_drives_databases_flash_and_what_was_foretold(machine, capsys, tmp_path):
    machine.start(7, "postgres")
    machine.start(8, "rsync")
    for second in range(1, 61):
        machine.at(second, lambda: machine.write(7, MB // 2))
        machine.at(second, lambda: machine.write(8, MB // 8))
    pages = {"first": (10**9, 2 * 10**9), "second": (10**9 + 15_000, 2 * 10**9 + 30_000)}
    for file, (count, copies) in pages.items():
        attributes = {9: 900, 246: 32 * count, 247: count, 248: copies}
        text = reports.ata("Crucial_CT750MX300SSD1", "M0CR060", 750_156_374_016, attributes)
        (tmp_path / file).write_text(text)
    asks = tmp_path / "asked"
    asks.write_text(EARLY)
    machine.at(30, lambda: asks.write_text(LATE))
    line = ["--minutes", "1", "--tbw", "60TB", "--postgres", printing(asks), "--smart",
            tmp_path / "first", tmp_path / "second"]  # fmt: skip
    out = run(capsys, *line)
    assert "/ (nvme0n1p2)" in out
    assert "PostgreSQL: the block in which the log ends, again with each flush" in out
    assert "rsync, at most" in out
    assert "postgres, at most" not in out
    assert "not explained" in out
    assert "Inside the drive times 3 (" in out
    left = 60e12 - 16_384 * pages["second"][0]
    taken = 60 * (MB // 2 // 512 + MB // 8 // 512) * 512
    assert f"lasts {left / (365 * taken * 1440):.3g} years more" in out
    machine.now = 0.0
    asks.write_text(EARLY)
    machine.at(1, lambda: machine.flush(40 * MB))
    machine.at(30, lambda: asks.write_text(LATE))
    kept = tmp_path / "monday.json"
    kept.write_text(run(capsys, *line, "--json"))
    found = json.loads(kept.read_text())
    assert sum(part["bytes"] for part in found["parts"]) + found["unexplained"] == pytest.approx(
        found["bytes"] + found["excess"]
    )
    assert found["watched"]["bytes_per_day"][0] == pytest.approx(40 * MB * 1440)
    machine.now = 0.0
    asks.write_text(EARLY)
    machine.at(1, lambda: machine.flush(10 * MB))
    machine.at(30, lambda: asks.write_text(LATE))
    out = run(capsys, "--minutes", "1", "--postgres", printing(asks), "--since", kept)
    assert f"{10 * MB / 2000:,.0f} bytes a row instead of {40 * MB / 2000:,.0f} bytes: 75 %" in out
    assert "by 10 times as many rows to a commit: not that" in out


def test_a_change_that_was_foretold_is_said_to_be_inside(capsys, tmp_path):
    out = run(capsys, FILES[0], "--before", FILES[1], "--times", "20")
    assert out.startswith("PostgreSQL wrote 23.58")
    assert out.index("the block in which the log ends") < out.index("pages of tables")
    assert "20 times as many rows to a commit" in out
    assert "Temporary files and archives are not in it, nor is the file system's share." in out
    form = host.expected(ENGINE)["log"]
    assert f"the log ({form / 1e6:.4g} MB by its closed form)" in out
    assert "adds to each flush" not in out
    out = run(capsys, FILES[0], "--before", FILES[1], "--file-system", "btrfs")
    assert "what the file system adds to each flush" in out
    assert "are not in it." in out
    kept = tmp_path / "then.json"
    kept.write_text(run(capsys, FILES[0], "--before", FILES[1], "--json"))
    found = json.loads(kept.read_text())
    best = found["savings"][0]
    found["bytes"] /= 1 - best["middle"]  # so much more was written then
    kept.write_text(json.dumps(found))
    out = run(capsys, FILES[0], "--before", FILES[1], "--since", kept)
    assert f"by {best['change']}: inside" in out
    for name, query in (("postgres", "pg_stat_wal"), ("innodb", "Innodb_os_log_written")):
        assert query in run(capsys, "--query", name)


def test_what_fails_late_takes_nothing_away_that_was_watched(machine, capsys, tmp_path):
    asks = tmp_path / "asked"
    asks.write_text(EARLY)
    machine.at(3, lambda: machine.flush(4 * MB))
    machine.at(30, lambda: asks.write_text("FATAL: the database system is shutting down"))
    line = ["why", "--minutes", "1", "--postgres", printing(asks)]
    assert cli.main(line) == 3
    out, err = capsys.readouterr()
    assert "4 MB written" in out
    assert err.startswith("flashwear: --postgres must be the answer to POSTGRES_QUERY")
    machine.now = 0.0
    asks.write_text(EARLY)
    machine.at(30, lambda: asks.write_text("FATAL"))
    assert cli.main([*line, "--json"]) == 3
    kept = tmp_path / "kept.json"
    kept.write_text(capsys.readouterr().out)
    assert cli.main(["why", FILES[0], "--since", str(kept)]) == 3
    assert "--since is of a run that failed: --postgres must be" in capsys.readouterr().err


def test_rocksdb_is_scaled_to_the_time_watched_and_says_if_nothing_is_new(
    machine, capsys, tmp_path
):
    log, texts = (
        tmp_path / "LOG",
        [told("rocksdb-random-xfs", when) for when in ("before", "after")],
    )
    log.write_text(texts[0])
    machine.at(30, lambda: machine.flush(900 * MB))
    line = ["--minutes", "1", "--rocksdb", str(log)]
    assert cli.main(["why", *line]) == 3
    assert "tells nothing new" in capsys.readouterr().err
    machine.now = 0.0
    machine.at(30, lambda: machine.flush(900 * MB))
    machine.at(40, lambda: log.write_text("".join(texts)))
    found = json.loads(run(capsys, *line, "--json"))
    engine = host.engine_writes(texts[1], texts[0])
    (merged,) = (part["bytes"] for part in found["parts"] if part["what"] == "merges")
    assert merged == pytest.approx(engine.parts["merges"] * 60 / engine.seconds)
    big = tmp_path / "big"
    big.write_text(texts[0] + "x" * (1 << 26) + "\n" + texts[1])
    out = run(capsys, big)
    assert out.startswith(f"RocksDB wrote {host.engine_writes(texts[1]).total / 1e6:.4g} MB")


def test_a_client_is_asked_in_bounded_time_and_memory(monkeypatch):
    assert ask("--x", "cat", "select 1") == "select 1"
    for line, said in (
        ("yes", "--x must answer with less than 1048576 bytes"),
        ("sh -c 'echo no role >&2; exit 2'", "--x ended with status 2: no role"),
        ("", "--x cannot be called: it names no command"),
        ("'", "--x cannot be called: No closing quotation"),
    ):
        with pytest.raises(ValueError, match=said):
            ask("--x", line, "q" * 100)
    monkeypatch.setattr(_client, "PATIENCE_S", 0.2)
    with pytest.raises(ValueError, match=r"--x gave no answer in 0\.2 s"):
        ask("--x", "sh -c 'sleep 30; true'", "")
    assert ask("--x", "true", "q" * 10**6) == ""  # a reader that does not read


EDITED = ("bytes NaN", "rows -1", "seconds Infinity", "schema_version 99", "engines 5", "parts 5")


@pytest.mark.parametrize("edit", EDITED)
def test_an_answer_that_was_edited_is_refused(edit, capsys, tmp_path):
    kept = tmp_path / "then.json"
    told = run(capsys, FILES[0], "--before", FILES[1], "--json")
    name, value = edit.split()
    kept.write_text(re.sub(rf'\n "{name}": (\[.*?\n \]|[^\n]*)', f'\n "{name}": {value},', told,
                           count=1, flags=re.DOTALL).replace(",,", ","))  # fmt: skip
    assert f'"{name}": {value}' in kept.read_text()
    assert cli.main(["why", FILES[0], "--before", FILES[1], "--since", str(kept)]) == 3
    assert (
        capsys.readouterr().err
        == f"flashwear: --since must be an answer of why --json, got {kept}\n"
    )


def test_a_rating_is_of_one_drive(machine, capsys):
    machine.at(2, lambda: machine.flush(4 * MB))
    machine.at(3, lambda: machine.flush(9 * MB, "sda"))
    line = ["--minutes", "1", "--tbw", "60TB", "--json"]
    seen = json.loads(run(capsys, *line))
    assert seen["years"] is None
    assert [one["name"] for one in seen["watched"]["drives"]] == ["sda", "nvme0n1"]  # most first
    machine.now = 0.0
    assert json.loads(run(capsys, *line))["years"] is None  # nothing written
    assert "at most" not in run(capsys, "--minutes", "1")


NONE = "this-is-no-command"


@pytest.mark.parametrize(("line", "said"), [
    ("--minutes 0", "--minutes must be > 0"),
    ("--minutes nan", "--minutes must be > 0"),
    ("--minutes 100001", "--minutes must be > 0 and at most 100000"),
    ("--smart nofile nofile", "nofile: No such file"),
    ("--before x", "--before takes FILE too"),
    (f"x --postgres {NONE}", "FILE or --postgres must be given, not both"),
    (f"--postgres {NONE} --by unit", "--by must be name with --postgres, got unit"),
    (f"--innodb {NONE}", "--innodb cannot be called"),
    ("--postgres false", "--postgres ended with status 1"),
    ("--postgres 'x", "--postgres cannot be called: No closing quotation"),
    ("--rocksdb {folder}/hello --minutes 0.01", "--rocksdb must be the answer to POSTGRES_QUERY"),
    ("x --rocksdb x", "FILE or --rocksdb must be given, not both"),
    ("--rocksdb {folder}/none", "No such file"),
    ("--postgres echo --minutes 0.01", "--postgres must be the answer to POSTGRES_QUERY"),
    (f"{FILES[0]} --tbw 6TB", "--drive, --tbw and --by are of what is watched"),
    ("--file-system xfs", "--file-system takes FILE too"),
    ("--since {folder}/hello", "--since must be an answer of why --json, got"),
    ("--since {folder}/list", "--since must be an answer of why --json, got"),
    ("{folder}/hello", "FILE must be the answer to POSTGRES_QUERY"),
    (f"{FILES[1]} --before {FILES[0]}", "fell by"),
    (f"{FILES[0]} --times 0", "--times must be"),
    ("{folder}/none", "No such file"),
    ("--minutes 0.01 --drive nosuchdrive", "--drive must be one of"),
    ("--minutes 0.01 --by thread", "--by must be one of name"),
])  # fmt: skip
def test_wrong_usage_is_told_in_a_line(line, said, capsys, tmp_path):
    (tmp_path / "hello").write_text("hello")
    (tmp_path / "list").write_text("[[]]")
    assert cli.main(["why", *line.format(folder=tmp_path).split()]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


THEN = why.explain(None, [ENGINE])
test_bad_arguments_are_refused = refusals([
    (lambda: why.explain(None), "seen or engines must be given"),
    (lambda: why.explain(None, [ENGINE, ENGINE]), "engines must be of one kind each, got Postgre"),
    (lambda: why.since(THEN, why.explain(None, [OTHER])), "of before, PostgreSQL, got InnoDB"),
    (lambda: why.since(THEN._replace(seconds=0), THEN), "before must tell of bytes and of time"),
    (lambda: why.inside(op=-1), "op must be"),
])  # fmt: skip
