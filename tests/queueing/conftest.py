import pytest

from flashwear.queueing import reference, twin


@pytest.fixture(params=[reference, twin], ids=["reference", "twin"])
def run(request):
    """Return run() of either model."""
    return request.param.run
