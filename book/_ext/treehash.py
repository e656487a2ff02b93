"""One hash for everything that cached results depend on: code, data and pinned requirements."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tree_hash(root: Path = ROOT) -> str:
    """Hash the paths and bytes of ``models/**/*.py``, ``data/**`` and ``requirements.txt``."""
    files = [*root.glob("models/**/*.py"), *root.glob("data/**/*"), root / "requirements.txt"]
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.is_file() and "__pycache__" not in path.parts:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


if __name__ == "__main__":
    print(tree_hash())
