"""Quantiles from moment sketches: the density of most entropy (Gan et al. 2018).

Among all densities on [least, most] with the sketch's moments, the one of largest
entropy assumes nothing else.  It is an exponential family on the scaled support,

    p(y) = exp(theta . b(y) - log Z),    y in [-1, 1],    E_p[b] == mu

and theta is the minimum of a convex function, found by Newton's method:

    F(theta) = log Z(theta) - theta . mu + RIDGE / 2 |theta|^2
    grad F   = E_p[b] - mu + RIDGE theta        hess F = Cov_p[b] + RIDGE

The support is cut into cells, narrower towards both ends, where skewed values
crowd; p is flat in a cell, so the distribution function is a chain of straight
pieces.  Values may be a few points only, which no such p can have: the ridge keeps
theta finite then, and p piles up around the points.

    y linear in v        b = T1(y) .. T10(y)                  from s1 .. s10
    y linear in log v    b = those of log v, then of v        from l1 .. l10, s1 .. s10

The second is for positive values that span more than `SPAN`.  T are Chebyshev
polynomials; `_moments.py` has how many of them can be trusted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windrow.errors import BadInput

from ._moments import CONDITION, chebyshev, chebyshev_moments, well_conditioned

Floats = NDArray[np.float64]

ORDER = 10
SPAN = 10.0
CELLS = 256
RIDGE = 1e-7
CLOSE = 1e-5  # how near the moments must come, in units where all lie in [-1, 1]
STEPS = 60
BATCH = 64  # sketches solved side by side: their bases fit the second-level cache

EDGES: Floats = -np.cos(np.pi * np.arange(CELLS + 1) / CELLS)
MIDDLES: Floats = -np.cos(np.pi * (np.arange(CELLS) + 0.5) / CELLS)
LOG_WIDTHS: Floats = np.log(np.diff(EDGES))


def check_quantiles(quantiles: Sequence[float]) -> tuple[float, ...]:
    """The quantiles as floats, refused unless each lies in [0, 1].

    >>> check_quantiles([0.5, 1])
    (0.5, 1.0)
    """
    given: list[Any] = list(quantiles) if np.iterable(quantiles) else [quantiles]
    for q in given:
        if isinstance(q, bool | str) or not np.isscalar(q) or not 0.0 <= q <= 1.0:
            raise BadInput.because(
                f"cannot estimate quantile {q!r}",
                "a quantile is a number from 0 to 1",
                "the median is 0.5, the 99th percentile 0.99",
            )
    return tuple(float(q) for q in given)


def estimate(sketch: Mapping[str, NDArray[Any]], quantiles: Sequence[float]) -> Floats:
    """Estimates, a row for each sketch and a column for each quantile.

    `sketch` has an array for each field of the moment sketch.  A row lies within
    [least, most] and never falls as the quantile rises, NaN being the largest
    value; it is NaN where the sketch is empty.
    """
    wanted = np.array(check_quantiles(quantiles), dtype=np.float64)
    rising = np.argsort(wanted, kind="stable")
    q = wanted[rising]
    count = np.asarray(sketch["count"], dtype=np.float64)
    least = np.asarray(sketch["least"], dtype=np.float64)
    most = np.asarray(sketch["most"], dtype=np.float64)
    powers = _columns(sketch, "s")
    logs = _columns(sketch, "l")

    with np.errstate(all="ignore"):  # what is not finite is dealt with by asking
        answer = _pieces(count, least, most, powers[:, 0] / count, q)
        spread = (count > 0) & np.isfinite(most - least) & (least < most)
        positive = (least > 0.0) & (np.asarray(sketch["log_count"]) == count)
        by_log = positive & (most / least > SPAN)
        for domain, chosen in ((False, spread & ~by_log), (True, spread & by_log)):
            rows = np.flatnonzero(chosen)
            for at in range(0, len(rows), BATCH):
                some = rows[at : at + BATCH]
                support = (least[some], most[some], count[some])
                _fill(answer, some, support, powers[some], logs[some], domain, q)
        answer = np.clip(answer, least[:, None], most[:, None])
        answer = np.maximum.accumulate(answer, axis=1)
    answer[:, q == 0.0] = least[:, None]
    answer[:, q == 1.0] = most[:, None]
    answer[count == 0] = np.nan
    unsorted = np.empty_like(answer)
    unsorted[:, rising] = answer
    return unsorted


def _columns(sketch: Mapping[str, NDArray[Any]], letter: str) -> Floats:
    fields = [np.asarray(sketch[f"{letter}{k}"], float) for k in range(1, ORDER + 1)]
    return np.stack(fields, axis=1)


def _fill(
    answer: Floats,
    rows: NDArray[np.int64],
    support: tuple[Floats, Floats, Floats],
    powers: Floats,
    logs: Floats,
    by_log: bool,
    q: Floats,
) -> None:
    """Answer these rows; where no set of moments will do, leave them as they are."""
    least, most, count = support
    mu, good = chebyshev_moments(powers / count[:, None], least, most)
    lo, hi = least, most
    t = (MIDDLES + 1.0) / 2.0
    if by_log:
        lo, hi = np.log(least), np.log(most)
        log_mu, log_good = chebyshev_moments(logs / count[:, None], lo, hi)
        values = np.exp(lo[:, None] * (1.0 - t) + hi[:, None] * t)
        x = 2.0 * (values - least[:, None]) / (most - least)[:, None] - 1.0
        own = np.broadcast_to(chebyshev(MIDDLES), (len(rows), ORDER, CELLS))
        basis = np.concatenate([own, chebyshev(np.clip(x, -1.0, 1.0))], axis=1)
        mu = np.concatenate([log_mu, mu], axis=1)
        good = well_conditioned(basis, np.exp(LOG_WIDTHS), _alternate(log_good, good))
    else:
        basis = np.broadcast_to(chebyshev(MIDDLES), (len(rows), ORDER, CELLS))
    open_ = np.arange(len(rows))
    while len(open_):
        some = good[open_]
        density, solved = _most_entropy(
            basis[open_] * some[:, :, None], np.where(some, mu[open_], 0.0)
        )
        for i, p in zip(open_[solved], density[solved], strict=True):
            y = np.interp(q, np.append(0.0, np.cumsum(p)), (EDGES + 1.0) / 2.0)
            between = lo[i] * (1.0 - y) + hi[i] * y
            answer[rows[i]] = np.exp(between) if by_log else between
        open_ = open_[~solved]
        good[open_] = _fewer(good[open_])
        open_ = open_[good[open_].any(axis=1)]
