"""The laws of an aggregate: what the planner and the algorithms may rely on."""

from __future__ import annotations

import enum
from typing import Any

from windrow.errors import BadInput


class Law(enum.Flag):
    """What holds for `combine` beyond associativity, which every aggregate has.

        COMMUTATIVE   combine(a, b) == combine(b, a)
        INVERTIBLE    inverse(combine(a, b), a) == b: the *oldest* is taken off
        SELECTIVE     combine(a, b) is a or b
        IDEMPOTENT    combine(a, a) == a
        HOLISTIC      no partial of bounded size exists

    Combine several with `|`, or write them as words in a list.
    """

    NONE = 0
    COMMUTATIVE = enum.auto()
    INVERTIBLE = enum.auto()
    SELECTIVE = enum.auto()
    IDEMPOTENT = enum.auto()
    HOLISTIC = enum.auto()

    def names(self) -> list[str]:
        """The laws as lower-case words, in the order above."""
        return [str(law.name).lower() for law in Law if law in self and law.value]


def read_laws(words: Any) -> Law:
    """Laws from what a user may write: laws, words, or several of either."""
    laws = Law.NONE
    for word in [words] if isinstance(words, (Law, str)) else words:
        try:
            laws |= word if isinstance(word, Law) else Law[str(word).upper()]
        except KeyError:
            raise BadInput.because(
                f"cannot read law {word!r}",
                "there is no such law",
                "laws are commutative, invertible, selective, idempotent",
            ) from None
    return laws
