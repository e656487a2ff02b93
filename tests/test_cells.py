"""Cells of chapters are read by ruff as the project's other code is."""

import pytest

import cells

PAGE = """\
# A page

```{code-cell} ipython3
:tags: [hide-input]
import os
```

Some text.

```{code-cell} ipython3
print(os.sep)
```

```python
not code of this page
```
"""


def test_code_keeps_the_lines_of_its_page_and_nothing_else_is_code():
    module = cells.as_python(PAGE).splitlines()
    assert {place: line for place, line in enumerate(module, 1) if line.strip(".")} == {
        5: "import os",
        11: "print(os.sep)",
    }


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Make a book of one page, which is read by the rules of pyflakes."""
    (tmp_path / "ruff.toml").write_text('lint.select = ["F"]', encoding="utf-8")
    book = tmp_path / "book"
    book.mkdir()
    monkeypatch.setattr(cells, "BOOK", book)
    return book / "page.md"


def test_a_finding_names_the_page_and_the_line(page, capfd):
    page.write_text(PAGE, encoding="utf-8")
    assert (cells.main(), capfd.readouterr().out) == (0, "")
    page.write_text(PAGE.replace("os.sep", "'nothing'"), encoding="utf-8")
    assert cells.main() == 1
    said = capfd.readouterr().out
    assert "F401" in said
    assert "book/page.md:5:8" in said
