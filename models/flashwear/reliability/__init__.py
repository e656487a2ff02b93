"""How flash fails, in closed form: blocks that are spent, and what becomes of the drive."""

from flashwear.reliability.retirement import WearPath, strength, wear_path

__all__ = ["WearPath", "strength", "wear_path"]
