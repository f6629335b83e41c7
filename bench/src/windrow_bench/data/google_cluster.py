"""Google cluster trace: what happens to the tasks of jobs in a compute cluster.

A second has some events of all jobs; now and then a large job comes, and all its tasks
are submitted in one second and scheduled three seconds later:

    second          s       s + 1   s + 2   s + 3
    all jobs        ....    ......  ..      .....
    a large job     ######################  (submit, tasks 0, 1, 2, ...)
                                            ######################  (schedule)

Taken from the sample (16,385 rows, 647 s):

    rate            25 events a second, in whole seconds; half of the rows come in 8
                    bursts of 500 or 1,050, else 10 a second are the median, 14 the mean
    order           time does not fall
    jobs            240: one has 22% of what is no burst, ten have 77%; user, category,
                    priority, cpu, ram, disk and constraints are the job's own
    event_type      submit 33%, schedule 32%, finish 27%, kill 6%, evict 1.2%, fail 0.5%
    machine         -1, none, for each submit and 72% of the kills, 37% of all rows; the
                    paper says 11,000 machines
    category        0: 81%, 1: 4%, 2: 15%, 3: 0.3%
    cpu, ram        5%, 50%, 95%: 0.009, 0.025, 0.063 and 0.005, 0.033, 0.040; at most
                    0.41 and 0.35; disk is 0 in 99% of the rows

After 647 seconds other jobs take the place of these, so that their number grows with
the stream.  The trace counts microseconds; the sample has been brought to seconds.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from ._dataset import INSTANT, SECOND, Array, DataColumn, Dataset, draws, table_of
from ._text import in_blanks, read

NAME = "google_cluster"
START = 1  # second of the first event
ERA = 647  # seconds that a job stays
JOBS = 240  # at a time
FIRST_JOB, FIRST_LARGE_JOB = 515_042_969, 6_251_000_000
MACHINES = 11_000
BUSY = 14.5  # mean events a second of all jobs
DELAY = 3  # seconds between submit and schedule of a large job
GRAINS = 1 << 16  # in which shares are cut
# Numbers of tasks: a quarter below 10, a half below 107, all below 1,200.
TASKS = (1_200 * (np.arange(GRAINS) / GRAINS) ** 3.5).astype(np.int32)
SUBMIT, SCHEDULE, EVICT, FAIL, FINISH, KILL = range(6)
# How often each comes, bursts aside, in that order.
SHARES = (0.187, 0.182, 0.021, 0.009, 0.493, 0.108)
# The ten jobs with most events: share, user, category, priority, cpu, ram, constraints.
TOP = (
    (0.221, 24, 2, 0, 0.016, 0.016, 0),
    (0.110, 328, 0, 2, 0.025, 0.033, 1),
    (0.110, 328, 0, 2, 0.025, 0.033, 1),
    (0.109, 328, 0, 2, 0.025, 0.033, 1),
    (0.065, 238, 0, 2, 0.009, 0.010, 0),
    (0.054, 328, 0, 2, 0.025, 0.080, 1),
    (0.048, 328, 0, 2, 0.025, 0.025, 1),
    (0.023, 356, 0, 0, 0.013, 0.016, 0),
    (0.017, 472, 2, 0, 0.041, 0.021, 0),
    (0.017, 503, 0, 0, 0.009, 0.004, 0),
)
LARGE = TOP[1]  # what a job that comes in a burst looks like
COLUMNS = (
    DataColumn("ts", INSTANT, "when it happened, in whole seconds from 1970 on"),
    DataColumn("job", pa.int64(), "number of the job"),
    DataColumn("task", pa.int32(), "number of the task in its job"),
    DataColumn("machine", pa.int64(), "number of the machine, -1 for none"),
    DataColumn("event_type", pa.int8(), "0 submit, 1 schedule, 2 evict, 3 fail, ..."),
    DataColumn("user", pa.int32(), "number of the job's owner"),
    DataColumn("category", pa.int8(), "scheduling class, 0 to 3"),
    DataColumn("priority", pa.int8(), "0 to 11"),
    DataColumn("cpu", pa.float64(), "cores asked for", "of the largest machine"),
    DataColumn("ram", pa.float64(), "memory asked for", "of the largest machine"),
    DataColumn("disk", pa.float64(), "disk asked for", "of the largest machine"),
    DataColumn("constraints", pa.int8(), "1: tasks must be on different machines"),
)
LAYOUT = in_blanks(COLUMNS)


def generate(rows: int, seed: int) -> pa.Table:
    """Events of 240 jobs at a time, and of large jobs that come in bursts."""
    second, task, kind, burst = _events(seed, rows)
    profile = _profiles(seed)
    which = _chosen(profile["share"][:JOBS], draws(NAME, "job", seed), rows)
    job = FIRST_JOB + which + JOBS * (second // ERA).astype(np.int64)
    large = burst >= 0
    job[large] = FIRST_LARGE_JOB + burst[large].astype(np.int64)
    which[large] = JOBS  # the profile of all large jobs
    arrays = {
        "ts": (START + second.astype(np.int64)) * SECOND,
        "job": job,
        "task": task,
        "machine": _machines(seed, kind),
        "event_type": kind,
    }
    for column in COLUMNS[5:]:
        arrays[column.name] = profile[column.name][which]
    return table_of(COLUMNS, arrays)


def load(path: Path, limit: int | None = None) -> pa.Table:
    """Events from a file of the trace, in LightSaber's form: blanks, 12 columns."""
    return read(path, LAYOUT, limit)


def _events(seed: int, rows: int) -> tuple[Array, Array, Array, Array]:
    """Second, task, event type and burst of each row; burst -1 is none."""
    seconds = rows // 16 + 8 * ERA
    counts = _counts(seed, seconds)
    while counts.sum() < rows:
        seconds *= 2
        counts = _counts(seed, seconds)
    total = counts.sum(axis=0)
    second = np.repeat(np.arange(seconds, dtype=np.int32), total)[:rows]
    within = np.arange(rows) - (np.cumsum(total) - total)[second]

    usual, submitted, _ = counts
    number = np.cumsum(submitted > 0) - 1
    kind = _chosen(np.array(SHARES), draws(NAME, "kind", seed), rows).astype(np.int8)
    task = TASKS[draws(NAME, "task", seed).integers(0, GRAINS, rows, np.uint16)]
    burst = np.full(rows, -1, np.int32)
    place = (within - usual[second]).astype(np.int32)
    for event, late in ((SUBMIT, 0), (SCHEDULE, DELAY)):
        mine = np.flatnonzero(place >= 0)
        kind[mine], task[mine] = event, place[mine]
        burst[mine] = number[second[mine] - late]
        place -= submitted[second].astype(np.int32)
    return second, task, kind, burst


def _chosen(shares: Array, rng: np.random.Generator, rows: int) -> Array:
    """Numbers that come as often as their share says, by a look into a table."""
    grains = (np.arange(GRAINS) + 0.5) / GRAINS
    table = np.searchsorted(np.cumsum(shares)[:-1], grains).astype(np.int32)
    chosen: Array = table[rng.integers(0, GRAINS, rows, np.uint16)]
    return chosen


def _counts(seed: int, seconds: int) -> Array:
    """Events of each second: of all jobs, and submits and schedules of a large one."""
    usual = draws(NAME, "usual", seed).exponential(BUSY, seconds).astype(np.int64)
    begins = draws(NAME, "burst", seed).random(seconds) < 1 / 160
    size = np.where(draws(NAME, "size", seed).random(seconds) < 0.75, 1_050, 500)
    submitted = np.where(begins, size, 0)
    scheduled = np.concatenate([np.zeros(DELAY, np.int64), submitted[:-DELAY]])
    return np.stack([usual, submitted, scheduled])


def _profiles(seed: int) -> dict[str, Array]:
    """What belongs to a job: the ten of TOP, others drawn, and last the large one."""
    rng = draws(NAME, "profile", seed)
    others = JOBS - len(TOP)
    names = ("share", "user", "category", "priority", "cpu", "ram", "constraints")
    top = {name: [row[i] for row in TOP] for i, name in enumerate(names)}
    tail = 1 / (3 + np.arange(others))
    drawn = {
        "share": tail / tail.sum() * (1 - sum(top["share"])),
        "user": rng.integers(0, 64, others) * 8,
        "category": rng.choice(4, others, p=[0.30, 0.41, 0.25, 0.04]),
        "priority": rng.choice(
            [0, 1, 2, 8, 9, 10], others, p=[0.24, 0.17, 0.27, 0.14, 0.17, 0.01]
        ),
        "cpu": rng.choice([0.006, 0.063, 0.031, 0.013, 0.0, 0.009, 0.125], others),
        "ram": np.minimum(rng.lognormal(-4.8, 1.1, others), 0.35).round(3),
        "constraints": rng.random(others) < 0.11,
    }
    found = {
        name: np.concatenate([top[name], drawn[name], [LARGE[i]]])
        for i, name in enumerate(names)
    }
    found["disk"] = np.zeros(JOBS + 1)
    found["disk"][len(TOP) : JOBS] = (rng.random(others) < 0.04) * 0.001
    for column in COLUMNS[5:]:
        found[column.name] = found[column.name].astype(column.type.to_pandas_dtype())
    return found


def _machines(seed: int, kind: Array) -> Array:
    ids = draws(NAME, "machines", seed).integers(1, 6_240_000_000, MACHINES)
    machine = ids[draws(NAME, "machine", seed).integers(0, MACHINES, len(kind))]
    waiting = draws(NAME, "waiting", seed).random(len(kind)) < 0.72
    machine[(kind == SUBMIT) | (kind == KILL) & waiting] = -1
    return machine


GOOGLE_CLUSTER = Dataset(
    name=NAME,
    title="Google cluster trace",
    papers=("LightSaber (cluster monitoring, CM)",),
    columns=COLUMNS,
    time="ts",
    keys=("category", "job"),
    generate=generate,
    file="google-cluster-data.txt",
    load=load,
)
