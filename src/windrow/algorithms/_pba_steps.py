"""PBA one event at a time, in one thread: a few suffixes for each event and slide.

    A              L                   M               B
    |-- front -----|----- middle ------|--- current ---|      panes
    | lcs, whole   | panes .. P .. lcs |    panes      |
                   |------ total ------|----- csa -----|
    F  heads[A + 1]                                    E      events

Events that leave together are one pane: those between two edges of windows `every`
apart, or at one instant.  Chunks are half a window of ticks.  The current one
accumulates `csa`; when it is complete it becomes the middle, whose total is its csa,
and its suffixes are computed from its young end on, P going down: one every `step`
ticks, the next at tick `upcoming`, so that all are there when the front is used up.
Where answers are asked for and no event comes (`quiet`), time passes too: each answer
computes two suffixes more, and the current chunk is closed before its time.  A burst
adds no panes, so that a silence after it costs a few combines a slide, and not one for
each event of the burst.  `turn` is the tick at which the current chunk ends.
Invariants:

    part[p] == pane[p] + ... + pane[L - 1]         for A <= p < L
    part[p] == pane[p]                             for L <= p < P and for M <= p < B
    part[p] == pane[p] + ... + pane[M - 1]         for P <= p < M
    total   == pane[L] + ... + pane[M - 1]         where L < M
    csa     == pane[M] + ... + pane[B - 1]         where M < B

A window that is emptied by hand may need suffixes earlier: they are then computed at
once.  Where the oldest pane has lost events by hand, the rest of it is summed up from
the ring of events.
"""

# ruff: noqa: N803, N806, PLR1714, SIM300 -- the ends of the chunks, as in the picture

from windrow.kernels.vocabulary import IDENTITY, combine, emit, leaf, load, store

from ._stepwise import Stepwise
from ._stretches import (
    add_stretch,
    answer_stretch,
    build_suffixes,
    keep_stretch,
    upto_end,
)

SPARE = 2  # suffixes that an answer computes


def _build(part, mask, M, P, steps):
    """Compute the next `steps` suffixes of the middle; return P."""
    for _ in range(steps):
        P -= 1
        if P + 1 < M:
            newer = load(part, (P + 1) & mask)
            store(part, P & mask, combine(load(part, P & mask), newer))
    return P


def _close_chunk(part, mask, L, M, P, B):
    """Complete the current chunk; return L, M, P."""
    if L < M:  # the front is used up
        _build(part, mask, M, P, P - L)
        L = M
    return L, B, B


def _next_front(part, mask, A, L, M, P, B):
    """Replace a front that is used up by the middle, or by all; return L, M, P."""
    if L < M:
        _build(part, mask, M, P, P - L)
        return M, M, M
    _build(part, mask, B, B, B - A)
    return B, B, B


def _pane_end(tick, range_, every, anchor):
    """The first edge after an instant: where a window ends, or one begins."""
    if every == 0:
        return tick + 1
    since = (tick - anchor) % every
    begins = every - range_ % every
    return tick - since + (begins if since < begins else every)


def insert(scratch, ints, state, value, tick):
    events, part, heads, mask = scratch
    F, E, A, B, L, M, P, pane_end, turn, upcoming, step, quiet = ints[:12]
    range_, chunk, every, anchor = ints[12:]
    total, csa = state
    store(events, E & mask, value)
    if tick < pane_end and M < B:
        store(part, (B - 1) & mask, combine(load(part, (B - 1) & mask), value))
        csa = combine(csa, value)
    else:
        if tick >= turn and M < B and (A == L or L == M):  # divisions are here only
            L, M, P = _close_chunk(part, mask, L, M, P, B)
            due = turn - chunk + range_
            step = max((due - tick) // max(P - L, 1), 1)
            upcoming = tick
            total = csa
            turn = (tick // chunk + 1) * chunk
        elif M == B:
            turn = (tick // chunk + 1) * chunk
        store(part, B & mask, value)
        heads[B & mask] = E
        if M < B:
            csa = combine(csa, value)
        else:
            csa = value
        B += 1
        pane_end = _pane_end(tick, range_, every, anchor)
    while P > L and upcoming <= tick:
        P = _build(part, mask, M, P, 1)
        upcoming += step
    ends = (F, E + 1, A, B, L, M, P, pane_end, turn, upcoming, step, 0 * quiet)
    return ends + ints[12:], (total, csa)


def evict(scratch, ints, state):
    _, part, heads, mask = scratch
    F, E, A, B, L, M, P = ints[:7]
    if A == L:
        L, M, P = _next_front(part, mask, A, L, M, P, B)
    F += 1
    if F == E or (A + 1 < B and (B == E or F == heads[(A + 1) & mask])):
        A += 1
    return (F, E, A, B, L, M, P) + ints[7:], state


def whole(scratch, ints, state):
    events, part, heads, mask = scratch
    F, E, A, B, L, M, P, pane_end, turn, upcoming, step, quiet = ints[:12]
    total, csa = state
    if quiet == 1:  # time passes, and no event comes
        if A < L and L == M and M < B:
            M, P, total = B, B, csa
        P = _build(part, mask, M, P, min(P - L, SPARE))
    if M < B:
        partial = csa
    else:
        partial = IDENTITY
    if L < M:
        partial = combine(total, partial)
    if A < L:
        if B == E or F == heads[A & mask]:
            partial = combine(load(part, A & mask), partial)
        else:
            stop = E
            if A + 1 < B:
                stop = heads[(A + 1) & mask]
            if A + 1 < L:
                partial = combine(load(part, (A + 1) & mask), partial)
            for i in range(stop - 1, F - 1, -1):
                partial = combine(load(events, i & mask), partial)
    ends = (F, E, A, B, L, M, P, pane_end, turn, upcoming, step, 0 * quiet + 1)
    return partial, ends + ints[12:], (total, csa)


def fill_rows(memory, ints, state, tick, source, i, count, room):
    """From chunk to chunk; a chunk begins, or becomes the middle, with an event."""
    scratch = memory[1]
    while i < count:
        A, B, L, M = ints[2:6]
        turn, csa = ints[8], state[1]
        some = count - i
        if tick < turn:
            some = min(some, turn - tick)
        elif A == L or L == M:
            some = 0
        if some < 1 or M == B:
            some = 1
            ints, state = insert(scratch, ints, state, leaf(source, i), tick)
        else:
            state = (state[0], add_stretch(source, i, some, csa))
            ints = _take_in(scratch, ints, 0 * some, tick, source, i, some, room)
        tick, i = tick + some, i + some
    return ints, state


def slide_rows(memory, ints, state, tick, source, i, count, room, out, made):
    """From chunk to chunk: each event is a pane, and its number is its tick."""
    scratch = memory[1]
    mask = scratch[-1]
    while i < count:
        _, _, A, B, L, M = ints[:6]
        turn = ints[8]
        some = min(count - i, L - A - 1, upto_end(B, mask), upto_end(A + 1, mask))
        if tick < turn:
            some = min(some, turn - tick)
        elif L == M:
            some = 0
        if some < 1 or M == B:  # a front is used up, or a chunk begins
            some = 1
            ints, state = evict(scratch, ints, state)
            ints, state = insert(scratch, ints, state, leaf(source, i), tick)
            partial, ints, state = whole(scratch, ints, state)
            emit(out, made, partial)
        else:
            ints, state = _slide_in_chunk(
                scratch, ints, state, tick, source, i, some, room, out, made
            )
        tick, i, made = tick + some, i + some, made + some
    return ints, state


def _slide_in_chunk(scratch, ints, state, tick, source, i, count, room, out, made):
    """Events of the current chunk, while there is a front."""
    _, part, _, mask = scratch
    A, _, L, M = ints[2:6]
    total, csa = state
    f = (A + 1) & mask
    if L < M:
        csa = answer_stretch(source, i, count, part, f, total, csa, room, out, made)
    else:
        csa = answer_stretch(source, i, count, part, f, None, csa, room, out, made)
    ints = _take_in(scratch, ints, count, tick, source, i, count, room)
    return ints, (total, csa)


def _take_in(scratch, ints, gone, tick, source, i, count, room):
    """Panes of one event each have come, and `gone` have left; suffixes are due.

    Where all panes are such, nobody reads the ring of events, nor the heads.
    """
    _, part, _, mask = scratch
    F, E, A, B, L, M, P, _, turn, upcoming, step, quiet = ints[:12]
    keep_stretch(source, i, count, part, B & mask)
    end = tick + count
    if P > L and upcoming < end:
        due = min(P - L, (end - 1 - upcoming) // step + 1)
        after = IDENTITY
        if P < M:
            after = load(part, P & mask)
        build_suffixes(part, mask, P - due, P, after, room)
        P -= due
        upcoming += due * step
    ends = (F + gone, E + count, A + gone, B + count, L, M, P, end)
    answered = 0 * quiet + min(gone, 1)
    return ends + (turn, upcoming, step, answered) + ints[12:]


def move(scratch, ints, wider):
    """Copy the events, and the panes, which are numbered apart."""
    events, part, heads, mask = scratch
    new_events, new_part, new_heads, new_mask = wider
    for i in range(ints[0], ints[1]):
        store(new_events, i & new_mask, load(events, i & mask))
    for p in range(ints[2], ints[3]):
        store(new_part, p & new_mask, load(part, p & mask))
        new_heads[p & new_mask] = heads[p & mask]
    return ints


PBA_STEPS = Stepwise(
    insert,
    evict,
    whole,
    begin=(0,) * 7 + (-(2**63), -(2**63)) + (0,) * 7,  # no pane, no chunk is open
    state=2,
    rings=2,
    numbers=1,
    constant=True,
    chunk=True,
    move=move,
    fill_rows=fill_rows,
    slide_rows=slide_rows,
)
