"""Run the studies from the command line."""

import sys

from flashwear.studies import main

sys.exit(main())
