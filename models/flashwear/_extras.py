"""The packages that a plain install does without."""

from importlib.util import find_spec


def require(extra: str, *packages: str) -> None:
    """Raise ImportError that says what to install if one of the packages is missing.

    Examples
    --------
    >>> require("sim", "numpy", "nonesuch")
    Traceback (most recent call last):
    ImportError: nonesuch missing: pip install "flashwear[sim]"
    """
    if missing := [name for name in packages if find_spec(name) is None]:
        raise ImportError(f'{", ".join(missing)} missing: pip install "flashwear[{extra}]"')
