"""Makes no machine code of functions that only machine code calls (imports numba).

Numba links a callee's optimised text into its callers, and emits machine code for the
callee as well, for Python to call.  Nothing calls the parts of a kernel from Python:
without code of their own a kernel compiles in two thirds of the time where it has many
(PBA: 48 functions, 5.1 s and not 8.3), and its code is smaller, since emission
rewrites the text that callers get.
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder


def njit(**options: Any) -> Any:
    """`numba.njit`; what has no wrapper for Python is a part of its callers alone."""
    if options.get("no_cpython_wrapper"):
        options["pipeline_class"] = _PartCompiler
    return numba.njit(**options)


def part(**options: Any) -> Any:
    """`numba.njit` for a function that Python never calls."""
    return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)


class _NoPlace:
    """Stands for the code generator where numba fills in what only wrappers read."""

    def set_env(self, name: str, environment: Any) -> None:
        """Leave it: there is no machine code that holds the name."""


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The text of a function, optimised and ready to be linked, and never emitted."""

    codegen = _NoPlace()

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002 - numba's own
        """Make the text ready; there is no address, as for any missing wrapper."""
        self._ensure_finalized()
        return 0

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _PartCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's usual pipeline, into a library that is never emitted."""

    def define_pipelines(self) -> list[Any]:
        """The passes of `njit`."""
        state = self.state
        name = state.func_id.func_qualname
        state.library = _PartLibrary(state.targetctx.codegen(), name)
        return [DefaultPassBuilder.define_nopython_pipeline(state)]
