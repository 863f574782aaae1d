"""More programs for foreign/machine.py, of structures that no rule was written for.

They are built as those of programs.py; together they ask whether forecasts hold, or say that they may not,
where a program does something that nobody thought of.
"""

import math
import random

from machine import MS, US
from programs import STEPS, kernels, steps
from sharing import Mailbox, Meeting, Semaphore


def pipeline(make, ns, finish, depth=1):
    """Three stages with work for the GPU in each, and queues between them that hold `depth`."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        first, second, third = p.stream(), p.stream(), p.stream()
        full, room, out, out_room = Semaphore(), Semaphore(depth), Semaphore(), Semaphore(depth)

        def head(t):
            for _ in range(STEPS):
                yield from t.work(make)
                yield from t.copy("htod", first, 2_000_000)
                yield from kernels(t, first, 2, 60 * US, 1, 0.2, name="decode")
                yield from t.sync(first)
                yield from t.take(room)
                yield from t.post(full)

        def main(t):
            def step(_):
                yield from t.take(full)
                yield from kernels(t, second, 12, ns, k, 0.3)
                yield from t.sync(second)
                yield from t.post(room)
                yield from t.take(out_room)
                yield from t.post(out)
            yield from steps(t, step)

        def tail(t):
            for _ in range(STEPS):
                yield from t.take(out)
                yield from kernels(t, third, 2, 60 * US, 1, 0.2, name="encode")
                yield from t.copy("dtoh", third, 2_000_000)
                yield from t.sync(third)
                yield from t.work(finish)
                yield from t.post(out_room)

        p.thread("main", main)
        p.thread("head", head)
        p.thread("tail", tail)
    return build


def drifting(period, ns):
    """Sleeps until one period after it woke: what is late stays late."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            woke = 1 * MS

            def step(_):
                nonlocal woke
                yield from kernels(t, s, 10, ns, k)
                yield from t.sync(s)
                yield from t.sleep_until(woke + period)
                woke = m.now
            yield from steps(t, step)
        p.thread("main", main)
    return build


def display(period, ns, wobble=0):
    """Waits for the next beat of a clock: what misses one waits for the one after."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            def step(_):
                yield from kernels(t, s, 10, ns * (1 + wobble * abs(m.random.gauss(0, 1))), k)
                yield from t.sync(s)
                yield from t.sleep_until(math.ceil(m.now / period) * period)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def requests(mean, ns):
    """Requests come at random times; the program waits for the next, or finds it waiting."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        inbox, arrivals = Semaphore(), random.Random(11)

        def clients(_):  # Other machines: the same requests in every run.
            for _ in range(2 * STEPS):
                yield arrivals.expovariate(1 / mean)
                inbox.give(m)

        def main(t):
            def step(_):
                yield from t.take(inbox, "epoll_wait")
                yield from kernels(t, s, 12, ns, k)
                yield from t.sync(s)
                yield from t.work(100 * US)
            yield from steps(t, step)
        p.thread("main", main)
        p.outside(clients)
    return build


def halo(inner, border, transfer, slow=1.0):
    """Ranks that post messages, compute what needs none of them, wait, and compute the rest."""
    def build(m, k, edit):
        ranks = 2
        boxes = [Mailbox() for _ in range(ranks)]
        for rank in range(ranks):
            p = m.process(m.gpu(), rank)
            s = p.stream()
            factor = slow if rank == 1 else 1.0

            def main(t, rank=rank, s=s, factor=factor):
                peer = 1 - rank

                def nothing():
                    yield 300

                def step(_):
                    yield from t.mpi("MPI_Irecv", nothing(), peer=peer, request=2)
                    yield from t.mpi("MPI_Isend", boxes[peer].send(t, transfer), peer=peer, request=3)
                    yield from kernels(t, s, 10, inner * factor, k)
                    yield from t.sync(s)
                    yield from t.mpi("MPI_Wait", boxes[rank].receive(), request=2)
                    yield from t.mpi("MPI_Wait", nothing(), request=3)
                    yield from kernels(t, s, 4, border, 1, name="edge")
                    yield from t.sync(s)
                yield from steps(t, step)
            p.thread(f"MPI Rank {rank}", main)
    return build


def poll_two(first, second, nap):
    """Asks for two events in turn, and goes on when both are done."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        a, b = p.stream(), p.stream()

        def main(t):
            def step(_):
                yield from kernels(t, a, 6, first, k, 0.3)
                one = yield from t.mark(a)
                yield from kernels(t, b, 6, second, 1, 0.3, name="other_conv")
                two = yield from t.mark(b)
                is_over = [False, False]
                while not all(is_over):
                    for i, event in enumerate((one, two)):
                        if not is_over[i]:
                            is_over[i] = yield from t.query(event)
                    yield from (t.sleep(nap) if nap else t.work(300, 0.3))
                yield from t.work(120 * US)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def one_blocks(ns, other):
    """Two threads: the launches of one end with their kernels, those of the other do not."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, b = p.stream(), p.stream()
        is_over = []

        def main(t):
            t.is_blocking = True

            def step(_):
                yield from kernels(t, s, 15, ns, k, 0.3)
                yield from t.work(50 * US)
            yield from steps(t, step)
            is_over.append(True)

        def beside(t):
            while not is_over:
                yield from kernels(t, b, 20, other, 1, 0.2, name="beside_filter")
                yield from t.sync(b)
        p.thread("main", main)
        p.thread("beside", beside)
    return build


def checkpoints(ns, every, bytes_):
    """A thread that copies the weights back now and then, while the steps read their losses."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()
        asked = Semaphore()

        def main(t):
            def step(i):
                yield from kernels(t, s, 15, ns, k)
                yield from t.copy("dtoh", s, 4, pinned=False)
                if i % every == every - 1:
                    yield from t.post(asked)
                yield from t.work(60 * US)
            yield from steps(t, step)

        def saver(t):
            for _ in range(STEPS // every):
                yield from t.take(asked)
                yield from t.copy("dtoh", c, bytes_)
                yield from t.sync(c)
                yield from t.work(2 * MS)
        p.thread("main", main)
        p.thread("saver", saver, is_daemon=True)
    return build


def shared_device(ns, demand, other, other_demand):
    """Two programs on one device (as with MPS) that crowd each other."""
    def build(m, k, edit):
        gpu = m.gpu()
        is_over = []
        for i in range(2):
            p = m.process(gpu)
            s = p.stream()

            def main(t, s=s):
                def step(_):
                    yield from kernels(t, s, 12, ns, k, demand)
                    yield from t.sync(s)
                    yield from t.work(70 * US)
                yield from steps(t, step)
                is_over.append(True)

            def beside(t, s=s):
                while not is_over:
                    yield from kernels(t, s, 5, other, 1, other_demand, name="neighbour")
                    yield from t.sync(s)
                    yield from t.work(90 * US)
            p.thread("main", main if i == 0 else beside)
    return build


def groups(ns, demand, side):
    """Two pairs of streams that fork and join, and share the multiprocessors."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = [p.stream() for _ in range(4)]

        def main(t):
            def step(_):
                for pair in (0, 2):
                    for i in range(4):
                        yield from kernels(t, s[pair], 2, ns, k, demand, host=3 * US)
                        yield from kernels(t, s[pair + 1], 2, side, 1, demand, host=3 * US, name="side_conv")
                    yield from t.join(s[pair], s[pair + 1])
                yield from t.join(s[0], s[2])
                yield from kernels(t, s[0], 1, 30 * US, 1, 0.5, name="sum")
                yield from t.sync(s[0])
                yield from t.work(50 * US)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def interpreter_lock(ns, hold, release):
    """One lock for two threads, as in an interpreter: the loader holds it while it works."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        lock, full, room = Semaphore(1), Semaphore(), Semaphore(2)

        def main(t):
            def step(_):
                yield from t.take(full)
                yield from t.take(lock, "pthread_mutex_lock")
                yield from kernels(t, s, 10, ns, k)
                yield from t.post(lock, "pthread_mutex_unlock")
                yield from t.sync(s)
                yield from t.post(room)
            yield from steps(t, step)

        def loader(t):
            for _ in range(STEPS):
                yield from t.take(room)
                for _ in range(4):
                    yield from t.take(lock, "pthread_mutex_lock")
                    yield from t.work(hold)
                    yield from t.post(lock, "pthread_mutex_unlock")
                    yield from t.work(release)
                yield from t.post(full)
        p.thread("main", main)
        p.thread("loader", loader)
    return build


def two_ahead(ns, host):
    """The host waits for the event of the step before the last."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            events = []

            def step(_):
                yield from kernels(t, s, 20, ns, k, host=host)
                events.append((yield from t.mark(s)))
                if len(events) > 2 and "no-sync" not in edit:
                    yield from t.event_sync(events[-3])
            yield from steps(t, step)
            yield from t.sync(s)
        p.thread("main", main)
    return build


def barrier(ns, slow):
    """Threads with a GPU stream each that meet at a barrier in every step."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        meeting = Meeting(2)

        def worker(s, factor, is_main):
            def main(t):
                def step(_):
                    yield from kernels(t, s, 10, ns * factor, k if is_main else 1, 0.3,
                                       name="main_gemm" if is_main else "other_conv")
                    yield from t.sync(s)
                    begin = m.now
                    yield from meeting.join(t, 8 * US)
                    t.os_call("pthread_barrier_wait", begin)
                    yield from t.work(80 * US)
                yield from steps(t, step)
            return main
        p.thread("main", worker(p.stream(), 1, True))
        p.thread("second", worker(p.stream(), slow, False))
    return build


def straggler(ns, extra):
    """Ranks that take turns in being slow."""
    def build(m, k, edit):
        meeting = Meeting(3)
        for rank in range(3):
            p = m.process(m.gpu(), rank)
            s = p.stream()

            def main(t, rank=rank, s=s):
                def step(i):
                    yield from kernels(t, s, 10, ns, k)
                    if i % 3 == rank:
                        yield from kernels(t, s, 5, extra, 1, name="other_conv")
                    yield from t.sync(s)
                    yield from t.mpi("MPI_Allreduce", meeting.join(t, 40 * US), bytes=1_000_000)
                yield from steps(t, step)
            p.thread(f"MPI Rank {rank}", main)
    return build


def waits_for_another(ns, host):
    """One thread launches, another one waits for the stream and does the rest."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        asked, done = Semaphore(), Semaphore(1)

        def main(t):
            def step(_):
                yield from t.take(done)
                yield from kernels(t, s, 12, ns, k)
                yield from t.post(asked)
                yield from t.work(host)
            yield from steps(t, step)

        def second(t):
            for _ in range(STEPS):
                yield from t.take(asked)
                yield from t.sync(s)
                yield from t.work(40 * US)
                yield from t.post(done)
        p.thread("main", main)
        p.thread("second", second)
    return build


def read_later(ns, host):
    """The result of a step is copied back behind it, and taken two steps later if it is there, else waited for."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()

        def main(t):
            events = []

            def step(_):
                yield from kernels(t, s, 12, ns, k, host=host)
                yield from t.join(c, s)
                yield from t.copy("dtoh", c, 3_000_000)
                events.append((yield from t.mark(c)))
                if len(events) > 2:
                    event = events[-3]
                    while not (yield from t.query(event)):
                        yield from t.sleep(20 * US)
                yield from t.work(100 * US)
            yield from steps(t, step)
            yield from t.sync(s)
        p.thread("main", main)
    return build


def pool(ns, workers, make):
    """Several workers prepare batches side by side; the step takes the next one that is ready."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        full, room = Semaphore(), Semaphore(2 * workers)

        def main(t):
            def step(_):
                yield from t.take(full)
                yield from kernels(t, s, 12, ns, k)
                yield from t.sync(s)
                yield from t.post(room)
            yield from steps(t, step)

        def worker(t):
            while True:
                yield from t.take(room)
                yield from t.work(make, 0.2)
                yield from t.post(full)
        p.thread("main", main)
        for i in range(workers):
            p.thread(f"worker {i}", worker, is_daemon=True)
    return build


def timed_wait(ns, limit, make):
    """Waits for a batch, but no longer than `limit`; then it goes on without."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        full, room = Semaphore(), Semaphore(1)

        def main(t):
            def step(_):
                has_batch = yield from t.take_within(full, limit)
                if has_batch:
                    yield from t.post(room)
                yield from kernels(t, s, 10 if has_batch else 4, ns, k)
                yield from t.sync(s)
            yield from steps(t, step)

        def feeder(t):
            while True:
                yield from t.take(room)
                yield from t.work(make, 0.3)
                yield from t.post(full)
        p.thread("main", main)
        p.thread("feeder", feeder, is_daemon=True)
    return build


STRANGERS = {
    "pipeline, middle decides": ("threads", pipeline(700 * US, 150 * US, 300 * US), (0.5, 0.25, 2)),
    "pipeline, head decides": ("threads", pipeline(2.5 * MS, 150 * US, 300 * US, 2), (0.5, 2)),
    "pipeline, tail decides": ("threads", pipeline(500 * US, 100 * US, 2.2 * MS, 2), (0.5, 2, 4)),
    "one lock, loader holds it": ("threads", interpreter_lock(120 * US, 250 * US, 60 * US), (0.5, 0.25, 2)),
    "one lock, rarely held": ("threads", interpreter_lock(200 * US, 40 * US, 200 * US), (0.5, 2)),
    "barrier, other slower": ("threads", barrier(150 * US, 1.4), (0.5, 2, 4)),
    "barrier, other faster": ("threads", barrier(150 * US, 0.5), (0.5, 0.25, 2)),
    "another thread waits": ("threads", waits_for_another(100 * US, 200 * US), (0.5, 0.25, 2)),
    "pool of 3, kept up": ("threads", pool(200 * US, 3, 4 * MS), (0.5, 0.25, 2)),
    "pool of 3, too slow": ("threads", pool(150 * US, 3, 7 * MS), (0.5, 2)),
    "timed wait for a batch": ("threads", timed_wait(150 * US, 1.2 * MS, 2 * MS), (0.5, 2)),
    "drifting timer": ("timer", drifting(12 * MS, 600 * US), (0.5, 3)),
    "display": ("timer", display(16_666_667, 700 * US), (0.5, 2, 4)),
    "display, misses beats": ("timer", display(16_666_667, 1.3 * MS, 0.25), (0.5, 0.25)),
    "requests at random": ("timer", requests(6 * MS, 200 * US), (0.5, 0.25)),
    "polls two": ("polling", poll_two(150 * US, 80 * US, 0), (0.5, 0.25, 2)),
    "polls two, naps": ("polling", poll_two(100 * US, 200 * US, 30 * US), (0.5, 4)),
    "read two steps later": ("polling", read_later(100 * US, 5 * US), (0.5, 0.25, 2)),
    "one thread blocks": ("blocking", one_blocks(60 * US, 25 * US), (0.5, 2)),
    "halo, transfer hidden": ("mpi", halo(120 * US, 60 * US, 300 * US), (0.5, 0.25, 2)),
    "halo, transfer seen": ("mpi", halo(60 * US, 60 * US, 1.5 * MS), (0.5, 0.25, 4)),
    "halo, one slow": ("mpi", halo(100 * US, 60 * US, 200 * US, 1.7), (0.5, 2)),
    "ranks slow in turn": ("mpi", straggler(150 * US, 200 * US), (0.5, 2)),
    "checkpoints": ("beside", checkpoints(80 * US, 5, 60_000_000), (0.5, 0.25, 2)),
    "two programs that crowd": ("beside", shared_device(120 * US, 0.6, 200 * US, 0.6), (0.5, 2)),
    "two programs, one small": ("beside", shared_device(120 * US, 0.9, 60 * US, 0.2), (0.5, 2)),
    "groups of streams": ("room", groups(80 * US, 0.3, 60 * US), (0.5, 0.25, 2)),
    "groups of streams, crowded": ("room", groups(80 * US, 0.7, 60 * US), (0.5, 2)),
    "two steps ahead": ("plain", two_ahead(40 * US, 8 * US), (0.5, 0.25, "no-sync")),
    "two steps ahead, host-bound": ("plain", two_ahead(12 * US, 20 * US), (0.5, 4)),
}
