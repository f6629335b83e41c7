"""Source text under construction: functions taken over by their own source.

A function is renamed after its module (`sum._lift` becomes `sum_lift`) and brings
along the helpers and constants that it uses, so that the text alone is the
kernel: it can be hashed, cached, read and sent to another machine.
"""

from __future__ import annotations

import inspect
import math
import re
import textwrap
from types import FunctionType
from typing import Any

# Only `run` is called from Python: without wrappers the rest compiles a third faster.
# A literal argument (`at = 0`) makes numba compile a callee twice; np.int64(0) not.
JIT = (
    '@njit(error_model="numpy", nogil=True, '
    "no_cpython_wrapper=True, no_cfunc_wrapper=True)"
)
INLINE = JIT[:-1] + ", forceinline=True)"
ENTRY = '@njit(error_model="numpy", nogil=True, cache=CACHE)'


class Text:
    """A module under construction: functions taken over once each, then the rest."""

    def __init__(self, title: str, inline: tuple[str, ...] = ()) -> None:
        self.title = title
        self.inline = inline  # names of functions that must not become calls
        self.blocks: list[str] = []
        self._taken: dict[Any, str] = {}

    def add(self, block: str) -> None:
        """One more block of source."""
        self.blocks.append(textwrap.dedent(block).strip("\n"))

    def take(self, function: FunctionType, *, keep_name: bool = False) -> str:
        """Take a function over by its source, and all it uses; give its name here."""
        if function in self._taken:
            return self._taken[function]
        module = function.__module__.rpartition(".")[2]
        name = function.__name__
        own = name if keep_name else f"{module}{'' if name[0] == '_' else '_'}{name}"
        self._taken[function] = own
        source = textwrap.dedent(inspect.getsource(function))
        source = _replace(source, name, own)
        for used in function.__code__.co_names:
            value = function.__globals__.get(used)
            if isinstance(value, FunctionType) and not _is_vocabulary(value):
                source = _replace(source, used, self.take(value, keep_name=keep_name))
            elif isinstance(value, (int, float)):
                constant = used if keep_name else f"{module}_{used.strip('_')}"
                line = f"{constant} = {literal(value)}"
                if line not in self.blocks:
                    self.blocks.append(line)
                source = _replace(source, used, constant)
        jit = INLINE if own in self.inline else JIT
        self.blocks.append(f"{jit}\n{source.rstrip()}")
        return own

    def render(self) -> str:
        """The whole module, without its header."""
        return f'"""{self.title}"""\n' + "\n\n\n".join(["", *self.blocks]) + "\n"


def _replace(source: str, name: str, by: str) -> str:
    return (
        re.sub(rf"(?<![\w.]){re.escape(name)}\b", by, source) if name != by else source
    )


def _is_vocabulary(function: FunctionType) -> bool:
    return function.__module__ == "windrow.kernels.vocabulary"


def literal(value: Any) -> str:
    """Python source for a constant, NaN and infinities included."""
    if isinstance(value, tuple):
        inner = ", ".join(literal(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "math.nan", "inf": "math.inf", "-inf": "-math.inf"}[str(value)]
    if isinstance(value, int) and value == -(2**63):
        return (
            "(-9223372036854775807 - 1)"  # a bare -2**63 is read as -(2**63): unsigned
        )
    return repr(value)
