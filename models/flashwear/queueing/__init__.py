"""The speed of a drive, as a network of queues: in SimPy, compiled, and in closed form.

:mod:`flashwear.queueing.reference` is written to be read, and :mod:`flashwear.queueing.twin` does
the same event by event at full scale. :mod:`flashwear.queueing.requests` is what the host asks,
``flashwear.queueing.plan`` a drive in the whole numbers that both models count in, and
:mod:`flashwear.queueing.result` what a run counted. :mod:`flashwear.queueing.protocol` is a test as
data, and :mod:`flashwear.queueing.procedures` are the kinds of tests that reviews make;
:mod:`flashwear.queueing.bounds` are
sums that say what a drive can do at most, from the counts of :mod:`flashwear.queueing.work`, and
:mod:`flashwear.queueing.fluid` is the test of consistency in closed form. They load when they are
first used and, but for the last three, need the `sim` extra: ``pip install "flashwear[sim]"``.
"""

from typing import TYPE_CHECKING

from flashwear._extras import lazily

if TYPE_CHECKING:  # what loads lazily
    from flashwear.queueing import bounds as bounds
    from flashwear.queueing import fluid as fluid
    from flashwear.queueing import plan as plan
    from flashwear.queueing import procedures as procedures
    from flashwear.queueing import protocol as protocol
    from flashwear.queueing import reference as reference
    from flashwear.queueing import requests as requests
    from flashwear.queueing import result as result
    from flashwear.queueing import twin as twin
    from flashwear.queueing import work as work
else:
    __getattr__ = lazily(__name__)
