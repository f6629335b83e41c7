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

SLIDE = """
{jit}
def slide(source, first, last, lap, q0, q1, ranges, slides, at, scratch, out):
    {unpacked} = scratch
    length = last - first
    if ranges[q0] > length:  # the shortest window does not fit
        return
    for begin in range(0, length + 1, lap):
        if begin > 0:  # trigger-point
{turn}
            scan_back(source, first + begin - lap, lap, suffix)
        partial = IDENTITY
        end = min(begin + lap, length + 1)
        for low in range(begin, end, {block}):
            high = min(low + {block}, end)
            base = {base}
            for p in range(low, high):  # prefix scan: eager
                store(prefix, p - base, partial)
{beyond}                if p < length:
                    partial = combine(partial, leaf(source, first + p))
            for q in range(q0, q1):  # window q ends at p, and starts at p - width
                width, step = ranges[q], slides[q]
                p = max(low, width)
                p += (width - p) % step
{ways}
"""

WAY = """
                # {text}
                until = {until}
                if p < until:
                    count = (until - 1 - p) // step + 1
                    to = at[q] + (p - width) // step
                    {answer}
                    p += count * step
"""

RUN = """
{entry}
def run(source, firsts, lasts, ranges, slides, at, laps, ends, room, out):
    scratch = ({scratch})
    for k in range(len(firsts)):
        q = 0
        for g in range(len(laps)):
            slide(
                source, firsts[k], lasts[k], laps[g], q, ends[g],
                ranges, slides, at, scratch, out,
            )
            q = ends[g]
        for q in range(len(ranges)):
            at[q] += max((lasts[k] - firsts[k] - ranges[q]) // slides[q] + 1, 0)
"""

ONE = """
{entry}
def run(source, firsts, lasts, ranges, slides, at, laps, ends, room, out):
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

EARLIER = """\
meet(
                        out, to, count, older, p - width - begin + 2 * lap,
                        beyond, p - base, step,
                    )"""

LAST = """\
meet(
                        out, to, count, suffix, p - width - begin + lap,
                        prefix, p - base, step,
                    )"""

SAME = "leave(out, to, count, prefix, p - base, p - base - width, step)"

BEYOND = """\
                if begin > 0:  # the lap before, and this prefix
                    whole = combine(load(suffix, 0), partial)
                    store(beyond, p - base, whole)
"""

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
