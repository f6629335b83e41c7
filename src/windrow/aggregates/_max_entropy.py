"""Finds the maximum-entropy density with given moments, by Newton's method.

On cells of [-1, 1], with b the basis at their middles and w their widths:

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

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

CELLS = 256
RIDGE = 1e-5
CLOSE = 1e-4  # how near to the moments, all of which lie in [-1, 1]
STEPS = 40
HALVINGS = 20

EDGES: Floats = -np.cos(np.pi * np.arange(CELLS + 1) / CELLS)
MIDDLES: Floats = -np.cos(np.pi * (np.arange(CELLS) + 0.5) / CELLS)
WIDTHS: Floats = np.diff(EDGES)


def max_entropy(basis: Floats, mu: Floats) -> tuple[Floats, Flags]:
    """The mass of each cell, for each row, and which rows were solved.

    `basis` is (rows, functions, cells).  A function that is not to be used is 0
    everywhere, with a moment of 0: its theta stays 0.
    """
    density = np.zeros((len(basis), CELLS))
    solved = np.zeros(len(basis), dtype=bool)
    live = np.arange(len(basis))
    theta = np.zeros_like(mu)
    p, value = _at(theta, basis, mu)
    for _ in range(STEPS):
        mean = (basis @ p[:, :, None])[:, :, 0]
        gradient = mean - mu + RIDGE * theta
        close = np.abs(gradient).max(axis=1) < CLOSE
        density[live[close]], solved[live[close]] = p[close], True
        live = live[~close]
        if not len(live):
            break
        basis, mu, theta = basis[~close], mu[~close], theta[~close]
        p, value, mean, gradient = (
            p[~close],
            value[~close],
            mean[~close],
            gradient[~close],
        )
        hessian = (basis * p[:, None]) @ basis.transpose(0, 2, 1)
        hessian -= mean[:, :, None] * mean[:, None, :]
        hessian += RIDGE * np.eye(mu.shape[1])
        step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
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
