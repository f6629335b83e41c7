"""Shared by all tests: the import path, hypothesis profiles, and the two lanes.

    WINDROW_TEST_PROFILE=deep pytest tests      many more examples per property

A property that fails prints its own blob (`@reproduce_failure(...)`), so that the
same example can be run again anywhere.
"""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

# The first call of a kernel compiles it, and the interpreted lane is slow on
# purpose: neither says anything about the property, so nothing is timed.
_COMMON = {
    "deadline": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("default", max_examples=20, **_COMMON)
settings.register_profile("deep", max_examples=400, **_COMMON)
settings.load_profile(os.environ.get("WINDROW_TEST_PROFILE", "default"))
