"""Builds the source of a kernel from lifted functions and generated text.

A function is lifted by its source, with the helpers and constants that it uses, so that
the text is the whole kernel: it can be hashed, cached, read and sent to other machines.
A function of an aggregate is renamed after its module (`sum._lift` is `sum_lift`); a
loop keeps its name, or gets the word of the vocabulary that it stands for
(`two_stacks_lite.slide` is `slide`).

    take(function)     a lifted block; interpreted, it keeps its own file and lines
    define(source)     a generated block, which depends on a product's fields
"""

from __future__ import annotations

import ast
import inspect
import math
import re
import textwrap
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from windrow._later import dataclass

# Only entries are called from Python: without wrappers the others compile a third
# faster.  A literal argument (`at = 0`) makes numba compile a callee twice;
# np.int64(0) does not.
JIT = (
    '@njit(error_model="numpy", nogil=True, '
    "no_cpython_wrapper=True, no_cfunc_wrapper=True)"
)
INLINE = JIT[:-1] + ", forceinline=True)"
ENTRY = '@njit(error_model="numpy", nogil=True)'
# Numba counts who holds an array, with locks, where functions are called with tuples of
# them; a kernel that makes no array needs no counts.  An operator's event through sba
# or pba takes 20 ns without, and 330 and 910 with.
_COUNTED, _NOT_COUNTED = "nogil=True", "nogil=True, _nrt=False"

GENERATED = "<windrow kernel>"  # the file name of generated blocks
_VOCABULARY = (  # words of kernels, which each lane defines for itself
    "windrow.aggregates.words",
    "windrow.kernels.vocabulary",
    "windrow.loops.columns",
)
# words that each part of a product has of its own where parts go their own way
PART_WORDS = ("IDENTITY", "combine", "inverse", "load", "same", "since", "store")
# Python numbers: infinities, no warnings
_PLAIN = {"int64": "int", "float64": "float"}


@dataclass(frozen=True)
class Block:
    """One block of source: a function if it has a name, lifted if it has a function."""

    source: str
    name: str = ""
    function: FunctionType | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    def plain_code(self, *, columns: bool = False) -> CodeType:
        """The code of the block for the interpreter, with its own file and lines."""
        source, file = self.source, GENERATED
        if self.function is not None:
            code = self.function.__code__
            file = code.co_filename
            source = "\n" * (code.co_firstlineno - 1) + _source_of(self.function)
        return _plain_code(source, file, tuple(self.names.items()), columns)


@lru_cache(maxsize=4096)
def _plain_code(
    source: str, file: str, names: tuple[tuple[str, str], ...], columns: bool
) -> CodeType:
    """The code of a block, made once: kernels share most of their blocks."""
    return compile(_Plain(dict(names), columns).visit(_parse(source)), file, "exec")


class _Plain(ast.NodeTransformer):
    """Renames functions as in the kernel, and replaces numpy's numbers by Python's.

    Over whole columns numpy's numbers stay.
    """

    def __init__(self, names: Mapping[str, str], columns: bool) -> None:
        self.names = names
        self.replaced = () if columns else tuple(_PLAIN)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in self.replaced:
            name = ast.Name(_PLAIN[called.attr], ast.Load())
            node.func = ast.copy_location(name, called)
        return self.generic_visit(node)


class Text:
    """A kernel under construction.

    `words` are the functions that stand for words of the vocabulary here; each is taken
    when a function uses the word.  `inline` are the names of functions to be inlined.
    With `columns` a place may be many places (`columns.py`).  Without `allocates` no
    function makes an array.
    """

    def __init__(
        self,
        title: str,
        *,
        words: Mapping[str, Callable[..., Any]] | None = None,
        inline: tuple[str, ...] = (),
        columns: bool = False,
        allocates: bool = True,
    ) -> None:
        self.title = title
        self.columns, self._allocates = columns, allocates
        self.blocks: list[Block] = []
        self._words = dict(words or {})
        self._inline = inline
        self._entries: set[str] = set()
        self._owners: dict[str, object] = {}

    def add(self, source: str) -> None:
        """Add a block of source: a constant or a comment."""
        if all(source != block.source for block in self.blocks):
            self.blocks.append(Block(source))

    def define(self, source: str, *, entry: bool = False) -> None:
        """Add a generated function, which other kernel functions, or Python, call."""
        name = defined_name(source)
        if entry:
            self._entries.add(name)
        if self._is_new(name, source):
            self.blocks.append(Block(source, name))

    def take(
        self,
        function: Callable[..., Any],
        name: str = "",
        *,
        entry: bool = False,
        after_module: bool = False,
        part: str = "",
    ) -> str:
        """Add a function by its source, and all that it uses; return its name here.

        An `entry` can be called from Python.  With `after_module` it and its helpers
        are renamed after their modules.  With `part` it works on one part of a product:
        its helpers and the words for partials end with that.
        """
        assert isinstance(function, FunctionType)
        prefix = f"{function.__module__.rpartition('.')[2]}_" if after_module else ""
        name = name or _prefixed(prefix, function.__name__) + part
        if entry:
            self._entries.add(name)
        if self._is_new(name, function):
            names = {function.__name__: name}
            for word in function.__code__.co_names:
                value = function.__globals__.get(word)
                if part and word in PART_WORDS:
                    names[word] = word + part
                elif getattr(value, "__module__", None) in _VOCABULARY:
                    if word in self._words:
                        self.take(self._words[word], word)
                elif isinstance(value, FunctionType):
                    names[word] = self.take(value, after_module=after_module, part=part)
                elif isinstance(value, (int, float)):
                    names[word] = _prefixed(prefix, word)
                    self.constant(names[word], value)
                elif hasattr(value, "__wrapped__"):  # numba's, without source
                    self.add(f"from {value.__module__} import {word}")
            self.blocks.append(Block(_lifted(function, names), name, function, names))
        return name

    def constant(self, name: str, value: Any) -> None:
        """Add a constant: a number, or a tuple of numbers."""
        if self._is_new(name, literal(value)):
            self.add(f"{name} = {literal(value)}")

    def _is_new(self, name: str, owner: object) -> bool:
        """Whether the name is new; two things of one name are our bug."""
        is_new = name not in self._owners
        first = self._owners.setdefault(name, owner)
        assert first == owner, f"two things are called {name}: {first} and {owner}"
        return is_new

    def sources(self) -> list[str]:
        """The blocks, each function with its decorator."""
        return [self._decorator(block.name) + block.source for block in self.blocks]

    def _decorator(self, name: str) -> str:
        if not name:
            return ""
        how = INLINE if name in self._inline else JIT
        if name in self._entries:
            how = ENTRY
        if not self._allocates:
            how = how.replace(_COUNTED, _NOT_COUNTED)
        return f"{how}\n"

    def render(self) -> str:
        """The whole module, without its header."""
        return f'"""{self.title}"""\n' + "\n\n\n".join(["", *self.sources()]) + "\n"


def defined_name(source: str) -> str:
    """The name of the function that a text defines."""
    return str(re.findall(r"def (\w+)", source)[0])


def _prefixed(prefix: str, name: str) -> str:
    return f"{prefix}{name.lstrip('_')}" if prefix else name


_parser = threading.Lock()


def _parse(source: str) -> ast.Module:
    """The tree of a text; Python 3.11 counts how deep it is for all threads at once."""
    with _parser:
        return ast.parse(source)


@lru_cache(maxsize=1024)
def _source_of(function: FunctionType) -> str:
    lines = textwrap.dedent(inspect.getsource(function)).rstrip().split("\n")
    bare = next(i for i, line in enumerate(lines) if line.split()[:1] == ["def"])
    return "\n".join(lines[bare:])  # without decorators


def _lifted(function: FunctionType, names: Mapping[str, str]) -> str:
    """The source of a function, with the names that things have in the kernel."""
    source = _source_of(function)
    for old, new in names.items():
        if old != new:
            source = re.sub(rf"(?<![\w.]){re.escape(old)}\b", new, source)
    return source


def literal(value: Any) -> str:
    """Python source for a constant, NaN and infinities included."""
    if isinstance(value, tuple):
        inner = ", ".join(literal(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "math.nan", "inf": "math.inf", "-inf": "-math.inf"}[str(value)]
    if isinstance(value, int) and value == -(2**63):
        return "(-9223372036854775807 - 1)"  # numba takes a bare 2**63 for unsigned
    return repr(value)


def typed_literal(items: Iterable[Any], dtypes: Sequence[str]) -> str:
    """Python source for a partial of those dtypes."""
    pairs = zip(items, dtypes, strict=True)
    return literal(tuple(float(i) if dtype == "float64" else i for i, dtype in pairs))
