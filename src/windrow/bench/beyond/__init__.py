"""Beyond the papers: Windrow beside other libraries, held to its own promises."""

from .rolling import ROLLING
from .tables import OVER, WINDOWS

EXPERIMENTS = (ROLLING, WINDOWS, OVER)

__all__ = ["EXPERIMENTS"]
