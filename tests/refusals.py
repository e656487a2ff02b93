"""Tables of calls that are refused, each as one test."""

import pytest


def refusals(cases, by=None, error=ValueError):
    """Return a test that each call, or `by` of what stands in its place, says what is last."""

    @pytest.mark.parametrize(("given", "message"), [(given, message) for *given, message in cases])
    def test(given, message):
        with pytest.raises(error, match=message):
            by(*given) if by else given[0]()

    return test
