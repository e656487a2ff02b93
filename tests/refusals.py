"""Tables of calls that are refused, each as one test."""

import pytest


def refusals(cases, by=None, error=ValueError):
    """Return a test that each call, or `by` of what stands in its place, says what is beside it."""

    @pytest.mark.parametrize(("call", "message"), cases)
    def test(call, message):
        with pytest.raises(error, match=message):
            by(call) if by else call()

    return test
