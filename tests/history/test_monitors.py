"""What monitoring programs make of our output, and each line of the page *For a rack* run."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from pathlib import Path

import duckdb
import jinja2
import pytest
import yaml
from dated import KEY, report, sata
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as classic

from flashwear import cli, history

pytestmark = pytest.mark.proof

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```(\w+)\n((?s:.*?))^```$", (ROOT / "book" / "rack.md").read_text(), re.M)
SMARTD = Path("/usr/share/smartmontools/smartd_warning.sh")
DATA = "'life_used'=10%;80;90;0 'spare'=34%;;10:;0;100 'written'=512000000000B 'power_on'=3600s "
DATA += "'media_errors'=3;2:9;~:8;0 'temperature'=46C 'report_age'=33s;172800"


def program(name, *words, **more):
    """Run another program, or skip where it is not there."""
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if path is None:
        pytest.skip(f"not tried: no {name} on the PATH")
    return subprocess.run([path, *map(str, words)], capture_output=True, text=True, check=False,
                          timeout=120, **more)  # fmt: skip


def block(kind, at=0):
    return [text for name, text in BLOCKS if name == kind][at]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return a folder with reports of drives, a history, and a smartctl that reads one drive."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    now = time.time()
    for name, content in {
        "a": report(now=now),
        "b": report("S2DEF4567", now=now, media=3),
        "c": sata("S4EVNX0M000001"),
        "d": report("S5", 9, now=now),
    }.items():
        Path(name).write_bytes(content)
    key = tmp_path / "flashwear.key"
    key.write_bytes(KEY)
    key.chmod(0o600)
    names = ["a", "b", "c", "d"]
    cli.main(["rack", "record", *names, "--history", "history.sqlite", "--key", str(key)])
    cli.main(["rack", "export", *names, "-o", "flashwear.prom", "--key", str(key)])
    programs = tmp_path / "bin"
    programs.mkdir()
    scan = json.dumps({"devices": [{"name": "/dev/nvme0", "type": "nvme"}]})
    for name, text in {
        "smartctl": f"case $1 in --scan*) echo '{scan}';; *) cat {tmp_path}/a;; esac",
        "flashwear": f"exec {sys.executable} -m flashwear \"$@\" --key {key}",
        "mail": f"(echo \"$@\"; cat) > {tmp_path}/mailed",
    }.items():  # fmt: skip
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return tmp_path


def test_promtool_takes_the_samples_and_each_rule_fires_for_its_drive(place):
    text = Path("flashwear.prom").read_text()
    done = program("promtool", "check", "metrics", input=text)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    shutil.copy(Path(__file__).with_name("alert_rules_test.yml"), place)
    rules = (ROOT / "data" / "alert_rules.yml").read_text()
    Path("alert_rules.yml").write_text(rules)
    assert program("promtool", "check", "rules", "alert_rules.yml").returncode == 0
    done = program("promtool", "test", "rules", "alert_rules_test.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    for old, new in (("== 2", "== 1"), (">= 0.9", ">= 0.8"), ("> 2 * 86400", "> 9 * 86400")):
        Path("alert_rules.yml").write_text(rules.replace(old, new))
        assert program("promtool", "test", "rules", "alert_rules_test.yml").returncode
    told = {one.name for family in classic(text) for one in family.samples}
    assert set(re.findall(r"flashwear_\w+(?=[ \[=>])", rules)) <= told


def test_both_parsers_of_the_python_client_find_the_same_samples(place, capsys):
    text = Path("flashwear.prom").read_text()
    cli.main(["rack", "export", "a", "b", "c", "d", "--openmetrics", "--key", "flashwear.key"])
    told = capsys.readouterr().out
    found = [{(one.name, *sorted(one.labels.items())): one.value for family in parse
              for one in family.samples if one.name != "flashwear_run_timestamp_seconds"}
             for parse in (classic(text), openmetrics(told))]  # fmt: skip
    assert found[0] == found[1]
    assert len(found[0]) > 30


def test_node_exporter_serves_every_sample_and_no_error(place):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    if shutil.which("prometheus-node-exporter") is None:
        pytest.skip("not tried: no prometheus-node-exporter on the PATH")
    words = [
        "prometheus-node-exporter",
        "--collector.disable-defaults",
        "--collector.textfile",
        f"--collector.textfile.directory={place}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    started = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                    served = answer.read().decode()
                break
            except OSError:
                time.sleep(0.1)
    finally:
        started.terminate()
        started.wait()
    found = [{(one.name, *sorted(one.labels.items())): one.value for family in classic(text)
              for one in family.samples if one.name.startswith("flashwear")}
             for text in (served, Path("flashwear.prom").read_text())]  # fmt: skip
    assert found[0] == found[1]
    assert "node_textfile_scrape_error 0" in served


def test_icinga_and_the_perl_library_read_the_performance_data_and_icinga_the_command(place):
    label, unit = re.compile(r"'(\w+)'=(\d+)"), {"%": "percent", "B": "bytes", "s": "seconds",
                                                 "C": "degrees-celsius", "": ""}  # fmt: skip
    for datum in DATA.split():
        done = program("icinga2", "console", "-e", f'parse_performance_data("{datum}")')
        told = json.loads(done.stdout)
        name, value = label.match(datum).groups()
        assert (told["label"], told["value"]) == (name, int(value))
        assert told["unit"] == unit[re.match(r"\D*", datum.partition(value)[2].split(";")[0])[0]]
    code = "print join('|', map {$_ // ''} $_->label, $_->value, $_->uom, $_->warning, "
    code += '$_->critical), "\\n" for Monitoring::Plugin::Performance->parse_perfstring($ARGV[0])'
    done = program("perl", "-MMonitoring::Plugin::Performance", "-e", code, DATA)
    if "Can't locate" in done.stderr:
        pytest.skip("not tried: no Monitoring::Plugin")
    assert done.stdout.splitlines() == [
        "life_used|10|%|80|90",
        "spare|34|%||10:",
        "written|512000000000|B||",
        "power_on|3600|s||",
        "media_errors|3||2:9|~:8",
        "temperature|46|C||",
        "report_age|33|s|172800|",
    ]
    Path("command.conf").write_text(block("text"))
    done = program(
        "icinga2",
        "daemon",
        "-C",
        "-c",
        "command.conf",
        env=os.environ | {"ICINGA2_USER": place.owner(), "ICINGA2_GROUP": place.group()},
    )
    assert "Instantiated 1 CheckCommand" in done.stdout, done.stdout + done.stderr


def test_smartd_calls_the_script_of_the_page_which_records_and_mails(place):
    if not SMARTD.is_file():
        pytest.skip("not tried: no smartd_warning.sh")
    script = place / "flashwear-smartd"
    script.write_text(block("bash").replace("/var/lib/flashwear", str(place)))
    script.chmod(0o755)
    Path("a").write_bytes(report("S7NEW4567", now=time.time(), critical_warning=4))
    own = place / "smartd_warning.sh"  # with our PATH in place of its own
    own.write_text(re.sub(r"(?m)^export PATH=.*$", "", SMARTD.read_text()))
    words = {"DEVICE": "/dev/nvme0", "DEVICETYPE": "nvme", "FAILTYPE": "Health", "PREVCNT": "0",
             "ADDRESS": "root", "MAILER": str(script), "MESSAGE": "Device: FAILED", "TFIRST": "",
             "DEVICESTRING": "/dev/nvme0", "DEVICEINFO": "a drive", "NEXTDAYS": ""}  # fmt: skip
    told = {f"SMARTD_{name}": text for name, text in words.items()}
    done = program("sh", own, env=os.environ | told)
    assert done.returncode == 0, done.stdout + done.stderr
    mailed = Path("mailed").read_text()
    assert mailed.startswith("-s Health: /dev/nvme0 root\n")
    assert "Device: FAILED" in mailed
    assert "FLASHWEAR CRITICAL - 1 critical" in mailed
    Path("smartd.conf").write_text(block("text", 1))
    done = program("smartd", "-q", "onecheck", "-c", "smartd.conf")
    assert "Configuration file smartd.conf was parsed" in done.stdout


def test_the_units_are_valid_and_their_lines_run(place):
    service, timer = block("ini"), block("ini", 1)
    (place / "node-exporter").mkdir()
    for line in re.findall(r"^ExecStart=-?(.*)$", service.replace("\\\n", ""), re.M):
        here = re.sub("/var/lib/(?:prometheus|flashwear)", str(place), line)
        subprocess.run(["sh", "-c", here], check=True, capture_output=True)
    assert (place / "node-exporter" / "flashwear.prom").is_file()
    Path("flashwear.service").write_text(
        re.sub("=(-?)flashwear ", rf"=\1{place}/bin/flashwear ", service)
    )
    Path("flashwear.timer").write_text(timer)
    done = program("systemd-analyze", "verify", "./flashwear.service", "./flashwear.timer")
    assert not [line for line in done.stderr.splitlines() if "flashwear" in line], done.stderr


def test_zabbix_and_home_assistant_read_the_status(place):
    agent = block("ini", 2).replace("/var/lib/flashwear", str(place))
    Path("agent.conf").write_text(
        f"Server=127.0.0.1\nUserParameter={agent.partition('UserParameter=')[2]}"
    )
    sensor = yaml.safe_load(block("yaml"))["command_line"][0]["sensor"]
    command = sensor["command"].replace("/var/lib/flashwear", str(place))
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)
    shown = jinja2.Template(sensor["value_template"]).render(value_json=told)
    assert (int(shown), done.returncode) == (1, 0)  # of a command that fails nothing is read
    assert sensor["json_attributes"][0] in told
    done = program("zabbix_agentd", "-c", place / "agent.conf", "-t", "flashwear.rack")
    assert '"status": 1' in done.stdout


def test_limits_rules_and_rates_of_the_page_do_what_it_says(place, capsys):
    Path("limits.toml").write_text(block("toml"))
    assert tomllib.loads(block("toml"))
    assert (
        cli.main(["rack", "check", "a", "--limits", "limits.toml", "--key", "flashwear.key"]) == 0
    )
    Path("reports").mkdir()
    for number in range(6):
        for days, used in ((60, 10), (30, 10 + number), (0, 10 + 2 * number)):
            content = report(f"S{number:06}X7", days, used=used, firmware=f"F{number % 2}")
            Path("reports", f"{number}-{days}").write_bytes(content)
    Path("key").write_bytes(KEY)
    Path("key").chmod(0o600)
    exec(block("python"), {})
    found = duckdb.sql(block("sql")).df().set_index("firmware").percent_a_month
    month = 365 / 12 / 60
    expected = {"F0": month * (0 + 4 + 8) / 3, "F1": month * (2 + 6 + 10) / 3}
    assert found.to_dict() == pytest.approx({name: rate * 1 for name, rate in expected.items()})


def test_a_full_tmpfs_says_so_and_keeps_what_was_there(place):
    full = place / "full"
    full.mkdir()
    done = program("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", full)
    if done.returncode:
        pytest.skip("not tried: no tmpfs may be mounted here")
    try:
        kept = full / "h"
        with history.History(kept, write=True) as store:
            one = [history.Source("a", None, None, report(now=time.time()))]
            store.record(one, key=KEY)
            many = [history.Source("a", None, None, report(f"S{n:06}X7", now=time.time()))
                    for n in range(900)]  # fmt: skip
            with pytest.raises(OSError, match=r"full|disk I/O"):
                store.record(many, key=KEY)
        with history.History(kept) as store:
            assert 1 <= len(store.drives()) < 900
            assert store._base.execute("pragma integrity_check").fetchone()[0] == "ok"
        (full / "x.prom").write_text("before")
        with contextlib.suppress(OSError), (full / "rest").open("wb") as rest:
            rest.write(bytes(200_000))
        assert cli.main(["rack", "export", str(place / "a"), "-o", str(full / "x.prom"), "--key",
                         str(place / "flashwear.key")]) == 3  # fmt: skip
        assert (full / "x.prom").read_text() == "before"
    finally:
        subprocess.run(["umount", full], check=True)
