"""Text of a chapter outside the book: nothing is left that only the book understands."""

import nbformat
import pytest

import plain


@pytest.mark.parametrize(("source", "shown"), [
    ("{glue:text}`n` drives", "3 drives"),
    ("it is [{glue:text}`n`]{.fw-number} wide", "it is **3** wide"),
    ("it. **Run it:** {nb-download}`page.ipynb`.", "it."),
    ("{term}`TRIM` and {term}`cleans <garbage collection>`", "TRIM and cleans"),
    ("as {eq}`eq-wa` says", "as (eq-wa) says"),
    ("{func}`wa.fifo` or {func}`~wa.fifo`", "`wa.fifo` or `fifo`"),
    ("see {ref}`chapter-budget`", "see *How many bytes can a drive take?*"),
    ("see {ref}`there <chapter-budget>`", "see there"),
    ("see [there](#chapter-budget), [this](../reference/smart.md)", "see there, this"),
    ("[a page](https://example.org)", "[a page](https://example.org)"),
    ("(label)=\n# Title", "# Title"),
    ("```{math}\n:label: eq-a\n\nx = 1\n```", "$$\nx = 1\n\\tag{eq-a}\n$$"),
    (":::{admonition} Here\n:class: tip\n- one\n:::\n", "> **Here**\n>\n> - one"),
    ("```{exercise-start} Half\n:label: ex\n```\nWhy?", "**Exercise** (Half)\n\nWhy?"),
    ("So.\n```{exercise-end}\n```", "So."),
    ("```{solution-start} ex\n:class: dropdown\n```\nSo.", "**Solution**\n\nSo."),
    ("```python\n{x}\n```", "```python\n{x}\n```"),
])  # fmt: skip
def test_roles_and_directives_become_text(source, shown):
    assert plain.text(source, {"n": "3"}) == shown


def test_citations_name_authors_and_year_and_a_value_that_no_cell_gives_stops_the_build():
    cited = plain.text("{cite:p}`linuxhw_smart` and {cite:t}`linuxhw_smart`", {})
    assert cited.startswith("(")
    assert "linuxhw_smart" not in cited
    assert "{" not in cited
    with pytest.raises(ValueError, match="no cell gives the value 'm'"):
        plain.text("{glue:text}`m`", {"n": "3"})


def test_values_are_read_from_the_outputs_and_captions_stand_under_their_charts():
    value = nbformat.v4.new_output(
        "display_data",
        {"application/papermill.record/text/plain": "'3 TB'"},
        metadata={"scrapbook": {"name": "n", "mime_prefix": "application/papermill.record/"}},
    )
    code = nbformat.v4.new_code_cell("1", outputs=[value])
    code.metadata["mystnb"] = {"figure": {"caption": "**Of {glue:text}`n`.**"}}
    notebook = nbformat.v4.new_notebook(cells=[code, nbformat.v4.new_markdown_cell("(a)=")])
    values = plain.glued(notebook)
    assert values == {"n": "3 TB"}
    made = plain.as_read(notebook, values)
    assert [cell.source for cell in made.cells] == [plain.TO_RUN, "1", "**Of 3 TB.**"]
    assert "mystnb" not in made.cells[0].metadata
