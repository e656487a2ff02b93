"""What the reference model is made of, for models that listen to it or change a part of it."""

from flashwear.queueing.reference._cache import WAIT
from flashwear.queueing.reference._firmware import Firmware
from flashwear.queueing.reference._host import Host
from flashwear.queueing.reference._request import Request
from flashwear.queueing.reference._stations import ERASE, Network, Task
from flashwear.queueing.reference._watcher import Watcher

__all__ = ["ERASE", "WAIT", "Firmware", "Host", "Network", "Request", "Task", "Watcher"]
