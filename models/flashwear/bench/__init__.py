"""What a test with fio says of a drive, from its counters before and after.

Two SMART reports give the bytes that the flash programmed and those that the host wrote (fio tells
these of a drive that does not count them). Their ratio is the write amplification of the run; with
the course that a full drive takes (:func:`flashwear.wa.after_fill`) it gives the spare flash, and
the spare flash all else: whether the run was long enough, and what other spans and loads would do.
A test in rounds (:func:`rounds`) is one run, of which each round is a step.
"""

from flashwear.bench._bench import Bench, Elsewhere, bench
from flashwear.bench._drop import Drop, drop
from flashwear.bench._rounds import Clause, Round, Rounds, rounds
from flashwear.bench._spare import spare

__all__ = ["Bench", "Clause", "Drop", "Elsewhere", "Round", "Rounds", "bench", "drop", "rounds",
           "spare"]  # fmt: skip
