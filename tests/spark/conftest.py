"""Tests of the Spark back end find their own shared modules here.

answers.py     rows of two frames compared as multisets
lasting.py     events with a duration, and a join on overlap
watching.py    which jobs, stages and tasks ran, and what the plan says
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
