"""Change one place of the code at a time, and count the changes that some test notices.

A mutant is one change at a place drawn with SEED; the operators are listed by --help. Each is tried
in a copy of the checkout on the tests that mirror its room and on the room's doctests, without long
proofs and browsers. A mutant that fails a test, or takes much longer, is killed. What is
found stands in build/mutants/SEED.csv, from which a run goes on; --again tries survivors anew.
Mutants that no test can tell apart are listed, with the reason, in equivalent_mutants.csv.
"""

import argparse
import ast
import csv
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ROOMS = {  # the code, then the tests that mirror it
    room: ([f"models/{name}" for name in code.split()], [f"tests/{name}" for name in tests.split()])
    for room, code, tests in (
        ("host", "flashwear/host",
         "host test_arguments.py test_columns.py flashwear_book/test_databases.py "
         "flashwear_book/test_engines.py flashwear_book/test_stacks.py"),
        ("fio", "flashwear/fio", "test_fio.py test_bench.py"),
        ("bench", "flashwear/bench", "test_bench.py test_drop.py test_rounds.py"),
        ("steady", "flashwear/steady.py", "test_steady.py test_columns.py"),
        ("watch", "flashwear/watch flashwear/why.py", "test_watch.py test_why.py"),
        ("cli", "flashwear/cli",
         "test_cli.py test_why.py test_bench.py smart history test_choose.py"),
        ("smart", "flashwear/smart", "smart"),
        ("runs", "flashwear_book/runs",
         "flashwear_book/test_engines.py flashwear_book/test_skewed.py "
         "flashwear_book/test_ranges.py flashwear_book/power flashwear_book/runs"),
        ("stacks", "flashwear_book/stacks.py", "flashwear_book/test_stacks.py"),
        ("wa", "flashwear/wa/map_cache.py flashwear/wa/transient.py flashwear/wa/transient_skew.py",
         "wa test_columns.py"),
    )
}  # fmt: skip
_FOR_PEOPLE = ("help", "metavar", "description", "epilog")
_MEMORY = 4 << 30  # bytes that the tests of a mutant may take
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.csv")
SWAPPED = {
    "boundary": {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
    "negated": {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "in": "not in",
                "not in": "in", "is": "is not", "is not": "is"},
    "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "**": "*", "%": "//"},
    "logic": {"and": "or", "or": "and"},
    "function": {"min": "max", "max": "min", "any": "all", "all": "any", "ceil": "floor",
                 "floor": "ceil", "minimum": "maximum", "maximum": "minimum"},
}  # fmt: skip
OPERATORS = {
    name: ", ".join(f"{a} to {b}" for a, b in pairs.items()) for name, pairs in SWAPPED.items()
}
OPERATORS |= {
    "number": "n below 10 to n + 1, others a tenth larger; True to False and back",
    "condition": "if, while and a filter: negated; not x: x",
    "argument": "a named argument left out of a call, but for texts of --help",
    "ignored": "an argument that has its default whatever is given",
    "statement": "a call, an augmented assignment, break or continue left out",
}
SIGNS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not", ast.Add: "+",
    ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**", ast.Mod: "%",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip


class Mutant(NamedTuple):
    """A change of one place in a file."""

    room: str
    path: str
    line: int
    operator: str
    before: str  # the lines of the place, in one
    after: str
    start: int  # of the changed bytes
    end: int
    text: str  # what stands there instead

    @property
    def key(self) -> tuple[str, ...]:
        return (self.room, self.path, self.operator, self.before, self.after)


class Places(ast.NodeVisitor):
    """Collect the changes of a source: (operator, start, end, text)."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[tuple[str, int, int, str]] = []

    def span(self, node: ast.AST) -> tuple[int, int]:
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.source[start:end].decode()

    def between(self, left: ast.AST, right: ast.AST, sign: str, kinds: tuple[str, ...]) -> None:
        start, end = self.span(left)[1], self.span(right)[0]
        gap = self.source[start:end].decode()
        for kind in kinds:
            if sign in SWAPPED[kind]:
                words = r"(?<!\w){}(?!\w)" if sign[0].isalpha() else "{}"
                pattern = words.format(re.escape(sign).replace(r"\ ", r"\s+"))
                changed = re.sub(pattern, SWAPPED[kind][sign], gap, count=1)
                self.found.append((kind, start, end, changed))

    def condition(self, test: ast.expr) -> None:
        if not isinstance(test, ast.UnaryOp | ast.Compare):  # these have changes of their own
            self.found.append(("condition", *self.span(test), f"(not ({self.text(test)}))"))

    def ignored(self, defaults: list[tuple[str, ast.expr]], body: list[ast.stmt]) -> None:
        told = [
            line for line in body if not isinstance(line, ast.Expr | ast.ImportFrom | ast.Import)
        ]
        if told and not isinstance(told[0], ast.FunctionDef | ast.With):
            start = self.span(told[0])[0]
            for name, default in defaults:
                text = f"{name} = {self.text(default)}; "
                if isinstance(told[0], ast.If | ast.For | ast.While | ast.Try | ast.Match):
                    text = f"{text[:-2]}\n{' ' * told[0].col_offset}"
                self.found.append(("ignored", start, start, text))

    def visit(self, node: ast.AST) -> None:
        match node:
            case ast.JoinedStr() | ast.Raise() | ast.Assert() | ast.Import() | ast.ImportFrom():
                return
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                return
            case ast.FunctionDef(args=args, body=body, decorator_list=marks):
                if any(isinstance(mark, ast.Name) and mark.id == "overload" for mark in marks):
                    return
                given = [*args.posonlyargs, *args.args]
                named = zip(args.kwonlyargs, args.kw_defaults, strict=True)
                pairs = [*zip(given[::-1], args.defaults[::-1], strict=False), *named]
                self.ignored([(one.arg, default) for one, default in pairs if default], body)
                inner: list[ast.AST] = [*(default for _, default in pairs if default), *body]
            case ast.AnnAssign(value=value):
                inner = [value] if value else []
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                return
            case _:
                inner = list(ast.iter_child_nodes(node))
        match node:
            case ast.Compare(left=left, ops=ops, comparators=rights):
                for op, a, b in zip(ops, [left, *rights], rights, strict=False):
                    self.between(a, b, SIGNS[type(op)], ("boundary", "negated"))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
                self.between(left, right, SIGNS[type(op)], ("arithmetic",))
            case ast.BoolOp(op=op, values=values):
                for a, b in pairwise(values):
                    self.between(a, b, SIGNS[type(op)], ("logic",))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.found.append(("condition", *self.span(node), f"({self.text(operand)})"))
            case ast.Constant(value=bool() as value):
                self.found.append(("number", *self.span(node), str(not value)))
            case ast.Constant(value=int() as value):
                other = value + 1 if value < 10 else value + value // 10
                self.found.append(("number", *self.span(node), str(other)))
            case ast.Constant(value=float() as value):
                self.found.append(("number", *self.span(node), repr(value * 1.1 or 0.1)))
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Break() | ast.Continue():
                self.found.append(("statement", *self.span(node), "pass"))
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                self.condition(test)
            case ast.comprehension(ifs=ifs):
                for test in ifs:
                    self.condition(test)
            case ast.Call(func=func, args=args, keywords=keywords):
                name = self.text(func).rpartition(".")[2]
                if name in SWAPPED["function"]:
                    end = self.span(func)[1]
                    swapped = SWAPPED["function"][name]
                    self.found.append(("function", end - len(name.encode()), end, swapped))
                for keyword in keywords:
                    if keyword.arg and keyword.arg not in _FOR_PEOPLE:
                        rest = [other for other in keywords if other is not keyword]
                        short = ast.unparse(ast.Call(func=func, args=args, keywords=rest))
                        self.found.append(("argument", *self.span(node), short))
        for child in inner:
            self.visit(child)


def mutants(room: str) -> Iterator[Mutant]:
    """Yield every mutant of a room's code."""
    for place in ROOMS[room][0]:
        whole = ROOT / place
        for path in sorted(whole.glob("*.py")) if whole.is_dir() else [whole]:
            source = path.read_bytes()
            places = Places(source)
            places.visit(ast.parse(source))
            name = str(path.relative_to(ROOT))
            for operator, start, end, text in places.found:
                first = source.rfind(b"\n", 0, start) + 1
                last = source.find(b"\n", end)
                before = source[first:last].decode()
                after = (source[first:start] + text.encode() + source[end:last]).decode()
                line = source.count(b"\n", 0, start) + 1
                before, after = (" ".join(text.split()) for text in (before, after))
                if after != before:
                    yield Mutant(room, name, line, operator, before, after, start, end, text)


def drawn(seed: int, number: int, rooms: list[str]) -> list[Mutant]:
    """Return as many mutants of each room; an operator is drawn first, then its place."""
    chosen = []
    for order, room in enumerate(rooms):
        chance, left = random.Random(f"{seed} {room}"), defaultdict(list)
        for mutant in mutants(room):
            left[mutant.operator].append(mutant)
        for _ in range(number // len(rooms) + (order < number % len(rooms))):
            if places := left[chance.choice(sorted(left))]:
                chosen.append(places.pop(chance.randrange(len(places))))
    return chosen


def checked(tree: Path, room: str, limit_s: float | None) -> tuple[bool, float]:
    """Return whether a room's tests pass in a copy of the checkout, and their seconds."""
    code, tests = ROOMS[room]
    there = [test for test in tests if (tree / test).exists()]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *there, *code]
    asked = ["-m", "not proof and not browser"]
    paths = {"PYTHONPATH": str(tree / "models"), "PYTHONDONTWRITEBYTECODE": "1"}
    start = time.monotonic()
    try:
        done = subprocess.run([*command, *asked], cwd=tree, env=os.environ | paths,
                              capture_output=True, timeout=limit_s,
                              preexec_fn=lambda: resource.setrlimit(
                                  resource.RLIMIT_DATA, (_MEMORY, _MEMORY)))  # fmt: skip
    except subprocess.TimeoutExpired:
        return False, time.monotonic() - start
    return done.returncode == 0, time.monotonic() - start


def try_one(tree: Path, mutant: Mutant, limit_s: float) -> str:
    """Return how a mutant ended: killed or survived."""
    path = tree / mutant.path
    source = path.read_bytes()
    path.write_bytes(source[: mutant.start] + mutant.text.encode() + source[mutant.end :])
    try:
        return "survived" if checked(tree, mutant.room, limit_s)[0] else "killed"
    finally:
        path.write_bytes(source)


def rows_of(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def key_of(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in ("room", "path", "operator", "before", "after"))


def show(outcomes: dict[tuple[str, ...], str], rooms: list[str]) -> None:
    """Print the mutants killed by room; those that nothing can tell apart are left out."""
    same = {(row["path"], row["before"], row["after"]) for row in rows_of(EQUIVALENT)}
    count: Counter[tuple[str, str]] = Counter()
    for (room, path, _, before, after), outcome in outcomes.items():
        alike = outcome == "survived" and (path, before, after) in same
        count[room, "equivalent" if alike else outcome] += 1
    print(f"{'room':8} {'drawn':>6} {'equivalent':>11} {'killed':>7} {'survived':>9}")
    for room in [*rooms, "all"]:
        of = [sum(n for (r, o), n in count.items() if o == outcome and room in (r, "all"))
              for outcome in ("equivalent", "killed", "survived")]  # fmt: skip
        share = f"{of[1] / (of[1] + of[2]):8.0%}" if of[1] + of[2] else ""
        print(f"{room:8} {sum(of):6} {of[0]:11} {of[1]:7} {of[2]:9} {share}")


def main() -> int:
    """Run the command and return its exit status."""
    listed = "\n".join(f"  {name:11}{what}" for name, what in OPERATORS.items())
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog=f"operators:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("seed", type=int, metavar="SEED", help="of the draw")
    parser.add_argument(
        "rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)} (default: all)"
    )
    parser.add_argument("--number", type=int, default=200, help="mutants in all (default: 200)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants at a time")
    parser.add_argument("--again", action="store_true", help="try the survivors of the seed anew")
    given = parser.parse_args()
    unknown = [room for room in given.rooms if room not in ROOMS]
    if unknown or given.number < 1:
        parser.error(f"ROOM must be of {', '.join(ROOMS)} and --number at least 1, got "
                     f"{', '.join(unknown) or given.number}")  # fmt: skip
    rooms = given.rooms or list(ROOMS)
    kept = ROOT / "build" / "mutants" / f"{given.seed}.csv"
    kept.parent.mkdir(parents=True, exist_ok=True)
    known = {key_of(row): row["outcome"] for row in rows_of(kept)}
    chosen = drawn(given.seed, given.number, rooms)
    due = [
        mutant
        for mutant in chosen
        if mutant.key not in known or (given.again and known[mutant.key] == "survived")
    ]
    with tempfile.TemporaryDirectory() as place:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(given.jobs):
            tree = Path(place) / str(number)
            ignored = shutil.ignore_patterns(".*", "build", "__pycache__")
            shutil.copytree(ROOT, tree, ignore=ignored)
            trees.put(tree)
        limits = {}
        for room in dict.fromkeys(mutant.room for mutant in due):
            passed, seconds = checked(tree, room, None)
            print(f"{room}: {seconds:.0f} s", flush=True)
            if not passed:
                print(f"mutants: the tests of {room} fail without a change", file=sys.stderr)
                return 1
            limits[room] = (1 + given.jobs) * seconds + 30

        def take(mutant: Mutant) -> tuple[Mutant, str]:
            mine = trees.get()
            try:
                return mutant, try_one(mine, mutant, limits[mutant.room])
            finally:
                trees.put(mine)

        with ThreadPoolExecutor(given.jobs) as pool:
            for number, (mutant, outcome) in enumerate(pool.map(take, due), 1):
                known[mutant.key] = outcome
                with kept.open("w", newline="", encoding="utf-8") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    writer.writerow(["room", "path", "operator", "before", "after", "outcome"])
                    writer.writerows([*key, known[key]] for key in known)
                place = f"{mutant.path}:{mutant.line}"
                print(f"{number}/{len(due)} {outcome} {place} {mutant.operator}")
                print(f"    {mutant.before}\n    {mutant.after}", flush=True)
    show({mutant.key: known[mutant.key] for mutant in chosen}, rooms)
    return 0


if __name__ == "__main__":
    sys.exit(main())
