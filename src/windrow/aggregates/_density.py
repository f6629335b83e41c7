"""Finds the density of largest entropy that has the moments of a sketch.

A sketch has sums of powers of raw values.  On the support scaled to [-1, 1], with
centre c and half width h, and means m_j of v ** j:

    y = (v - c) / h
    E[y ** k]  == sum over j of C(k, j) (m_j / h**j) (-c / h)**(k - j)
    E[T_k(y)]  == sum over j of a_kj E[y ** j]         T_k = a_k0 + a_k1 y + ...

Far from zero (c >> h) the terms are huge and cancel.  The rounding error is carried
through both sums, and moments are used up to the first whose error is too large.
Moments of values and of logarithms may be nearly dependent: a moment of values is used
only if enough of it is left after projecting out those before it.

The density is found by Newton's method, on cells of [-1, 1], with b the basis at their
middles and w their widths:

    p        == w exp(theta . b) / Z                  Z such that sum(p) == 1
    F(theta) == log Z - theta . mu + RIDGE / 2 |theta|^2
    grad F   == E_p[b] - mu + RIDGE theta             hess F == Cov_p[b] + RIDGE

F is convex, and its minimum has E_p[b] == mu but for the ridge, which keeps theta
finite where no density has these moments, as for values that are a few points.
A step that does not lower F enough is halved.  Cells are narrower towards both
ends, where skewed values are dense.

The search begins where a damped series of the moments is (`first_guess`).  All rows
take a step together, and those that are close enough leave.  A row has products of its
own, of a size that follows from the row: its bits must not depend on other rows.  The
basis is of single precision, which is ample for CLOSE and half the memory to read.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .moment_sketch import ORDER

Floats = np.ndarray[Any, np.dtype[np.float64]]
Singles = np.ndarray[Any, np.dtype[np.float32]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

NOISE = 1e-6  # the largest rounding error of a moment that is used
CONDITION = 100.0  # at least 1 / CONDITION of the variance must be left
CELLS = 128
RIDGE = 1e-5
CLOSE = 1e-3  # how near to the moments, all of which lie in [-1, 1]
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
_HIGHER = np.maximum(np.subtract.outer(np.arange(ORDER + 1), np.arange(ORDER + 1)), 0)


def polynomials(y: Floats) -> Floats:
    """T1 .. T10 at each y, in the last axis but one."""
    found = np.empty((*y.shape[:-1], ORDER, y.shape[-1]))
    found[..., 0, :] = y
    found[..., 1, :] = 2.0 * y * y - 1.0
    for k in range(2, ORDER):
        np.multiply(2.0 * y, found[..., k - 1, :], out=found[..., k, :])
        found[..., k, :] -= found[..., k - 2, :]
    return found


_POLYNOMIALS = polynomials(MIDDLES)
_TURN = np.pi / (ORDER + 2)
_DAMPING: Floats = np.array(
    [
        (ORDER - k + 2) * math.cos(_TURN * k) + math.sin(_TURN * k) / math.tan(_TURN)
        for k in range(1, ORDER + 1)
    ]
)
_DAMPING = np.sqrt(_DAMPING / (ORDER + 2))  # in full they damp more than is needed


def moments(means: Floats, lo: Floats, hi: Floats) -> tuple[Floats, Flags]:
    """E[T1] .. E[T10] for each row of means of powers, and which are accurate.

    Rows are summed one by one: a product of two matrices rounds by its number of rows.
    """
    k = np.arange(ORDER + 1)
    half, centre = (hi - lo) / 2.0, (hi + lo) / 2.0
    scaled = np.concatenate([np.ones((len(means), 1)), means], axis=1)
    scaled = scaled / half[:, None] ** k
    shift = ((-centre / half)[:, None] ** k)[:, _HIGHER]
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


def independent(basis: Floats) -> Flags:
    """Which functions are independent of those chosen before them.

    `basis` is (functions, cells); the measure is the uniform density, where the search
    for the maximum-entropy density begins.  By Cholesky's method on the covariance,
    whose rounding is far below 1 / CONDITION.
    """
    share = WIDTHS / WIDTHS.sum()
    centred = basis - (basis * share).sum(axis=1, keepdims=True)
    rest = (centred * share) @ centred.T
    variance = np.diagonal(rest).copy()
    chosen = np.zeros(len(basis), dtype=bool)
    for turn in range(len(basis)):
        size = rest[turn, turn]
        if size * CONDITION > variance[turn]:
            chosen[turn] = True
            column = rest[turn] / np.sqrt(size)
            rest -= column[:, None] * column
    return chosen


def first_guess(mu: Floats) -> Floats:
    """Theta of T1 .. T10 where the search begins: near the density, without a search.

    1 + 2 sum(mu_k T_k) is the density of angles, and Jackson's factors keep it from
    falling below zero; theta is the logarithm of that series, projected on T1 .. T10.
    """
    angles = 1.0 + 2.0 * ((_DAMPING * mu)[:, None] @ _POLYNOMIALS)[:, 0]
    exponent = np.log(np.maximum(angles, 0.03) / WIDTHS)
    return 2.0 / CELLS * (exponent[:, None] @ _POLYNOMIALS.T)[:, 0]


def max_entropy(basis: Singles, mu: Floats, theta: Floats) -> tuple[Floats, Flags]:
    """The mass of each cell, for each row, and which rows were solved.

    `basis` is (rows, functions, cells), and is overwritten, as is theta, the place to
    begin.  A function that is not to be used is 0 everywhere, with a moment of 0.
    """
    density = np.zeros((len(basis), CELLS))
    solved = np.zeros(len(basis), dtype=bool)
    live = np.arange(len(basis))
    ridge, weighted = RIDGE * np.eye(mu.shape[1]), np.empty_like(basis)
    exponent = _along(theta, basis)
    p, log_z = _masses(exponent)
    for _ in range(STEPS):
        weights = p.astype(np.float32)
        mean = (basis @ weights[:, :, None])[:, :, 0].astype(float)
        gradient = mean - mu + RIDGE * theta
        close = (np.abs(gradient).max(axis=1) < CLOSE) & ~solved[live]
        density[live[close]], solved[live[close]] = p[close], True
        left = np.flatnonzero(~solved[live])
        if not len(left):
            break
        if 8 * len(left) <= 7 * len(live):  # a copy takes an eighth of a step
            smaller = weighted[
                : len(left)
            ]  # new memory would take longer than the copy
            np.take(basis, left, axis=0, out=smaller, mode="clip")
            basis, weighted = smaller, basis[: len(left)]
            live, log_z, exponent = live[left], log_z[left], exponent[left]
            mu, theta, gradient = mu[left], theta[left], gradient[left]
            weights, mean = weights[left], mean[left]
        np.multiply(basis, weights[:, None], out=weighted)
        hessian = weighted @ basis.transpose(0, 2, 1) + ridge
        hessian -= mean[:, :, None] * mean[:, None, :]
        solution = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        step: Floats = -np.asarray(solution, dtype=np.float64)
        direction = _along(step, basis)
        slope = (step * gradient).sum(axis=1)
        line = ((RIDGE * theta - mu) * step).sum(axis=1)
        curve = RIDGE / 2.0 * (step**2).sum(axis=1)
        length, start = np.ones(len(live)), log_z
        p, log_z = _masses(exponent + direction)
        for _ in range(HALVINGS):
            rise = log_z - start + length * (line + length * curve)
            short = np.flatnonzero(~(rise <= 1e-4 * length * slope))
            if not len(short):
                break
            length[short] /= 2.0
            trial = exponent[short] + length[short, None] * direction[short]
            p[short], log_z[short] = _masses(trial)
        theta += length[:, None] * step
        exponent += length[:, None] * direction
    return density, solved


def _along(theta: Floats, basis: Singles) -> Floats:
    """Exponents at each cell: theta . b for each row."""
    return (theta.astype(np.float32)[:, None] @ basis)[:, 0].astype(float)


def _masses(exponent: Floats) -> tuple[Floats, Floats]:
    """The masses of cells, and log Z, for each row of exponents."""
    top = exponent.max(axis=1, keepdims=True)
    mass = WIDTHS * np.exp(exponent - top)
    z = mass.sum(axis=1, keepdims=True)
    return mass / z, (np.log(z) + top)[:, 0]
