"""Time: a drive as a network of queues, in SimPy and compiled, and the reviewers' tests.

:mod:`flashwear.queueing.reference` is written to be read, :mod:`flashwear.queueing.twin` does
the same event by event at full scale; :mod:`flashwear.queueing.requests` is what the host asks.
"""
