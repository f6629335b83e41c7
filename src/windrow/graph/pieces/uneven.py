"""Windows that are not equally long: [starts[i], stops[i]), window by window."""

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
