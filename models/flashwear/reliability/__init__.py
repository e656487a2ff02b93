"""How flash fails, in closed form: bits, codewords, dies and blocks, and what becomes of the drive.

One file holds one question: charge loss (:mod:`~flashwear.reliability.retention`), raw bit errors
(:mod:`~flashwear.reliability.rber`), the errors of reads (:mod:`~flashwear.reliability.disturb`),
correction (:mod:`~flashwear.reliability.ecc`, :mod:`~flashwear.reliability.ldpc`), parity over dies
(:mod:`~flashwear.reliability.raid`) and the retirement of blocks.
"""

from flashwear.reliability import disturb, ecc, ldpc, raid, rber, retention
from flashwear.reliability.retirement import WearPath, strength, wear_path

__all__ = [
    "WearPath",
    "disturb",
    "ecc",
    "ldpc",
    "raid",
    "rber",
    "retention",
    "strength",
    "wear_path",
]
