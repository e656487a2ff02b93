"""Recognise reports of devices that are no solid-state drive, or that hide one, such as RAID."""

import re

from flashwear.smart._found import Found

_NAMES = (
    ("raid_volume", r"\b(?:PERC|MR9\d{3}|RS\d[A-Z]{2}\d{3}|MegaRAID|LSI|AVAGO|BROADCOM"
                    r"|LOGICAL VOLUME|Raid [015] Volume|RAID\d? ?(?:Array|Volume|Set)?|Smart Array"
                    r"|ServeRAID|3ware|AMCC|ARECA|Arc-\d+|Adaptec|BOSS[ -]?(?:VD|N1|S[12])|DELLBOSS"
                    r"|(?:DELL|IBM|SUN|FUJITSU) Virtual Disk)\b"),
    ("virtual_disk", r"\b(?:VBOX|QEMU|VMware|Msft|Virtual[ _](?:HD|disk|DISK|Machine)|Google|Amazon"
                     r"|Persistent ?Disk|nvme_card(?:-pd)?|Xen|Parallels|virtio|Hyper-V|Nutanix"
                     r"|Alibaba|OpenStack|Bhyve|Direct Disk|Scaleway|Block Storage)\b"),
    ("optical_disc", r"\b(?:CD/DVD|DVD\S*|CD-?ROM|CDRW|BD-?(?:RE|RW|ROM)|DRW-\S+|HL-DT-ST"
                     r"|TSSTcorp|Optiarc|MATSHITA|PLDS)\b"),
    ("memory_card", r"\b(?:eMMC|SD[HX]C|SD Card|microSD|(?:Card|SD|CF|Multi) ?-?Reader|Multi-?Card"
                    r"|USB Flash|Flash Disk|Cruzer|DataTraveler)\b"),
    ("usb_bridge", r"\b(?:JMicron|ASMedia|ASMT(?:\d+)?|Realtek|RTL92\d\d\S*|Prolific|Initio"
                   r"|SunplusIT|Super Speed|USB ?[23]\.?\d?)\b"),
)  # fmt: skip
_PATTERNS = tuple((flag, re.compile(pattern, re.IGNORECASE)) for flag, pattern in _NAMES)
_OF_DISKS = {  # counters of what turns or moves
    3: "Spin_Up_Time", 7: "Seek_Error_Rate", 8: "Seek_Time_Performance", 10: "Spin_Retry_Count",
    22: "Helium_Level", 191: "G-Sense_Error_Rate", 193: "Load_Cycle_Count", 220: "Disk_Shift",
    222: "Loaded_Hours", 240: "Head_Flying_Hours",
}  # fmt: skip

_BRIDGES = {"152d": "sntjmicron", "174c": "sntasmedia", "0bda": "sntrealtek"}
_BRIDGE = re.compile(r"USB bridge \[0x([0-9a-f]{4}):", re.IGNORECASE)
_CARD = re.compile(r"\bmmcblk\d|EXT_?CSD|eMMC Life Time", re.IGNORECASE)

CARD = (
    "an eMMC or SD card, of which smartctl says nothing: an eMMC tells its wear in tenths in "
    "/sys/block/mmcblk0/device/life_time (0x03 is 20 to 30 %)"
)


def other_device(found: Found) -> str | None:
    """Return the flag of the device that a report is of; None if it is of a solid-state drive."""
    if found.rotating or (found.rotating is None and _spins(found)):
        return "rotating"
    name = f"{found.vendor or ''} {found.model or ''}"
    for flag, pattern in _PATTERNS:
        if pattern.search(name):
            tells = found.attributes or found.health or "used" in found.scsi
            if flag == "virtual_disk" or not tells:  # a drive may answer through what is before it
                return flag
    return None


def _spins(found: Found) -> bool:
    """Say whether the counters are those of a disk that turns."""
    rows = [
        row
        for number, name in _OF_DISKS.items()
        if (row := found.attributes.get(number)) is not None and row.name == name
    ]
    return len(rows) >= 2 and any(row.raw is None or row.raw > 0 for row in rows)


def advice(text: str) -> str | None:
    """Return advice for a device that smartctl could not read, if the text tells its kind."""
    if bridge := _BRIDGE.search(text):
        kind = _BRIDGES.get(bridge[1].lower())
        others = [name for name in _BRIDGES.values() if name != kind]
        first = [kind] if kind else []
        tries = ", ".join([*first, "sat", *others])
        return f"a USB bridge that smartctl does not know: try smartctl -x -d with one of {tries}"
    return CARD if _CARD.search(text) else None
