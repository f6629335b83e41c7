"""Finds the density of largest entropy that has the moments of a sketch.

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

The density is found by Newton's method, on cells of [-1, 1], with b the basis at their
middles and w their widths:

    p        == w exp(theta . b) / Z                  Z such that sum(p) == 1
    F(theta) == log Z - theta . mu + RIDGE / 2 |theta|^2
    grad F   == E_p[b] - mu + RIDGE theta             hess F == Cov_p[b] + RIDGE

F is convex, and its minimum has E_p[b] == mu but for the ridge, which keeps theta
finite where no density has these moments, as for values that are a few points.
A step that does not lower F enough is halved.  Cells are narrower towards both
ends, where skewed values are dense.

Tried on 64 windows of 5,000 values: a ridge of 1e-7 with CLOSE = 1e-5 is no more
accurate on smooth values, and takes 5 to 8 times as long where there are two points.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .moment_sketch import ORDER

Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

NOISE = 1e-6  # the largest rounding error of a moment that is used
CONDITION = 1e4  # at least 1 / CONDITION of the variance must be left
CELLS = 128
RIDGE = 1e-5
CLOSE = 1e-4  # how near to the moments, all of which lie in [-1, 1]
STEPS = 40
HALVINGS = 20

EDGES: Floats = -np.cos(np.pi * np.arange(CELLS + 1) / CELLS)
MIDDLES: Floats = -np.cos(np.pi * (np.arange(CELLS) + 0.5) / CELLS)
WIDTHS: Floats = np.diff(EDGES)

_CHOOSE: Floats = np.array(
    [[math.comb(k, j) for j in range(ORDER + 1)] for k in range(ORDER + 1)], float
)
_SERIES: Floats = np.eye(ORDER + 1)  # T(k) = 2 y T(k - 1) - T(k - 2), by powers of y
for _k in range(2, ORDER + 1):
    _SERIES[_k] = 2.0 * np.roll(_SERIES[_k - 1], 1) - _SERIES[_k - 2]


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
    the search for the maximum-entropy density begins.  By Cholesky's method on the
    covariance, whose rounding is far below 1 / CONDITION.
    """
    share = weights / weights.sum()
    centred = basis - (basis * share).sum(axis=2, keepdims=True)
    rest = (centred * share) @ centred.transpose(0, 2, 1)
    variance = np.diagonal(rest, axis1=1, axis2=2).copy()
    chosen = np.zeros_like(good)
    for turn in np.arange(basis.shape[1]).reshape(2, -1).T.ravel():
        size = rest[:, turn, turn].copy()
        chosen[:, turn] = good[:, turn] & (size * CONDITION > variance[:, turn])
        unit = chosen[:, turn] / np.sqrt(np.where(chosen[:, turn], size, 1.0))
        column = rest[:, turn] * unit[:, None]
        rest -= column[:, :, None] * column[:, None, :]
    return chosen


def max_entropy(basis: Floats, mu: Floats) -> tuple[Floats, Flags]:
    """The mass of each cell, for each row, and which rows were solved.

    `basis` is (rows, functions, cells).  A function that is not to be used is 0
    everywhere, with a moment of 0: its theta stays 0.
    """
    density = np.zeros((len(basis), CELLS))
    solved = np.zeros(len(basis), dtype=bool)
    live = np.arange(len(basis))
    theta, ridge = np.zeros_like(mu), RIDGE * np.eye(mu.shape[1])
    p, value = _at(theta, basis, mu)
    for _ in range(STEPS):
        mean = (basis @ p[:, :, None])[:, :, 0]
        gradient = mean - mu + RIDGE * theta
        close = np.abs(gradient).max(axis=1) < CLOSE
        new = close & ~solved[live]
        density[live[new]], solved[live[new]] = p[new], True
        left = ~solved[live]
        if not left.any():
            break
        if 2 * left.sum() < len(live):  # a copy pays once it is half as large
            live, basis = live[left], basis[left]
            mu, theta, p, value = (x[left] for x in (mu, theta, p, value))
            mean, gradient = mean[left], gradient[left]
        hessian = (basis * p[:, None]) @ basis.transpose(0, 2, 1)
        hessian -= mean[:, :, None] * mean[:, None, :]
        step = -np.linalg.solve(hessian + ridge, gradient[:, :, None])[:, :, 0]
        slope = (step * gradient).sum(axis=1)
        for _ in range(HALVINGS):
            trial, lower = _at(theta + step, basis, mu)
            short = ~(lower <= value + 1e-4 * slope)
            if not short.any():
                break
            step[short] /= 2.0
            slope[short] /= 2.0
        theta, p, value = theta + step, trial, lower
    return density, solved


def _at(theta: Floats, basis: Floats, mu: Floats) -> tuple[Floats, Floats]:
    """The density of theta, and F."""
    exponent = (theta[:, None] @ basis)[:, 0]
    top = exponent.max(axis=1, keepdims=True)
    mass = WIDTHS * np.exp(exponent - top)
    z = mass.sum(axis=1, keepdims=True)
    value = np.log(z[:, 0]) + top[:, 0] - (theta * mu).sum(axis=1)
    return mass / z, value + RIDGE / 2.0 * (theta**2).sum(axis=1)
