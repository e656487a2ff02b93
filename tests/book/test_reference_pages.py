"""The pages beside the chapters, looked at like them, in a file of their own to save time."""

import pytest
from test_pages import look_at

pytestmark = pytest.mark.browser


def test_reference_page(visit, reference, tmp_path):
    look_at(visit, reference, tmp_path)
