"""Programs for foreign/machine.py, one per way in which a step can wait.

Each builds its threads on a machine; `k` is the factor on the kernels named main_*, and `edit` the
names of other changes that are really made. Steps are ranges "step" of the main thread.
"""

from machine import MS, US
from sharing import Mailbox, Meeting, Semaphore

STEPS = 40


def steps(thread, body, count=STEPS, name="step"):
    for i in range(count):
        yield from thread.push(f"{name} {i}")
        yield from body(i)
        yield from thread.pop()


def kernels(thread, stream, count, ns, k, demand=0.5, host=6 * US, name="main_gemm"):
    for i in range(count):
        yield from thread.work(host)
        yield from thread.launch(f"{name}{i % 3}", stream, ns * k, demand)


def plain(ns, host, sync=True, copy=0):
    """Launches, and perhaps a read of the loss at the end of a step."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            def step(_):
                if copy:
                    yield from t.copy("htod", s, copy, pinned="pinned" in edit)
                yield from kernels(t, s, 30, ns, k, host=host)
                if sync and "no-sync" not in edit:
                    yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.work(40 * US)
            yield from steps(t, step)
            yield from t.sync(s)
        p.thread("main", main)
    return build


def server(host, ns, receive):
    """Receive, compute, send: three threads with queues of two between them."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        full, room = Semaphore(), Semaphore(2)
        out, out_room = Semaphore(), Semaphore(2)

        def receiver(t):
            for _ in range(STEPS):
                yield from t.take(room)
                yield from t.work(receive)
                yield from t.post(full)

        def main(t):
            def step(_):
                yield from t.take(full)
                yield from kernels(t, s, 12, ns, k, host=host)
                yield from t.sync(s)
                yield from t.post(room)
                yield from t.take(out_room)
                yield from t.post(out)
            yield from steps(t, step)

        def sender(t):
            for _ in range(STEPS):
                yield from t.take(out)
                yield from t.work(300 * US)
                yield from t.post(out_room)

        p.thread("main", main)
        p.thread("receiver", receiver)
        p.thread("sender", sender)
    return build


def prefetch(make, ns, depth=2):
    """A thread that copies batches to the device on a stream of its own."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()
        full, room = Semaphore(), Semaphore(depth)

        def feeder(t):
            for _ in range(STEPS):
                yield from t.take(room)
                yield from t.work(make)
                yield from t.copy("htod", c, 4_000_000)
                yield from t.sync(c)
                yield from t.post(full)

        def main(t):
            def step(_):
                yield from t.take(full)
                yield from kernels(t, s, 15, ns, k, 0.9)
                yield from t.sync(s)
                yield from t.post(room)
            yield from steps(t, step)
        p.thread("main", main)
        p.thread("feeder", feeder)
    return build


def timer(period, ns, jitter=0):
    """Frames at fixed times."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            due = 2 * MS

            def step(_):
                nonlocal due
                due += period + (m.random.gauss(0, jitter) if jitter else 0)
                yield from kernels(t, s, 10, ns, k)
                yield from t.sync(s)
                yield from t.work(200 * US)
                yield from t.sleep_until(due)
                due = max(due, m.now - period)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def naps(nap, ns):
    """A pause of the same length in every step, whatever the step does."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            def step(_):
                yield from kernels(t, s, 10, ns, k)
                yield from t.sync(s)
                yield from t.sleep(nap)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def camera(period, ns):
    """A driver that gives frames at its own pace; the program waits in poll()."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        frames = Semaphore()

        def device(_):
            for _ in range(3 * STEPS):
                yield period + m.random.gauss(0, 60 * US)
                frames.give(m)
                frames.count = min(frames.count, 1)

        def main(t):
            def step(_):
                yield from t.take(frames, "poll")
                yield from t.copy("htod", s, 2_000_000)
                yield from kernels(t, s, 20, ns, k)
                yield from t.sync(s)
            yield from steps(t, step)
        p.thread("main", main)
        p.outside(device)
    return build


def polling(ns, nap):
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            def step(_):
                yield from kernels(t, s, 10, ns, k)
                yield from t.poll(s, nap)
                yield from t.work(150 * US)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def blocking(ns, host):
    """CUDA_LAUNCH_BLOCKING=1."""
    def build(m, k, edit):
        m.launch_blocking = "no-sync" not in edit
        return plain(ns, host)(m, k, ())
    return build


def two_launchers(ns, count, wait):
    """Threads that launch into one context; with a lock in the driver they hold each other up."""
    def build(m, k, edit):
        m.driver_lock = True
        p = m.process(m.gpu())
        for i in range(2):
            s = p.stream()

            def main(t, s=s):
                def step(_):
                    yield from kernels(t, s, count, ns, k, 0.3, host=2 * US)
                    yield from t.sync(s)
                    yield from t.work(wait)
                yield from steps(t, step)
            p.thread(f"launcher {i}", main)
    return build


def mpi_ranks(slow, ns, ring=False):
    """Ranks of unequal work on GPUs of their own, joined by MPI alone."""
    def build(m, k, edit):
        meeting, boxes = Meeting(3), [Mailbox() for _ in range(3)]
        for rank in range(3):
            p = m.process(m.gpu(), rank)
            s = p.stream()
            factor = slow if rank == 1 else 1.0

            def main(t, rank=rank, s=s, factor=factor):
                def step(_):
                    yield from kernels(t, s, 12, ns * factor, k)
                    yield from t.sync(s)
                    if ring:
                        yield from t.mpi("MPI_Send", boxes[(rank + 1) % 3].send(t, 30 * US), peer=(rank + 1) % 3)
                        yield from t.mpi("MPI_Recv", boxes[rank].receive(), peer=(rank + 2) % 3)
                    else:
                        yield from t.mpi("MPI_Allreduce", meeting.join(t, 40 * US), bytes=1_000_000)
                    yield from t.work(100 * US)
                yield from steps(t, step)
            p.thread(f"MPI Rank {rank}", main)
    return build


def background(ns, other, demand):
    """A thread that goes on by itself on the same GPU; the step never waits for it."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, b = p.stream(), p.stream()
        is_over = []

        def main(t):
            def step(_):
                yield from kernels(t, s, 10, ns, k, 0.4)
                yield from t.sync(s)
                yield from t.work(80 * US)
            yield from steps(t, step)
            is_over.append(True)

        def beside(t):
            while not is_over:
                yield from t.launch("beside_compress", b, other, demand)
                yield from t.sync(b)
                yield from t.work(500 * US)
        p.thread("main", main)
        p.thread("beside", beside)
    return build


def two_programs(ns, other):
    """Two processes on one GPU that know nothing of each other."""
    def build(m, k, edit):
        gpu = m.gpu()
        for i in range(2):
            p = m.process(gpu)
            s = p.stream()

            def main(t, i=i, s=s):
                def step(_):
                    mine = i == 0
                    yield from kernels(t, s, 10, ns if mine else other, k if mine else 1, 0.3,
                                       name="main_gemm" if mine else "other_conv")
                    yield from t.sync(s)
                    yield from t.work(100 * US)
                yield from steps(t, step, STEPS if i == 0 else 31)
            p.thread("main", main)
    return build


def full_queue(ns, streams, depth=1024):
    """Launches run so far ahead that the driver holds them back."""
    def build(m, k, edit):
        m.queue_depth = depth
        p = m.process(m.gpu())
        s = [p.stream() for _ in range(streams)]

        def main(t):
            def step(_):
                for i in range(240):
                    yield from t.launch(f"main_tile{i % 4}", s[i % streams], ns * k * (1 + i % streams), 0.2)
            yield from steps(t, step, 24)
            yield from t.device_sync()
        p.thread("main", main)
    return build


def crowded(ns, demand, streams, removed="device_sync"):
    """Kernels on several streams that do not all fit beside each other."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = [p.stream() for _ in range(streams)]

        def main(t):
            def step(_):
                for i in range(24):  # As many on each stream.
                    yield from t.work(5 * US)
                    yield from t.launch(f"main_tile{i % 3}", s[i % streams], ns * k, demand)
                    if removed == "stream_sync" and "no-sync" not in edit:
                        yield from t.sync(s[i % streams])
                if "no-sync" not in edit:
                    yield from t.device_sync()
                yield from t.work(60 * US)
            yield from steps(t, step)
            yield from t.device_sync()
        p.thread("main", main)
    return build


def validation(ns, every, long):
    """After some steps something else that no step's range holds."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            for i in range(STEPS):
                yield from t.push(f"step {i}")
                yield from kernels(t, s, 20, ns, k)
                yield from t.sync(s)
                yield from t.pop()
                if i % every == every - 1:
                    yield from t.push("validation")
                    yield from kernels(t, s, 20, long, 1, name="check_conv")
                    yield from t.sync(s)
                    yield from t.pop()
        p.thread("main", main)
    return build


def backward_thread(ns, host):
    """The main thread asks another one for the second half and waits for it, as autograd does."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        asked, done = Semaphore(), Semaphore()

        def engine(t):
            for _ in range(STEPS):
                yield from t.take(asked)
                yield from kernels(t, s, 20, ns, k, host=host, name="main_backward")
                yield from t.post(done)

        def main(t):
            def step(_):
                yield from kernels(t, s, 10, ns, k, host=host)
                yield from t.post(asked)
                yield from t.take(done)
                yield from t.work(60 * US)
                yield from kernels(t, s, 4, ns / 2, 1, host=host, name="update")
                yield from t.sync(s)
            yield from steps(t, step)
        p.thread("main", main)
        p.thread("engine", engine)
    return build


def two_buffers(ns, bytes_):
    """Copies on their own stream, one step ahead, joined by a host wait."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()

        def main(t):
            def step(_):
                yield from t.copy("htod", c, bytes_)
                yield from t.join(s, c)
                yield from kernels(t, s, 12, ns, k)
                yield from t.sync(s)
            yield from steps(t, step)
        p.thread("main", main)
    return build


# name: (class, builder, changes); a change is a factor on main kernels or the name of an edit.
PROGRAMS = {
    "plain, GPU-bound": ("plain", plain(90 * US, 4 * US), (0.5, 0.25, 2)),
    "plain, host-bound": ("plain", plain(8 * US, 25 * US), (0.5, 4, "no-sync")),
    "plain, no read": ("plain", plain(40 * US, 6 * US, sync=False), (0.5, 0.1, 2)),
    "plain, pageable input": ("plain", plain(30 * US, 6 * US, copy=8_000_000), (0.5, "pinned")),
    "server, GPU-bound": ("threads", server(5 * US, 200 * US, 900 * US), (0.5, 0.25, 2)),
    "server, receives slowly": ("threads", server(5 * US, 100 * US, 3 * MS), (0.5, 0.25, 4)),
    "prefetch, kept up": ("threads", prefetch(900 * US, 150 * US), (0.5, 0.25, 2)),
    "prefetch, too slow": ("threads", prefetch(4 * MS, 150 * US), (0.5, 2, 4)),
    "backward thread, GPU-bound": ("threads", backward_thread(80 * US, 5 * US), (0.5, 0.25)),
    "backward thread, host-bound": ("threads", backward_thread(10 * US, 30 * US), (0.5, 5)),
    "timer, 60 a second": ("timer", timer(16_666_667, 500 * US), (0.5, 0.25, 2, 4)),
    "timer, 10 ms with jitter": ("timer", timer(10 * MS, 400 * US, 80 * US), (0.5, 3)),
    "camera, 40 ms": ("timer", camera(40 * MS, 800 * US), (0.5, 0.25, 3)),
    "naps of 3 ms": ("timer", naps(3 * MS, 300 * US), (0.5, 0.25, 2)),
    "polls": ("polling", polling(200 * US, 0), (0.5, 0.25, 2)),
    "polls with naps": ("polling", polling(200 * US, 20 * US), (0.5, 0.25, 2)),
    "polls with long naps": ("polling", polling(300 * US, 150 * US), (0.5, 2)),
    "blocking launches": ("blocking", blocking(60 * US, 5 * US), (0.5, 2, "no-sync")),
    "blocking launches, short": ("blocking", blocking(12 * US, 15 * US), (0.5, 4, "no-sync")),
    "two launchers, lock": ("lock", two_launchers(5 * US, 150, 200 * US), (0.5, 4)),
    "two launchers, long kernels": ("lock", two_launchers(60 * US, 60, 100 * US), (0.5, 0.2)),
    "MPI all-reduce, one slow": ("mpi", mpi_ranks(1.6, 250 * US), (0.5, 2)),
    "MPI all-reduce, one very slow": ("mpi", mpi_ranks(3, 120 * US), (0.5, 0.25)),
    "MPI ring, one slow": ("mpi", mpi_ranks(1.5, 250 * US, ring=True), (0.5, 2)),
    "background thread": ("beside", background(100 * US, 7 * MS, 0.4), (0.5, 0.25, 2)),
    "background thread, short": ("beside", background(100 * US, 700 * US, 0.3), (0.5, 2)),
    "two programs": ("beside", two_programs(120 * US, 170 * US), (0.5, 0.25, 2)),
    "full queue, one stream": ("queue", full_queue(30 * US, 1), (0.5, 0.25, 2)),
    "full queue, two streams": ("queue", full_queue(30 * US, 2), (0.5, 0.25, 2)),
    "full queue, three streams, depth 500": ("queue", full_queue(25 * US, 3, 500), (0.5, 2)),
    "crowded, three streams": ("room", crowded(150 * US, 0.6, 3), (0.5, 2)),
    "crowded, small kernels": ("room", crowded(150 * US, 0.25, 3), (0.5, 2)),
    "crowded, synced one by one": ("room", crowded(200 * US, 1.0, 4, "stream_sync"), ("no-sync", 0.5)),
    "half full, synced one by one": ("room", crowded(200 * US, 0.5, 4, "stream_sync"), ("no-sync", 0.5)),
    "validation between steps": ("between", validation(80 * US, 5, 200 * US), (0.5, 0.25)),
    "two buffers": ("plain", two_buffers(60 * US, 12_000_000), (0.5, 0.25, 2)),
}
