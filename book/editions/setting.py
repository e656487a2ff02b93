"""Text of pandoc for Typst: what of a page pandoc has no form for."""

import json
from collections.abc import Callable
from typing import Any

import pypandoc

FROM = "html-auto_identifiers+tex_math_dollars+tex_math_single_backslash"
FONTS = ["Libertinus Serif", "DejaVu Sans Mono"]  # as the templates ask
LICENCES = {  # of the fonts that Typst brings and a PDF holds, by how their names begin there
    "LibertinusSerif": "Libertinus Serif (SIL Open Font License 1.1)",
    "NewCMMath": "New Computer Modern Math (GUST Font License)",
    "DejaVuSansMono": "DejaVu Sans Mono (Bitstream Vera licence)",
}
LINE = 90  # characters of a table that fit on a line
MOST_COUNTED = 150  # of a cell: beyond, a column is wide enough to be read

Node = dict[str, Any]


def walk(node: Any, change: Any) -> Any:
    """Return a tree of pandoc with each of its nodes changed, from the leaves up."""
    if isinstance(node, list):
        made: list[Any] = []
        for one in node:
            new = walk(one, change)
            made += new if isinstance(new, list) and isinstance(one, dict) and "t" in one else [new]
        return made
    if isinstance(node, dict):
        node = {key: walk(value, change) for key, value in node.items()}
        return change(node) if "t" in node else node
    return node


def raw(text: str) -> Node:
    """Return a block that Typst reads as it is."""
    return {"t": "RawBlock", "c": ["typst", text]}


def for_typst(node: Node) -> Any:
    """Set what pandoc has no form for: numbers of equations, boxes, parts."""
    if node["t"] == "Div":
        (identity, classes, _), content = node["c"]
        label = [raw(f"#metadata(none) #label({json.dumps(identity)})")] if identity else []
        if "admonition" in classes:
            return [*label, raw("#note["), *content, raw("]")]
        return label + content
    if node["t"] == "Para":
        content = node["c"]
        if content and content[0]["t"] == "Math" and content[0]["c"][0]["t"] == "DisplayMath":
            number = "".join(one.get("c", "") for one in content[1:] if one["t"] == "Str")
            if number:
                one = {"t": "Para", "c": content[:1]}
                return [raw("#numbered["), one, raw(f"][{number}]")]
    if node["t"] == "Math":  # pandoc makes a whole em of the narrow space that this takes back
        return {"t": "Math", "c": [node["c"][0], node["c"][1].replace("\\!", "")]}
    if node["t"] == "Table":
        return with_widths(node)
    if node["t"] == "Header":
        level, (identity, classes, _), words = node["c"]
        if "part" in classes:
            return [raw(f"#part[{plain(words)}]")]
        return {"t": "Header", "c": [level, [identity, [], []], words]}
    if node["t"] == "Span":
        (identity, _, _), content = node["c"]
        if identity:
            label = f"#metadata(none) #label({json.dumps(identity)})"
            return [{"t": "RawInline", "c": ["typst", label]}, *content]
        return content
    return node


def with_widths(table: Node) -> Node:
    """Return a table to the left; columns of long text share the width by how much they hold."""
    _, _, columns, (_, head), bodies, _ = table["c"]
    rows = [*head, *(row for body in bodies for row in body[3])]
    texts = [[plain(cell[4]) for cell in cells] for _, cells in rows]
    whole = [min(max(map(len, column)), MOST_COUNTED) for column in zip(*texts, strict=True)]
    words = [
        max(len(w) for text in column for w in ["", *text.split()])
        for column in zip(*texts, strict=True)
    ]
    left = LINE - sum(words) - 2 * len(words)
    are_wide = sum(whole) > LINE and left > 0
    for place, (length, word) in enumerate(zip(whole, words, strict=True)):
        share = (word + 2 + left * length / sum(whole)) / LINE
        width = {"t": "ColWidth", "c": share} if are_wide else {"t": "ColWidthDefault"}
        columns[place] = [{"t": "AlignLeft"}, width]
    return table


def plain(node: Any) -> str:
    """Return the text in a part of a tree."""
    if isinstance(node, list):
        return "".join(map(plain, node))
    if not isinstance(node, dict) or "t" not in node:
        return ""
    if node["t"] in ("Space", "SoftBreak", "LineBreak"):
        return " "
    content = node.get("c", "")
    if node["t"] in ("Code", "Math"):
        return str(content[1])
    return content if isinstance(content, str) else plain(content)


def typst_text(html: str, change: Callable[[Node], Any] = for_typst) -> str:
    """Return HTML as text for Typst, each node changed."""
    tree = json.loads(pypandoc.convert_text(html, "json", FROM))
    tree["blocks"] = walk(tree["blocks"], change)
    return str(pypandoc.convert_text(json.dumps(tree), "typst", "json", extra_args=["--wrap=none"]))
