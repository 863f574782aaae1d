"""Programs for foreign/machine.py that stand for real ones: inputs of unequal size, warm-up, steps of several kinds.

They were written without knowledge of the rules. Whoever mends a rule may look at them; heldout.py has those that tell
whether mending helped programs that nobody looked at.
"""

from machine import MS, US, Collective
from programs import kernels, steps
from sharing import Mailbox, Meeting, Semaphore, long_work, sizes

STEPS = 80


def augmented(read, augment, ns):
    """tf.data: a thread reads files, two decode and augment, the trainer takes what is ready; logs every few steps."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        raw, raw_room, full, room = Semaphore(), Semaphore(4), Semaphore(), Semaphore(3)
        files = sizes(21, 0.3)

        def main(t):
            def step(i):
                yield from t.take(full)
                yield from t.copy("htod", s, 3_000_000)
                yield from t.post(room)
                yield from kernels(t, s, 14, ns * (3 if i == 0 else 1), k)
                yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.work((600 if i % 5 == 4 else 50) * US)
            yield from steps(t, step, 2 * STEPS)

        def reader(t):
            for i in range(4 * STEPS):
                yield from t.take(raw_room)
                begin = m.now
                yield from long_work(t, read * files[i % 10])
                t.os_call("read", begin)
                yield from t.post(raw)

        def augmenter(t):
            while True:
                yield from t.take(raw)
                yield from long_work(t, augment, 0.4)
                yield from t.post(raw_room)
                yield from t.take(room)
                yield from t.post(full)
        p.thread("main", main)
        p.thread("reader", reader, is_daemon=True)
        for i in range(2):
            p.thread(f"augment {i}", augmenter, is_daemon=True)
    return build


def futures(ns, metric, behind):
    """A trainer that gives metrics to a pool of two and takes the future of an earlier step, as in asynchronous logging."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        asked, events, done = Semaphore(), [], Semaphore()

        def main(t):
            def step(i):
                yield from kernels(t, s, 16, ns, k)
                yield from t.copy("dtoh", s, 1_000_000)
                events.append((yield from t.mark(s)))
                yield from t.post(asked)
                if i >= behind:
                    yield from t.take(done)
                yield from t.work(40 * US)
            yield from steps(t, step, 4 * STEPS)

        def worker(t):
            while True:
                yield from t.take(asked)
                yield from t.event_sync(events.pop(0))
                yield from long_work(t, metric, 0.4)
                yield from t.post(done)
        p.thread("main", main)
        for i in range(2):
            p.thread(f"pool {i}", worker, is_daemon=True)
    return build


def actor_learner(env, act, learn):
    """Reinforcement learning: a thread plays with the policy on the GPU, the learner takes its rollouts."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, b = p.stream(), p.stream()
        full, room = Semaphore(), Semaphore(2)
        episodes = sizes(22, 0.35)

        def main(t):
            def step(_):
                yield from t.take(full)
                yield from kernels(t, s, 16, learn, k, 0.6)
                yield from t.sync(s)
                yield from t.post(room)
                yield from t.work(80 * US)
            yield from steps(t, step, STEPS)

        def actor(t):
            i = 0
            while True:
                yield from t.take(room)
                for _ in range(4):
                    yield from kernels(t, b, 4, act, 1, 0.2, name="policy_gemv")
                    yield from t.copy("dtoh", b, 256, pinned=False)
                    yield from long_work(t, env * episodes[i % 10], parts=4)
                i += 1
                yield from t.post(full)
        p.thread("main", main)
        p.thread("actor", actor, is_daemon=True)
    return build


def returned_by_callback(make, bytes_, ns):
    """Video analytics: a host function on the copy stream gives the buffer back to the decoder; nothing else waits."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()
        full, free = Semaphore(), Semaphore(3)

        def main(t):
            def step(i):
                yield from t.take(full)
                yield from t.join(c, s) if i else t.work(5 * US)
                yield from t.copy("htod", c, bytes_)
                yield from t.launch_host(c, 3 * US, lambda: free.give(m))
                yield from t.join(s, c)
                yield from kernels(t, s, 10, ns, k)
                if i % 10 == 9:
                    yield from t.copy("dtoh", s, 4, pinned=False)
            yield from steps(t, step, 2 * STEPS)
            yield from t.device_sync()

        def decoder(t):
            while True:
                yield from t.take(free)
                yield from long_work(t, make, 0.2)
                yield from t.post(full)
        p.thread("main", main)
        p.thread("decoder", decoder, is_daemon=True)
    return build


def skips_drawing(period, ns, most):
    """An emulator: frames at fixed times; one that is late is computed, and not drawn, but never `most` in a row."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        scenes = sizes(23, 0.2)

        def main(t):
            due, skipped = 2 * MS, 0

            def step(i):
                nonlocal due, skipped
                due += period
                yield from t.work(700 * US)
                yield from kernels(t, s, 2, 60 * US, 1, name="update")
                if m.now < due - period // 3 or skipped == most:
                    skipped = 0
                    yield from kernels(t, s, 8, ns * scenes[i % 10], k)
                else:
                    skipped += 1
                yield from t.sync(s)
                yield from t.sleep_until(due)
                due = max(due, m.now - 2 * period)
            yield from steps(t, step, 2 * STEPS)
        p.thread("main", main)
    return build


def token_bucket(period, burst, ns):
    """A client of a service that may ask so often a second: tokens come at a fixed pace, and a few can be saved."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        prompts = sizes(24, 0.5)

        def main(t):
            tokens, filled = 0.0, 0

            def step(i):
                nonlocal tokens, filled
                tokens, filled = min(burst, tokens + (m.now - filled) / period), m.now
                if tokens < 1:
                    yield from t.sleep_until(m.now + int((1 - tokens) * period))
                    tokens, filled = tokens + (m.now - filled) / period, m.now
                tokens -= 1
                yield from t.work(300 * US)
                yield from kernels(t, s, 12, ns * prompts[i % 10], k)
                yield from t.copy("dtoh", s, 40_000, pinned=False)
            yield from steps(t, step, STEPS)
        p.thread("main", main)
    return build


def backs_off(ns, first, longest):
    """Waits for an event with naps that double each time, as schedulers of tasks do."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        tiles = sizes(25, 0.25)

        def main(t):
            def step(i):
                yield from kernels(t, s, 8, ns * tiles[i % 10], k)
                event, nap = (yield from t.mark(s)), first
                while not (yield from t.query(event)):
                    yield from t.sleep(nap)
                    nap = min(2 * nap, longest)
                yield from t.work(120 * US)
            yield from steps(t, step, STEPS)
        p.thread("main", main)
    return build


def packs_meanwhile(ns, parts, part):
    """Packs the next batch in small parts between its looks at the device; what is left when that is done comes after."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            def step(_):
                yield from t.copy("htod", s, 1_000_000)
                yield from kernels(t, s, 10, ns, k)
                event, left = (yield from t.mark(s)), parts
                while not (yield from t.query(event)):
                    yield from t.work(part if left else 1 * US, 0.15)
                    left = max(0, left - 1)
                for _ in range(left):
                    yield from t.work(part, 0.15)
                yield from t.work(60 * US)
            yield from steps(t, step, STEPS)
        p.thread("main", main)
    return build


def slots(count, per_step, ns, nap):
    """A video server with so many requests in flight: takes the results of those that are done, and starts the next ones."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        streams = [p.stream() for _ in range(count)]
        frames = sizes(26, 0.3)

        def main(t):
            flying, started, turn = [None] * count, 0, 0

            def start(i):
                nonlocal started
                yield from t.copy("htod", streams[i], 1_500_000)
                yield from kernels(t, streams[i], 4, ns * frames[started % 10], k, 0.4, host=4 * US)
                started += 1
                flying[i] = yield from t.mark(streams[i])

            def step(_):
                nonlocal turn
                done = in_vain = 0
                while done < per_step:
                    i, turn = turn, (turn + 1) % count
                    if not flying[i]:
                        yield from start(i)
                    elif (yield from t.query(flying[i])):
                        done, in_vain = done + 1, 0
                        yield from t.work(50 * US, 0.2)
                        yield from start(i)
                    elif in_vain + 1 < count:
                        in_vain += 1
                    else:
                        in_vain = 0
                        yield from t.sleep(nap)
            yield from steps(t, step, 4 * STEPS)
            yield from t.device_sync()
        p.thread("main", main)
    return build


def gpipe(ns, factors, batches):
    """GPipe over MPI: stages of unequal size pass small batches on, and gradients back; each stage updates at the end."""
    def build(m, k, edit):
        count = len(factors)
        down, up = [Mailbox() for _ in range(count)], [Mailbox() for _ in range(count)]
        for rank in range(count):
            p = m.process(m.gpu(), rank)
            s = p.stream()

            def main(t, rank=rank, s=s):
                def part(boxes, before, after, length, name):
                    if 0 <= before < count:
                        yield from t.mpi("MPI_Recv", boxes[rank].receive(), peer=before)
                    yield from kernels(t, s, 5, length * factors[rank], k, name=name)
                    yield from t.sync(s)
                    if 0 <= after < count:
                        yield from t.mpi("MPI_Send", boxes[after].send(t, 60 * US), peer=after)

                def step(_):
                    for _ in range(batches):
                        yield from part(down, rank - 1, rank + 1, ns, "main_forward")
                    for _ in range(batches):
                        yield from part(up, rank + 1, rank - 1, 2 * ns, "main_backward")
                    yield from kernels(t, s, 3, 60 * US, 1, name="update")
                    yield from t.sync(s)
                yield from steps(t, step, STEPS)
            p.thread(f"MPI Rank {rank}", main)
    return build


def master_and_workers(ns, speeds, tasks):
    """Rank 0 hands out tasks of unequal size to whoever asks next, and sums up after so many of them."""
    def build(m, k, edit):
        asked, who, boxes, orders = Mailbox(), [], [Mailbox() for _ in speeds], [[] for _ in speeds]
        lengths = sizes(27, 0.5, 24)

        def master(t, s):
            given = 0

            def hand_out(is_last=False):
                yield from t.mpi("MPI_Recv", asked.receive(), peer=-1)
                worker = who.pop(0)
                orders[worker].append(None if is_last else lengths[given % 24])
                yield from t.mpi("MPI_Send", boxes[worker].send(t, 20 * US), peer=worker + 1)

            def step(_):
                nonlocal given
                for _ in range(tasks):
                    yield from hand_out()
                    given += 1
                    yield from t.work(15 * US)
                yield from kernels(t, s, 3, 40 * US, 1, name="sum")
                yield from t.sync(s)
            yield from steps(t, step, 48)
            for _ in speeds:
                yield from hand_out(True)

        def worker(t, s, i):
            while True:
                who.append(i)
                yield from t.mpi("MPI_Send", asked.send(t, 20 * US), peer=0)
                yield from t.mpi("MPI_Recv", boxes[i].receive(), peer=0)
                length = orders[i].pop(0)
                if length is None:
                    return
                yield from kernels(t, s, 4, ns * length * speeds[i], k)
                yield from t.sync(s)
        for rank in range(1 + len(speeds)):
            p = m.process(m.gpu(), rank)
            s = p.stream()
            p.thread(f"MPI Rank {rank}", (lambda t, s=s: master(t, s)) if rank == 0 else
                     (lambda t, s=s, i=rank - 1: worker(t, s, i)))
    return build


def data_parallel(ns, spread, transfer, buckets):
    """DDP: gradients are summed by NCCL in buckets behind the backward pass; each rank has other sequence lengths."""
    def build(m, k, edit):
        ring = Collective(2)
        for rank in range(2):
            p = m.process(m.gpu(), rank)
            s, c = p.stream(), p.stream()
            lengths = sizes(30 + rank, spread)

            def main(t, s=s, c=c, lengths=lengths):
                def step(i):
                    yield from t.copy("htod", s, 500_000)
                    yield from kernels(t, s, 8, ns * lengths[i % 10], k, 0.6, name="main_forward")
                    for _ in range(buckets):
                        yield from kernels(t, s, 16 // buckets, ns * lengths[i % 10], k, 0.6, name="main_backward")
                        yield from t.join(c, s)
                        yield from t.launch("ncclDevKernel_AllReduce_Sum_f16_RING_LL", c, transfer, 0.1, collective=ring)
                    yield from t.join(s, c)
                    yield from kernels(t, s, 2, 80 * US, 1, 0.8, name="adam")
                    yield from t.copy("dtoh", s, 4, pinned=False)
                    yield from t.work(70 * US)
                yield from steps(t, step, 2 * STEPS)
            p.thread(f"rank {rank}", main)
    return build


def debugged(ns, make):
    """A training run with CUDA_LAUNCH_BLOCKING=1 to find a fault, with its prefetching thread."""
    def build(m, k, edit):
        m.launch_blocking = True
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()
        full, room = Semaphore(), Semaphore(2)
        lengths = sizes(28, 0.2)

        def main(t):
            def step(i):
                yield from t.take(full)
                yield from kernels(t, s, 15, ns * lengths[i % 10], k, name="main_gemm")
                yield from kernels(t, s, 10, 7 * US, 1, 0.2, name="norm")
                yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.post(room)
            yield from steps(t, step, 2 * STEPS)

        def loader(t):
            while True:
                yield from t.take(room)
                yield from long_work(t, make, 0.2)
                yield from t.copy("htod", c, 2_000_000)
                yield from t.sync(c)
                yield from t.post(full)
        p.thread("main", main)
        p.thread("loader", loader, is_daemon=True)
    return build


def bursts_beside(ns, count, pause, burst):
    """A trainer of many small kernels; in the same context a thread answers requests in bursts of launches."""
    def build(m, k, edit):
        m.driver_lock = True
        p = m.process(m.gpu())
        s, b = p.stream(), p.stream()
        is_over = []

        def main(t):
            def step(_):
                yield from kernels(t, s, count, ns, k, 0.2, host=3 * US)
                yield from t.sync(s)
                yield from t.work(90 * US)
            yield from steps(t, step, STEPS)
            is_over.append(True)

        def answers(t):
            while not is_over:
                yield from t.sleep(pause)
                yield from kernels(t, b, burst, 5 * US, 1, 0.1, host=1 * US, name="answer")
                yield from t.sync(b)
        p.thread("main", main)
        p.thread("answers", answers)
    return build


def evaluates_beside(ns, demand, other, metric):
    """Training, and a thread that evaluates an average of the weights all the time, with a second model on the same GPU."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, b = p.stream(), p.stream()
        is_over, batches = [], sizes(29, 0.4)

        def main(t):
            def step(i):
                yield from kernels(t, s, 18, ns * (2 if i < 2 else 1), k, demand)
                yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.work(60 * US)
            yield from steps(t, step, 2 * STEPS)
            is_over.append(True)

        def evaluates(t):
            i = 0
            while not is_over:
                yield from kernels(t, b, 10, other, 1, 0.5, name="other_conv")
                yield from t.copy("dtoh", b, 40_000, pinned=False)
                yield from long_work(t, metric * batches[i % 10])
                i += 1
        p.thread("main", main)
        p.thread("evaluates", evaluates)
    return build


def saves_every(ns, every, bytes_, write):
    """Every few steps the weights are copied for a writer to put on disk; the next save waits for the one before."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s, c = p.stream(), p.stream()
        asked, saved, events = Semaphore(), Semaphore(1), []

        def main(t):
            def step(i):
                yield from kernels(t, s, 20, ns, k)
                if i % every == every - 1:
                    yield from t.take(saved)
                    yield from t.join(c, s)
                    yield from t.copy("dtoh", c, bytes_)
                    yield from t.join(s, c)
                    events.append((yield from t.mark(c)))
                    yield from t.post(asked)
                yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.work(50 * US)
            yield from steps(t, step, 4 * 48)

        def writer(t):
            while True:
                yield from t.take(asked)
                yield from t.event_sync(events.pop(0))
                for _ in range(6):
                    begin = m.now
                    yield from long_work(t, write / 6, 0.2, parts=4)
                    t.os_call("write", begin)
                yield from t.post(saved)
        p.thread("main", main)
        p.thread("writer", writer, is_daemon=True)
    return build


def denoises(ns, count, depth):
    """A diffusion sampler: with and without the prompt on two streams, combined in each step; the host never waits."""
    def build(m, k, edit):
        m.queue_depth = depth
        p = m.process(m.gpu())
        a, b = p.stream(), p.stream()

        def main(t):
            def step(i):
                if i:
                    yield from t.join(b, a)
                for _ in range(count):
                    yield from t.launch("main_block", a, ns * k, 0.4)
                    yield from t.launch("main_block", b, ns * k, 0.4)
                yield from t.join(a, b)
                yield from t.launch("guide", a, 20 * US, 0.3)
            yield from steps(t, step, 2 * STEPS)
            yield from t.device_sync()
        p.thread("main", main)
    return build


def experts(ns, routed, layers):
    """A mixture of experts: attention on one stream, then experts with unequal shares of the tokens on four."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = [p.stream() for _ in routed]

        def main(t):
            def step(_):
                for _ in range(layers):
                    yield from kernels(t, s[0], 2, 120 * US, 1, 1.0, host=4 * US, name="attention")
                    for other in s[1:]:
                        yield from t.join(other, s[0])
                    for stream, share in zip(s, routed):
                        yield from kernels(t, stream, 3, ns, k, share, host=3 * US, name="main_expert")
                    for other in s[1:]:
                        yield from t.join(s[0], other)
                yield from t.copy("dtoh", s[0], 4, pinned=False)
                yield from t.work(60 * US)
            yield from steps(t, step, STEPS)
        p.thread("main", main)
    return build


def chunks(count, bytes_, ns, pinned=True):
    """A filter over data larger than the device: chunks go in, through, and out on three streams in turn."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = [p.stream() for _ in range(3)]
        is_pinned = pinned or "pinned" in edit

        def main(t):
            def step(_):
                for i in range(count):
                    yield from t.copy("htod", s[i % 3], bytes_, pinned=is_pinned)
                    yield from kernels(t, s[i % 3], 2, ns, k, 0.7)
                    yield from t.copy("dtoh", s[i % 3], bytes_)
                yield from t.device_sync()
                yield from t.work(150 * US, 0.1)
            yield from steps(t, step, 2 * STEPS)
        p.thread("main", main)
    return build


def decodes(ns, nodes, sample):
    """A language model that answers: one CUDA graph per token, the token is read; now and then a new prompt, not in a graph."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            def step(i):
                if i % 10 == 3:
                    yield from kernels(t, s, 16, 4 * ns, k, 0.9, host=15 * US, name="main_prefill")
                yield from t.launch_graph(s, [(f"main_layer{j % 4}", ns * k, 0.3) for j in range(nodes)])
                yield from t.launch("sample", s, 15 * US, 0.1)
                yield from t.copy("dtoh", s, 64)
                yield from t.sync(s)
                yield from t.work(sample, 0.1)
            yield from steps(t, step, 2 * STEPS)
        p.thread("main", main)
    return build


def evaluates_between(ns, every, batches):
    """A training loop that evaluates every few steps and writes a checkpoint after every second evaluation."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        lengths = sizes(31, 0.15, 6)

        def main(t):
            for i in range(2 * 48):
                yield from t.push(f"step {i}")
                yield from t.push("forward")
                yield from kernels(t, s, 10, ns * lengths[i % 6], k, name="main_forward")
                yield from t.pop()
                yield from t.push("backward")
                yield from kernels(t, s, 10, 2 * ns * lengths[i % 6], k, name="main_backward")
                yield from t.pop()
                yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.pop()
                yield from t.work(30 * US)
                if i % every == every - 1:
                    yield from t.push("evaluate")
                    for _ in range(batches):
                        yield from kernels(t, s, 8, 100 * US, 1, name="eval_forward")
                        yield from t.copy("dtoh", s, 400, pinned=False)
                    yield from t.pop()
                if i % (2 * every) == 2 * every - 1:
                    yield from t.push("save")
                    yield from t.copy("dtoh", s, 30_000_000, pinned=False)
                    begin = m.now
                    yield from t.work(5 * MS)
                    t.os_call("write", begin)
                    yield from t.pop()
        p.thread("main", main)
    return build


def shows_loss(ns, host):
    """A script that shows the loss in its progress bar: it is read in every step, though nobody looks so often."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        every = 10 if "read-every" in edit else 1

        def main(t):
            def step(i):
                yield from t.work(host * 10, 0.1)
                yield from t.copy("htod", s, 300_000)
                yield from kernels(t, s, 24, ns, k, host=host)
                if i % every == every - 1 and "no-sync" not in edit:
                    yield from t.copy("dtoh", s, 4, pinned=False)
                yield from t.work(60 * US)
            yield from steps(t, step, STEPS)
            yield from t.sync(s)
        p.thread("main", main)
    return build


def displayed(beat, ns):
    """Shows each frame at the next time of a display, for which it waits in ioctl; a late one waits for the time after."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()

        def main(t):
            def step(_):
                yield from t.work(150 * US)
                yield from kernels(t, s, 8, ns, k)
                yield from t.sync(s)
                begin = m.now
                yield (m.now // beat + 1) * beat - m.now + m.draw(15 * US, 0.3)
                t.os_call("ioctl", begin)
            yield from steps(t, step)
        p.thread("main", main)
    return build


def handed_out(parts, ns):
    """Hands parts of each step's preparation to threads of their own, takes all of them back, and computes."""
    def build(m, k, edit):
        p = m.process(m.gpu())
        s = p.stream()
        asked, done = [Semaphore() for _ in parts], Semaphore()

        def main(t):
            def step(_):
                for one in asked:
                    yield from t.post(one)
                for _ in asked:
                    yield from t.take(done)
                yield from kernels(t, s, 8, ns, k)
                yield from t.sync(s)
            yield from steps(t, step)

        def helper(i):
            def body(t):
                while True:
                    yield from t.take(asked[i])
                    yield from long_work(t, parts[i])
                    yield from t.post(done)
            return body
        p.thread("main", main)
        for i in range(len(parts)):
            p.thread(f"helper {i}", helper(i), is_daemon=True)
    return build


NEWCOMERS = {
    "augments, kept up": ("threads", augmented(900 * US, 2 * MS, 200 * US), (0.5, 0.12, 2)),
    "augments, reader decides": ("threads", augmented(3 * MS, 2.5 * MS, 150 * US), (0.5, 3)),
    "futures, far behind": ("threads", futures(90 * US, 900 * US, 3), (0.5, 0.25, 2)),
    "futures, metric decides": ("threads", futures(60 * US, 3 * MS, 2), (0.5, 4)),
    "actor and learner": ("threads", actor_learner(250 * US, 20 * US, 150 * US), (0.5, 0.25, 2)),
    "parts handed out": ("threads", handed_out((250 * US, 350 * US, 450 * US), 90 * US), (0.5, 0.25, 2)),
    "returned by callback": ("threads", returned_by_callback(900 * US, 8_000_000, 130 * US), (0.5, 0.25, 2)),
    "skips drawing": ("timer", skips_drawing(8 * MS, 600 * US, 3), (0.5, 2, 4)),
    "shown on a display": ("timer", displayed(4 * MS, 230 * US), (0.5, 0.25)),
    "token bucket": ("timer", token_bucket(5 * MS, 3, 200 * US), (0.5, 2, 4)),
    "backs off": ("polling", backs_off(200 * US, 10 * US, 640 * US), (0.5, 0.25, 4)),
    "packs meanwhile": ("polling", packs_meanwhile(100 * US, 14, 40 * US), (0.5, 0.25, 2)),
    "slots in flight": ("polling", slots(4, 10, 110 * US, 30 * US), (0.5, 0.25, 2)),
    "GPipe, middle slow": ("mpi", gpipe(60 * US, (1, 1.5, 0.8), 4), (0.5, 0.25, 2)),
    "master and workers": ("mpi", master_and_workers(200 * US, (1, 1, 1.8), 12), (0.5, 2)),
    "data parallel, unequal": ("nccl", data_parallel(70 * US, 0.25, 150 * US, 4), (0.5, 0.25, 2)),
    "data parallel, sums decide": ("nccl", data_parallel(40 * US, 0.1, 350 * US, 8), (0.5, 4)),
    "debugged": ("blocking", debugged(80 * US, 900 * US), (0.5, 0.25, 3)),
    "bursts beside": ("lock", bursts_beside(6 * US, 120, 1500 * US, 80), (0.5, 4)),
    "evaluates beside": ("beside", evaluates_beside(80 * US, 0.7, 120 * US, 900 * US), (0.5, 0.25, 2)),
    "saves every 8th": ("beside", saves_every(90 * US, 8, 60_000_000, 9 * MS), (0.5, 0.25, 2)),
    "saves every 4th, disk decides": ("beside", saves_every(70 * US, 4, 60_000_000, 9 * MS), (0.5, 2)),
    "denoises": ("queue", denoises(40 * US, 12, 1024), (0.5, 0.25, 2)),
    "experts": ("room", experts(60 * US, (0.05, 0.2, 0.5, 0.6), 3), (0.12, 0.5, 4)),
    "chunks, copies decide": ("copies", chunks(12, 4_000_000, 40 * US), (0.12, 2, 4)),
    "chunks, pageable": ("copies", chunks(5, 4_000_000, 60 * US, False), (0.12, 4, "pinned")),
    "decodes by graphs": ("graphs", decodes(12 * US, 32, 150 * US), (0.5, 0.25, 2)),
    "shows the loss": ("plain", shows_loss(30 * US, 12 * US), ("no-sync", "read-every", 0.25)),
    "evaluates between": ("between", evaluates_between(70 * US, 6, 4), (0.5, 0.25, 2)),
}
