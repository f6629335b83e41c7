"""Chooses the technique for events with a duration; nothing else does.

    an event costs           the aggregates are            technique
    SHORT or fewer           any                           se_slicing, all together
    more                     whole numbers, invertible     starts_and_ends
                             commutative                   se_ml_slicing
                             selective, not commutative    selective_sweeping, past
                                                           SWEEP slices
                             any other                     se_slicing
    any                      holistic                      tuple_buckets

Costs are counted in combines.  Neighbours that cross the same slices are one piece,
which goes into slices once.  Slices take one for each that a piece crosses, next to
each other, which is fast; levels HOP for each `height` of them, and LEVEL for each
level of a slice; starts and ends two.  This says whether levels are worth it, and how
many.

This follows the paper's section 6.5 with one difference.  There a release costs w / b
combines, so that a high overlap speaks for sweeping; here it costs three whatever the
overlap, and sweeping is left for what no level can hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pyarrow as pa

from windrow import spans as techniques
from windrow._later import dataclass
from windrow.aggregates import Law
from windrow.algorithms import Algorithm
from windrow.errors import BadInput, UnsuitableAlgorithm, UnsupportedType
from windrow.kernels import Product
from windrow.slicing import Cuts
from windrow.windows import Rule, Window

from .bind import BoundCall, column_type
from .choose import FORCED, GRAPH, check_laws
from .requests import KernelRequest
from .table import holistic_error, label_of

SHORT = 8.0  # insertions an event: less than another pass over the events costs
SWEEP = 64.0
HOP = 4.0  # combines: what an insertion costs that is no neighbour of the last
LEVEL = 5.0  # combines that a level of a slice costs once, to be gathered
MOST_HEIGHT = 32
MOST_LEVELS = 1 << 21  # of all slices together: past that memory is the price
WORTH = 0.8  # of the cost of plain slices: what the other ways must save


@dataclass(frozen=True)
class Lengths:
    """The lengths of events: each crosses on average `crossed` of the `slices`.

    `pieces` are the events less those that cross the same slices as their neighbour.
    The longest event reaches back over `reach` slices; `in_order` are events none of
    which ends in an earlier slice than its neighbour.
    """

    events: int
    slices: int
    crossed: float
    pieces: int
    reach: int = 0
    in_order: bool = False

    @property
    def short(self) -> bool:
        """Whether slices of one level are the least work for any aggregate."""
        return self.pieces * self.crossed <= SHORT * self.events

    def height(self) -> int:
        """The number of levels at which insertion takes as many combines as gathering.

        That is 7 for SES's events of 500 in windows of 50 steps, and 20 for those of
        5,000; the paper found 7 and 15 to be fastest (Figure 13).
        """
        slices = max(self.slices, 1)
        share = self.pieces * self.crossed / (LEVEL * slices)
        most = min(MOST_HEIGHT, math.ceil(self.crossed), MOST_LEVELS // slices)
        return max(1, min(round(math.sqrt(share)), most))

    def flat(self) -> float:
        """The cost of slices of one level, in combines."""
        return self.pieces * self.crossed + 3.0 * self.slices

    def levels(self, height: int) -> float:
        """The cost of slices of `height` levels, in combines."""
        inserted = HOP * math.ceil(self.crossed / height)
        return self.pieces * inserted + (LEVEL * height + 3.0) * self.slices

    def bounds(self) -> float:
        """The cost of starts and ends, in combines."""
        return 2.0 * self.pieces + 2.0 * self.slices


@dataclass(frozen=True)
class TechniqueGroup:
    """Calls that one technique computes together, and why that technique.

    `algorithms` slide over the slices that it makes, one for each window; or slices
    stand in a `ring` of so many places, which is slid over as it is: no event reaches
    back over more than `reach` slices.
    """

    request: KernelRequest
    technique: techniques.Technique
    height: int
    reason: str
    algorithms: tuple[Algorithm, ...] = ()
    ring: int = 0
    reach: int = 0

    @property
    def calls(self) -> tuple[BoundCall, ...]:
        """The calls that the technique computes."""
        return tuple(bound for bound, _ in self.request.calls)


def choose_groups(
    calls: Sequence[BoundCall],
    request_of: Callable[[Sequence[BoundCall]], KernelRequest],
    lengths: Lengths,
    technique: str,
    height: int,
) -> list[TechniqueGroup]:
    """The techniques for all calls that have a partial, by how long events are."""
    groups: dict[str, list[BoundCall]] = {}
    for bound in calls:
        if bound.aggregate.in_kernels:
            kind = ""
            if technique == "auto" and not lengths.short:
                kind = _kind(request_of([bound]).product, bound, lengths)
            groups.setdefault(kind, []).append(bound)
    return [
        choose_one(request_of(group), lengths, technique, height)
        for group in groups.values()
    ]


def find_technique(name: str) -> techniques.Technique:
    """The technique of a name; the graph of a list of windows is none."""
    if name == GRAPH:
        raise UnsuitableAlgorithm.because(
            f"cannot slide events with a duration with {GRAPH}",
            "a graph adds up the slices of a window, and an event that crosses several "
            "of them would count once for each",
            "leave the algorithm to the planner: a list of windows is one pass anyway",
        )
    return techniques.find(name)


def choose_one(
    request: KernelRequest, lengths: Lengths, technique: str, height: int
) -> TechniqueGroup:
    """The technique for calls that are computed together."""
    if technique == "auto":
        name, levels, reason = _choose(request.product, lengths)
        return TechniqueGroup(request, techniques.find(name), levels, reason)
    forced = find_technique(technique)
    _check_suits(forced, request.product, [bound for bound, _ in request.calls])
    levels = height or lengths.height() if forced.name == "se_ml_slicing" else 1
    reason = FORCED + _levels(levels)
    return TechniqueGroup(request, forced, levels, reason)


def places_of_ring(
    technique: techniques.Technique, cuts: Cuts, rules: Sequence[Rule], lengths: Lengths
) -> int:
    """The places of a ring of slices, a power of two; 0 where an array holds them all.

    A ring needs events in the order of their ends, and serves one window: several share
    slices.  It holds a window and the slices in which events that overlap it may end.
    """
    if technique.walk is None or not lengths.in_order or len(rules) > 1:
        return 0
    width = sum(-(-rules[0].longest // comb.period) for comb in cuts.combs)
    places = 1 << (width + lengths.reach + len(cuts.combs)).bit_length()
    return places if places < lengths.slices else 0


def _kind(product: Product, bound: BoundCall, lengths: Lengths) -> str:
    """A word for the technique that suits a call best; calls of one word share it."""
    laws = product.laws
    if Law.COMMUTATIVE not in laws:
        sweeps = Law.SELECTIVE in laws and lengths.crossed > SWEEP
        return f"sweep {bound.name}" if sweeps else "ordered"
    if product.undoable:
        return "exact"
    return "selective" if Law.IDEMPOTENT in laws else "cumulative"


def _choose(product: Product, lengths: Lengths) -> tuple[str, int, str]:
    """The name of the technique for a product, its number of levels, and why."""
    laws, crossed = product.laws, lengths.crossed
    if lengths.short:
        insertions = lengths.pieces * crossed / max(lengths.events, 1)
        reason = f"{insertions:.2g} insertions an event, which is least work"
        return "se_slicing", 1, reason
    long = f"events cross {crossed:,.3g} slices"
    if Law.COMMUTATIVE not in laws:
        if Law.SELECTIVE in laws and crossed > SWEEP:
            reason = f"{long}, and levels would lose their order: a heap of the living"
            return "selective_sweeping", 1, reason
        reason = "not commutative: levels would lose the order of ends"
        return "se_slicing", 1, reason
    if product.undoable and lengths.bounds() < WORTH * lengths.flat():
        reason = f"{long}; whole numbers can be taken off: two insertions an event"
        return "starts_and_ends", 1, reason
    height = lengths.height()
    if height > 1 and lengths.levels(height) < WORTH * lengths.flat():
        times = math.ceil(crossed / height)
        word = "insertion" if times == 1 else "insertions"
        reason = f"{long}: {times} {word} an event" + _levels(height)
        return "se_ml_slicing", height, reason
    return "se_slicing", 1, f"{long}, too few to be worth levels"


ONLINE = ("auto", "se_slicing", "se_ml_slicing")
MOST_ONLINE = 16  # levels: a window costs their square
ONLINE_HOP, ONLINE_LEVEL = 10.0, 6.0  # combines of neighbours that each is worth


def check_online(technique: str) -> None:
    """Refuse a technique that does not take one event at a time."""
    if technique not in ONLINE:
        find_technique(technique)
        raise UnsuitableAlgorithm.because(
            f"{technique} cannot take events one at a time",
            "it lays all events of a table over slices at once",
            "use se_slicing or se_ml_slicing, or leave the algorithm out",
        )


def online_height(crossed: float, rate: float) -> int:
    """The number of levels for events that come one at a time.

    `rate` events of `crossed` slices each come for each window, which costs about the
    square of the levels: few events are never worth one.
    """

    def cost(height: int) -> float:
        if height == 1:
            return rate * crossed
        hops = ONLINE_HOP * math.ceil(crossed / height)
        return rate * hops + ONLINE_LEVEL * (height * height + height)

    best = min(range(1, MOST_ONLINE + 1), key=cost)
    return best if cost(best) < WORTH * cost(1) else 1


def _levels(height: int) -> str:
    return f", {height} levels" if height > 1 else ""


def _check_suits(
    technique: techniques.Technique, product: Product, calls: Sequence[BoundCall]
) -> None:
    able = [other.name for other in techniques.CATALOGUE if other.suits(product.laws)]
    check_laws(technique, product.laws, label_of(calls), able)


def check_forced(
    technique: str, height: int, calls: Sequence[BoundCall], product: Product | None
) -> None:
    """Refuse a technique or a height that means nothing for these calls."""
    forced = None if technique == "auto" else find_technique(technique)
    if height and (forced is None or forced.name != "se_ml_slicing"):
        raise BadInput.because(
            f"cannot use chunks of {height} slices",
            "for events with a duration chunk= is the height of se_ml_slicing",
            "add algorithm='se_ml_slicing', or leave chunk out",
        )
    holistic = [b for b in calls if not b.aggregate.in_kernels]
    if forced is not None and forced.name != "tuple_buckets" and holistic:
        hint = "use tuple_buckets, or leave the algorithm to the planner"
        raise holistic_error(holistic, forced.name, hint)
    if forced is not None and product is not None:
        _check_suits(forced, product, calls)


def span_of(windows: Sequence[Window], schema: pa.Schema) -> tuple[str, str] | None:
    """The columns of start and end that all windows agree on, of one type."""
    spans = {window.span for window in windows}
    if spans == {None}:
        return None
    if len(spans) > 1:
        raise BadInput.because(
            "cannot place the events of one call in two ways",
            "the windows of the list do not all name the same span=",
            "call once for each",
        )
    span = spans.pop()
    assert span is not None
    start, end = (column_type(schema, name) for name in span)
    if start != end:
        instants = pa.types.is_timestamp(start) and pa.types.is_timestamp(end)
        same = "unit and zone" if instants else "type"
        raise UnsupportedType.because(
            f"cannot tell how long events last from {span[0]!r} to {span[1]!r}",
            f"the columns are of types {start} and {end}",
            f"cast one of them to the {same} of the other",
        )
    return span
