"""``flashwear wa``: write amplification from over-provisioning."""

import argparse
from typing import Any

import flashwear  # its parts load when they are used: the help needs none
from flashwear.cli._amounts import share, written
from flashwear.cli._say import answer, percent

ABOUT = """\
Say how many bytes a drive writes to its flash for each byte that the host writes, when a full drive
is written at random: from its over-provisioning, the flash beyond what the user sees, over what the
user sees.

  flashwear wa 0.07 --pages-per-block 256
  flashwear wa --flash 512GiB --user 480GB
  flashwear wa 7% --hot-writes 80% --hot-space 20% --trim 10%
"""
EXIT = "exit status: 0, or 3 for wrong usage"

_NAMES = {
    "op": "OP",
    "user_bytes": "--user",
    "pages_per_block": "--pages-per-block",
    "hot_write_share": "--hot-writes",
    "hot_space_share": "--hot-space",
    "trim_share": "--trim",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``flashwear wa`` to its parser."""
    add = parser.add_argument
    add("op", nargs="?", type=share, metavar="OP", help="over-provisioning, as 0.07 or 7%%")
    add("--flash", type=written, metavar="512GiB", help="raw flash, with --user in place of OP")
    add("--user", type=written, metavar="480GB", help="capacity for the user")
    add(
        "--pages-per-block",
        type=int,
        metavar="N",
        help="pages that are erased together (default: very many)",
    )
    add("--hot-writes", type=share, metavar="80%", help="of the writes go to a hot part")
    add("--hot-space", type=share, metavar="20%", help="of the space is hot")
    add("--trim", type=share, metavar="10%", help="of the requests are TRIM of a page in use")
    add("--json", action="store_true", help="the same, for scripts")
    parser.set_defaults(names=_NAMES)


def run(options: argparse.Namespace) -> int:
    """Print write amplification under several cleaning policies."""
    op = _over_provisioning(options)
    used = float(flashwear.wa.trim_op(op, options.trim)) if options.trim else op
    hot = _hot(options)
    block = options.pages_per_block
    found: dict[str, float]
    if hot:
        found = {
            "greedy": flashwear.wa.greedy_mixed(used, pages_per_block=block, **hot),
            "fifo": flashwear.wa.fifo_mixed(used, **hot),
            "separated": flashwear.wa.square_root_wa(used, **hot),
        }
    else:
        found = {"greedy": flashwear.wa.greedy(used, block), "fifo": flashwear.wa.fifo(used)}
    spare = float(flashwear.capacity.spare_factor_from_op(op))
    load = "written at random"
    if hot:
        writes, space = map(percent, hot.values())
        load = f"{writes} of the writes at random to {space} of the space"
    trimmed = f", {percent(options.trim)} of the requests TRIM" if options.trim else ""
    size = f", blocks of {block:,} page{'s' * (block > 1)}" if block else ", very large blocks"
    words = {
        "greedy": f"greedy, cleaning the emptiest block first{size}",
        "fifo": "cleaning the oldest block first (FIFO)",
        "separated": "hot and cold apart, by the square-root rule, each FIFO",
    }
    lines = [
        f"A full drive, {load}{trimmed}.",
        f"Over-provisioning: {percent(op)} of what the user sees, {percent(spare)} of the flash.",
        "Bytes written to flash for each byte of the host:",
        *(f"  {value:6.4g}  {words[name]}" for name, value in found.items()),
    ]
    values: dict[str, Any] = {
        "over_provisioning": op,
        "spare_factor": spare,
        "effective_over_provisioning": used,
        "write_amplification": {name: float(value) for name, value in found.items()},
    }
    return answer(options, lines, values)


def _over_provisioning(options: argparse.Namespace) -> float:
    sizes = [options.flash, options.user]
    if (options.op is None) == (sizes == [None, None]) or (options.op is None and None in sizes):
        raise ValueError("give OP, or both --flash and --user")
    return options.op or float(flashwear.capacity.over_provisioning(*sizes))


def _hot(options: argparse.Namespace) -> dict[str, float]:
    shares = {"hot_write_share": options.hot_writes, "hot_space_share": options.hot_space}
    given = [share for share in shares.values() if share is not None]
    if len(given) == 1:
        raise ValueError("--hot-writes and --hot-space go together")
    return shares if given else {}
