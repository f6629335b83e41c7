"""Opens a job whose rows are filtered, joined and computed in the loop that folds them.

    stream   ts, ad, event_type         the columns themselves
    texts    event_type = 0             what is true of row i, or computed of it
    table    ad --> row of T            codes of campaigns, by the row that is met

What has no text (`loop_texts.py`) is computed by Arrow before, from the stream alone or
from a joined table alone.  A joined table must have each key once, and its keys lie
close together (`loop_joins.py`); else nothing is opened, and rows are prepared one step
after the other (`relation.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from windrow._later import dataclass
from windrow.errors import BadInput
from windrow.loops import as_numpy, thread_count
from windrow.loops import compute as pc
from windrow.plan.aggregate import Plan
from windrow.plan.cql import Pass
from windrow.query.tree import Apply, Expression, columns_in

from .aggregate import WindowJob
from .cells import LoopTexts, UnsortedRows
from .columns import plain_array
from .expressions import evaluate
from .keys import KeyColumn, computed_key, most_codes
from .loop_joins import joined_key, look_up
from .loop_texts import (
    LoopColumns,
    NoTextError,
    NumberText,
    computed_text,
    condition_text,
)
from .tables import read


@dataclass(frozen=True)
class LoopRows:
    """The rows of a pass as they stand, and what the loop does with them."""

    table: pa.Table
    schema: pa.Schema
    texts: LoopTexts

    def open(self, plan: Plan) -> WindowJob:
        """A job for a plan over `schema`."""
        threads = thread_count(None, len(self.table))
        unsorted = UnsortedRows(self.table, plan, threads, self.texts)
        return WindowJob(self.table, plan, threads, unsorted)


def loop_rows(inputs: Mapping[str, Any], pass_: Pass) -> LoopRows | str:
    """The rows of a pass for the loop, or why they are prepared before it."""
    relation = pass_.rows
    loop = LoopColumns(read(inputs[relation.stream], pass_.own_reads))
    functions, tests = list[str](), list[str]()
    for join in relation.joins:
        found = look_up(inputs[join.table], join, pass_.reads, loop)
        if found is None:
            keys_of = f"the keys of {join.table}"
            return f"{keys_of} are not whole numbers, each once and close together"
        functions.append(found.function)
        tests += [] if found.is_left else [f"({found.row} > 0)"]
    columns: dict[str, Any] = {}
    keys: dict[str, KeyColumn] = {}
    computed: dict[str, NumberText] = {}
    kinds: dict[str, pa.DataType] = {}
    try:
        for name, value in pass_.columns.items():
            used = [column.name for column in columns_in(value)]
            if (owner := loop.owner(used)) is not None:
                kinds[name] = _joined(name, value, pass_, loop, owner, keys, computed)
            elif (text := _text(name, value, pass_, loop)) is not None:
                kinds[name], computed[name] = text.kind, text
                if name in pass_.keys:
                    keys[name] = computed_key(text)
            elif loop.is_own(used):
                columns[name] = evaluate(value, loop.table)
                kinds[name] = columns[name].type
            else:
                return f"{name} is of several tables, and more than arithmetic"
        left_in = tuple(_condition(part, loop) for part in _parts(relation.where))
    except NoTextError as error:
        return str(error)
    except BadInput:  # perhaps of a row that where leaves out
        return "a value cannot be computed for each row"
    texts = LoopTexts(
        left_in, tuple(tests), tuple(functions), keys, computed, tuple(loop.arrays)
    )
    return LoopRows(pa.table(columns), pa.schema(kinds), texts)


def _joined(
    name: str,
    value: Expression,
    pass_: Pass,
    loop: LoopColumns,
    owner: tuple[pa.Table, str],
    keys: dict[str, KeyColumn],
    computed: dict[str, NumberText],
) -> pa.DataType:
    """Add a column of a joined table, or one that Arrow computes of that alone."""
    table, row = owner
    column = evaluate(value, table)
    if name in pass_.keys:
        keys[name] = joined_key(column, row)
    if name in pass_.measured:
        try:
            computed[name] = loop.number_of(column, name, row)
        except NoTextError:
            raise NoTextError(f"{name} of a joined table is not a number") from None
    return column.type


def _text(
    name: str, value: Expression, pass_: Pass, loop: LoopColumns
) -> NumberText | None:
    """How the loop computes a column; None where it reads it, or Arrow computes it."""
    if not isinstance(value, Apply) or name in pass_.looked_at or not columns_in(value):
        return None
    text = computed_text(value, loop)
    if text is None or name not in pass_.keys:
        return text
    if text.is_float or text.codes > most_codes(len(loop.table)):
        return None
    return text


def _parts(where: Expression | None) -> list[Expression]:
    """The conditions that must all hold."""
    if isinstance(where, Apply) and where.name == "and":
        return [part for side in where.arguments for part in _parts(side)]
    return [] if where is None else [where]


def _condition(part: Expression, loop: LoopColumns) -> str:
    """The text of a condition, or of a column that Arrow computes of it."""
    used = [column.name for column in columns_in(part)]
    table, row = loop.owner(used) or (loop.table, None)
    text = condition_text(part, loop) if row is None else None
    if text is not None:
        return text
    if row is None and not loop.is_own(used):
        raise NoTextError("where compares several tables by more than arithmetic")
    holds = evaluate(part, table).cast(pa.bool_())
    return loop.add(as_numpy(plain_array(pc.fill_null(holds, False))), row)
