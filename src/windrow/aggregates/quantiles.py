"""Placeholder until the estimates are written."""


def estimate(sketch, quantiles):
    raise NotImplementedError


def check_quantiles(quantiles):
    raise NotImplementedError
