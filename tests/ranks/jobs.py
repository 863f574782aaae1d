"""Training jobs as tables of operations (docs/ranks.md), with a known truth.

A job runs one-forward-one-backward over `stages` x `replicas` workers; every operation begins as soon as
what it needs has ended. Times are seconds. `slow` maps (step, stage, replica) to a factor on the passes.

    jobs.py FILE    writes the job that tests/data/job_operations.parquet holds
"""
import random
import sys

import pyarrow as pa
import pyarrow.parquet as pq

FORWARD, BACKWARD, MESSAGE, GATHER, REDUCE, OPTIMIZER = 0.010, 0.020, 0.0004, 0.003, 0.006, 0.002


class Job:
    def __init__(self, stages, replicas, steps, slow=lambda *_: 1.0, jitter=0.0, seed=1, messages=MESSAGE):
        self.stages, self.replicas, self.steps = stages, replicas, steps
        self.slow, self.message = slow, messages
        self.random = random.Random(seed)
        self.jitter = jitter
        self.rows = []
        for step in range(steps):
            self.run_step(step)

    def rank(self, stage, replica):
        return stage * self.replicas + replica

    def row(self, step, stage, replica, optype, begin, end, seq, batch=-1, chunk=-1):
        self.rows.append(
            dict(dp_rank=replica, stage=stage, rank=self.rank(stage, replica), step=step, optype=optype,
                 start_ts=begin, duration=end - begin, seq_id=seq, mc=0, mb_id=batch, gmc=chunk))

    def schedule(self, stage, batches):
        """What a stage computes, in its order: one forward, one backward, behind a warm-up."""
        warm_up = min(batches, self.stages - stage)
        order = [("forward", i) for i in range(warm_up)]
        for i in range(batches):
            order.append(("backward", i))
            if warm_up + i < batches:
                order.append(("forward", warm_up + i))
        return order

    def passes(self, step, replica, gathered):
        """Runs the pipeline of a replica; returns when each stage is done."""
        batches = 2 * self.stages
        free = [gathered[stage] for stage in range(self.stages)]
        orders = [self.schedule(stage, batches) for stage in range(self.stages)]
        done, sent = {}, {}
        while any(orders):
            for stage in range(self.stages):
                while orders[stage]:
                    what, batch = orders[stage][0]
                    source = stage - 1 if what == "forward" else stage + 1
                    has_source = 0 <= source < self.stages
                    if has_source and (what, source, batch) not in done:
                        break
                    begin = free[stage]
                    if has_source:
                        ready = done[what, source, batch]
                        asked = max(begin, sent.get((what, stage), 0))
                        arrived = max(asked, ready) + self.message
                        self.row(step, stage, replica, f"{what}-recv", asked, arrived, batch)
                        self.row(step, source, replica, f"{what}-send", ready, arrived, batch)
                        begin = arrived
                    took = (FORWARD if what == "forward" else BACKWARD) * self.slow(step, stage, replica)
                    took *= 1 + self.jitter * self.random.gauss(0, 1)
                    end = begin + took
                    self.row(step, stage, replica, f"{what}-compute", begin, end, batch, batch, stage)
                    free[stage] = done[what, stage, batch] = end
                    orders[stage].pop(0)
        return free

    def run_step(self, step):
        gathered = [GATHER] * self.stages
        ends = []
        for replica in range(self.replicas):
            for stage in range(self.stages):
                self.row(step, stage, replica, "params-all-gather", 0, GATHER, 0, chunk=stage)
            ends.append(self.passes(step, replica, gathered))
        for stage in range(self.stages):
            last = max(end[stage] for end in ends)
            for replica in range(self.replicas):
                self.row(step, stage, replica, "grads-reduce-scatter", ends[replica][stage], last + REDUCE, 0)
                self.row(step, stage, replica, "optimizer", last + REDUCE, last + REDUCE + OPTIMIZER, 0)

    def table(self):
        columns = {key: [row[key] for row in self.rows] for key in self.rows[0]}
        return pa.table(columns)

    def write(self, path):
        pq.write_table(self.table(), path, compression="snappy")

    def step_time(self):
        """The mean over the steps."""
        ends = [0.0] * self.steps
        for row in self.rows:
            ends[row["step"]] = max(ends[row["step"]], row["start_ts"] + row["duration"])
        return sum(ends) / self.steps


if __name__ == "__main__":
    Job(2, 4, 3, lambda step, stage, replica: 1.5 if (stage, replica) == (0, 2) else 1.0).write(sys.argv[1])
