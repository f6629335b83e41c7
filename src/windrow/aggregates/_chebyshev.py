"""Computes Chebyshev moments of a scaled support, and which of them are accurate.

A sketch has sums of powers of raw values.  On the support scaled to [-1, 1], with
centre c and half width h, and means m_j of v ** j:

    y = (v - c) / h
    E[y ** k]  == sum over j of C(k, j) (m_j / h**j) (-c / h)**(k - j)
    E[T_k(y)]  == sum over j of a_kj E[y ** j]         T_k = a_k0 + a_k1 y + ...

Far from zero (c >> h) the terms are huge and cancel.  The rounding error is carried
through both sums, and moments are used up to the first whose error is too large.
Moments of values and of logarithms may be nearly dependent: a moment is used only if
enough of it is left after projecting out those before it.

Rows are summed one by one: a product of two matrices rounds by its number of rows, and
the answer for a window must not depend on the other windows of the call.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import chebyshev as series
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ORDER = 10
NOISE = 1e-6  # the largest rounding error of a moment that is used
CONDITION = 1e4  # at least 1 / CONDITION of the variance must be left

_CHOOSE: Floats = np.array(
    [[math.comb(k, j) for j in range(ORDER + 1)] for k in range(ORDER + 1)], float
)
_SERIES: Floats = np.zeros((ORDER + 1, ORDER + 1))
for _k in range(ORDER + 1):
    _SERIES[_k, : _k + 1] = series.cheb2poly(np.eye(ORDER + 1)[_k][: _k + 1])


def polynomials(y: Floats) -> Floats:
    """T1 .. T10 at each y, in the last axis but one."""
    return np.cos(np.arange(1, ORDER + 1)[:, None] * np.arccos(y)[..., None, :])


def moments(means: Floats, lo: Floats, hi: Floats) -> tuple[Floats, Flags]:
    """E[T1] .. E[T10] for each row of means of powers, and which are accurate."""
    k = np.arange(ORDER + 1)
    half, centre = (hi - lo) / 2.0, (hi + lo) / 2.0
    scaled = np.concatenate([np.ones((len(means), 1)), means], axis=1)
    scaled = scaled / half[:, None] ** k
    shift = (-centre / half)[:, None, None] ** np.maximum(k[:, None] - k, 0)
    terms = np.where(_CHOOSE > 0.0, _CHOOSE * scaled[:, None, :] * shift, 0.0)
    powers = terms.sum(axis=2)
    noise = np.finfo(float).eps * np.abs(terms).sum(axis=2)
    usable = np.logical_and.accumulate(np.isfinite(powers + noise), axis=1)
    powers, noise = np.where(usable, powers, 0.0), np.where(usable, noise, np.inf)
    expected = (_SERIES * powers[:, None]).sum(axis=2)[:, 1:]
    errors = np.where(_SERIES != 0.0, np.abs(_SERIES) * noise[:, None], 0.0)
    error = errors.sum(axis=2)[:, 1:]
    good = (error < NOISE) & (np.abs(expected) < 1.0 + NOISE)
    return np.clip(expected, -1.0, 1.0), np.logical_and.accumulate(good, axis=1)


def independent(basis: Floats, weights: Floats, good: Flags) -> Flags:
    """Of the accurate functions, taken in turns from both halves, the independent ones.

    `basis` is (rows, functions, cells); the measure is the uniform density, where
    the search for the maximum-entropy density begins.
    """
    chosen = np.zeros_like(good)
    root = np.sqrt(weights / weights.sum())
    known = [root[None]]
    for turn in np.arange(basis.shape[1]).reshape(2, -1).T.ravel():
        function = basis[:, turn] * root
        rest = function
        for _ in range(2):  # twice, against rounding
            for q in known:
                rest = rest - (rest * q).sum(axis=1, keepdims=True) * q
        size = (rest**2).sum(axis=1)
        variance = (function**2).sum(axis=1) - (function * root).sum(axis=1) ** 2
        chosen[:, turn] = good[:, turn] & (size * CONDITION > variance)
        unit = np.where(chosen[:, turn], 1.0 / np.sqrt(size), 0.0)
        known.append(rest * unit[:, None])
    return chosen
