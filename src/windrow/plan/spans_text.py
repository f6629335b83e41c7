"""What is said of events with a duration in every explanation."""

from __future__ import annotations

from windrow.aggregates import Law
from windrow.kernels import Product

from .aggregate import Plan
from .requests import ask, may_overflow
from .tree import Tree


def span_words(plan: Plan) -> str:
    """What events are, and in which order they are seen."""
    assert plan.span is not None
    order = "in the order of their ends"
    if all(Law.COMMUTATIVE in bound.aggregate.laws for bound in plan.calls):
        order = "in any order"
    return f"events last from {plan.span[0]} to {plan.span[1]}, {order}"


def technique_words(tree: Tree) -> str:
    """Who computes windows where many tasks do, each from the events it has.

    What was folded is computed together; of events each call may have its own.
    """
    plan = tree.plan
    if plan.algorithm != "auto":
        return f"{plan.algorithm}: asked for by name"
    bound = [one for one, _ in tree.asked.calls]
    products = [tree.asked.product] if bound else []
    if tree.level1 == "rows":
        products = [ask([one], tree.slots, may_overflow).product for one in bound]
    found = dict.fromkeys(name for product in products for name in _names(product))
    if any(Law.HOLISTIC in one.aggregate.laws for one in plan.calls):
        found["tuple_buckets"] = None
    *some, last = found
    listed = f"{', '.join(some)} or {last}" if some else last
    return f"{listed}, as each task chooses for as long as its events are"


def _names(product: Product) -> list[str]:
    """What may be chosen for a product, whatever the events are."""
    names = ["se_slicing"]
    if Law.COMMUTATIVE in product.laws:
        names.append("se_ml_slicing")
    elif Law.SELECTIVE in product.laws:
        names.append("selective_sweeping")
    if product.undoable:
        names.append("starts_and_ends")
    return names


__all__ = ["span_words", "technique_words"]
