"""The words of findings and levels, and the flags that leave a verdict open."""

FINDINGS = {
    "firmware_kills": ("critical", "its firmware has a fault that ends the drive"),
    "firmware_fault": ("warning", "its firmware has a published fault"),
    "copy_before_off": (
        "warning",
        "drives like this may not come back after they are switched off",
    ),
    "firmware_note": ("note", "a version of its firmware has a published fault"),
    "failed": ("critical", "the drive says of itself that it fails"),
    "attribute_failing": ("critical", "an attribute that announces failure is at its threshold"),
    "spare_below_threshold": ("critical", "fewer spare blocks are left than the maker asks for"),
    "reliability_degraded": ("critical", "the drive warns that it has become less reliable"),
    "read_only": ("critical", "the drive accepts no more writes"),
    "backup_failed": ("critical", "what keeps the buffer through a power cut has failed"),
    "failed_used_up": ("warning", "the drive says FAILED because its rated life is used up"),
    "failed_and_used_up": (
        "warning",
        "the drive says FAILED, and its rated life is used up; whether for that reason is not "
        "known",
    ),
    "backup_weak": ("warning", "what keeps the buffer through a power cut is below what it takes"),
    "writes_refused": ("warning", "the drive refused writes, as if it were read-only"),
    "temperature": ("warning", "the temperature is beyond a threshold of the drive"),
    "persistent_memory": ("warning", "the persistent memory region is read-only or unreliable"),
    "unknown_warning": ("warning", "the drive warns of something that is not known here"),
    "attribute_low": ("warning", "an attribute of age is at its threshold"),
    "attribute_failed_once": (
        "warning",
        "an attribute that announces failure was at its threshold",
    ),
    "spare_low": ("warning", "more than half of the spare blocks are gone"),
    "media_errors": ("warning", "data could not be read back, or not as written"),
    "pending_sectors": ("warning", "sectors could not be read and wait to be replaced"),
    "reallocated_blocks": ("warning", "many blocks have been replaced"),
    "self_test_failed": ("warning", "a self-test found an error"),
    "past_life": ("warning", "its rated life is used up"),
    "worn": ("warning", "most of its rated life is used"),
    "ends_soon": ("warning", "its rated life ends within a year under power"),
    "past_rating": ("warning", "more was written than the drive is rated for"),
    "past_list": ("note", "more was written than a list without sources says it is rated for"),
    "spare_used": ("note", "some of the spare blocks are gone"),
    "some_reallocated": ("note", "a few blocks have been replaced, as on many drives"),
    "attribute_low_once": ("note", "an attribute of age was at its threshold"),
    "was_hot": ("note", "the drive was above its critical temperature"),
    "error_log": ("note", "the log of errors is not empty"),
    "refused_commands": ("note", "the log of error information is not empty"),
    "partial": ("note", "a command of smartctl failed: the report is not whole"),
    "no_data": ("note", "smartctl could not read the drive"),
}
"""All values of :attr:`Finding.word`, each with its level and a sentence."""

LEVELS = {"none": 0, "warning": 1, "critical": 2, "unknown": 3}
"""The levels of a :class:`Verdict`, with the exit status that monitoring expects."""

NO_DRIVE = (
    "rotating",
    "raid_volume",
    "virtual_disk",
    "optical_disc",
    "memory_card",
    "usb_bridge",
    "no_smart",
)
"""Flags of reports whose device is no solid-state drive, or hides one."""

WEAR_DOUBTS = (
    *NO_DRIVE,
    "firmware_missing",
    "life_used_disagree",
    "life_used_unconfirmed",
    "erase_counter_wrapped_suspected",
    "all_zero",
)
"""Flags with which it is not certain how worn a drive is."""
