"""What fio measured: its JSON output, and its logs of bandwidth, requests and latencies.

::

    from flashwear import fio, steady

    run = fio.read("randwrite.json")
    log = fio.read_log("randwrite_bw.1.log", "randwrite_bw.2.log")
    steady.advice(log.bytes_per_s(60), 60, user_bytes=960e9, op=0.07).reason
"""

from flashwear.fio._json import Job, Run, Side, read
from flashwear.fio._logs import Log, read_log

__all__ = ["Job", "Log", "Run", "Side", "read", "read_log"]
