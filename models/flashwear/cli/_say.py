"""How the commands write sizes and errors."""


def size(count: float) -> str:
    """Write bytes with the decimal unit that fits."""
    for name, unit in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9)):
        if count >= unit:
            return f"{count / unit:.4g} {name}"
    return f"{count / 1e6:.4g} MB"


def one_line(error: Exception) -> str:
    """Write an error on one line, with nothing that a terminal would obey."""
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        text = str(error)
    return "".join(letter if letter.isprintable() else " " for letter in text)
