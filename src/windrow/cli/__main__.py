"""`python -m windrow.cli` is the `windrow` command."""

import sys

from windrow.cli import main

if __name__ == "__main__":
    sys.exit(main())
