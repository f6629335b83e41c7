"""Chebyshev moments of a scaled support, and which of them can be trusted.

A sketch has sums of powers of raw values.  On the support scaled to [-1, 1], with
centre c and half width h, and means m_j of v ** j:

    y = (v - c) / h
    E[y ** k]  == sum over j of C(k, j) (m_j / h**j) (-c / h)**(k - j)
    E[T_k(y)]  == sum over j of a_kj E[y ** j]         T_k = a_k0 + a_k1 y + ...

Far from zero (c >> h) the terms are huge and cancel: what rounding leaves of them is
followed through both sums, and moments from the first drowned one on are not used.
Of two kinds of moments on one support, some say nearly the same: one is used only
if enough of it is left when those before it are taken out.

Rows are summed one by one: a product of two matrices rounds by how many rows it has,
and the answer for a window must not depend on which others are asked for with it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import chebyshev as series
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

ORDER = 10
NOISE = 1e-6  # the largest error of a moment that is used, by rounding
CONDITION = 1e4  # the least share of variance left over is one by this

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
    """E[T1] .. E[T10] for each row of means of powers, and which can be trusted."""
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
    found = (_SERIES * powers[:, None]).sum(axis=2)[:, 1:]
    errors = np.where(_SERIES != 0.0, np.abs(_SERIES) * noise[:, None], 0.0)
    error = errors.sum(axis=2)[:, 1:]
    good = (error < NOISE) & (np.abs(found) < 1.0 + NOISE)
    return np.clip(found, -1.0, 1.0), np.logical_and.accumulate(good, axis=1)


def independent(basis: Floats, weights: Floats, good: Flags) -> Flags:
    """Of the good functions, in turns from both halves, those that say enough anew.

    `basis` is (rows, functions, cells); the measure is the uniform density, where
    the search for the density of most entropy begins.
    """
    kept = np.zeros_like(good)
    root = np.sqrt(weights / weights.sum())
    known = [root[None]]
    for turn in np.arange(basis.shape[1]).reshape(2, -1).T.ravel():
        function = basis[:, turn] * root
        rest = function
        for _ in range(2):  # once more, for what rounding left
            for q in known:
                rest = rest - (rest * q).sum(axis=1, keepdims=True) * q
        size = (rest**2).sum(axis=1)
        variance = (function**2).sum(axis=1) - (function * root).sum(axis=1) ** 2
        kept[:, turn] = good[:, turn] & (size * CONDITION > variance)
        unit = np.where(kept[:, turn], 1.0 / np.sqrt(size), 0.0)
        known.append(rest * unit[:, None])
    return kept
