"""Dated reports of our own making, for histories."""

import json

import reports

DAY = 86_400
NOW = 1_795_000_000
KEY = b"k" * 32


def report(
    serial="S1ABC2345", days=0, *, used=10, hours=1000, media=0, firmware="F1", now=NOW, **more
):
    """Return what ``smartctl -x -j`` printed so many days before `now`."""
    health = {"percentage_used": used, "power_on_hours": hours, "available_spare": 100,
              "available_spare_threshold": 10, "media_errors": media,
              "data_units_written": 1000 * hours, **more}  # fmt: skip
    model = "Micron_7300_MTFDHBG3T8TDF"
    told = json.loads(reports.nvme_json(model=model, firmware=firmware, health=health))
    told |= {"serial_number": serial, "local_time": {"time_t": int(now - days * DAY)}}
    return json.dumps(told).encode()


def sata(serial="S1ABC2345", days=0, *, link=0, blocks=0, hours=1000):
    """Return the same of a SATA drive, with errors on its link and replaced blocks."""
    attributes = {5: (100, blocks, "Reallocated_Sector_Ct"), 9: hours, 177: (90, 100),
                  199: (100, link, "UDMA_CRC_Error_Count"), 241: 10**9}  # fmt: skip
    told = json.loads(reports.ata_json("Samsung SSD 860 EVO 1TB", "RVT01B6Q", 10**12, attributes))
    told |= {"serial_number": serial, "local_time": {"time_t": NOW - days * DAY}}
    return json.dumps(told).encode()
