"""Programs for foreign/machine.py that are held out: nothing may be mended by looking at one of them.

Only their totals are told. They are of other structures than those of newcomers.py, and stand for real programs as they do.
"""

import math

from machine import MS, US, Collective
from programs import kernels, steps
from sharing import Mailbox, Meeting, Semaphore, long_work, sizes

STEPS = 80


def ordered_loader(workers, make, pin, ns):
    """PyTorch's loader: workers make every n-th batch, one thread pins them in order, two batches per worker are on order."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        orders, made = [Semaphore(2) for _ in range(workers)], [Semaphore() for _ in range(workers)]
        pinned, samples = Semaphore(), sizes(51, 0.35)

        def main(t):
            def step(i):
                yield from t.take(pinned)
                yield from t.post(orders[i % workers])
                yield from t.copy("htod", s, 4_000_000)
                yield from kernels(t, s, 18, ns * (4 if i == 0 else 1), k)
                if i % 10 == 9:
                    yield from t.copy("dtoh", s, 4, pinned=False)
                    yield from t.work(300 * US)
            yield from steps(t, step, 2 * STEPS)
            yield from t.sync(s)

        def worker(w):
            def body(t):
                i = w
                while True:
                    yield from t.take(orders[w])
                    yield from long_work(t, make * samples[i % 10], 0.15, parts=40)
                    yield from t.post(made[w])
                    i += workers
            return body

        def pins(t):
            i = 0
            while True:
                yield from t.take(made[i % workers], "poll")
                yield from long_work(t, pin, parts=4)
                yield from t.post(pinned)
                i += 1
        p.thread("main", main)
        for w in range(workers):
            p.thread(f"worker {w}", worker(w), is_daemon=True)
        p.thread("pins", pins, is_daemon=True)
    return build


def tiles(threads, count, ns):
    """A renderer: threads with streams of their own take the tiles of a frame from a counter until none is left."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        go, done, left = Semaphore(), Semaphore(), []
        scene = sizes(52, 0.5, count)

        def take_tiles(t, s):
            while left:
                size = left.pop()
                yield from t.work(15 * US)
                yield from kernels(t, s, 2, ns * size, k, 0.3)
                yield from t.copy("dtoh", s, 200_000)
                yield from t.sync(s)

        def main(t, s=p.stream()):
            def step(_):
                left.extend(scene)
                for _ in range(threads - 1):
                    yield from t.post(go)
                yield from take_tiles(t, s)
                for _ in range(threads - 1):
                    yield from t.take(done)
                yield from long_work(t, 250 * US)
            yield from steps(t, step, STEPS)

        def helper(s):
            def body(t):
                while True:
                    yield from t.take(go)
                    yield from take_tiles(t, s)
                    yield from t.post(done)
            return body
        p.thread("main", main)
        for i in range(threads - 1):
            p.thread(f"tiles {i}", helper(p.stream()), is_daemon=True)
    return build


def swaps(ns, bytes_, encode):
    """A simulation and the thread that reads back and encodes the state before; both swap buffers at a barrier."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()
        meeting, states = Meeting(2), sizes(53, 0.3)

        def meet(t):
            begin = m.now
            yield from meeting.join(t, 5 * US)
            t.os_call("pthread_barrier_wait", begin)

        def main(t):
            def step(i):
                yield from kernels(t, s, 16, ns * (1.6 if i % 5 == 4 else 1), k, 0.7)
                yield from t.sync(s)
                yield from meet(t)
            yield from steps(t, step, 2 * STEPS)

        def encoder(t):
            i = 0
            while True:
                yield from t.copy("dtoh", c, bytes_)
                yield from t.sync(c)
                yield from long_work(t, encode * states[i % 10])
                i += 1
                yield from meet(t)
        p.thread("main", main)
        p.thread("encoder", encoder, is_daemon=True)
    return build


def logs(ns, rows, flush):
    """Results go to a thread that writes them; its queue holds eight, and now and then the disk takes its time."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        full, room = Semaphore(), Semaphore(8)

        def main(t):
            def step(_):
                yield from kernels(t, s, 10, ns, k)
                yield from t.copy("dtoh", s, 300_000, pinned=False)
                yield from t.take(room)
                yield from t.post(full)
            yield from steps(t, step, 2 * STEPS)

        def writer(t):
            i = 0
            while True:
                yield from t.take(full)
                yield from long_work(t, rows)
                i += 1
                if i % 10 == 0:
                    begin = m.now
                    yield from long_work(t, flush)
                    t.os_call("fsync", begin)
                yield from t.post(room)
        p.thread("main", main)
        p.thread("writer", writer, is_daemon=True)
    return build


def slots_by_callback(ns, count, after):
    """Speech recognition: host functions tell a thread that a result is there; that thread gives the slot back."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        streams = [p.stream() for _ in range(count)]
        slots, results, audio = Semaphore(count), Semaphore(), sizes(54, 0.3)

        def main(t):
            def step(i):
                s = streams[i % count]
                yield from t.take(slots)
                yield from t.work(60 * US)
                yield from t.copy("htod", s, 600_000)
                yield from kernels(t, s, 8, ns * audio[i % 10], k, 0.5)
                yield from t.copy("dtoh", s, 50_000)
                yield from t.launch_host(s, 2 * US, lambda: results.give(m))
            yield from steps(t, step, 2 * STEPS)
            yield from t.device_sync()

        def second(t):
            while True:
                yield from t.take(results)
                yield from long_work(t, after)
                yield from t.post(slots)
        p.thread("main", main)
        p.thread("results", second, is_daemon=True)
    return build


def sound(period, ns):
    """Effects on sound: the device takes a block at its pace and plays silence where there is none; two blocks are ahead."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        room, filled, blocks = Semaphore(2), [0], sizes(55, 0.2)

        def device(_):
            while True:
                yield period
                if filled[0]:
                    filled[0] -= 1
                    room.give(m)
                if all(t.done for t in m.threads if t.name):
                    return

        def main(t):
            def step(i):
                yield from t.take(room, "poll")
                yield from t.work(150 * US)
                yield from kernels(t, s, 6, ns * blocks[i % 10], k, 0.2)
                yield from t.copy("dtoh", s, 16_000, pinned=False)
                filled[0] += 1
            yield from steps(t, step, STEPS)
        p.thread("main", main)
        p.outside(device)
    return build


def game(beat, tick, physics, draw):
    """A game: as many fixed steps of physics as time has passed, at most five; one frame drawn, at a beat of the display."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        scenes = sizes(56, 0.15)

        def main(t):
            told = 0

            def step(i):
                nonlocal told
                count = min(5, int((m.now - told) // tick))
                told = m.now if count == 5 else told + count * tick
                for _ in range(count):
                    yield from t.work(120 * US)
                    yield from kernels(t, s, 3, physics, 1, 0.3, name="physics")
                yield from kernels(t, s, 10, draw * scenes[i % 10], k, 0.8)
                yield from t.sync(s)
                yield from t.sleep_until(math.ceil((m.now + 1) / beat) * beat)
            yield from steps(t, step, STEPS)
        p.thread("main", main)
    return build


def falls_back(limit, helper_ns, ns):
    """Ranking with a time limit: a helper scores by the large model; what is not there in time is scored by the small one."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, b = p.stream(), p.stream()
        asked, answered, queries = Semaphore(), Semaphore(), sizes(57, 0.4)
        state = {"number": 0, "busy": False}

        def main(t):
            def step(i):
                yield from kernels(t, s, 6, ns, 1, 0.2, name="embed")
                is_asked = not state["busy"]
                if is_asked:
                    state.update(number=i, busy=True)
                    yield from t.post(asked)
                if not (yield from t.take_within(answered, limit)):
                    yield from kernels(t, s, 4, 2 * ns, 1, 0.2, name="small")
                yield from t.sync(s)
                yield from t.work(100 * US)
            yield from steps(t, step, 2 * STEPS)

        def helper(t):
            while True:
                yield from t.take(asked)
                yield from kernels(t, b, 10, helper_ns * queries[state["number"] % 10], k, 0.4)
                yield from t.sync(b)
                state["busy"] = False
                answered.count = 0
                yield from t.post(answered)
        p.thread("main", main)
        p.thread("helper", helper, is_daemon=True)
    return build


def progress(ns, parts, bytes_):
    """A communication library's progress loop: what is computed is copied, what is copied is sent, each as soon as seen."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()

        def main(t):
            def step(_):
                computed, copied = [], []
                for _ in range(parts):
                    yield from kernels(t, s, 3, ns, k)
                    computed.append((yield from t.mark(s)))
                sent = 0
                while sent < parts:
                    if computed and (yield from t.query(computed[0])):
                        computed.pop(0)
                        yield from t.copy("dtoh", c, bytes_)
                        copied.append((yield from t.mark(c)))
                    if copied and (yield from t.query(copied[0])):
                        copied.pop(0)
                        sent += 1
                        yield from t.work(35 * US, 0.2)
                    yield from t.work(2 * US, 0.3)
                yield from t.work(80 * US)
            yield from steps(t, step, STEPS)
        p.thread("main", main)
    return build


def harvests(ns, most, host):
    """A recommender's batch scorer: takes all results that are there, and waits for the oldest only if too many are not."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        users = sizes(58, 0.4)

        def main(t):
            flying = []

            def step(i):
                yield from t.work(host, 0.15)
                yield from kernels(t, s, 6, ns * users[i % 10], k)
                yield from t.copy("dtoh", s, 100_000)
                flying.append((yield from t.mark(s)))
                while flying and ((yield from t.query(flying[0])) or len(flying) > most):
                    while not (yield from t.query(flying[0])):
                        yield from t.work(3 * US, 0.2)
                    flying.pop(0)
                    yield from t.work(40 * US, 0.2)
            yield from steps(t, step, 3 * STEPS)
            yield from t.device_sync()
        p.thread("main", main)
    return build


def jacobi(ns, factors, every):
    """A solver on a chain of ranks: borders first, their exchange behind the inner part, the residual every few steps."""
    def build(m, k, edit):
        count, boxes, everybody = len(factors), {}, Meeting(len(factors))
        for rank in range(count):
            p = m.process(m.gpu(), rank)
            s, c = p.stream(), p.stream()
            peers = [peer for peer in (rank - 1, rank + 1) if 0 <= peer < count]
            boxes.update({(peer, rank): Mailbox() for peer in peers})

            def main(t, rank=rank, s=s, c=c, peers=peers):
                def quick():
                    yield 400

                def receive():
                    for peer in peers:
                        yield from boxes[peer, rank].receive()

                def step(i):
                    yield from kernels(t, c, 1, 30 * US, 1, 0.1, name="border")
                    yield from kernels(t, s, 4, ns * factors[rank], k, 0.8)
                    yield from t.copy("dtoh", c, 400_000)
                    yield from t.sync(c)
                    for peer in peers:
                        yield from t.mpi("MPI_Irecv", quick(), peer=peer, request=10 + peer)
                        yield from t.mpi("MPI_Isend", boxes[rank, peer].send(t, 90 * US), peer=peer, request=20 + peer)
                    yield from t.mpi("MPI_Waitall", receive())
                    yield from t.copy("htod", c, 400_000)
                    yield from t.join(s, c)
                    if i % every == every - 1:
                        yield from kernels(t, s, 1, 40 * US, 1, name="residual")
                        yield from t.copy("dtoh", s, 8, pinned=False)
                        yield from t.mpi("MPI_Allreduce", everybody.join(t, 25 * US), bytes=8)
                    else:
                        yield from t.sync(s)
                yield from steps(t, step, STEPS)
            p.thread(f"MPI Rank {rank}", main)
    return build


def parameter_server(ns, factors, apply):
    """Workers send their gradients to a server, which applies them in the order of their coming and sends weights back."""
    def build(m, k, edit):
        inbox, order, outs = Mailbox(), [], [Mailbox() for _ in factors]
        is_over = []
        for rank, factor in enumerate(factors):
            p = m.process(m.gpu(), rank)
            s = p.stream()

            def worker(t, rank=rank, s=s, factor=factor):
                def step(_):
                    yield from t.copy("htod", s, 3_000_000)
                    yield from kernels(t, s, 12, ns * factor, k)
                    yield from t.copy("dtoh", s, 3_000_000)
                    yield from t.sync(s)
                    order.append(rank)
                    yield from t.mpi("MPI_Send", inbox.send(t, 80 * US), peer=len(factors))
                    yield from t.mpi("MPI_Recv", outs[rank].receive(), peer=len(factors))
                if rank == 0:
                    yield from steps(t, step, STEPS)
                    is_over.append(True)
                while not is_over:
                    yield from step(0)
            p.thread(f"MPI Rank {rank}", worker, is_daemon=rank != 0)
        p = m.process(m.gpu(), len(factors))
        s = p.stream()

        def server(t):
            while True:
                yield from t.mpi("MPI_Recv", inbox.receive(), peer=-1)
                worker = order.pop(0)
                yield from kernels(t, s, 4, apply / 4, 1, name="apply")
                yield from t.sync(s)
                yield from t.mpi("MPI_Send", outs[worker].send(t, 80 * US), peer=worker)
        p.thread(f"MPI Rank {len(factors)}", server, is_daemon=True)
    return build


def in_transit(ns, every, analyse):
    """A simulation that hands a field to the rank that analyses it, which takes the next only when it is done with one."""
    def build(m, k, edit):
        ready, fields = Mailbox(), Mailbox()
        one, two = m.process(m.gpu(), 0), m.process(m.gpu(), 1)
        a, b = one.stream(), two.stream()

        def hand_over(t):
            yield from ready.receive()
            yield from fields.send(t, 300 * US)
            yield 300 * US

        def simulate(t):
            def step(i):
                yield from kernels(t, a, 12, ns, k)
                if i % every == every - 1:
                    yield from t.copy("dtoh", a, 8_000_000)
                    yield from t.sync(a)
                    yield from t.mpi("MPI_Ssend", hand_over(t), peer=1)
                else:
                    yield from t.sync(a)
                yield from t.work(60 * US)
            yield from steps(t, step, 2 * STEPS)

        def take_field(t):
            yield from ready.send(t, 10 * US)
            yield from fields.receive()

        def analysis(t):
            while True:
                yield from t.mpi("MPI_Recv", take_field(t), peer=0)
                yield from t.copy("htod", b, 8_000_000)
                yield from kernels(t, b, 10, analyse / 10, 1, name="analyse")
                yield from t.sync(b)
                yield from long_work(t, 400 * US)
        one.thread("MPI Rank 0", simulate)
        two.thread("MPI Rank 1", analysis, is_daemon=True)
    return build


def tensor_parallel(ns, layers, transfer, host):
    """A layer's matrices on two GPUs: sums in line with the layers, one rank's host slower than the other's."""
    def build(m, k, edit):
        ring = Collective(2)
        for rank in range(2):
            p = m.process(m.gpu(), rank)
            s = p.stream()

            def main(t, s=s, host=host * (1 + 0.5 * rank)):
                def step(i):
                    for _ in range(layers):
                        yield from kernels(t, s, 4, ns, k, 0.7, host=host)
                        yield from t.launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", s, transfer, 0.1, collective=ring)
                    yield from t.copy("dtoh", s, 64, pinned=False)
                    yield from t.work((400 if i % 8 == 7 else 80) * US)
                yield from steps(t, step, STEPS)
            p.thread(f"rank {rank}", main)
    return build


def stages_by_nccl(ns, second, batches):
    """Two stages whose kernels send and receive: a receive takes its place on the device until the other stage sends."""
    def build(m, k, edit):
        down, up = Collective(2), Collective(2)
        for rank in range(2):
            p = m.process(m.gpu(), rank)
            s, c = p.stream(), p.stream()

            def main(t, rank=rank, s=s, c=c):
                def exchange(ring):
                    yield from t.join(c, s)
                    yield from t.launch("ncclDevKernel_SendRecv", c, 50 * US, 0.05, collective=ring)
                    yield from t.join(s, c)

                def step(i):
                    if rank == 1:
                        yield from kernels(t, s, 1, 5 * US, 1, 0.1, name="clear")
                    for _ in range(batches):
                        if rank == 0:
                            yield from kernels(t, s, 5, ns, k, name="main_forward")
                        yield from exchange(down)
                        if rank == 1:
                            yield from kernels(t, s, 5, second, k, name="main_forward")
                    for _ in range(batches):
                        if rank == 1:
                            yield from kernels(t, s, 5, 2 * second, k, name="main_backward")
                        yield from exchange(up)
                        if rank == 0:
                            yield from kernels(t, s, 5, 2 * ns, k, name="main_backward")
                    yield from kernels(t, s, 2, 50 * US, 1, name="update")
                    yield from t.sync(s)
                    yield from t.work(70 * US)
                yield from steps(t, step, STEPS)
            p.thread(f"rank {rank}", main)
    return build


def careful_library(ns, other):
    """The step asks a library's thread for a part; that thread lets every launch end with its kernel."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, b = p.stream(), p.stream()
        asked, done = Semaphore(), Semaphore()

        def main(t):
            def step(_):
                yield from t.post(asked)
                yield from kernels(t, s, 8, other, 1, 0.3, name="other_conv")
                yield from t.take(done)
                yield from t.join(s, b)
                yield from kernels(t, s, 2, 40 * US, 1, name="join")
                yield from t.sync(s)
                yield from t.work(50 * US)
            yield from steps(t, step, STEPS)

        def library(t):
            t.is_blocking = True
            while True:
                yield from t.take(asked)
                yield from kernels(t, b, 12, ns, k, 0.3, host=8 * US)
                yield from t.post(done)
        p.thread("main", main)
        p.thread("library", library, is_daemon=True)
    return build


def requests_and_lock(threads, count, ns):
    """Threads of a server that answer a batch of requests in one context, each with many short launches."""
    def build(m, k, edit):
        m.driver_lock = True
        p = m.process(m.gpu())
        work, done, requests = Semaphore(), Semaphore(), sizes(59, 0.3)
        given = [0]

        def main(t):
            def step(_):
                for _ in range(count):
                    yield from t.post(work)
                for _ in range(count):
                    yield from t.take(done)
                yield from t.work(100 * US)
            yield from steps(t, step, STEPS)

        def worker(s):
            def body(t):
                while True:
                    yield from t.take(work)
                    launches = round(25 * requests[given[0] % 10])
                    given[0] += 1
                    yield from t.copy("htod", s, 20_000)
                    yield from kernels(t, s, launches, ns, k, 0.15, host=2 * US)
                    yield from t.copy("dtoh", s, 4_000)
                    yield from t.sync(s)
                    yield from t.post(done)
            return body
        p.thread("main", main)
        for i in range(threads):
            p.thread(f"server {i}", worker(p.stream()), is_daemon=True)
    return build


def server_beside(ns, demand, on, off, other):
    """A trainer shares its GPU with another process that answers in bursts, and with one that looks at the device's health."""
    def build(m, k, edit):
        gpu, is_over = m.gpu(), []
        trainer, server, health = m.process(gpu), m.process(gpu), m.process(gpu)
        s, b, h = trainer.stream(), server.stream(), health.stream()

        def main(t):
            def step(_):
                yield from t.copy("htod", s, 1_000_000)
                yield from kernels(t, s, 14, ns, k, demand)
                yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.work(60 * US)
            yield from steps(t, step, 2 * STEPS)
            is_over.append(True)

        def answers(t):
            while not is_over:
                begin = m.now
                while m.now < begin + on:
                    yield from kernels(t, b, 6, other, 1, 0.6, name="answer")
                    yield from t.sync(b)
                yield from t.sleep(off)

        def looks(t):
            while not is_over:
                yield from t.sleep(2 * MS)
                yield from t.launch("health", h, 10 * US, 0.05)
                yield from t.sync(h)
        trainer.thread("main", main)
        server.thread("answers", answers)
        health.thread("looks", looks)
    return build


def ingests(ns, bytes_, depth):
    """A database scan: pages go to the device on one stream, are filtered on two others, far ahead of the device."""
    def build(m, k, edit):
        m.queue_depth = depth
        p = m.process(m.gpu())
        c, a, b = p.stream(), p.stream(), p.stream()

        def main(t):
            def step(i):
                for s, share in ((a, 1.0), (b, 0.7)):
                    yield from t.copy("htod", c, bytes_)
                    yield from t.join(s, c)
                    for j in range(5):
                        yield from t.launch(f"main_filter{j}", s, ns * share * k, 0.35)
                if i % 40 == 39:
                    yield from t.join(a, b)
                    yield from t.copy("dtoh", a, 4_000)
            yield from steps(t, step, 4 * STEPS)
            yield from t.device_sync()
        p.thread("main", main)
    return build


def forest(ns, streams, every):
    """Many small models side by side, each with grids of a few blocks; now and then a kernel that fills the device."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = [p.stream() for _ in range(streams)]
        trees = sizes(60, 0.4, streams)

        def main(t):
            def step(i):
                for j in range(streams):
                    yield from kernels(t, s[j], 5, ns * trees[j], k, 0.04, host=1 * US, name="main_tree")
                if i % every == 0:
                    yield from kernels(t, s[0], 2, 150 * US, 1, 1.0, name="rebuild")
                yield from t.device_sync()
                yield from t.work(100 * US, 0.1)
            yield from steps(t, step, STEPS)
        p.thread("main", main)
    return build


def offloads(ns, layers, weights):
    """A model larger than the device: weights of the layer after next come in while one computes, gradients go out."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c, d = p.stream(), p.stream(), p.stream()

        def main(t):
            def step(_):
                for layer in range(layers):
                    if layer > 1:
                        yield from t.join(c, s)
                    yield from t.copy("htod", c, weights)
                    yield from t.join(s, c)
                    yield from kernels(t, s, 4, ns, k, 0.8)
                    yield from t.join(d, s)
                    yield from t.copy("dtoh", d, weights // 2)
                yield from t.device_sync()
                yield from long_work(t, 400 * US)
            yield from steps(t, step, STEPS)
        p.thread("main", main)
    return build


def staging(ns, bytes_, pack):
    """Batches are packed into one of two pinned buffers, each free again when its copy has ended."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()

        def main(t):
            events = []

            def step(i):
                if len(events) > 1:
                    yield from t.event_sync(events[-2])
                yield from long_work(t, pack)
                yield from t.copy("htod", c, bytes_)
                events.append((yield from t.mark(c)))
                yield from t.join(s, c)
                yield from kernels(t, s, 8, ns, k)
                if i % 4 == 3:
                    yield from t.copy("dtoh", s, 4_000, pinned=False)
            yield from steps(t, step, 2 * STEPS)
            yield from t.device_sync()
        p.thread("main", main)
    return build


def graphs_ahead(ns, nodes, host, every):
    """Training with the whole step in a graph: a batch is copied, the graph launched, the loss read every few steps."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            def step(i):
                yield from t.work(host, 0.1)
                yield from t.copy("htod", s, 2_000_000)
                names = [f"main_gemm{j % 3}" if j % 3 else "norm" for j in range(nodes)]
                yield from t.launch_graph(s, [(name, ns * (k if name != "norm" else 0.3), 0.5) for name in names])
                if i % every == every - 1:
                    yield from t.copy("dtoh", s, 4, pinned=False)
                    yield from t.work(200 * US)
            yield from steps(t, step, STEPS)
            yield from t.sync(s)
        p.thread("main", main)
    return build


def epochs(ns, length, check):
    """Steps of two kinds, with and without an update; after an epoch a thread checks while the main one shuffles."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, b = p.stream(), p.stream()
        asked, done = Semaphore(), Semaphore()

        def main(t):
            for i in range(STEPS):
                yield from t.push(f"step {i}")
                yield from kernels(t, s, 12, ns, k)
                if i % 2:
                    yield from kernels(t, s, 6, 50 * US, 1, name="update")
                yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.pop()
                if i % length == length - 1:
                    yield from t.push("epoch")
                    yield from t.post(asked)
                    yield from long_work(t, 2 * MS)
                    yield from t.take(done)
                    yield from t.pop()

        def checks(t):
            while True:
                yield from t.take(asked)
                yield from kernels(t, b, 20, check / 20, 1, name="check_conv")
                yield from t.sync(b)
                yield from t.post(done)
        p.thread("main", main)
        p.thread("checks", checks, is_daemon=True)
    return build


def reads_twice(ns, host):
    """A trainer that reads the norm of the gradients to clip them, and the loss for its progress bar, in every step."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            def step(_):
                yield from kernels(t, s, 16, ns, k, host=host)
                if "no-sync" not in edit:
                    yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.work(40 * US)
                yield from kernels(t, s, 5, 30 * US, 1, host=host, name="update")
                if "no-sync" not in edit:
                    yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.work(80 * US)
            yield from steps(t, step, STEPS)
            yield from t.sync(s)
        p.thread("main", main)
    return build


HELDOUT = {
    "ordered loader, kept up": ("threads", ordered_loader(3, 5 * MS, 300 * US, 150 * US), (0.5, 0.25, 2)),
    "ordered loader, too slow": ("threads", ordered_loader(2, 7 * MS, 300 * US, 150 * US), (0.5, 2)),
    "tiles": ("threads", tiles(3, 20, 120 * US), (0.5, 0.25, 2)),
    "swaps, simulation decides": ("threads", swaps(130 * US, 10_000_000, 900 * US), (0.5, 0.25, 2)),
    "logs, disk in time": ("threads", logs(90 * US, 300 * US, 3 * MS), (0.5, 0.25)),
    "slots by callback": ("threads", slots_by_callback(100 * US, 3, 250 * US), (0.5, 0.25, 2)),
    "sound": ("timer", sound(5_333_333, 400 * US), (0.5, 2, 4)),
    "game": ("timer", game(16_666_667, 4 * MS, 100 * US, 800 * US), (0.5, 2, 4)),
    "falls back": ("timer", falls_back(2 * MS, 160 * US, 50 * US), (0.5, 2)),
    "progress loop": ("polling", progress(80 * US, 4, 4_000_000), (0.5, 0.25, 2)),
    "harvests, GPU-bound": ("polling", harvests(90 * US, 6, 150 * US), (0.5, 0.25, 2)),
    "Jacobi": ("mpi", jacobi(150 * US, (1, 1.4, 1, 0.9), 5), (0.5, 0.25, 2)),
    "parameter server": ("mpi", parameter_server(120 * US, (1, 1.2, 0.9), 200 * US), (0.5, 0.25, 2)),
    "in transit": ("mpi", in_transit(90 * US, 4, 3 * MS), (0.5, 2)),
    "tensor parallel": ("nccl", tensor_parallel(50 * US, 6, 60 * US, 5 * US), (0.5, 0.25, 2)),
    "stages by NCCL": ("nccl", stages_by_nccl(40 * US, 55 * US, 4), (0.5, 2)),
    "careful library": ("blocking", careful_library(50 * US, 40 * US), (0.5, 0.25, 2)),
    "requests and a lock": ("lock", requests_and_lock(3, 9, 4 * US), (0.5, 4)),
    "server beside": ("beside", server_beside(80 * US, 0.8, 3 * MS, 4 * MS, 100 * US), (0.5, 0.25, 2)),
    "ingests": ("queue", ingests(60 * US, 3_000_000, 400), (0.5, 0.25, 2)),
    "forest": ("room", forest(100 * US, 8, 3), (0.12, 0.5, 4)),
    "offloads": ("copies", offloads(50 * US, 8, 6_000_000), (0.12, 0.5, 4)),
    "staging": ("copies", staging(70 * US, 8_000_000, 350 * US), (0.12, 2, 4)),
    "graphs ahead": ("graphs", graphs_ahead(25 * US, 60, 150 * US, 5), (0.5, 0.12, 2)),
    "epochs": ("between", epochs(90 * US, 10, 4 * MS), (0.5, 0.25, 2)),
    "reads twice": ("plain", reads_twice(50 * US, 8 * US), (0.5, 0.25, "no-sync")),
}
