"""Lifts, combines, inverses and lowers that several aggregates share."""


def as_float(value):
    return value * 1.0  # a number or a column of them


def lift_value(value):
    return (value,)


def lower_first(partial):
    return partial[0]


def lower_second(partial):
    return partial[1]


def lower_all(partial):
    return partial


def add(older, newer):
    return (older[0] + newer[0],)


def subtract(whole, oldest):
    return (whole[0] - oldest[0],)


def add_pairs(older, newer):
    return (older[0] + newer[0], older[1] + newer[1])


def subtract_pairs(whole, oldest):
    return (whole[0] - oldest[0], whole[1] - oldest[1])
