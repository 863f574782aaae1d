"""Programs that are drawn at random from the pieces of foreign/machine.py, as many as one likes.

A seed decides on everything: streams, the pieces of a step, their sizes, what else the program has
(a feeding thread, a timer, background work, a second rank), and which change is made.
"""

import random

from machine import MS, US
from sharing import Meeting, Semaphore
from programs import kernels, steps


class Piece:
    """A part of a step: `play(thread, streams, k, edit)`."""

    def __init__(self, draw, streams):
        self.kind = draw.choice(["burst"] * 5 + ["sync", "read", "copy_in", "join", "work", "device_sync"])
        self.stream, self.other = draw.randrange(streams), draw.randrange(streams)
        self.count = draw.randint(2, 25)
        self.ns = draw.choice([6, 15, 40, 120, 300]) * US * draw.uniform(0.7, 1.4)
        self.host = draw.choice([3, 6, 15, 40]) * US
        self.demand = draw.choice([0.05, 0.2, 0.4, 0.8])
        self.is_main = draw.random() < 0.7
        self.bytes = draw.choice([4, 4096, 1_000_000, 20_000_000])
        self.pinned = draw.random() < 0.5

    def play(self, t, streams, k, edit):
        s, other = streams[self.stream], streams[self.other]
        if self.kind == "burst":
            name = "main_gemm" if self.is_main else "other_conv"
            yield from kernels(t, s, self.count, self.ns, k if self.is_main else 1, self.demand, self.host, name)
        elif self.kind == "sync" and "no-sync" not in edit:
            yield from t.sync(s)
        elif self.kind == "device_sync" and "no-sync" not in edit:
            yield from t.device_sync()
        elif self.kind == "read" and "no-sync" not in edit:
            yield from t.copy("dtoh", s, 4, pinned=False)
        elif self.kind == "copy_in":
            yield from t.copy("htod", s, self.bytes, pinned=self.pinned)
        elif self.kind == "join" and s is not other and other.tail is not None:
            yield from t.join(s, other)
        elif self.kind == "work":
            yield from t.work(self.host * 10)


def program(seed):
    """A builder as in programs.py, and the change to make."""
    draw = random.Random(seed)
    streams = draw.choice([1, 1, 1, 2, 3])
    pieces = [Piece(draw, streams) for _ in range(draw.randint(2, 9))]
    extra = draw.choice(["none"] * 5 + ["feeder", "timer", "beside", "helper", "ranks"])
    make = draw.choice([0.3, 1, 4]) * MS
    period = draw.choice([3, 8, 20]) * MS
    ends_with_sync = draw.random() < 0.7 or extra == "timer"
    change = draw.choice([0.5, 0.5, 0.25, 0.1, 0.8, 2, 3, "no-sync"])
    if not any(p.kind == "burst" and p.is_main for p in pieces):
        pieces.append(Piece(draw, streams))
        pieces[-1].kind, pieces[-1].is_main = "burst", True

    def build(m, k, edit):
        meeting = Meeting(2)
        for rank in range(2 if extra == "ranks" else 1):
            build_process(m, m.process(m.gpu(), rank), k * (1 + 0.4 * rank), edit, meeting)

    def build_process(m, p, k, edit, meeting):
        s = [p.stream() for _ in range(streams)]
        full, room, asked, done = Semaphore(), Semaphore(2), Semaphore(), Semaphore()
        is_over, due = [], 2 * MS

        def play(t, part):
            for piece in part:
                yield from piece.play(t, s, k, edit)

        def step_of(t):
            def step(_):
                nonlocal due
                if extra == "feeder":
                    yield from t.take(full)
                half = len(pieces) // 2 if extra == "helper" else len(pieces)
                yield from play(t, pieces[:half])
                if extra == "helper":
                    yield from t.post(asked)
                    yield from t.take(done)
                if ends_with_sync and "no-sync" not in edit:
                    yield from t.device_sync()
                if extra == "feeder":
                    yield from t.post(room)
                if extra == "ranks":
                    yield from t.mpi("MPI_Allreduce", meeting.join(t, 30 * US), bytes=100_000)
                if extra == "timer":
                    due += period
                    yield from t.sleep_until(due)
                    due = max(due, m.now - period)
            return step

        def main(t):
            yield from steps(t, step_of(t), 30)
            yield from t.device_sync()
            is_over.append(True)

        p.thread("main", main)
        if extra == "feeder":
            def feeder(t):
                for _ in range(30):
                    yield from t.take(room)
                    yield from t.work(make)
                    yield from t.post(full)
            p.thread("feeder", feeder)
        elif extra == "helper":
            def helper(t):
                for _ in range(30):
                    yield from t.take(asked)
                    yield from play(t, pieces[len(pieces) // 2:])
                    yield from t.post(done)
            p.thread("helper", helper)
        elif extra == "beside":
            b = p.stream()

            def beside(t):
                while not is_over:
                    yield from t.launch("beside_filter", b, make, 0.1)
                    yield from t.sync(b)
                    yield from t.work(300 * US)
            p.thread("beside", beside)

    return extra, build, change
