"""Reports of our own making, in the layouts of smartctl, and archives of them."""

import io
import json
import tarfile
from pathlib import Path

OFFSETS = {"power_on_hours": (1, 0x010, "Power-on Hours"),
           "sectors_written": (1, 0x018, "Logical Sectors Written"),
           "write_commands": (1, 0x020, "Number of Write Commands"),
           "sectors_read": (1, 0x028, "Logical Sectors Read"),
           "read_commands": (1, 0x030, "Number of Read Commands"),
           "percentage_used": (7, 0x008, "Percentage Used Endurance Indicator")}  # fmt: skip
HEALTH = {"available_spare": ("Available Spare", "%"),
          "available_spare_threshold": ("Available Spare Threshold", "%"),
          "percentage_used": ("Percentage Used", "%"), "data_units_read": ("Data Units Read", ""),
          "data_units_written": ("Data Units Written", ""),
          "host_reads": ("Host Read Commands", ""), "host_writes": ("Host Write Commands", ""),
          "power_cycles": ("Power Cycles", ""), "power_on_hours": ("Power On Hours", ""),
          "unsafe_shutdowns": ("Unsafe Shutdowns", ""),
          "media_errors": ("Media and Data Integrity Errors", "")}  # fmt: skip
LEGEND = """\
                            ||||||_ K auto-keep
                            |||||__ C event count
                            ||||___ R error rate
                            |||____ S speed/performance
                            ||_____ O updated online
                            |______ P prefailure warning
"""


def printed(name):
    """Return what another program prints, with braces where values go."""
    return (Path(__file__).parent / "texts" / f"{name}.txt").read_text("utf-8")


def attribute(number, row):
    """Return (normalised value, raw text, name): a row is a raw value, the first two, or all."""
    value, raw, *name = row if isinstance(row, tuple) else (100, row)
    return value, str(raw), name[0] if name else f"Attribute_{number}"


def grouped(number, separator):
    return f"{number:,}".replace(",", separator)


def head(version, model_line, model, firmware, capacity, separator):
    lines = [f"smartctl {version} 2020-06-20 r5066 [x86_64-linux-5.10.0] (local build)",
             "Copyright (C) 2002-20, Bruce Allen, Christian Franke, www.smartmontools.org", "",
             "=== START OF INFORMATION SECTION ===", f"{model_line:<18}{model}",
             "Serial Number:    PRIVATE-SERIAL-1", f"Firmware Version: {firmware}"]  # fmt: skip
    if capacity is not None:
        size = grouped(capacity, separator)
        lines.append(f"User Capacity:    {size} bytes [{capacity / 1e9:.0f} GB]")
    lines += ["Rotation Rate:    Solid State Device",
              "Local Time is:    Wed Mar 16 11:26:40 2022 UTC", "",
              "=== START OF READ SMART DATA SECTION ===",
              "SMART overall-health self-assessment test result: PASSED", ""]  # fmt: skip
    return lines


def ata(
    model="CT500MX500SSD1", firmware="M3CR023", capacity=500_107_862_016, attributes=None,
    statistics=None, *, layout="brief", version="7.1", separator=",", options="-x",
):  # fmt: skip
    """Return the text of ``smartctl -x`` (or -a, -A) for a SATA drive."""
    lines = head(version, "Device Model:", model, firmware, capacity, separator)
    if options == "-A":
        lines = [*lines[:3], "=== START OF READ SMART DATA SECTION ==="]
    lines += ["SMART Attributes Data Structure revision number: 16"]
    lines += ["Vendor Specific SMART Attributes with Thresholds:"]
    if layout == "brief":
        lines.append("ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE")
    else:
        lines.append(
            "ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  "
            "WHEN_FAILED RAW_VALUE"
        )
    for number, row in (attributes or {}).items():
        value, raw, name = attribute(number, row)
        value = value if value == "---" else f"{value:03}"
        if layout == "brief":
            lines.append(f"{number:3} {name:<23} -O--CK   {value}   {value}   000    -    {raw}")
        else:
            lines.append(f"{number:3} {name:<23} 0x0032   {value}   {value}   000    "
                         f"Old_age   Always       -       {raw}")  # fmt: skip
    text = "\n".join(lines) + "\n" + (LEGEND if layout == "brief" else "") + "\n"
    if statistics and options == "-x":
        text += device_statistics(statistics)
    return text


def device_statistics(statistics):
    lines = ["Device Statistics (GP Log 0x04)", "Page  Offset Size        Value Flags Description",
             "0x01  =====  =               =  ===  == General Statistics (rev 1) =="]  # fmt: skip
    for name, value in statistics.items():
        page, offset, title = OFFSETS[name]
        lines.append(f"0x{page:02x}  0x{offset:03x}  6 {value:15}  ---  {title}")
    lines.append("                                |||_ C monitored condition met")
    return "\n".join(lines) + "\n\n"


def ata_json(model="CT500MX500SSD1", firmware="M3CR023", capacity=500_107_862_016, attributes=None,
             statistics=None):  # fmt: skip
    """Return what ``smartctl -j -x`` prints for the same drive."""
    table = []
    for number, row in (attributes or {}).items():
        value, raw, name = attribute(number, row)
        whole = int(raw) if raw.isdigit() else 2**40 + 7
        table.append(
            {"id": number, "name": name, "value": value, "worst": value,
             "thresh": 0, "when_failed": "", "flags": {"value": 50, "string": "-O--CK "},
             "raw": {"value": whole, "string": raw}}
        )  # fmt: skip
    pages = {}
    for name, value in (statistics or {}).items():
        page, offset, title = OFFSETS[name]
        pages.setdefault(page, []).append(
            {"offset": offset, "name": title, "size": 6, "value": value, "flags": {"valid": True}}
        )
    report = {**_json_head("ATA", model, firmware),
              "user_capacity": {"blocks": (capacity or 0) // 512, "bytes": capacity},
              "rotation_rate": 0,
              "ata_smart_attributes": {"revision": 16, "table": table}}  # fmt: skip
    if capacity is None:
        del report["user_capacity"]
    if pages:
        report["ata_device_statistics"] = {"pages": [
            {"number": page, "name": "Statistics", "revision": 1, "table": rows}
            for page, rows in pages.items()
        ]}  # fmt: skip
    return json.dumps(report, indent=2)


def nvme(model="Micron_7300_MTFDHBG3T8TDF", firmware="95420100", capacity=3_840_755_982_336,
         health=None, *, version="7.1", separator=","):  # fmt: skip
    """Return the text of ``smartctl -x`` for an NVMe drive."""
    lines = head(version, "Model Number:", model, firmware, None, separator)
    at = lines.index("=== START OF READ SMART DATA SECTION ===")
    size = f"{grouped(capacity, separator)} [{capacity / 1e12:.2f} TB]"
    lines[at - 1 : at - 1] = [f"Total NVM Capacity:                 {size}",
                              "Unallocated NVM Capacity:           0",
                              f"Namespace 1 Size/Capacity:          {size}",
                              f"Namespace 1 Utilization:            {size}"]  # fmt: skip
    lines += ["SMART/Health Information (NVMe Log 0x02)",
              "Critical Warning:                   0x00"]  # fmt: skip
    for name, value in (health or {}).items():
        title, unit = HEALTH[name]
        bracket = f" [{value * 512_000 / 1e12:.2f} TB]" if "units" in name else unit
        lines.append(f"{title + ':':<36}{grouped(value, separator)}{bracket}")
    return "\n".join(lines) + "\n\n"


def nvme_json(
    model="Micron_7300_MTFDHBG3T8TDF", firmware="95420100", capacity=3_840_755_982_336, health=None
):
    """Return what ``smartctl -j -x`` prints for the same drive."""
    namespace = {"id": 1, "size": {"bytes": capacity}, "utilization": {"bytes": capacity}}
    log = {"critical_warning": 0, **(health or {})}
    return json.dumps({**_json_head("NVMe", model, firmware), "nvme_total_capacity": capacity,
                       "nvme_namespaces": [namespace],
                       "nvme_smart_health_information_log": log})  # fmt: skip


def _json_head(protocol, model, firmware):
    return {"json_format_version": [1, 0],
            "smartctl": {"version": [7, 1], "argv": ["smartctl", "-j"], "exit_status": 0},
            "local_time": {"time_t": 1_647_430_000, "asctime": "Wed Mar 16 11:26:40 2022 UTC"},
            "device": {"name": "/dev/sda", "protocol": protocol}, "model_name": model,
            "serial_number": "PRIVATE-SERIAL-1", "firmware_version": firmware,
            "smart_status": {"passed": True}}  # fmt: skip


SCSI = printed("scsi")
SMART_LOG = printed("smart_log")
ENDURANCE_LOG = printed("endurance_log")
OCP_LOG = printed("ocp_log")
GUID = "afd514c97c6f4f9ca4f2bfea2810afc5"
FDP_STATS = """\
Host Bytes with Metadata Written (HBMW): 33,108,124,672,000
Media Bytes with Metadata Written (MBMW): 46,350,123,008,000
Media Bytes Erased (MBE): 47,104,000,000,000
"""


def smart_log(critical_warning=0, percentage_used=3, power_on_hours=742):
    return SMART_LOG.format(critical_warning=critical_warning, percentage_used=percentage_used,
                            power_on_hours=power_on_hours)  # fmt: skip


def scrutiny(states, model="EXAMPLE", protocol="NVMe"):
    """Return what scrutiny tells of a drive, the newest first: (date, attrs) by state."""
    results = [
        {"date": date, "device_protocol": protocol, "temp": 34, "power_on_hours": hours,
         "attrs": attrs, "Status": 0}
        for date, hours, attrs in states
    ]  # fmt: skip
    device = {"model_name": model, "firmware": "1.0", "serial_number": "PRIVATE-SERIAL-1",
              "capacity": 1_000_204_886_016, "device_protocol": protocol,
              "rotational_speed": 0}  # fmt: skip
    data = {"device": device, "smart_results": results}
    return json.dumps({"success": True, "data": data, "metadata": {}})


def packed(path, members, opened=open, **options):
    """Write a tar archive of (name or TarInfo, content)."""
    with opened(path, "wb") as file, tarfile.open(fileobj=file, mode="w", **options) as archive:
        for member, content in members:
            info = tarfile.TarInfo(member) if isinstance(member, str) else member
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def header(size, kind, name="x"):
    """Return the header of a member that is not there."""
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.GNU_FORMAT)
