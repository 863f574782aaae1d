"""What threads and ranks of foreign/machine.py wait for each other by, and what they work on."""

import random


class Semaphore:
    """Counts; used as a queue of batches, a flag, a mutex."""

    def __init__(self, count=0):
        self.count, self.waiters = count, []

    def give(self, machine):
        if self.waiters:
            machine.at(machine.now, self.waiters.pop(0))
        else:
            self.count += 1


class Meeting:
    """A collective of several ranks: nobody leaves before the last has come."""

    def __init__(self, size):
        self.size, self.present = size, []

    def join(self, thread, transfer):
        if len(self.present) + 1 < self.size:
            yield self.present.append
        else:
            others, self.present = self.present, []
            for other in others:
                thread.machine.at(thread.machine.now, other)
        yield thread.machine.draw(transfer)


class Mailbox:
    """Messages from one rank to another, in order; a send does not wait."""

    def __init__(self):
        self.ready = Semaphore()

    def send(self, thread, transfer):
        def deliver():
            if self.ready.waiters:
                self.ready.waiters.pop(0)()
            else:
                self.ready.count += 1
        thread.machine.at(thread.machine.now + transfer, deliver)
        yield 500

    def receive(self):
        """Waits for the next message; one that was posted before is waited for by the same."""
        if self.ready.count:
            self.ready.count -= 1
            yield 200
        else:
            yield self.ready.waiters.append


def sizes(seed, spread, count=10):
    """Sizes of the inputs of a small set of data, 1 on average, with a long tail: the same in every run, and over again."""
    draw = random.Random(seed)
    drawn = [draw.lognormvariate(0, spread) for _ in range(count)]
    return [size * count / sum(drawn) for size in drawn]


def long_work(thread, ns, sigma=None, parts=20):
    """Work of a host thread in parts, each with its own luck."""
    for _ in range(parts):
        yield from thread.work(ns / parts, sigma)
