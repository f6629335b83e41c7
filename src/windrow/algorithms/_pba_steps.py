"""PBA one event at a time, in one thread: a step of lcs a slide, and no pause.

    F              L                   M               E
    |-- front -----|----- middle ------|--- current ---|
    | lcs, whole   | values .. P .. lcs|    values     |
                   |------ total ------|----- csa -----|

Chunks are half a window of ticks.  The current one gathers `csa`; when it is complete
it becomes the middle, whose total is its csa, and its suffixes are made from its young
end on, P going down.  They are needed when the front is used up, at tick `due`: half a
window away, so that about one combine an event is enough.  Invariants:

    part[i] == slice[i] + ... + slice[L - 1]       for F <= i < L
    part[i] == slice[i]                            for L <= i < P and for M <= i < E
    part[i] == slice[i] + ... + slice[M - 1]       for P <= i < M
    total   == slice[L] + ... + slice[M - 1]
    csa     == slice[M] + ... + slice[E - 1]

A window that is emptied by hand, or in which nearly all events share an instant, can
need suffixes before they are there: those are then made at once.
"""

# ruff: noqa: N803, N806 -- the ends of the chunks, as in the picture

from windrow.kernels.vocabulary import IDENTITY, combine, load, store

from ._stepwise import Stepwise


def _build(part, mask, M, P, steps):
    """That many suffixes more of the middle; gives P."""
    for _ in range(steps):
        P -= 1
        if P + 1 < M:
            newer = load(part, (P + 1) & mask)
            store(part, P & mask, combine(load(part, P & mask), newer))
    return P


def _join_all(part, mask, F, L, M, P, E, total, csa):
    """One front of everything, where three chunks will not do."""
    _build(part, mask, M, P, P - L)
    _build(part, mask, E, E, E - M)
    for i in range(L, M):
        store(part, i & mask, combine(load(part, i & mask), csa))
    newer = combine(total, csa)
    for i in range(F, L):
        store(part, i & mask, combine(load(part, i & mask), newer))


def _close_chunk(part, mask, F, L, M, P, E, total, csa):
    """The current chunk is complete; gives L, M, P, total."""
    if F < L < M:
        _join_all(part, mask, F, L, M, P, E, total, csa)
        return E, E, E, IDENTITY
    if L < M:  # the front is used up
        _build(part, mask, M, P, P - L)
        L = M
    return L, E, E, csa


def insert(scratch, ints, kept, value, tick):
    part, mask = scratch
    F, E, L, M, P, last, due, range_, chunk = ints
    total, csa = kept
    if M < E and tick // chunk != last // chunk:
        due = last // chunk * chunk + range_
        L, M, P, total = _close_chunk(part, mask, F, L, M, P, E, total, csa)
        csa = IDENTITY
    passed, left = tick - last, due - last
    rest = P - L
    if 0 < passed < left:
        rest = (rest * passed + left - 1) // left
    elif passed == 0:
        rest = 0 * rest
    P = _build(part, mask, M, P, rest)
    store(part, E & mask, value)
    csa = combine(csa, value)
    return (F, E + 1, L, M, P, tick, due, range_, chunk), (total, csa)


def evict(scratch, ints, kept):
    part, mask = scratch
    F, E, L, M, P, last, due, range_, chunk = ints
    total, csa = kept
    if F == L and L < M:
        P = _build(part, mask, M, P, P - L)
        L, total = M, IDENTITY
    elif F == L:
        _build(part, mask, E, E, E - F)
        L = M = P = E
        csa = IDENTITY
    return (F + 1, E, L, M, P, last, due, range_, chunk), (total, csa)


def whole(scratch, ints, kept):
    part, mask = scratch
    F, L = ints[0], ints[2]
    head = load(part, F & mask) if F < L else IDENTITY
    return combine(head, combine(kept[0], kept[1])), ints, kept


PBA_STEPS = Stepwise(
    insert=insert,
    evict=evict,
    whole=whole,
    begin=(0,) * 9,
    kept=2,
    constant=True,
    chunk=True,
)
