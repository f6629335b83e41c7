"""Every experiment of the papers, on your own machine: `windrow bench`.

command      what is typed: list, run, report
catalogue    every experiment
experiment   what an experiment is: trials, rows, panels, claims
runner       runs trials that are not there yet; store keeps them
findings     results and claims brought together
report       the page with figures
measure      one clock, workloads, contenders, checks of answers
data         the streams of the papers
ra, slickdeque, lightsaber, pba, ses    a paper each
bars         what Windrow promises, beside other libraries, Spark and itself
"""

from ._version import __version__

__all__ = ["__version__"]
