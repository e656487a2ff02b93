"""``python -m flashwear`` is the command ``flashwear``."""

import sys

from flashwear.cli import main

if __name__ == "__main__":
    sys.exit(main())
