"""How flash fails, in closed form: bits, codewords, dies and blocks, and what becomes of the drive.

One file holds one question: raw bit errors (:mod:`~flashwear.reliability.rber`), their correction
(:mod:`~flashwear.reliability.ecc`), parity over dies (:mod:`~flashwear.reliability.raid`), charge
loss (:mod:`~flashwear.reliability.retention`), reads (:mod:`~flashwear.reliability.disturb`), and
the retirement of blocks.
"""

from flashwear.reliability import disturb, ecc, raid, rber, retention
from flashwear.reliability.retirement import WearPath, strength, wear_path

__all__ = ["WearPath", "disturb", "ecc", "raid", "rber", "retention", "strength", "wear_path"]
