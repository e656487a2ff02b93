"""How flash fails, in closed form: worn-out blocks, and the end of the drive."""

from flashwear.reliability.retirement import WearPath, strength, wear_path

__all__ = ["WearPath", "strength", "wear_path"]
