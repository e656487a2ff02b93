"""What the reference model is made of, for models that change a part of it."""

from flashwear.queueing.reference._cache import WAIT
from flashwear.queueing.reference._firmware import Firmware
from flashwear.queueing.reference._host import Host
from flashwear.queueing.reference._request import Request
from flashwear.queueing.reference._stations import Die, Job, Network, Process

__all__ = ["WAIT", "Die", "Firmware", "Host", "Job", "Network", "Process", "Request"]
