"""Tests of the query language find their own shared modules here.

workloads.py     for each fixture: streams, and the same query for Spark SQL
plain.py         expressions evaluated in plain Python
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "spark"))
