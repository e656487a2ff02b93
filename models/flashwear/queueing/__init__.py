"""The speed of a drive, as a network of queues: in SimPy, compiled, and in closed form.

:mod:`flashwear.queueing.reference` is written to be read, and :mod:`flashwear.queueing.twin` does
the same event by event at full scale. :mod:`flashwear.queueing.requests` has the host's requests,
``flashwear.queueing.plan`` a drive in the whole numbers that both models use, and
:mod:`flashwear.queueing.result` the results of a run. :mod:`flashwear.queueing.protocol` describes
a test as data, and :mod:`flashwear.queueing.procedures` has the kinds of tests that reviews make.
:mod:`flashwear.queueing.bounds` gives upper bounds on speeds, from the operations that
:mod:`flashwear.queueing.work` counts, and :mod:`flashwear.queueing.fluid` the test of consistency
in closed form. The modules load when they are first used and, except the last three, need the `sim`
extra: ``pip install "flashwear[sim]"``.
"""

from typing import TYPE_CHECKING

from flashwear._extras import lazily

if TYPE_CHECKING:  # what loads lazily
    from flashwear.queueing import (
        bounds as bounds,
        fluid as fluid,
        plan as plan,
        procedures as procedures,
        protocol as protocol,
        reference as reference,
        requests as requests,
        result as result,
        twin as twin,
        work as work,
    )
else:
    __getattr__ = lazily(__name__)
