"""Every decision is taken here, and explained here."""

from .bind import as_call, gather_calls
from .explain import Explanation, explain_aggregate, explain_over
from .over import OverPlan, plan_over
from .plan import Plan, plan_aggregate

__all__ = [
    "Explanation",
    "OverPlan",
    "Plan",
    "as_call",
    "explain_aggregate",
    "explain_over",
    "gather_calls",
    "plan_aggregate",
    "plan_over",
]
