"""Tests of the documentation find their own shared module here.

pages.py    the pages, and the examples on them
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
