"""Optional packages, which a plain install leaves out."""

from importlib.util import find_spec


def require(extra: str, *packages: str) -> None:
    """Raise ImportError with the command to install a missing package.

    Examples
    --------
    >>> require("sim", "numpy", "nonesuch")
    Traceback (most recent call last):
    ImportError: nonesuch missing: pip install "flashwear[sim]"
    """
    if missing := [name for name in packages if find_spec(name) is None]:
        raise ImportError(f'{", ".join(missing)} missing: pip install "flashwear[{extra}]"')
