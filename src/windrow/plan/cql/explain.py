"""Explains a text of queries: prints each query's tree, then each pass.

pass       for which queries
stream     and its time column; number, join, where, compute
aggregate  as wr.explain has it
query      for each: having, istream, select
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windrow.plan.explain import Explanation
from windrow.query.unparse import name_text, text_of, tree_text

from .loop import loop_steps
from .passes import Member, Pass


def explain_passes(
    passes: Sequence[Pass],
    aggregated: Sequence[Explanation | None],
    reasons: Sequence[str | None],
    on_spark: bool,
) -> Explanation:
    """Explain all passes; `aggregated` has the plan of each one's aggregation.

    `reasons` say why rows are prepared before they are folded, if they are.
    """
    members = [member for pass_ in passes for member in pass_.members]
    lines = ["tree"]
    for member in sorted(members, key=lambda member: member.place):
        lines += [f"  {line}" for line in tree_text(member.bound.query).splitlines()]
    lines.append("plan")
    plans = zip(passes, aggregated, reasons, strict=True)
    for number, (pass_, inner, reason) in enumerate(plans, 1):
        own = None if on_spark else _loop(pass_, reason)
        lines += [f"  {line}" for line in _pass(number, pass_, inner, own)]
    return Explanation("\n".join(lines))


def _pass(
    number: int, pass_: Pass, inner: Explanation | None, loop: str | None
) -> Iterator[str]:
    places = [str(member.place + 1) for member in pass_.members]
    many = "query" if len(places) == 1 else "queries"
    yield f"pass {number} for {many} {', '.join(places)}"
    rows = pass_.rows
    time = f", time {rows.time}" if rows.time is not None else ""
    yield f"  stream     {rows.stream}{time}"
    if rows.numbered is not None:
        within = f" within {', '.join(rows.numbered)}" if rows.numbered else ""
        yield f"  number     rows in order{within}, before any is left out"
    where = [] if rows.where is None else [f"  where      {text_of(rows.where)}"]
    yield from where if rows.filters_first else []
    for join in rows.joins:
        pairs = ", ".join(f"{left} = {join.table}.{own}" for left, own in join.pairs)
        yield f"  {'left join' if join.is_left else 'join':<10} {join.table} on {pairs}"
    yield from [] if rows.filters_first else where
    yield from [] if loop is None else [loop]
    if pass_.computed and pass_.windows:
        yield f"  compute    {', '.join(pass_.computed)}"
    if inner is not None:
        yield from (f"  {line}" for line in str(inner).splitlines())
    for member in pass_.members:
        yield from _member(member, len(pass_.windows) > 1)


def _loop(pass_: Pass, reason: str | None) -> str | None:
    """What the loop does beside folding rows; None if there is nothing of that."""
    step = " and ".join(loop_steps(pass_))
    if not pass_.windows or not step:
        return None
    if reason is not None:
        return f"  loop       none, {step} go before: {reason}"
    tables = ", ".join(join.table for join in pass_.rows.joins)
    serve = f"these and the keys of {tables}" if tables else "these"
    return f"  loop       {step} while rows are folded into cells, where {serve} serve"


def _member(member: Member, listed: bool) -> Iterator[str]:
    bound = member.bound
    windows = f" of windows {member.window!r}" if listed else ""
    yield f"  query {member.place + 1}{windows}"
    if bound.rows.numbered is not None:
        yield "    complete windows only"
    if bound.having is not None:
        yield f"    having   {text_of(bound.having, bare=True)}"
    if bound.query.compares and bound.window is not None:
        output = str(bound.query.output)
        other = "before did" if output == "istream" else "after does"
        yield f"    {output}  results that the window {other} not have"
    items = []
    for name, expression in bound.items:
        text = text_of(expression, bare=True)
        items.append(text if text == name else f"{text} as {name_text(name)}")
    yield f"    select   {', '.join(items)}"
