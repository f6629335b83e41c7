"""All experiments, paper by paper: to add one is a file and a line in its paper's list.

>>> [experiment.paper for experiment in CATALOGUE][:1]
['RA']
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from windrow.errors import BadInput

from .beyond import EXPERIMENTS as BEYOND
from .experiment import Experiment
from .lightsaber import EXPERIMENTS as LIGHTSABER
from .pba import EXPERIMENTS as PBA
from .ra import EXPERIMENTS as RA
from .ses import EXPERIMENTS as SES
from .slickdeque import EXPERIMENTS as SLICKDEQUE

CATALOGUE: tuple[Experiment, ...] = (
    *RA,
    *SLICKDEQUE,
    *PBA,
    *LIGHTSABER,
    *SES,
    *BEYOND,
)
BY_NAME = {experiment.name: experiment for experiment in CATALOGUE}


def find(names: Sequence[str]) -> list[Experiment]:
    """Those experiments, in the order of the catalogue."""
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        near = [one for name in unknown for one in get_close_matches(name, BY_NAME)]
        hint = f"did you mean {' or '.join(dict.fromkeys(near))}? " if near else ""
        raise BadInput.because(
            f"cannot run {', '.join(unknown)}",
            "no experiment has that name",
            hint + "windrow bench list names all of them",
        )
    return [one for one in CATALOGUE if one.name in names]


__all__ = ["BY_NAME", "CATALOGUE", "find"]
