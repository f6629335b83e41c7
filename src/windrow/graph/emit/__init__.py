"""Writes the code of a graph: a loop for each node, a sum for each window.

forms.py        windows that one loop answers; refuses graphs that make no sense
sums.py         sums and edges as expressions
own_laps.py     windows that share nothing
running.py      running values
scans.py        the scans of shared laps
stacks.py       two stacks over totals
shared_laps.py  even windows over shared laps
uneven.py       windows that are not equally long
kernel_text.py  all of it as the functions of one kernel
"""

from .forms import over_totals
from .kernel_text import KernelText, write_kernel

__all__ = ["KernelText", "over_totals", "write_kernel"]
