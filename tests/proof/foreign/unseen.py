"""Programs for foreign/machine.py that no rule and no constant was ever fitted to.

They are held out: what they show is written down (docs/accuracy.md), and nothing is mended by
looking at one of them. Whoever mends something because of one moves it to adversaries.py, and writes another.
"""

import math
import random

from machine import MS, US
from programs import STEPS, kernels, steps
from sharing import Mailbox, Meeting, Semaphore


def relay(ns, host, depth):
    """Three threads pass a batch on; each has kernels of its own on one stream."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        queues = [Semaphore(depth), Semaphore(), Semaphore()]

        def part(i, name, factor):
            def once(t):
                yield from t.take(queues[i])
                yield from t.work(host)
                yield from kernels(t, s, 4, ns * (1 + i), factor, 0.5, name=name)
                event = yield from t.mark(s)
                yield from t.event_sync(event)
                yield from t.post(queues[(i + 1) % 3])
            return once

        def main(t):
            yield from steps(t, lambda _: part(0, "main_gemm", k)(t))

        def other(i):
            def body(t):
                while True:
                    yield from part(i, "other_conv", 1)(t)
            return body
        p.thread("main", main)
        p.thread("relay 1", other(1), is_daemon=True)
        p.thread("relay 2", other(2), is_daemon=True)
    return build


def batcher(ns, limit, mean, most):
    """Gathers requests until there are enough, or the first has waited long enough; then computes them all."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        inbox, arrivals, is_over = Semaphore(), random.Random(5), []

        def clients(_):
            while not is_over:
                yield arrivals.expovariate(1 / mean)
                inbox.give(m)

        def main(t):
            def step(_):
                yield from t.take(inbox, "epoll_wait")
                begin, size = m.now, 1
                while size < most and m.now < begin + limit:
                    if (yield from t.take_within(inbox, begin + limit - m.now, "epoll_wait")):
                        size += 1
                yield from kernels(t, s, 8, ns * (0.5 + size / most), k)
                yield from t.sync(s)
            yield from steps(t, step)
            is_over.append(True)
        p.thread("main", main)
        p.outside(clients)
    return build


def two_devices(first, second, bytes_):
    """One thread drives two GPUs: the second needs what the first has computed."""
    def build(m, k, edit):
        one, two = m.process(m.gpu(), 0), m.process(m.gpu(), 1)
        a, b = one.stream(), two.stream()
        box = Mailbox()

        def main(t):
            def step(_):
                yield from kernels(t, a, 10, first, k)
                yield from t.copy("dtoh", a, bytes_)
                yield from t.sync(a)
                yield from t.mpi("MPI_Send", box.send(t, 40 * US), peer=1)
            yield from steps(t, step)

        def behind(t):
            def step(_):
                yield from t.mpi("MPI_Recv", box.receive(), peer=0)
                yield from t.copy("htod", b, bytes_)
                yield from kernels(t, b, 10, second, 1, name="other_conv")
                yield from t.sync(b)
            yield from steps(t, step)
        one.thread("MPI Rank 0", main)
        two.thread("MPI Rank 1", behind)
    return build


def accumulates(ns, every, update):
    """Gradients of several passes; the thread that updates is another one, and the next pass waits for it."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        asked, done = Semaphore(), Semaphore()

        def main(t):
            def step(i):
                yield from kernels(t, s, 10, ns, k)
                if i % every == every - 1:
                    yield from t.post(asked)
                    yield from t.take(done)
                yield from t.copy("dtoh", s, 4, pinned=False)
            yield from steps(t, step)

        def updater(t):
            while True:
                yield from t.take(asked)
                yield from kernels(t, s, 6, update, 1, name="update")
                yield from t.sync(s)
                yield from t.work(300 * US)
                yield from t.post(done)
        p.thread("main", main)
        p.thread("updater", updater, is_daemon=True)
    return build


def watchdog(ns, every):
    """A thread that looks at the device now and then, and waits for all that is there."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        is_over = []

        def main(t):
            def step(_):
                yield from kernels(t, s, 20, ns, k)
                yield from t.sync(s)
                yield from t.work(50 * US)
            yield from steps(t, step)
            is_over.append(True)

        def dog(t):
            while not is_over:
                yield from t.sleep(every)
                yield from t.device_sync()
        p.thread("main", main)
        p.thread("watchdog", dog)
    return build


def three_buffers(make, bytes_, ns):
    """Batches are copied by the main thread from buffers that a reader fills; each is free again with its copy."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()
        full, free = Semaphore(), Semaphore(3)

        def main(t):
            def step(_):
                yield from t.take(full)
                yield from t.copy("htod", c, bytes_)
                event = yield from t.mark(c)
                yield from t.join(s, c)
                yield from kernels(t, s, 10, ns, k)
                yield from t.event_sync(event)
                yield from t.post(free)
                yield from t.copy("dtoh", s, 4, pinned=False)
            yield from steps(t, step)

        def reader(t):
            for _ in range(STEPS):
                yield from t.take(free)
                yield from t.work(make, 0.15)
                yield from t.post(full)
        p.thread("main", main)
        p.thread("reader", reader)
    return build


def rendezvous(ns, slow, transfer):
    """Two ranks that exchange by MPI_Sendrecv after every half of a step."""
    def build(m, k, edit):
        boxes = [Mailbox(), Mailbox()]
        for rank in range(2):
            p = m.process(m.gpu(), rank)
            s = p.stream()
            factor = slow if rank == 1 else 1.0

            def main(t, rank=rank, s=s, factor=factor):
                def exchange():
                    yield from boxes[1 - rank].send(t, transfer)
                    yield from boxes[rank].receive()

                def step(_):
                    for _ in range(2):
                        yield from kernels(t, s, 6, ns * factor, k)
                        yield from t.sync(s)
                        yield from t.mpi("MPI_Sendrecv", exchange(), peer=1 - rank)
                yield from steps(t, step)
            p.thread(f"MPI Rank {rank}", main)
    return build


def frames_and_workers(period, ns, side):
    """A timer starts every frame; half of its work is another thread's, on a stream of its own."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        a, b = p.stream(), p.stream()
        asked, done = Semaphore(), Semaphore()

        def main(t):
            due = 1 * MS

            def step(_):
                nonlocal due
                due += period
                yield from t.post(asked)
                yield from kernels(t, a, 10, ns, k, 0.4)
                yield from t.sync(a)
                yield from t.take(done)
                yield from t.sleep_until(due)
                due = max(due, m.now - period)
            yield from steps(t, step)

        def second(t):
            while True:
                yield from t.take(asked)
                yield from kernels(t, b, 8, side, 1, 0.4, name="other_conv")
                yield from t.sync(b)
                yield from t.post(done)
        p.thread("main", main)
        p.thread("second", second, is_daemon=True)
    return build


def polls_then_waits(ns, tries):
    """Asks a few times whether a stream is done, then waits for it."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            def step(_):
                yield from kernels(t, s, 10, ns, k)
                event = yield from t.mark(s)
                for _ in range(tries):
                    if (yield from t.query(event)):
                        break
                    yield from t.work(20 * US, 0.2)
                yield from t.event_sync(event)
                yield from t.work(90 * US)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def uneven_streams(ns, demand, counts):
    """Streams with different numbers of kernels of different sizes, joined at the end of the step."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        streams = [p.stream() for _ in counts]

        def main(t):
            def step(_):
                for i, count in enumerate(counts):
                    yield from kernels(t, streams[i], count, ns * (1 + 0.6 * i), k if i == 0 else 1, demand / (1 + 0.5 * i),
                                       host=2 * US, name="main_gemm" if i == 0 else f"side_conv{i}_")
                for other in streams[1:]:
                    yield from t.join(streams[0], other)
                yield from kernels(t, streams[0], 1, 20 * US, 1, 0.9, name="sum")
                yield from t.copy("dtoh", streams[0], 4, pinned=False)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def long_queue(ns, depth, read_every):
    """Far ahead of the device, with a read of the loss now and then, on two streams of unequal work."""
    def build(m, k, edit):
        m.queue_depth = depth
        p = m.process(m.gpu())
        a, b = p.stream(), p.stream()

        def main(t):
            def step(i):
                for j in range(160):
                    is_main = j % 3 != 0
                    yield from t.launch("main_tile" if is_main else "other_tile", a if is_main else b,
                                        ns * k if is_main else 1.5 * ns, 0.3)
                if i % read_every == read_every - 1:
                    yield from t.copy("dtoh", a, 4, pinned=False)
            yield from steps(t, step, 30)
            yield from t.device_sync()
        p.thread("main", main)
    return build


def beat(period, ns, scatter):
    """Waits for the next beat of a display, behind work of varying length."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        lengths = random.Random(3)
        factors = [1 + scatter * lengths.random() for _ in range(STEPS)]

        def main(t):
            def step(i):
                yield from kernels(t, s, 10, ns * factors[i], k)
                yield from t.sync(s)
                yield from t.sleep_until(math.ceil((m.now + 1) / period) * period)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def groups_of_ranks(ns, slow):
    """Four ranks: pairs exchange in every step, all of them in every third."""
    def build(m, k, edit):
        pairs, everybody = [Meeting(2), Meeting(2)], Meeting(4)
        for rank in range(4):
            p = m.process(m.gpu(), rank)
            s = p.stream()
            factor = slow if rank == 3 else 1.0

            def main(t, rank=rank, s=s, factor=factor):
                def step(i):
                    yield from kernels(t, s, 10, ns * factor, k)
                    yield from t.sync(s)
                    yield from t.mpi("MPI_Sendrecv", pairs[rank // 2].join(t, 30 * US), peer=rank ^ 1)
                    if i % 3 == 2:
                        yield from t.mpi("MPI_Allreduce", everybody.join(t, 60 * US), bytes=1_000_000)
                    yield from t.work(60 * US)
                yield from steps(t, step)
            p.thread(f"MPI Rank {rank}", main)
    return build


UNSEEN = {
    "relay of three": ("threads", relay(60 * US, 80 * US, 2), (0.5, 0.1, 3)),
    "relay, one batch": ("threads", relay(60 * US, 80 * US, 1), (0.5, 3)),
    "accumulates": ("threads", accumulates(80 * US, 4, 100 * US), (0.5, 0.25, 2)),
    "three buffers, kept up": ("threads", three_buffers(800 * US, 6_000_000, 120 * US), (0.5, 0.25, 2)),
    "three buffers, reader decides": ("threads", three_buffers(2.5 * MS, 6_000_000, 100 * US), (0.5, 4)),
    "batcher": ("timer", batcher(200 * US, 2 * MS, 900 * US, 4), (0.5, 2)),
    "frames and workers": ("timer", frames_and_workers(8 * MS, 400 * US, 300 * US), (0.5, 3)),
    "beat, all in time": ("timer", beat(10 * MS, 500 * US, 0.5), (0.5, 3)),
    "beat, some late": ("timer", beat(10 * MS, 800 * US, 0.5), (0.5, 0.25)),
    "polls, then waits": ("polling", polls_then_waits(80 * US, 5), (0.5, 0.25, 2)),
    "polls long, then waits": ("polling", polls_then_waits(60 * US, 60), (0.5, 3)),
    "pipeline of two GPUs": ("mpi", two_devices(150 * US, 120 * US, 8_000_000), (0.5, 2)),
    "exchange twice a step": ("mpi", rendezvous(120 * US, 1.5, 50 * US), (0.5, 0.25, 2)),
    "pairs and all": ("mpi", groups_of_ranks(150 * US, 1.4), (0.5, 2)),
    "watchdog": ("beside", watchdog(60 * US, 7 * MS), (0.5, 2)),
    "uneven streams": ("room", uneven_streams(100 * US, 0.5, (12, 8, 4)), (0.5, 0.25, 2)),
    "uneven streams, crowded": ("room", uneven_streams(100 * US, 0.9, (12, 8, 4)), (0.5, 2)),
    "long queue": ("queue", long_queue(25 * US, 1024, 12), (0.5, 2)),
    "long queue, shallow": ("queue", long_queue(25 * US, 300, 12), (0.5, 2)),
}
