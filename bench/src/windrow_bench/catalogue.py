"""All experiments, paper by paper: to add one is a file and a line in its paper's list.

>>> [experiment.paper for experiment in CATALOGUE][:1]
['RA']
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from windrow.errors import BadInput

from .bars import EXPERIMENTS as BARS
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
    *BARS,
)
BY_NAME = {experiment.name: experiment for experiment in CATALOGUE}


def group_of(experiment: Experiment) -> str:
    """What all experiments of its paper are called together: `ses`, `bars-on-spark`."""
    return experiment.paper.lower().replace(" ", "-")


def find(names: Sequence[str]) -> list[Experiment]:
    """Those experiments, or groups of them, in the order of the catalogue."""
    names = [name.replace("_", "-") for name in names]
    known = dict.fromkeys([*BY_NAME, *map(group_of, CATALOGUE)])
    unknown = [name for name in names if name not in known]
    if unknown:
        near = [one for name in unknown for one in get_close_matches(name, known)]
        hint = f"did you mean {' or '.join(dict.fromkeys(near))}? " if near else ""
        raise BadInput.because(
            f"cannot run {', '.join(unknown)}",
            "no experiment has that name",
            hint + "windrow bench list names all of them",
        )
    return [one for one in CATALOGUE if {one.name, group_of(one)} & {*names}]
