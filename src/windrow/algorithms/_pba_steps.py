"""PBA one event at a time, in one thread: a few suffixes for each event.

    F              L                   M               E
    |-- front -----|----- middle ------|--- current ---|
    | lcs, whole   | values .. P .. lcs|    values     |
                   |------ total ------|----- csa -----|

Chunks are half a window of ticks.  The current one accumulates `csa`; when it is
complete it becomes the middle, whose total is its csa, and its suffixes are computed
from its young end on, P going down.  They are needed when the front is used up, at tick
`due`, half a window away: `pace`, about one combine a tick, is enough.  `turn` is the
tick at which the current chunk ends.  Invariants:

    part[i] == slice[i] + ... + slice[L - 1]       for F <= i < L
    part[i] == slice[i]                            for L <= i < P and for M <= i < E
    part[i] == slice[i] + ... + slice[M - 1]       for P <= i < M
    total   == slice[L] + ... + slice[M - 1]       where L < M
    csa     == slice[M] + ... + slice[E - 1]       where M < E

A window that is emptied by hand, or in which nearly all events share an instant, may
need suffixes earlier: they are then computed at once.
"""

# ruff: noqa: N803, N806 -- the ends of the chunks, as in the picture

from windrow.kernels.vocabulary import IDENTITY, combine, load, store

from ._stepwise import Stepwise


def _build(part, mask, M, P, steps):
    """Compute the next `steps` suffixes of the middle; return P."""
    for _ in range(steps):
        P -= 1
        if P + 1 < M:
            newer = load(part, (P + 1) & mask)
            store(part, P & mask, combine(load(part, P & mask), newer))
    return P


def _join_all(part, mask, F, L, M, P, E, total, csa):
    """Make one front of all chunks, where three are not enough."""
    _build(part, mask, M, P, P - L)
    _build(part, mask, E, E, E - M)
    for i in range(L, M):
        store(part, i & mask, combine(load(part, i & mask), csa))
    newer = combine(total, csa)
    for i in range(F, L):
        store(part, i & mask, combine(load(part, i & mask), newer))


def _close_chunk(part, mask, F, L, M, P, E, total, csa):
    """Complete the current chunk; return L, M, P."""
    if F < L < M:
        _join_all(part, mask, F, L, M, P, E, total, csa)
        return E, E, E
    if L < M:  # the front is used up
        _build(part, mask, M, P, P - L)
        L = M
    return L, E, E


def _next_front(part, mask, F, L, M, P, E):
    """Replace a front that is used up by the middle, or by all; return L, M, P."""
    if L < M:
        _build(part, mask, M, P, P - L)
        return M, M, M
    _build(part, mask, E, E, E - F)
    return E, E, E


def insert(scratch, ints, state, value, tick):
    part, mask = scratch
    F, E, L, M, P, last, turn, due, pace, range_, chunk = ints
    total, csa = state
    if tick >= turn:  # all divisions are here, twice in a window
        if M < E:
            L, M, P = _close_chunk(part, mask, F, L, M, P, E, total, csa)
            due = turn - chunk + range_
            pace = (P - L) // max(due - last, 1) + 1
            total = csa
        turn = (tick // chunk + 1) * chunk
    rest = P - L
    if rest > 0:
        if tick < due:
            rest = min(rest, pace * (tick - last))
        P = _build(part, mask, M, P, rest)
    store(part, E & mask, value)
    if M < E:
        csa = combine(csa, value)
    else:
        csa = value
    return (F, E + 1, L, M, P, tick, turn, due, pace, range_, chunk), (total, csa)


def evict(scratch, ints, state):
    part, mask = scratch
    F, E, L, M, P, last, turn, due, pace, range_, chunk = ints
    if F == L:
        L, M, P = _next_front(part, mask, F, L, M, P, E)
    return (F + 1, E, L, M, P, last, turn, due, pace, range_, chunk), state


def whole(scratch, ints, state):
    part, mask = scratch
    F, E, L, M = ints[0], ints[1], ints[2], ints[3]
    if M < E:
        partial = state[1]
    else:
        partial = IDENTITY
    if L < M:
        partial = combine(state[0], partial)
    if F < L:
        partial = combine(load(part, F & mask), partial)
    return partial, ints, state


PBA_STEPS = Stepwise(
    insert,
    evict,
    whole,
    begin=(0,) * 6 + (-(2**63),) + (0,) * 4,  # `turn`: at the first event
    state=2,
    constant=True,
    chunk=True,
)
