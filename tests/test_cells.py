"""Cells of pages: ruff reads them as it does other code; no description holds a typed result."""

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
        5: "import os", 11: "print(os.sep)"}  # fmt: skip


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Make a book of one page, which is read by the rules of pyflakes."""
    (tmp_path / "ruff.toml").write_text('lint.select = ["F"]', encoding="utf-8")
    book = tmp_path / "book"
    book.mkdir()
    monkeypatch.setattr(cells, "BOOK", book)
    return book / "page.md"


def test_a_finding_and_a_typed_result_name_the_page_and_the_line(page, capfd):
    page.write_text(PAGE, encoding="utf-8")
    assert (cells.main(), capfd.readouterr().out) == (0, "")
    page.write_text(PAGE.replace("os.sep", "'nothing'"), encoding="utf-8")
    assert cells.main() == 1
    said = capfd.readouterr().out
    assert "F401" in said
    assert "book/page.md:5:8" in said
    told = "chart.properties(description='From 7.8 down.')"
    page.write_text(PAGE.replace("print(os.sep)", f"print(os.sep)\n{told}"), encoding="utf-8")
    assert cells.main() == 1
    assert "book/page.md:12: " in capfd.readouterr().out


DRAWN = """
op = 0.07
def drawn(title, description):
    return alt.Chart(data, title=title, description=description)
...
alt.Chart(data).mark_line().properties(
    description=f"At 7 percent it falls from {wa.fifo(op, 128):.1f} of 128 pages "
    "to DESCRIBED on the M500DC 480GB.", height=320
).transform_filter("datum.op == 0.07 || datum.load == 'half at rest'")
...
drawn("7.8", f"At {7:.0f} from 0 to 100, and to 7.8: PASSED")
...
"""


@pytest.mark.parametrize(("described", "passed", "found"), [
    ("less", "less", []), ("1.86", "less", [(7, "1.86")]),
    ("1.86 and 1,024", "2", [(7, "1.86"), (7, "1,024"), (11, "2")]), ("100", "{2.5}", []),
    ("a Third, half, two of five and four lines", "twice",
     [(7, "a Third"), (7, "two of five"), (11, "twice")]),
    ("320", "3 times", [(7, "320"), (11, "3")]),
])  # fmt: skip
def test_a_number_that_a_description_tells_stands_in_the_code_of_its_cell(described, passed, found):
    module = DRAWN.replace("DESCRIBED", described).replace("PASSED", passed)
    assert list(cells.typed(module)) == found
    named = "told = 'Down to 7.8.'\nalt.Chart(data, description=told)\n...\n"
    assert list(cells.typed(named)) == [(1, "7.8")]
    assert list(cells.typed(named.replace("7.8", "{low}"))) == [(1, "{low}")]
