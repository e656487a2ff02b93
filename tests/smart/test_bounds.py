"""Memory and time stay bounded, whatever is read."""

import contextlib
import io
import time

import pytest
import reports

from flashwear import smart
from memory import Traced

MIB = 2**20
GIB = 2**30


class Endless(io.RawIOBase):
    """A file that gives as much of one letter as is asked for, up to a size."""

    def __init__(self, letter=b"x", size=GIB):
        self.letter, self.left, self.given = letter, size, 0

    def read(self, size=-1):
        count = min(size if size >= 0 else self.left, self.left, MIB)
        self.left -= count
        self.given += count
        return self.letter * count


@pytest.mark.parametrize("letter", [b"x", b"\n"])
def test_a_line_of_a_gigabyte_is_not_read(letter):
    file = Endless(letter)
    with pytest.raises(smart.Unreadable, match="at most 4194304 bytes"), Traced() as memory:
        smart.read(file)
    assert memory.peak < 16 * MIB
    assert file.given <= 6 * MIB
    with pytest.raises(smart.Unreadable, match="at most 4194304 characters, got 4194305"):
        smart.parse("x" * (4 * MIB + 1))


def taken(text):
    start = time.process_time()
    with contextlib.suppress(smart.Unreadable):
        smart.parse(text)
    return time.process_time() - start


def test_a_file_may_give_a_byte_at_a_time():

    class Slow(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 1))

    assert smart.read(Slow(reports.SCSI.encode())).percent_used == 3


def row(number=246, name="x", raw="5"):
    return f"{number} {name} -O--CK   100   100   000    -    {raw}\n"


HEADER = (
    "Device Model: CT500MX500SSD1\nID# ATTRIBUTE_NAME FLAGS VALUE WORST THRESH FAIL RAW_VALUE\n"
)
LARGE = 2 * MIB
NVME, OLD = reports.nvme(health={"percentage_used": 3}), reports.ata(layout="old", options="-a")
HOSTILE = {
    "rows": HEADER + row() * (LARGE // 60),
    "a long row": HEADER + row(raw="1" * LARGE),
    "a long name": HEADER + row(name="x" * LARGE),
    "letters of flags": HEADER + "246 " + "-O--CK" * (LARGE // 6) + "\n",
    "digits": HEADER + "1 " * (LARGE // 2) + "\n",
    "blanks": HEADER + " " * LARGE + "\n",
    "blanks in a row": HEADER + row(name="x" + " " * LARGE) + "\n",
    "dashes": HEADER + "-" * LARGE + "\n",
    "names": "".join(f"{i}: {i}\n" for i in range(300_000)),
    "colons": "Device Model: x\n" + ":" * LARGE + "\n",
    "a long number": "Model Number: x\nTotal NVM Capacity: " + "1," * (LARGE // 2) + "\n",
    "digits of a number": "Model Number: x\nTotal NVM Capacity: " + "1" * LARGE + "\n",
    "statistics": "Device Model: x\n\nDevice Statistics (GP Log 0x04)\n"
    + "0x01  0x018  6 113239502265  ---  x\n" * (LARGE // 37),
    "a long statistic": "Device Model: x\n\nDevice Statistics (GP Log 0x04)\n"
    + "0x01  0x018" + " " * LARGE + "\n",
    "banners": "Device Model: x\n" + "=== START OF INFORMATION SECTION ===\n" * (LARGE // 37),
    "smartctl": "Device Model: x\n" + "smartctl 7." * (LARGE // 11) + "\n",
    "json digits": '{"model_name": ' + "1" * LARGE + "}",
    "json strings": '{"model_name": "' + "\u00fc" * (LARGE // 2) + '"}',
    "json rows": '{"ata_smart_attributes": {"table": ['
    + ",".join(['{"id":1,"raw":{"string":"x"}}'] * (LARGE // 31)) + "]}}",
    "json depth": "[" * LARGE,
    "sudo": NVME + "disk sudo: x : COMMAND=/usr/sbin/smartctl -x /dev/sda\n" * 6_000,
    "blank lines": "\n" * 40_000 + NVME,
    "logs": OLD + "Self-test log\n" * 20_000,
    "digits in lines": OLD + "1\n" * 200_000,
    "escapes": "a\\n" * 300_000,
    "a heading": "ID# ATTRIBUTE_NAME" + " " * LARGE + "x\n",
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_takes_little_time_and_memory(text):
    start = time.process_time()
    sum(map(ord, "x" * LARGE))  # a glance at each letter, at the pace of this machine
    glance = time.process_time() - start
    assert taken(text) < 250 * glance  # some 50 if it is linear, and 10,000 if it is quadratic
    with contextlib.suppress(smart.Unreadable), Traced() as memory:
        smart.parse(text[: LARGE // 8])
    assert memory.peak < 100 * LARGE // 8
