"""Lets a command take a dataclass of options as one parameter.

    @with_option_groups
    def run(options: QueryOptions, stream: StreamOptions, to: To = "-") -> None: ...

Typer sees every field of the two as an option, with its help and its default, and `to`;
the command gets the dataclasses.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the fields of its dataclasses as parameters."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if dataclasses.is_dataclass(hints[name]):
            groups[name] = hints[name]
            parameters += _fields(hints[name])
        else:
            parameters.append(_option(name, hints[name], parameter.default))

    @functools.wraps(command)
    def ungrouped(**values: Any) -> None:
        for name, group in groups.items():
            fields = [field.name for field in dataclasses.fields(group)]
            values[name] = group(**{field: values.pop(field) for field in fields})
        command(**values)

    ungrouped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return ungrouped


def _fields(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in dataclasses.fields(group):
        has_none = field.default is dataclasses.MISSING
        default = inspect.Parameter.empty if has_none else field.default
        yield _option(field.name, hints[field.name], default)


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)
