"""A machine that runs programs of host threads and GPU streams, written apart from sample_traces/.

It shares no code and no idea of rules with the machine model in C++: what the two have in common is
only what they are models of. A program is a set of Python generators, one per thread; every call of
a thread takes time from random draws, and each run records what a profiler would see.
"""

import heapq
import math
import random

US = 1_000
MS = 1_000_000
NO_EVENT = (0xFFFFFFFF, 0)


class Record:
    """What a profiler writes down, as plain lists of tuples; export.py knows their order."""

    def __init__(self):
        self.calls, self.kernels, self.copies, self.syncs = [], [], [], []
        self.ranges, self.os_calls, self.mpi, self.events = [], [], [], []


class Machine:
    def __init__(self, seed, queue_depth=1024, driver_lock=False, launch_blocking=False, noise=0.03):
        self.random = random.Random(seed)
        self.now = 0
        self.heap, self.order = [], 0
        self.record = Record()
        self.queue_depth = queue_depth
        self.driver_lock = driver_lock
        self.launch_blocking = launch_blocking
        self.noise = noise
        self.correlation = 1000
        self.gpus, self.processes, self.threads = [], [], []

    def at(self, time, action):
        self.order += 1
        heapq.heappush(self.heap, (int(time), self.order, action))

    def run(self):
        for thread in self.threads:
            self.at(thread.born, thread.resume)
        while self.heap:
            self.now, _, action = heapq.heappop(self.heap)
            action()
        stuck = [t.name for t in self.threads if not t.done and not t.is_daemon]
        assert not stuck, f"threads wait for ever: {stuck}"
        return self.record

    def draw(self, ns, sigma=None):
        """A time around ns: log-normal, now and then much longer."""
        sigma = self.noise if sigma is None else sigma
        value = ns * math.exp(self.random.gauss(0, sigma))
        return max(1, int(value * (4 if self.random.random() < 0.002 else 1)))

    def gpu(self):
        gpu = Gpu(self, len(self.gpus))
        self.gpus.append(gpu)
        return gpu

    def process(self, gpu, rank=None):
        process = Process(self, len(self.processes), gpu, rank)
        self.processes.append(process)
        return process


class Process:
    def __init__(self, machine, index, gpu, rank):
        self.machine, self.index, self.gpu, self.rank = machine, index, gpu, rank
        self.pid = 5000 + index
        self.outstanding = 0
        self.queue_waiters, self.lock_waiters = [], []
        self.lock_holder = None
        self.streams, self.thread_count, self.events = [], 0, 0

    def thread(self, name, body, born=0, is_daemon=False):
        thread = Thread(self, name, body, born, is_daemon)
        self.thread_count += 1
        self.machine.threads.append(thread)
        return thread

    def outside(self, body):
        """Something that goes on by itself and is no thread of the program: a camera, other machines."""
        self.thread("", body, is_daemon=True)

    def stream(self):
        self.streams.append(Stream(self, 7 + len(self.streams)))
        return self.streams[-1]


class Operation:
    def __init__(self, kind, stream, name, work, demand, **rest):
        self.kind, self.stream, self.name = kind, stream, name
        self.work, self.demand, self.rest = work, demand, rest
        self.arrived = self.started = False
        self.collective = rest.pop("collective", None)
        self.done = False
        self.needs, self.listeners = 0, []

    def when_done(self, action):
        if self.done:
            action()
        else:
            self.listeners.append(action)


class Collective:
    """Kernels of several devices that exchange data (NCCL): the n-th of each takes its room at once, and
    goes on when the last of them has begun."""

    def __init__(self, size):
        self.size, self.counts, self.present = size, {}, {}

    def begin(self, op):
        """Those that wait no longer."""
        turn = self.counts[op.stream] = self.counts.get(op.stream, 0) + 1
        present = self.present.setdefault(turn, [])
        present.append(op)
        return present if len(present) == self.size else []


class Stream:
    """Operations one after the other. `tail` is the last that was issued."""

    def __init__(self, process, number):
        self.process, self.number = process, number
        self.queue, self.tail, self.busy = [], None, False
        self.waits = []  # Operations of other streams that the next operation waits for.


class Gpu:
    """Multiprocessors that earlier kernels have first, and two copy engines."""

    GAP = 1_100

    def __init__(self, machine, index):
        self.machine, self.index = machine, index
        self.running = []  # [operation, work left, rate], in order of their starts.
        self.last_update, self.ticket = 0, 0
        self.engine_free = {"htod": 0, "dtoh": 0}

    def submit(self, op, delay):
        stream = op.stream
        op.needs = 0
        for other in stream.waits:
            if not other.done:
                op.needs += 1
                other.listeners.append(lambda: self.satisfied(op))
        stream.waits = []
        stream.queue.append(op)
        stream.tail = op
        self.machine.at(self.machine.now + delay, lambda: self.arrive(op))

    def arrive(self, op):
        op.arrived = True
        self.try_next(op.stream)

    def satisfied(self, op):
        op.needs -= 1
        self.try_next(op.stream)

    def try_next(self, stream):
        if stream.busy or not stream.queue:
            return
        op = stream.queue[0]
        if not op.arrived or op.needs:
            return
        stream.busy = True
        begin = self.machine.now
        if op.kind in self.engine_free:
            begin = max(begin, self.engine_free[op.kind])
            self.engine_free[op.kind] = begin + op.work + 800
        self.machine.at(begin, lambda: self.start(op))

    def start(self, op):
        op.begin = self.machine.now
        if op.kind == "kernel":
            self.advance()
            self.running.append([op, float(op.work), 0.0])
            self.share()
            for other in op.collective.begin(op) if op.collective else ():
                other.collective = None
                other.stream.process.gpu.share_anew()
        else:
            self.machine.at(self.machine.now + op.work, lambda: self.finish(op))

    def advance(self):
        passed = self.machine.now - self.last_update
        for slot in self.running:
            slot[1] -= passed * slot[2]
        self.last_update = self.machine.now

    def share_anew(self):
        self.advance()
        self.share()

    def share(self):
        """The block scheduler fills up with the kernel that came first; later ones get what is left."""
        left = 1.0
        soonest = None
        for slot in self.running:
            room = min(slot[0].demand, left)
            left -= room
            slot[2] = 0 if slot[0].collective else max(room / slot[0].demand, 0.001)
            if not slot[2]:
                continue
            end = self.machine.now + max(0, slot[1]) / slot[2]
            soonest = end if soonest is None else min(soonest, end)
        self.ticket += 1
        if soonest is not None:
            ticket = self.ticket
            self.machine.at(math.ceil(soonest), lambda: self.check(ticket))

    def check(self, ticket):
        if ticket != self.ticket:
            return
        self.advance()
        ended = [slot for slot in self.running if slot[1] <= 0.5]
        self.running = [slot for slot in self.running if slot[1] > 0.5]
        for slot in ended:
            self.finish(slot[0])
        self.share()

    def finish(self, op):
        now = self.machine.now
        op.end, op.done = now, True
        stream = op.stream
        row = (op.begin, now, self.index, stream.process.index + 1, stream.number, op.correlation,
               stream.process.pid, op.name, op.rest)
        if op.kind != "host":
            (self.machine.record.kernels if op.kind == "kernel" else self.machine.record.copies).append(row)
        process = stream.process
        process.outstanding -= 1
        if process.queue_waiters:
            self.machine.at(now + 2 * US, process.queue_waiters.pop(0))
        for action in op.listeners:
            action()
        stream.queue.pop(0)

        def free():
            stream.busy = False
            self.try_next(stream)

        self.machine.at(now + self.machine.draw(self.GAP, 0.1), free)


class Thread:
    def __init__(self, process, name, body, born, is_daemon):
        self.process, self.machine, self.name = process, process.machine, name
        self.tid = process.pid + process.thread_count
        self.born, self.is_daemon, self.done = born, is_daemon, False
        self.is_blocking = False  # Its launches end with their kernels, though others' do not.
        self.body = body(self)

    def resume(self):
        try:
            wait = next(self.body)
        except StopIteration:
            self.done = True
            return
        if isinstance(wait, (int, float)):
            self.machine.at(self.machine.now + max(0, wait), self.resume)
        else:
            wait(self.resume)  # Is told how to go on, and does so later.

    # -- what a program can do; each is a generator ----------------------------------------------

    def work(self, ns, sigma=None):
        yield self.machine.draw(ns, sigma)

    def lock(self):
        process = self.process
        if not self.machine.driver_lock:
            return
        if process.lock_holder is not None:
            yield process.lock_waiters.append
        process.lock_holder = self

    def unlock(self):
        process = self.process
        if not self.machine.driver_lock:
            return
        process.lock_holder = None
        if process.lock_waiters:
            process.lock_holder = "handed over"
            self.machine.at(self.machine.now, process.lock_waiters.pop(0))

    def call(self, name, cost):
        """The own part of a CUDA call; returns when it began and its correlation id."""
        begin = self.machine.now
        self.machine.correlation += 1
        correlation = self.machine.correlation
        yield from self.lock()
        yield self.machine.draw(cost, 0.08)
        self.unlock()
        return name, begin, correlation

    def end_call(self, opened, code=0):
        name, begin, correlation = opened
        self.machine.record.calls.append((begin, self.machine.now, self.tid, self.process.pid, name,
                                          correlation, code))

    def issue(self, op, opened, delay):
        op.correlation = opened[2]
        self.process.outstanding += 1
        self.process.gpu.submit(op, self.machine.draw(delay, 0.1))

    def room(self):
        while self.process.outstanding >= self.machine.queue_depth:
            yield self.process.queue_waiters.append

    def launch(self, name, stream, ns, demand=0.5, blocks=None, cost=4.5 * US, collective=None):
        begin = self.machine.now
        yield from self.room()
        opened = yield from self.call("cudaLaunchKernel", cost)
        opened = (opened[0], begin, opened[2])
        blocks = blocks or max(1, int(demand * 108 * 8))
        op = Operation("kernel", stream, name, self.machine.draw(ns, 0.01), demand, blocks=blocks,
                       collective=collective)
        self.issue(op, opened, 3 * US)
        if self.machine.launch_blocking or self.is_blocking:
            yield op.when_done
            yield self.machine.draw(5 * US, 0.2)
        self.end_call(opened)

    def launch_graph(self, stream, nodes):
        """cudaGraphLaunch of kernels (name, ns, demand) one after the other, recorded node by node."""
        begin = self.machine.now
        yield from self.room()
        opened = yield from self.call("cudaGraphLaunch", 6 * US + 150 * len(nodes))
        opened = (opened[0], begin, opened[2])
        for i, (name, ns, demand) in enumerate(nodes):
            op = Operation("kernel", stream, name, self.machine.draw(ns, 0.01), demand, node=(1 << 32) + i,
                           blocks=max(1, int(demand * 108 * 8)))
            self.issue(op, opened, 6 * US if i == 0 else 0)
        if self.machine.launch_blocking or self.is_blocking:
            yield stream.tail.when_done
            yield self.machine.draw(5 * US, 0.2)
        self.end_call(opened)

    def launch_host(self, stream, ns, action):
        """cudaLaunchHostFunc: a thread of the driver does something when the stream has come so far."""
        opened = yield from self.call("cudaLaunchHostFunc", 3 * US)
        op = Operation("host", stream, "host", self.machine.draw(8 * US + ns, 0.1), 0)
        op.when_done(action)
        self.issue(op, opened, 3 * US)
        self.end_call(opened)

    def copy(self, kind, stream, bytes_, pinned=True, blocking=False):
        rate = {True: 24.0, False: 9.0}[pinned]  # bytes per ns
        name = "cudaMemcpy" if blocking else "cudaMemcpyAsync"
        opened = yield from self.call(name, 5 * US)
        op = Operation(kind, stream, kind, int(1500 + self.machine.draw(bytes_ / rate, 0.02)), 0,
                       bytes=bytes_, pinned=pinned)
        self.issue(op, opened, 2.5 * US)
        if blocking or not pinned:
            yield op.when_done
            yield self.machine.draw(6 * US, 0.2)
        self.end_call(opened)

    def wait_for(self, op):
        if op is not None and not op.done:
            yield op.when_done

    def sync(self, stream):
        opened = yield from self.call("cudaStreamSynchronize", 1.5 * US)
        begin = self.machine.now
        yield from self.wait_for(stream.tail)
        yield self.machine.draw(4 * US, 0.2)
        self.machine.record.syncs.append((begin, self.machine.now, 0, self.process.index + 1, stream.number,
                                          opened[2], self.process.pid, 3, NO_EVENT))
        self.end_call(opened)

    def device_sync(self):
        """Waits for all streams of the process, whoever launched on them."""
        opened = yield from self.call("cudaDeviceSynchronize", 1.5 * US)
        begin = self.machine.now
        for tail in [stream.tail for stream in self.process.streams]:
            yield from self.wait_for(tail)
        yield self.machine.draw(4 * US, 0.2)
        self.machine.record.syncs.append((begin, self.machine.now, 0, self.process.index + 1, 0xFFFFFFFF,
                                          opened[2], self.process.pid, 4, NO_EVENT))
        self.end_call(opened)

    def new_event(self):
        """Of eight that are used again and again."""
        self.process.events += 1
        return 1 + self.process.events % 8

    def mark(self, stream):
        """cudaEventRecord: an event is what the stream had last, its numbers, and the stream."""
        opened = yield from self.call("cudaEventRecord", 1.5 * US)
        event = self.new_event()
        self.machine.record.events.append((stream.number, opened[2], self.process.pid, self.process.index + 1, event,
                                           opened[2]))
        self.end_call(opened)
        return stream.tail, (event, opened[2]), stream

    def event_sync(self, event):
        opened = yield from self.call("cudaEventSynchronize", 1.5 * US)
        begin = self.machine.now
        yield from self.wait_for(event[0])
        yield self.machine.draw(4 * US, 0.2)
        self.machine.record.syncs.append((begin, self.machine.now, 0, self.process.index + 1, event[2].number,
                                          opened[2], self.process.pid, 1, event[1]))
        self.end_call(opened)

    def query(self, event):
        """cudaEventQuery, once; whether it is done."""
        opened = yield from self.call("cudaEventQuery", 1.2 * US)
        done = event[0] is None or event[0].done
        self.end_call(opened, 0 if done else 600)
        return done

    def join(self, stream, other):
        """What comes next on a stream waits for all that another one has by now."""
        opened = yield from self.call("cudaEventRecord", 1.5 * US)
        event = self.new_event()
        sync = (event, opened[2])
        self.machine.record.events.append((other.number, opened[2], self.process.pid, self.process.index + 1, *sync))
        self.end_call(opened)
        opened = yield from self.call("cudaStreamWaitEvent", 1.2 * US)
        begin = self.machine.now
        stream.waits.append(other.tail)
        self.machine.record.syncs.append((begin - 500, begin, 0, self.process.index + 1, stream.number, opened[2],
                                          self.process.pid, 2, sync))
        self.end_call(opened)

    def poll(self, stream, nap=0):
        """cudaStreamQuery until all is done."""
        tail = stream.tail
        while True:
            opened = yield from self.call("cudaStreamQuery", 1.2 * US)
            done = tail is None or tail.done
            self.end_call(opened, 0 if done else 600)
            if done:
                return
            yield from (self.sleep(nap) if nap else self.work(300, 0.3))

    def os_call(self, name, begin):
        if self.machine.now - begin >= US:  # What nsys leaves out by default.
            self.machine.record.os_calls.append((begin, self.machine.now, self.tid, self.process.pid, name))

    def sleep(self, ns):
        begin = self.machine.now
        yield ns + self.machine.draw(55 * US, 0.1)
        self.os_call("usleep", begin)

    def sleep_until(self, time):
        begin = self.machine.now
        if time <= begin:
            return
        yield time - begin + self.machine.draw(52 * US, 0.1)
        self.os_call("clock_nanosleep", begin)

    def take(self, semaphore, name="pthread_cond_wait"):
        begin = self.machine.now
        if semaphore.count == 0:
            yield semaphore.waiters.append
            yield self.machine.draw(35 * US, 0.3)  # Woken up.
        else:
            semaphore.count -= 1
            yield 200
        self.os_call(name, begin)

    def take_within(self, semaphore, limit, name="pthread_cond_timedwait"):
        """As take, but gives up after `limit`; whether it got one."""
        begin, state = self.machine.now, []

        def wait(resume):
            def end(how):
                state.append(how)
                resume()

            def woken():
                end("woken")

            def late():
                if woken in semaphore.waiters:  # Else somebody has just ended the wait.
                    semaphore.waiters.remove(woken)
                    end("late")
            semaphore.waiters.append(woken)
            self.machine.at(begin + limit, late)

        if semaphore.count:
            semaphore.count -= 1
            yield 200
            return True
        yield wait
        yield self.machine.draw(35 * US if state == ["woken"] else 55 * US, 0.3)
        self.os_call(name, begin)
        return state == ["woken"]

    def spin(self, flag):
        """Looks at a flag in memory until somebody has raised it: nothing of that is recorded."""
        while not flag.count:
            yield 400
        flag.count -= 1

    def post(self, semaphore, name="pthread_cond_signal"):
        begin = self.machine.now
        yield self.machine.draw(1.4 * US, 0.4)
        semaphore.give(self.machine)
        self.os_call(name, begin)

    def push(self, text):
        self.__dict__.setdefault("open", []).append((self.machine.now, text))
        yield 150

    def pop(self):
        begin, text = self.open.pop()
        yield 150
        self.machine.record.ranges.append((begin, self.machine.now, self.tid, self.process.pid, text))

    def mpi(self, name, body, **rest):
        begin = self.machine.now
        yield self.machine.draw(2 * US)
        yield from body
        yield self.machine.draw(3 * US, 0.2)
        self.machine.record.mpi.append((begin, self.machine.now, self.tid, self.process.pid, name, rest))
