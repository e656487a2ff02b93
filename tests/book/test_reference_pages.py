"""The pages beside the chapters, looked at like them: a file of its own, to run at the same time."""

import pytest
from test_pages import look_at

pytestmark = pytest.mark.browser


def test_reference_page(visit, reference, tmp_path):
    look_at(visit, reference, tmp_path)
