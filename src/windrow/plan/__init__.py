"""Every decision is taken here, and explained here."""

from .bind import as_call, gather_calls
from .by_policy import PolicyPlan, explain_by_policy, plan_by_policy
from .explain import explain_aggregate, explain_over, explain_spans
from .explanation import Explanation
from .over import OverPlan, plan_over
from .plan import Plan, plan_aggregate
from .sharing_text import check_show, explain_shown

__all__ = [
    "Explanation",
    "OverPlan",
    "Plan",
    "PolicyPlan",
    "as_call",
    "check_show",
    "explain_aggregate",
    "explain_by_policy",
    "explain_over",
    "explain_shown",
    "explain_spans",
    "gather_calls",
    "plan_aggregate",
    "plan_by_policy",
    "plan_over",
]
