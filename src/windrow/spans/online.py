"""Keeps the slices of one key between events, and runs Algorithm 1 over them.

SpanKernel     the loops of `clock.py` for a product, as plain Python or compiled
OnlineSlices   memory: the words, and a ring that grows with the longest event

The ring has a place for each slice of a window and of the time to postpone, however
many events they hold.  That time is the longest event so far, and never less: so is the
ring as long as any window is open.  When none is, it is given back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from windrow.kernels import Assembly, Product
from windrow.loops import Lane, Laned, compiled_content, forced_lane, kernel_name
from windrow.windows import Even

from .clock import (
    CLOCK,
    CROSSED,
    ENDED,
    FAR,
    FINAL,
    FLIP,
    HEIGHT,
    LEARNS,
    LONG_AGO,
    LOOPS,
    NEWEST,
    NEXT,
    PER,
    POSTPONE,
    RANGE,
    REST,
    SHIFT,
    SINCE,
    SIZE,
    SLIDE,
    STEPS,
    TOP,
    TOTAL,
    WIDTH,
    WORDS,
)
from .ring import APART, how, places_of

Array = np.ndarray[Any, Any]

BLOCK = 256  # events that one call takes as plain Python


class SpanKernel:
    """The loops of Algorithm 1 for a product, as plain Python or compiled."""

    def __init__(self, product: Product, *, levels: bool) -> None:
        self.product = product
        assembly = how(2 if levels else 1)
        self._assembly = Assembly(
            what="spanning events, one at a time",
            product=product,
            leaf="events",
            entries=tuple((loop.__name__, loop) for loop in LOOPS),
            allocates=False,
            **{**assembly, "inline": STEPS},
        )
        stem = lambda: kernel_name(compiled_content(self._assembly.text().render()))  # noqa: E731
        self._laned = {
            loop.__name__: Laned(
                lambda name=loop.__name__: getattr(self._assembly.module(), name),  # type: ignore[misc]
                lambda name=loop.__name__: self._plain(name),  # type: ignore[misc]
                lambda name=loop.__name__: (  # type: ignore[misc]
                    None if product.has_users else f"{stem()}.{name}"
                ),
            )
            for loop in LOOPS
        }

    def _plain(self, name: str) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(
            self._assembly.module(interpreted=True), name
        )
        return function

    @property
    def identity(self) -> tuple[Any, ...]:
        """The partial of nothing."""
        partial: tuple[Any, ...] = self._assembly.module(interpreted=True).IDENTITY
        return partial

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a loop in its lane; functions of a user run compiled if they can."""
        if self._assembly.interpreted:
            return self._plain(name)(*arguments)
        if self.product.has_users and forced_lane() is not Lane.COLUMNS:
            return getattr(self._assembly.module(), name)(*arguments)
        return self._laned[name](*arguments)

    def is_plain(self, name: str, *arguments: Any) -> bool:
        """Whether the next call runs as plain Python."""
        if self._assembly.interpreted or self.product.has_users:
            return self._assembly.interpreted
        return self._laned[name].lane(arguments) is not Lane.COMPILED


class Released(NamedTuple):
    """Windows that were released: where they begin, and their results."""

    begins: Array
    out: tuple[Array, ...]


class OnlineSlices:
    """The slices of one key: everything that Algorithm 1 keeps between two events."""

    def __init__(
        self, kernel: SpanKernel, even: Even, postpone: int | None, height: int
    ) -> None:
        self.kernel = kernel
        self.words = np.zeros(WORDS, np.int64)
        learns = postpone is None
        self.words[[CLOCK, ENDED, NEWEST]] = LONG_AGO
        self.words[[POSTPONE, LEARNS]] = postpone or 0, learns
        self.words[[RANGE, SLIDE, SHIFT, HEIGHT]] = *even, height
        steps, rest = divmod(even.range, even.slide)
        pair = 2 if rest else 1
        self.words[[PER, WIDTH, REST]] = pair, pair * steps + bool(rest), rest
        self._allocate(self.places(int(self.words[POSTPONE])), height)

    def _allocate(self, size: int, height: int) -> None:
        dtypes = self.kernel.product.dtypes
        self.words[[SIZE, HEIGHT]] = size, height
        self.ends, self.goes = (
            tuple(np.empty(places_of(size, height), kind) for kind in dtypes)
            for _ in range(2)
        )
        self.back = tuple(np.empty(1, kind) for kind in dtypes)
        self.reaches = np.full(size, FAR)

    @property
    def memory(self) -> tuple[Any, ...]:
        """What every loop works on."""
        return self.words, self.reaches, self.ends, self.goes, self.back

    @property
    def parts(self) -> tuple[Array, ...]:
        """All arrays but the words, one after the other."""
        return self.reaches, *self.ends, *self.goes, *self.back

    def adopt(self, words: Array, size: int, height: int, parts: list[bytes]) -> None:
        """Become slices that were saved."""
        self.words[:] = words
        self._allocate(size, height)
        for mine, data in zip(self.parts, parts, strict=True):
            mine[:] = np.frombuffer(data, mine.dtype)

    @property
    def crossed(self) -> float:
        """How many slices an event has crossed so far, on average."""
        return int(self.words[CROSSED]) / max(int(self.words[TOTAL]), 1)

    @property
    def rate(self) -> float:
        """How many events there were for each window so far."""
        elapsed = int(self.words[CLOCK] - self.words[SINCE])
        return int(self.words[TOTAL]) / max(elapsed / int(self.words[SLIDE]), 1.0)

    @property
    def open_since(self) -> int:
        """Where the next window to be released begins."""
        words = self.words
        return int(words[SHIFT] + words[NEXT] * words[SLIDE])

    @property
    def is_empty(self) -> bool:
        """Whether no event is left that a window to come could hold."""
        words = self.words
        return bool(words[NEXT] * words[PER] > words[NEWEST])

    def places(self, postpone: int, height: int | None = None) -> int:
        """The slices of a window, and of the time to postpone; a power of two."""
        reach = int(self.words[RANGE]) + postpone
        steps = -(-reach // int(self.words[SLIDE])) + 2
        levels = height or int(self.words[HEIGHT])
        return 1 << (int(self.words[PER]) * steps + levels).bit_length()

    def give_back(self) -> None:
        """Keep a ring of one place as long as there is no event in any slice."""
        words = self.words
        if self.is_empty and words[SIZE] > 1:
            words[[FLIP, FINAL, TOP]] = words[NEXT] * words[PER]
            self._allocate(1, int(words[HEIGHT]))

    def make_room(self, postpone: int, height: int) -> None:
        """Move to a longer ring, or to one of more levels, which are empty then."""
        old, words = self.memory, self.words
        if self.is_empty:  # slices that were looked at since are not there
            words[[FLIP, FINAL, TOP]] = words[NEXT] * words[PER]
        size, levels = int(words[SIZE]), int(words[HEIGHT])
        places = max(self.places(postpone, height), size)
        if places == size and height == levels:
            return
        live = np.arange(int(words[NEXT] * words[PER]), int(words[TOP]))[-size:]
        self._allocate(places, height)
        self.reaches[live % places] = old[1][live % size]
        for new, before in zip(
            (*self.ends, *self.goes), (*old[2], *old[3]), strict=True
        ):
            for level in range(levels):
                at = level * (size + APART) + live % size
                new[level * (places + APART) + live % places] = before[at]
        self._clear_levels(live % places, levels)
        self.back = old[4]

    def _clear_levels(self, places: Array, levels: int) -> None:
        identity = self.kernel.identity
        for parts in (self.ends, self.goes):
            for field, empty in zip(parts, identity, strict=True):
                for level in range(levels, int(self.words[HEIGHT])):
                    field[level * (int(self.words[SIZE]) + APART) + places] = empty

    def feed(self, source: Any, starts: Array, lasts: Array) -> list[Released]:
        """Take events in, of which none ends before those that are out."""
        i, count, released = 0, len(starts), []
        while i < count:
            begins, out = self._room(min(count, 1 << 14) + 64)
            rest = (out, begins)
            upto = count
            if self.kernel.is_plain("call_feed", *self.memory, source, starts, lasts,
                                    i, count, *rest):  # fmt: skip
                upto = min(count, i + BLOCK)
            i, made = self.kernel.call("call_feed", *self.memory, source, starts, lasts,
                                       i, upto, *rest)  # fmt: skip
            if made:
                released.append(_first(made, begins, out))
        return released

    def elapse(self, instant: int) -> list[Released]:
        """Let time go on to an instant."""
        released = []
        while self.words[TOTAL] and self.words[CLOCK] < instant:
            begins, out = self._room(1 << 10)
            made = self.kernel.call("call_elapse", *self.memory, instant, out, begins)
            if made:
                released.append(_first(made, begins, out))
        self.give_back()
        return released

    def look(self) -> tuple[Array, ...] | None:
        """The window that ends next, as it stands; None if no event overlaps it."""
        if not self.words[TOTAL]:
            return None
        _, out = self._room(1)
        return out if self.kernel.call("call_look", *self.memory, out) else None

    def _room(self, count: int) -> tuple[Array, tuple[Array, ...]]:
        dtypes = self.kernel.product.out_dtypes
        return np.empty(count, np.int64), tuple(
            np.empty(count, kind) for kind in dtypes
        )


def _first(made: int, begins: Array, out: tuple[Array, ...]) -> Released:
    return Released(begins[:made], tuple(array[:made] for array in out))
