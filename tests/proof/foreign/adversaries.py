"""Programs for foreign/machine.py that each try to break one rule of the graph.

Built as those of programs.py. Rules were mended where these showed a miss; unseen.py has those
that nobody looked at meanwhile.
"""

from machine import MS, US
from programs import STEPS, kernels, steps
from sharing import Mailbox, Meeting, Semaphore


def two_consumers(make, ns, other):
    """One producer; every other batch goes to a thread that works beside the steps."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, b = p.stream(), p.stream()
        full, beside_full, room = Semaphore(), Semaphore(), Semaphore(3)

        def main(t):
            def step(_):
                yield from t.take(full)
                yield from kernels(t, s, 10, ns, k, 0.3)
                yield from t.sync(s)
                yield from t.post(room)
            yield from steps(t, step)

        def second(t):
            while True:
                yield from t.take(beside_full)
                yield from kernels(t, b, 6, other, 1, 0.3, name="other_conv")
                yield from t.sync(b)
                yield from t.post(room)

        def producer(t):
            for i in range(3 * STEPS):
                yield from t.take(room)
                yield from t.work(make)
                yield from t.post(beside_full if i % 2 else full)
        p.thread("main", main)
        p.thread("second", second, is_daemon=True)
        p.thread("producer", producer, is_daemon=True)
    return build


def workers(count, ns, host):
    """The step hands its parts to a pool of threads that launch, and waits for all of them."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        work, done = Semaphore(), Semaphore()

        def main(t):
            def step(_):
                for _ in range(2 * count):
                    yield from t.post(work)
                for _ in range(2 * count):
                    yield from t.take(done)
                yield from t.work(70 * US)
            yield from steps(t, step)

        def worker(s):
            def body(t):
                while True:
                    yield from t.take(work)
                    yield from t.work(host)
                    yield from kernels(t, s, 5, ns, k, 0.25)
                    yield from t.sync(s)
                    yield from t.post(done)
            return body
        p.thread("main", main)
        for i in range(count):
            p.thread(f"worker {i}", worker(p.stream()), is_daemon=True)
    return build


def flags(make, ns):
    """A thread that reads the next batch while the step works; both spin on flags in memory."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()
        full, room = Semaphore(), Semaphore(2)

        def main(t):
            def step(_):
                yield from t.spin(full)
                yield from kernels(t, s, 12, ns, k)
                yield from t.sync(s)
                room.give(m)
            yield from steps(t, step)

        def reader(t):
            for _ in range(STEPS):
                yield from t.spin(room)
                yield from t.work(make)
                yield from t.copy("htod", c, 3_000_000)
                yield from t.sync(c)
                full.give(m)
        p.thread("main", main)
        p.thread("reader", reader)
    return build


def query_beside(ns, other, nap):
    """Asks for one stream, with naps, while another one has work that goes on longer or less long."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, b = p.stream(), p.stream()

        def main(t):
            def step(_):
                yield from kernels(t, b, 3, other, 1, 0.3, name="other_conv")
                yield from kernels(t, s, 8, ns, k, 0.3)
                yield from t.poll(s, nap)
                yield from t.work(100 * US)
                yield from kernels(t, s, 2, 40 * US, 1, 0.3, name="last")
                yield from t.poll(s, nap)
            yield from steps(t, step)
            yield from t.device_sync()
        p.thread("main", main)
    return build


def executor(ns, side, count):
    """An event loop: whatever is done is replaced by its next part, until all parts are done."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        streams = [p.stream() for _ in range(3)]

        def main(t):
            def launch(i):
                is_main = i == 0
                yield from kernels(t, streams[i], 3, ns if is_main else side, k if is_main else 1, 0.2, host=3 * US,
                                   name="main_gemm" if is_main else "side_conv")
                return (yield from t.mark(streams[i]))

            def step(_):
                left, events = [count] * 3, {}
                for i in range(3):
                    events[i] = yield from launch(i)
                while events:
                    for i in list(events):
                        if not (yield from t.query(events[i])):
                            continue
                        del events[i]
                        left[i] -= 1
                        if left[i]:
                            events[i] = yield from launch(i)
                    yield from t.work(2 * US, 0.3)
                yield from t.work(60 * US)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def overruns(period, ns, every, more):
    """Frames at fixed times; every few frames there is too much to do, and later ones catch up."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            due = 2 * MS

            def step(i):
                nonlocal due
                due += period
                yield from kernels(t, s, 10, ns, k)
                if i % every == every - 1:
                    yield from kernels(t, s, 5, more, k)
                yield from t.sync(s)
                yield from t.work(150 * US)
                yield from t.sleep_until(due)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def neighbours(ranks, ns, transfer, slow):
    """A ring of ranks: messages to both neighbours are posted, then waited for behind the inner part."""
    def build(m, k, edit):
        boxes = {(a, b): Mailbox() for a in range(ranks) for b in range(ranks)}
        for rank in range(ranks):
            p = m.process(m.gpu(), rank)
            s = p.stream()
            factor = slow if rank == 2 else 1.0
            sides = ((rank + 1) % ranks, (rank - 1) % ranks)

            def main(t, rank=rank, s=s, factor=factor, sides=sides):
                def nothing():
                    yield 300

                def step(_):
                    for i, peer in enumerate(sides):
                        yield from t.mpi("MPI_Irecv", nothing(), peer=peer, request=2 + i)
                    for i, peer in enumerate(sides):
                        yield from t.mpi("MPI_Isend", boxes[rank, peer].send(t, transfer), peer=peer, request=4 + i)
                    yield from kernels(t, s, 10, ns * factor, k)
                    yield from t.sync(s)
                    for i, peer in enumerate(sides):
                        yield from t.mpi("MPI_Wait", boxes[peer, rank].receive(), request=2 + i)
                    for i in range(2):
                        yield from t.mpi("MPI_Wait", nothing(), request=4 + i)
                    yield from kernels(t, s, 3, 50 * US, 1, name="edge")
                    yield from t.sync(s)
                yield from steps(t, step)
            p.thread(f"MPI Rank {rank}", main)
    return build


def sometimes_reduced(ns, every, slow):
    """Ranks go on by themselves, and meet in every few steps."""
    def build(m, k, edit):
        meeting = Meeting(2)
        for rank in range(2):
            p = m.process(m.gpu(), rank)
            s = p.stream()
            factor = slow if rank == 1 else 1.0

            def main(t, s=s, factor=factor):
                def step(i):
                    yield from kernels(t, s, 12, ns * factor, k)
                    yield from t.sync(s)
                    if i % every == every - 1:
                        yield from t.mpi("MPI_Allreduce", meeting.join(t, 60 * US), bytes=1_000_000)
                    yield from t.work(80 * US)
                yield from steps(t, step)
            p.thread(f"MPI Rank {rank}", main)
    return build


def paced_by_timeout(ns, period, name):
    """A loop that lets a call with a time-out keep its pace: nothing ever comes in."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        never = Semaphore()

        def main(t):
            due = 1 * MS

            def step(_):
                nonlocal due
                yield from kernels(t, s, 10, ns, k)
                yield from t.sync(s)
                due = max(due + period, m.now + 100 * US)
                yield from t.take_within(never, due - m.now, name)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def batches_or_timeout(ns, limit, mean, name):
    """Goes on when a request has come, or when it has waited long enough; requests are made by a thread."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        full, is_over = Semaphore(), []

        def main(t):
            def step(_):
                yield from t.take_within(full, limit, name)
                yield from kernels(t, s, 10, ns, k)
                yield from t.sync(s)
            yield from steps(t, step)
            is_over.append(True)

        def client(t):
            while not is_over:
                yield from t.work(mean, 0.4)
                full.count = min(full.count, 1)
                yield from t.post(full)
        p.thread("main", main)
        p.thread("client", client)
    return build


def signalled_in_time(ns, make):
    """Timed waits that never run out: the other thread is always faster than the limit."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        full, room = Semaphore(), Semaphore(2)

        def main(t):
            def step(_):
                yield from t.take_within(full, 50 * MS, "sem_timedwait")
                yield from kernels(t, s, 10, ns, k)
                yield from t.sync(s)
                yield from t.post(room, "sem_post")
            yield from steps(t, step)

        def maker(t):
            for _ in range(STEPS):
                yield from t.take_within(room, 50 * MS, "sem_timedwait")
                yield from t.work(make)
                yield from t.post(full, "sem_post")
        p.thread("main", main)
        p.thread("maker", maker)
    return build


ADVERSARIES = {
    "two consumers, GPU-bound": ("threads", two_consumers(400 * US, 150 * US, 200 * US), (0.5, 0.25, 2)),
    "two consumers, producer decides": ("threads", two_consumers(1.2 * MS, 120 * US, 150 * US), (0.5, 2)),
    "workers, GPU-bound": ("threads", workers(3, 100 * US, 20 * US), (0.5, 0.25, 2)),
    "workers, host-bound": ("threads", workers(2, 15 * US, 300 * US), (0.5, 5)),
    "flags, kept up": ("threads", flags(900 * US, 150 * US), (0.5, 0.25, 2)),
    "flags, reader decides": ("threads", flags(3 * MS, 150 * US), (0.5, 3)),
    "signalled in time, GPU-bound": ("threads", signalled_in_time(200 * US, 900 * US), (0.5, 0.25, 2)),
    "signalled in time, maker decides": ("threads", signalled_in_time(120 * US, 3 * MS), (0.5, 3)),
    "batches or time-out": ("threads", batches_or_timeout(150 * US, 1 * MS, 1.6 * MS, "pthread_cond_timedwait"), (0.5, 2)),
    "requests, rarely a time-out": ("threads", batches_or_timeout(150 * US, 6 * MS, 3 * MS, "epoll_wait"), (0.5, 2)),
    "paced by select": ("timer", paced_by_timeout(300 * US, 8 * MS, "select"), (0.5, 3)),
    "paced by a condition": ("timer", paced_by_timeout(200 * US, 5 * MS, "pthread_cond_timedwait"), (0.25, 2)),
    "overruns": ("timer", overruns(5 * MS, 300 * US, 5, 600 * US), (0.5, 2)),
    "overruns often": ("timer", overruns(5 * MS, 350 * US, 3, 600 * US), (0.5, 0.25)),
    "asks for one, naps": ("polling", query_beside(100 * US, 150 * US, 30 * US), (0.5, 0.25, 2)),
    "asks for one, other longer": ("polling", query_beside(60 * US, 500 * US, 0), (0.5, 4)),
    "event loop": ("polling", executor(80 * US, 50 * US, 4), (0.5, 0.25, 2)),
    "ring of neighbours": ("mpi", neighbours(4, 100 * US, 250 * US, 1.4), (0.5, 0.25, 2)),
    "ring of neighbours, far apart": ("mpi", neighbours(4, 60 * US, 1.4 * MS, 1.2), (0.5, 3)),
    "reduced in every 4th step": ("mpi", sometimes_reduced(120 * US, 4, 1.5), (0.5, 2)),
}
