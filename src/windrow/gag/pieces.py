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

SCAN_BACK_IN_LANES = """
{jit}
def put_after(partials, low, high, newer):
    for j in range(low, high):
        store(partials, j, combine(load(partials, j), newer))


{jit}
def scan_back(source, first, lap, suffix):
    # suffix scan: lazy, once the lap that begins at `first` is complete;
    # four lanes that do not wait for each other, then joined
    part = (lap - 1) // 4 if len(IDENTITY) == 1 and lap >= {long} else 0
    d = leaf(source, first + lap - 1)
    store(suffix, lap - 1, d)
    for j in range(lap - 2, 4 * part - 1, -1):
        d = combine(leaf(source, first + j), d)
        store(suffix, j, d)
    if part == 0:
        return
    a = b = c = IDENTITY
    for j in range(part - 1, -1, -1):
        a = combine(leaf(source, first + j), a)
        store(suffix, j, a)
        b = combine(leaf(source, first + part + j), b)
        store(suffix, part + j, b)
        c = combine(leaf(source, first + 2 * part + j), c)
        store(suffix, 2 * part + j, c)
        d = combine(leaf(source, first + 3 * part + j), d)
        store(suffix, 3 * part + j, d)
    for lane in range(2, -1, -1):
        newer = load(suffix, (lane + 1) * part)
        put_after(suffix, lane * part, (lane + 1) * part, newer)
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

SCAN_ON_IN_LANES = """
{jit}
def put_before(partials, at, count, older):
    for j in range(count):
        store(partials, at + j, combine(older, load(partials, at + j)))


{jit}
def scan_on(source, first, low, high, partial, prefix, at):
    # prefix scan: eager; prefix[at + i] is that of inputs before low + i;
    # four lanes that do not wait for each other, then joined
    part = (high - low) // 4 if len(IDENTITY) == 1 and high - low >= {long} else 0
    a, b, c, d = partial, IDENTITY, IDENTITY, IDENTITY
    from_ = first + low
    for j in range(part):
        store(prefix, at + j, a)
        a = combine(a, leaf(source, from_ + j))
        store(prefix, at + part + j, b)
        b = combine(b, leaf(source, from_ + part + j))
        store(prefix, at + 2 * part + j, c)
        c = combine(c, leaf(source, from_ + 2 * part + j))
        store(prefix, at + 3 * part + j, d)
        d = combine(d, leaf(source, from_ + 3 * part + j))
    if part > 0:
        put_before(prefix, at + part, part, a)
        a = combine(a, b)
        put_before(prefix, at + 2 * part, part, a)
        a = combine(a, c)
        put_before(prefix, at + 3 * part, part, a)
        a = combine(a, d)
    for j in range(4 * part, high - low):
        store(prefix, at + j, a)
        a = combine(a, leaf(source, from_ + j))
    return a
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
    reach = {reach}
    if ranges[q0] > length:  # the shortest window does not fit
        return
    for begin in range(0, length + 1, lap):
        if begin > 0:  # trigger-point
{turn}
            scan_back(source, first + begin - reach, reach, suffix)
        partial = IDENTITY
        end = min(begin + lap, length + 1)
        for low in range(begin, end, {block}):
            high = min(low + {block}, end)
            base = {base}
            upto = min(high, length)
            partial = scan_on(source, first, low, upto, partial, prefix, low - base)
            if high > length:
                store(prefix, length - base, partial)
{beyond}            for q in range(q0, q1):  # window q: from p - width to p
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
                        out, to, count, suffix, p - width - begin + reach,
                        prefix, p - base, step,
                    )"""

SAME = "leave(out, to, count, prefix, p - base, p - base - width, step)"

BEYOND = """\
            if begin > 0:  # the lap before, and each prefix
                total = load(suffix, 0)
                for j in range(high - low):
                    store(beyond, j, combine(total, load(prefix, j)))
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
def run(source, firsts, lasts, ranges, slides, at, laps, ends, room, out):
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
