"""One hash for everything that cached results depend on: code, data and pinned requirements."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


CODE = ("models/**/*.py", "data/**/*", "requirements.txt")
"""What a chapter's results depend on, besides its own cells."""


def tree_hash(*patterns: str, root: Path = ROOT) -> str:
    """Hash the paths and bytes of the files that match (by default: code and data)."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in patterns or CODE for path in root.glob(pattern)):
        if path.is_file() and "__pycache__" not in path.parts:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


if __name__ == "__main__":
    print(tree_hash())
