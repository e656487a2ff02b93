"""Names of version 0.1 that are elsewhere now: they work in version 1.0, with a warning."""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "flashwear.charts": "flashwear.study.charts",
    "flashwear.claims": "flashwear.study.claims",
    "flashwear.studies": "flashwear.study.runs",
}
RENAMED = {
    "flashwear.charts": {
        "tell": "flashwear.study.charts.glue",
        "with_cycles_at": "flashwear.study.live.with_cycles_at",
        "with_fifo": "flashwear.study.live.with_fifo",
        "with_rber": "flashwear.study.live.with_rber",
        "with_uber": "flashwear.study.live.with_uber",
    },
    "flashwear.claims": {"VERDICTS": "flashwear.study.claims.OUTCOMES"},
}


class Finder(MetaPathFinder, Loader):
    """Finds a module that has moved, and fills it with what is at its new place."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a module of its own under the old name."""
        return ModuleSpec(name, self) if name in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        """Warn, and take over the public names."""
        old = module.__name__
        new = importlib.import_module(MOVED[old])
        warnings.warn(
            f"{old} is {MOVED[old]} since version 1.0; the old name goes with the next version",
            DeprecationWarning,
            stacklevel=2,
        )
        module.__dict__.update({n: v for n, v in vars(new).items() if not n.startswith("_")})
        for name, place in RENAMED.get(old, {}).items():
            home, _, attribute = place.rpartition(".")
            setattr(module, name, getattr(importlib.import_module(home), attribute))


def install() -> None:
    """Let imports look here, after all else."""
    sys.meta_path.append(Finder())
