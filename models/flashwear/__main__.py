"""``python -m flashwear`` is the command ``flashwear``."""

import sys

from flashwear.cli import main

sys.exit(main())
