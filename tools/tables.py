"""Writes the generated tables of README.md and docs/ from the catalogues.

    python tools/tables.py            write
    python tools/tables.py --check    say which files are stale, and fail if one is

A table stands between two comments that name it, and only what is between them is
touched:

    <!-- table: algorithms -->
    ...
    <!-- end of table: algorithms -->
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from windrow.aggregates import CATALOGUE as AGGREGATES
from windrow.aggregates import Aggregate, Field
from windrow.algorithms import CATALOGUE as ALGORITHMS
from windrow.algorithms import Algorithm
from windrow.plan.tree import level1_of
from windrow.selection import CATALOGUE as SELECTION
from windrow.slicing import CATALOGUE as SLICERS
from windrow.spans import CATALOGUE as TECHNIQUES
from windrow.spans import Technique

ROOT = Path(__file__).resolve().parents[1]
FILES = (
    "README.md",
    "docs/algorithms.md",
    "docs/aggregates.md",
    "docs/api.md",
    "docs/how-algorithms-work.md",
    "docs/spanning.md",
    "docs/order-statistics.md",
    "docs/sketches.md",
)
MARKED = re.compile(
    r"(?P<head><!-- table: (?P<name>[\w-]+) -->\n).*?"
    r"(?P<foot><!-- end of table: (?P=name) -->)",
    re.DOTALL,
)
ACCEPTS = {
    "anything": "any type",
    "distance": "numbers, dates, timestamps, durations",
    "hashed": "numbers, dates, times, strings",
    "number": "numbers",
    "ordered": "numbers, dates, times, strings",
    "text": "strings",
    "truth": "booleans, whole numbers",
    "whole": "whole numbers",
}
RESULTS = {
    "bytes": "binary",
    "count": "int64",
    "counts": "list of int64",
    "difference": "int64, float64, decimal or duration",
    "float": "float64",
    "items": "list of structs of item and count",
    "list": "list of the column's type",
    "map": "map of the column's type to int64",
    "quantile": "float64, as the column, or a list",
    "rank": "int64, or float64",
    "mean": "float64, or decimal",
    "position": "as the column it is taken from",
    "quantiles": "float64, or a list of them",
    "sketch": "struct",
    "text": "as the column",
    "total": "int64, float64, decimal or duration",
    "truth": "boolean",
    "value": "as the column",
}


def algorithm_cards() -> str:
    """One row for each form of an algorithm, as its card has it."""
    return _table(
        (
            "algorithm",
            "form",
            "needs",
            "combines a window",
            "at worst",
            "partials kept",
            "from",
        ),
        (
            (
                f"`{card.name}`",
                f"{form}, by `{costs.by}`" if costs.by else form,
                _needs(card),
                costs.time,
                costs.worst,
                costs.space,
                card.source,
            )
            for card in ALGORITHMS
            for form, costs in card.forms.items()
        ),
    )


def algorithm_list() -> str:
    """One row for each algorithm: over even windows, where it has a form for these."""

    def row(card: Algorithm) -> tuple[str, ...]:
        costs = card.strided if card.strided and not card.strided.by else card
        online = "yes" if card.online else "no"
        if card.online and card.online.by:
            online = f"as `{card.online.by}`"
        several = "yes" if card.several or card.listed else "no"
        cost = (costs.time, costs.worst, costs.space)
        return (f"`{card.name}`", _needs(card), *cost, online, several, card.source)

    return _table(
        (
            "algorithm",
            "needs",
            "combines a window",
            "at worst",
            "partials kept",
            "one event at a time",
            "several ranges",
            "from",
        ),
        map(row, ALGORITHMS),
    )


def algorithm_card(card: Algorithm) -> str:
    """What an algorithm costs, in a sentence: to stand below its drawing."""
    suited = _needs(card) if card.needs else "all"
    return (
        f"**`{card.name}`** serves {suited} aggregates. "
        f"Combines a window: {card.time}; "
        f"at worst: {card.worst}. Partials kept: {card.space}.\n"
    )


def algorithm_pictures() -> str:
    """One section per algorithm: its card in words, then picture and invariants."""
    sections = []
    for card in ALGORITHMS:
        facts = [
            f"Needs {_needs(card)} aggregates."
            if card.needs
            else "Serves every aggregate.",
            "Serves windows of several ranges in one pass." if card.many else "",
            "Has a fast path for windows that move on by one slice."
            if card.stride is not None
            else "",
            f"Runs on {card.threads} threads." if card.threads > 1 else "",
        ]
        sections.append(
            f"### {card.title}\n\n"
            f"`{card.name}`. {' '.join(fact for fact in facts if fact)}\n\n"
            f"```text\n{_docstring(f'windrow.algorithms.{card.name}')}\n```\n"
        )
    return "\n".join(sections)


def technique_cards() -> str:
    """One row per technique for events with a duration, as its card has it."""
    return _table(
        (
            "technique",
            "form",
            "needs",
            "an event costs",
            "a window costs",
            "at worst",
            "kept",
            "in the paper",
            "from",
        ),
        (
            (
                f"`{card.name}`",
                form,
                _needs(card),
                costs.insert,
                costs.release,
                costs.worst,
                costs.space,
                card.paper,
                card.source,
            )
            for card in TECHNIQUES
            for form, costs in card.forms.items()
        ),
    )


def selection_cards() -> str:
    """One row per method that finds values by their order, as its card has it."""
    return _table(
        ("method", "serves", "a row and a window cost", "kept", "from"),
        (
            (f"`{card.name}`", card.serves, card.time, card.space, card.source)
            for card in SELECTION
        ),
    )


def slicer_cards() -> str:
    """One row per slicer, as its card has it."""
    return _table(
        ("slicer", "where it cuts", "from"),
        ((f"`{card.name}`", card.title, card.source) for card in SLICERS),
    )


def aggregate_families() -> str:
    """One row per file of aggregates: what it is about, and the names."""
    families: dict[str, list[str]] = {}
    for aggregate in AGGREGATES:
        families.setdefault(_module_of(aggregate), []).append(_names(aggregate))
    return _table(
        ("about", "aggregates (and other names for them)"),
        ((_subject(module), ", ".join(names)) for module, names in families.items()),
    )


def _module_of(aggregate: Aggregate) -> str:
    """The module that defines an aggregate, under its name in capitals."""
    return next(
        name
        for name, module in sys.modules.items()
        if name.startswith("windrow.aggregates.")
        and getattr(module, aggregate.name.upper(), None) is aggregate
    )


def aggregate_cards() -> str:
    """One row per aggregate: meaning, types and laws."""
    return _table(
        (
            "aggregate",
            "what it gives",
            "columns",
            "takes",
            "result",
            "laws",
            "level 1 on Spark",
        ),
        (
            (
                _names(aggregate),
                aggregate.summary,
                _span(aggregate.columns),
                ACCEPTS[aggregate.accepts],
                RESULTS[aggregate.result],
                ", ".join(aggregate.laws.names()) or "none",
                level1_of(aggregate),
            )
            for aggregate in AGGREGATES
        ),
    )


def aggregate_partials() -> str:
    """One row per partial of bounded size: its fields, and all that is read off it."""
    bounded = [one for one in AGGREGATES if one.in_kernels]
    partials = dict.fromkeys(aggregate.fields for aggregate in bounded)
    return _table(
        ("partial", "aggregates that are read off it"),
        (
            (
                _fields(fields),
                ", ".join(
                    f"`{one.name}`" for one in bounded if set(one.fields) <= set(fields)
                ),
            )
            for fields in partials
        ),
    )


def sketch_cards() -> str:
    """One row per approximate aggregate: its sketch, its options and its error."""
    return _table(
        ("aggregate", "sketch", "options", "error"),
        (
            (
                _names(one),
                one.sketch,
                ", ".join(f"`{name}={value}`" for name, value in one.options.items()),
                one.error,
            )
            for one in AGGREGATES
            if one.error
        ),
    )


def aggregate_names() -> str:
    """One row per aggregate: how each of its public names is called."""
    return _table(
        ("aggregate", "call", "other names", "what it gives"),
        (
            (
                f'`{one.name}`<span id="windrow.{one.name}"></span>',
                f"`{_call(one)}`",
                ", ".join(
                    f'`wr.{alias}`<span id="windrow.{alias}"></span>'
                    for alias in one.aliases
                ),
                one.summary,
            )
            for one in AGGREGATES
        ),
    )


TABLES: dict[str, Callable[[], str]] = {
    "algorithms": algorithm_cards,
    "algorithm-list": algorithm_list,
    "algorithm-pictures": algorithm_pictures,
    "techniques": technique_cards,
    "slicers": slicer_cards,
    "selection": selection_cards,
    "aggregate-families": aggregate_families,
    "aggregates": aggregate_cards,
    "aggregate-partials": aggregate_partials,
    "sketches": sketch_cards,
    "aggregate-names": aggregate_names,
    **{f"card-{card.name}": partial(algorithm_card, card) for card in ALGORITHMS},
}


def filled(text: str) -> str:
    """The text with each marked table written anew."""
    return MARKED.sub(
        lambda found: (
            f"{found['head']}\n{TABLES[found['name']]().rstrip()}\n\n{found['foot']}"
        ),
        text,
    )


def stale(root: Path = ROOT) -> list[str]:
    """The files whose tables do not say what the catalogues say."""
    return [name for name in FILES if filled(_read(root / name)) != _read(root / name)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the tables, or check them; the exit status."""
    parser = argparse.ArgumentParser(description="Generated tables of the docs.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    checking = parser.parse_args(arguments).check
    names = stale()
    for name in names:
        if checking:
            print(f"{name} is stale: a table differs from the catalogue")
        else:
            (ROOT / name).write_text(filled(_read(ROOT / name)), encoding="utf-8")
            print(f"wrote {name}")
    if checking and names:
        print("Hint: run make docs")
    elif not names:
        print("all tables are fresh")
    return 1 if checking and names else 0


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _needs(card: Algorithm | Technique) -> str:
    return " and ".join(card.needs.names()) or "nothing"


def _names(aggregate: Aggregate) -> str:
    others = ", ".join(f"`{alias}`" for alias in aggregate.aliases)
    return f"`{aggregate.name}`" + (f" ({others})" if others else "")


def _call(aggregate: Aggregate) -> str:
    least, most = aggregate.columns
    names = ["x", "y"][:most]
    needed, more = ", ".join(names[:least]), ", ".join(names[least:])
    optional = f"[{', ' if least else ''}{more}]" if more else ""
    options = "".join(
        f", {name}={value!r}" for name, value in aggregate.options.items()
    )
    return f"wr.{aggregate.name}({needed}{optional}{options})"


def _span(columns: tuple[int, int]) -> str:
    least, most = columns
    return str(most) if least == most else f"{least} or {most}"


def _fields(fields: Sequence[Field]) -> str:
    names = [field.name for field in fields]
    if len(names) > 8:
        names = [*names[:5], "...", *names[-2:]]
    return f"({', '.join(names)})"


def _docstring(module: str) -> str:
    text = importlib.import_module(module).__doc__
    assert text is not None
    return text.strip()


def _subject(module: str) -> str:
    """The first sentence of a module's docstring, without its partials."""
    first = _docstring(module).partition("\n")[0]
    return re.split(r"\.? Partials?:|\.$", first)[0]


if __name__ == "__main__":
    sys.exit(main())
