"""The pieces of text that a graph's code is put together from."""

SCAN_BACK = """
{jit}
def scan_back(source, first, lap, suffix):
    # suffix scan: lazy, once the lap that begins at `first` is complete
    partial = leaf(source, first + lap - 1)
    store(suffix, lap - 1, partial)
    for j in range(lap - 2, -1, -1):
        partial = combine(leaf(source, first + j), partial)
        store(suffix, j, partial)
"""

SCAN_ON = """
{jit}
def scan_on(source, first, low, high, partial, prefix, at):
    # prefix scan: eager; prefix[at + i] is that of inputs before low + i
    for p in range(low, high):
        store(prefix, at + p - low, partial)
        partial = combine(partial, leaf(source, first + p))
    return partial
"""

MEET = """
{jit}
def meet(out, to, count, older, i, newer, j, step):
    # windows that are older[i] + newer[j], and so on
    if step == 1:
        for n in range(count):
            emit(out, to + n, combine(load(older, i + n), load(newer, j + n)))
    else:
        for n in range(count):
            o = n * step
            emit(out, to + n, combine(load(older, i + o), load(newer, j + o)))
"""

LEAVE = """
{jit}
def leave(out, to, count, prefix, i, j, step):
    # windows that are prefix[i] - prefix[j], and so on
    if step == 1:
        for n in range(count):
            emit(out, to + n, inverse(load(prefix, i + n), load(prefix, j + n)))
    else:
        for n in range(count):
            o = n * step
            emit(out, to + n, inverse(load(prefix, i + o), load(prefix, j + o)))
"""

BETWEEN = """
{jit}
def between(out, to, count, suffix, i, middle, prefix, j, step):
    # windows that are suffix[i] + middle + prefix[j], and so on
    if step == 1:
        for n in range(count):
            newer = combine(middle, load(prefix, j + n))
            emit(out, to + n, combine(load(suffix, i + n), newer))
    else:
        for n in range(count):
            newer = combine(middle, load(prefix, j + n * step))
            emit(out, to + n, combine(load(suffix, i + n * step), newer))
"""

SCAN_LAPS = """
{jit}
def scan_lap(source, first, lap, have, suffix, i, prefix, j, totals, number):
    # prefix scan: eager; suffix scan: lazy, if the lap is complete
    partial = IDENTITY
    for o in range(have):
        store(prefix, j + o, partial)
        partial = combine(partial, leaf(source, first + o))
    if have < lap:
        store(prefix, j + have, partial)
        return
    store(totals, number, partial)
    partial = IDENTITY
    for o in range(lap - 1, -1, -1):
        partial = combine(leaf(source, first + o), partial)
        store(suffix, i + o, partial)


{jit}
def scan_laps(source, first, lap, suffix, i, prefix, totals, number):
    # the same for four complete laps: scans that do not wait for each other
    a = b = c = d = IDENTITY
    for o in range(lap):
        store(prefix, o, a)
        a = combine(a, leaf(source, first + o))
        store(prefix, lap + o, b)
        b = combine(b, leaf(source, first + lap + o))
        store(prefix, 2 * lap + o, c)
        c = combine(c, leaf(source, first + 2 * lap + o))
        store(prefix, 3 * lap + o, d)
        d = combine(d, leaf(source, first + 3 * lap + o))
    store(totals, number, a)
    store(totals, number + 1, b)
    store(totals, number + 2, c)
    store(totals, number + 3, d)
    a = b = c = d = IDENTITY
    for o in range(lap - 1, -1, -1):
        a = combine(leaf(source, first + o), a)
        store(suffix, i + o, a)
        b = combine(leaf(source, first + lap + o), b)
        store(suffix, i + lap + o, b)
        c = combine(leaf(source, first + 2 * lap + o), c)
        store(suffix, i + 2 * lap + o, c)
        d = combine(leaf(source, first + 3 * lap + o), d)
        store(suffix, i + 3 * lap + o, d)
"""

MIDDLE = """
{jit}
def middle_of(stack, at, flips, bases, backs, q, totals, low, high):
    # totals[low:high], the next lap's on: two stacks for each window, side by side
    if low >= high:
        return IDENTITY
    if low >= flips[q]:  # trigger-point: the suffixes are used up
        partial = IDENTITY
        for j in range(high - 1, low - 1, -1):
            partial = combine(load(totals, j), partial)
            store(stack, at + j - low, partial)
        bases[q], flips[q] = low, high
        store(backs, q, IDENTITY)
        return partial
    back = combine(load(backs, q), load(totals, high - 1))
    store(backs, q, back)
    return combine(load(stack, at + low - bases[q]), back)
"""

SHARED = """
{jit}
def slide(source, first, length, lap, q0, ranges, slides, at, scratch, out):
    suffix, prefix, totals, stack, backs, flips, bases, mask = scratch
    flips[:] = 0
    for block in range(0, length // lap + 1, 4):
        if (block + 4) * lap <= length and len(IDENTITY) == 1:
            place = (block & mask) * lap
            start = first + block * lap
            scan_laps(source, start, lap, suffix, place, prefix, totals, block)
        else:
            for c in range(block, min(block + 4, length // lap + 1)):
                have, place = min(lap, length - c * lap), (c & mask) * lap
                i, j = first + c * lap, (c - block) * lap
                scan_lap(source, i, lap, have, suffix, place, prefix, j, totals, c)
        for c in range(block, min(block + 4, length // lap + 1)):
            high, j = min(lap, length - c * lap + 1), (c - block) * lap
            room = np.int64(0)
            for q in range(q0, len(ranges)):  # windows that end in lap c, at offset o
                width, step = ranges[q], slides[q]
                whole, rest = width // lap, width % lap
                stack_at, room = room, room + whole
                if c < whole:
                    continue
                middle = middle_of(
                    stack, stack_at, flips, bases, backs, q, totals, c - whole + 1, c
                )
                # {text}
                o = (width - c * lap) % step
                if o < rest and c > whole:  # one lap more lies between
                    count = (min(rest, high) - 1 - o) // step + 1
                    if count > 0:
                        to = at[q] + (c * lap + o - width) // step
                        i = ((c - whole - 1) & mask) * lap + lap + o - rest
                        more = combine(load(totals, c - whole), middle)
                        between(out, to, count, suffix, i, more, prefix, j + o, step)
                if o < rest:
                    o += (rest - o + step - 1) // step * step
                if o < high:
                    count = (high - 1 - o) // step + 1
                    to = at[q] + (c * lap + o - width) // step
                    i = ((c - whole) & mask) * lap + o - rest
                    between(out, to, count, suffix, i, middle, prefix, j + o, step)
"""

ALONE = """
{jit}
def slide_alone(source, first, length, width, step, to, suffix, out):
    for begin in range(0, length - width + 1, width):
        scan_back(source, first + begin, width, suffix)  # trigger-point
        prefix = IDENTITY  # prefix scan: eager, one running value
        for j in range(min(width, length - width + 1 - begin)):
            # {text}
            if (begin + j) % step == 0:
                partial = combine(load(suffix, j), prefix)
                emit(out, to + (begin + j) // step, partial)
            if first + begin + width + j < first + length:
                prefix = combine(prefix, leaf(source, first + begin + width + j))
"""

SCANS_RUN = """
{entry}
def run(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
{scratch}
    for k in range(len(firsts)):
        first, length = firsts[k], lasts[k] - firsts[k]
{calls}
        for q in range(len(ranges)):
            at[q] += max((length - ranges[q]) // slides[q] + 1, 0)
"""

SHARED_SCRATCH = """\
    longest = np.int64(0)
    for k in range(len(firsts)):
        longest = max(longest, lasts[k] - firsts[k])
    laps = np.int64(4)  # of which suffixes are kept: more than any window spans
    while laps < ranges[-1] // lap + 6:
        laps *= 2
    stacks = np.int64(0)
    for q in range(alone, len(ranges)):
        stacks += ranges[q] // lap
    count = len(ranges)
    scratch = (
        allocate(laps * lap), allocate(4 * lap), allocate(longest // lap + 4),
        allocate(stacks), allocate(count), np.zeros(count, np.int64),
        np.zeros(count, np.int64), laps - 1,
    )"""

SHARED_CALL = """\
        slide(source, first, length, lap, alone, ranges, slides, at, scratch, out)"""

ALONE_SCRATCH = """\
    own = allocate(room)"""

ALONE_CALL = """\
        for q in range(alone):
            if ranges[q] <= length:
                slide_alone(
                    source, first, length, ranges[q], slides[q], at[q], own, out
                )"""

LAPS = """
{jit}
def slide(source, first, length, lap, ranges, slides, at, suffix, prefix, out):
    reach = ranges[-1]  # how far back suffixes are needed
    for begin in range(0, length + 1, lap):
        if begin > 0:  # trigger-point
            scan_back(source, first + begin - reach, reach, suffix)
        partial = IDENTITY
        end = min(begin + lap, length + 1)
        for low in range(begin, end, {block}):
            high = min(low + {block}, end)
            upto = min(high, length)
            partial = scan_on(source, first, low, upto, partial, prefix, low - begin)
            if high > length:
                store(prefix, length - begin, partial)
            for q in range(len(ranges)):  # window q: from p - width to p
                width, step = ranges[q], slides[q]
                p = max(low, width)
                p += (width - p) % step
                # {last}
                until = min(begin + width, high)
                if p < until:
                    count = (until - 1 - p) // step + 1
                    to = at[q] + (p - width) // step
                    i = p - width - begin + reach
                    meet(out, to, count, suffix, i, prefix, p - begin, step)
                    p += count * step
                # {same}
                if p < high:
                    count = (high - 1 - p) // step + 1
                    to = at[q] + (p - width) // step
                    leave(out, to, count, prefix, p - begin, p - begin - width, step)
"""

LAPS_SCRATCH = """\
    suffix, prefix = allocate(room), allocate(lap)"""

LAPS_CALL = """\
        if ranges[0] <= length:
            slide(
                source, first, length, lap, ranges, slides, at, suffix, prefix, out
            )"""

ONE = """
{entry}
def run(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    {scratch}width, to = ranges[0], at[0]
    for k in range(len(firsts)):
        first, count = firsts[k], lasts[k] - firsts[k] - width + 1
        if count > 0:
            slide(source, first, count, width, to, {passed}out)
            to += count
    at[0] = to
"""

BY_SCANS = """
{jit}
def slide(source, first, count, width, to, suffix, out):
    for begin in range(0, count, width):
        scan_back(source, first + begin, width, suffix)  # trigger-point
        emit(out, to + begin, load(suffix, 0))
        prefix = IDENTITY  # prefix scan: eager, one running value
        for j in range(1, min(width, count - begin)):
            # {text}
            prefix = combine(prefix, leaf(source, first + begin + width + j - 1))
            emit(out, to + begin + j, combine(load(suffix, j), prefix))
"""

RUNNING = """
{jit}
def slide(source, first, count, width, to, out):
    prefix = leaf(source, first)  # prefix scan: eager, one running value
    for i in range(first + 1, first + width):
        prefix = combine(prefix, leaf(source, i))
    emit(out, to, prefix)
    for i in range(1, count):
        # {text}
        prefix = combine(prefix, leaf(source, first + width + i - 1))
        prefix = inverse(prefix, leaf(source, first + i - 1))
        emit(out, to + i, prefix)
"""

INPUTS = """
{jit}
def slide(source, first, count, width, to, out):
    for i in range(count):
        emit(out, to + i, leaf(source, first + i))  # {text}
"""

FEW = """
{jit}
def lead(source, first, width, end, to, out):
    # one window until the longest begins; gives its running value
    if width > end:
        return IDENTITY
    prefix = leaf(source, first)  # prefix scan: eager, one running value
    for i in range(1, width):
        prefix = combine(prefix, leaf(source, first + i))
    emit(out, to, prefix)
    for i in range(width, end):
        prefix = combine(prefix, leaf(source, first + i))
        prefix = inverse(prefix, leaf(source, first + i - width))
        emit(out, to + i + 1 - width, prefix)
    return prefix
"""

FEW_SLIDE = """
{jit}
def slide_{count}(source, first, length, q, ranges, at, out):
    {widths} = {reads}
    end = min(w{last}, length)  # of the longest of them
{leads}
    for i in range(end, length):
        newest = leaf(source, first + i)
        # {text}
{steps}
"""

FEW_RUN = """
{entry}
def run(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    for k in range(len(firsts)):
        first, length, q = firsts[k], lasts[k] - firsts[k], np.int64(0)
        while q + 4 <= len(ranges):
            slide_4(source, first, length, q, ranges, at, out)
            q += 4
        rest = len(ranges) - q
        if rest == 3:
            slide_3(source, first, length, q, ranges, at, out)
        elif rest == 2:
            slide_2(source, first, length, q, ranges, at, out)
        elif rest == 1:
            slide_1(source, first, length, q, ranges, at, out)
        for q in range(len(ranges)):
            at[q] += max(length - ranges[q] + 1, 0)
"""

FEW_LEAD = """\
    t{q} = at[q + {q}]
    p{q} = lead(source, first, w{q}, end, t{q}, out)"""

FEW_STEP = """\
        p{q} = combine(p{q}, newest)
        p{q} = inverse(p{q}, leaf(source, first + i - w{q}))
        emit(out, t{q} + i + 1 - w{q}, p{q})"""

# --- windows that are not equally long: [starts[i], stops[i]), window by window ------

UNEVEN_DIFFERENCES = """
{entry}
def run(source, inputs, starts, stops, ends, room, out):
    prefix = allocate(inputs + 1)  # prefix scan: eager, over the whole stream
    partial = IDENTITY
    store(prefix, np.int64(0), partial)
    for i in range(inputs):
        partial = combine(partial, leaf(source, i))
        store(prefix, i + 1, partial)
    for i in range(len(starts)):
        # {text}
        start, stop = peek(starts, i), peek(stops, i)
        emit(out, i, inverse(load(prefix, stop), load(prefix, start)))
"""

UNEVEN_STACKS = """
{jit}
def slide(source, starts, stops, i, end, suffix, out):
    prefix = IDENTITY  # prefix scan: eager, one running value
    base = flip = stop = 0
    while i < end:
        start, last = peek(starts, i), peek(stops, i)
        if start >= stop:  # nothing of the last window is left: begin anew
            base = flip = stop = start
            prefix = IDENTITY
        elif start >= flip:  # trigger-point: the suffixes are used up
            scan_back(source, start, stop - start, suffix)
            base, flip = start, stop
            prefix = IDENTITY
        while stop < last:
            prefix = combine(prefix, leaf(source, stop))
            stop += 1
        # {text}
        older = load(suffix, start - base) if start < flip else IDENTITY
        emit(out, i, combine(older, prefix))
        i += 1


{entry}
def run(source, inputs, starts, stops, ends, room, out):
    suffix = allocate(room)  # of one window after the other, in the same place
    i = np.int64(0)
    for k in range(len(ends)):
        slide(source, starts, stops, i, ends[k], suffix, out)
        i = ends[k]
"""

UNEVEN_RUNNING = """
{entry}
def run(source, inputs, starts, stops, ends, room, out):
    prefix = IDENTITY  # prefix scan: eager, one running value
    start = stop = 0
    for i in range(len(starts)):
        first, last = peek(starts, i), peek(stops, i)
        if first >= stop:  # nothing of the last window is left: begin anew
            start = stop = first
            prefix = IDENTITY
        # {text}
        while stop < last:
            prefix = combine(prefix, leaf(source, stop))
            stop += 1
        while start < first:
            prefix = inverse(prefix, leaf(source, start))
            start += 1
        emit(out, i, prefix)
"""
