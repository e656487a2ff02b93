"""Sizes and errors as the commands print them."""


def size(count: float) -> str:
    """Return a number of bytes with a suitable decimal unit."""
    for name, unit in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9)):
        if count >= unit:
            return f"{count / unit:.4g} {name}"
    return f"{count / 1e6:.4g} MB"


def one_line(error: Exception) -> str:
    """Print an error on one line, without control characters."""
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = str(error)
    return "".join(letter if letter.isprintable() else " " for letter in text)
