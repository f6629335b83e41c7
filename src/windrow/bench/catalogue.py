"""All experiments, paper by paper: to add one is a file and a line in its paper's list.

>>> [experiment.paper for experiment in CATALOGUE][:1]
['RA']
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow.errors import BadInput

from ._experiment import Experiment
from .lightsaber import EXPERIMENTS as LIGHTSABER
from .pba import EXPERIMENTS as PBA
from .ra import EXPERIMENTS as RA
from .slickdeque import EXPERIMENTS as SLICKDEQUE

CATALOGUE: tuple[Experiment, ...] = (*RA, *SLICKDEQUE, *PBA, *LIGHTSABER)
BY_NAME = {experiment.name: experiment for experiment in CATALOGUE}


def find(names: Sequence[str]) -> list[Experiment]:
    """Those experiments, in the order of the catalogue."""
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        raise BadInput.because(
            f"cannot run {', '.join(unknown)}",
            "no experiment has that name",
            "windrow bench list names all of them",
        )
    return [one for one in CATALOGUE if one.name in names]


__all__ = ["BY_NAME", "CATALOGUE", "find"]
