"""run_operations.py XSP: `xsp ranks` on tables of operations: jobs whose truth is known, and bad tables."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(0)
from jobs import Job

XSP = sys.argv[1]
faults = []


def check(what, found, expected):
    if found != expected:
        faults.append(f"{what}: found {found!r}, expected {expected!r}")


def check_near(what, found, expected, share=0.03):
    if found is None or abs(found / expected - 1) > share:
        faults.append(f"{what}: found {found!r}, expected {expected!r} within {share:.0%}")


def run(path, *options):
    return subprocess.run([XSP, "ranks", str(path), *options], capture_output=True, text=True)


def ranks(folder, job):
    path = pathlib.Path(folder, "job.parquet")
    job.write(path)
    done = run(path, "--format", "json")
    if done.returncode != 0:
        raise SystemExit(f"exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def slow_rank(folder):
    """A worker that takes twice as long in every pass."""
    even = Job(4, 4, 10, jitter=0.01)
    job = Job(4, 4, 10, lambda step, stage, replica: 2.0 if (stage, replica) == (1, 2) else 1.0, jitter=0.01)
    found = ranks(folder, job)
    culprit = job.rank(1, 2)
    check("slow rank: culprit", (found["culprit"], found["culprit_ranks"]), ("rank", [culprit]))
    check("slow rank: the worst", found["by_rank"][0]["global_rank"], culprit)
    check("slow rank: stage", max(found["by_stage"], key=lambda row: row["slowdown"])["stage"], 1)
    replica = max(found["by_data_parallel"], key=lambda row: row["slowdown"])["data_parallel"]
    check("slow rank: replica", replica, 2)
    check("slow rank: M_W mends it", found["m_w"] > 0.9, True)
    check("slow rank: named first", found["verdict"].startswith(f"Rank {culprit} makes the job"), True)
    slower = float(found["verdict"].split(" × slower")[0].split()[-1])
    check_near("slow rank: the sentence's figure", slower, job.step_time() / even.step_time())
    check_near("slow rank: measured step", found["step_ns"] / 1e9, job.step_time())
    check("slow rank: trust", found["trust"]["level"], "high")
    for row in found["ranks"]:
        parts = row["compute_ns"] + row["transfer_ns"] + row["waiting_ns"] + row["idle_ns"]
        check(f"slow rank: rank {row['global_rank']} adds up", abs(parts - row["step_ns"]) <= 4, True)


def last_stage(folder):
    """A last stage with more to do: nobody is slower than peers."""
    found = ranks(folder, Job(4, 2, 10, lambda step, stage, replica: 1.6 if stage == 3 else 1.0, jitter=0.005))
    check("last stage: culprit", found["culprit"], "stage")
    check("last stage: which", max(found["by_stage"], key=lambda row: row["slowdown"])["stage"], 3)
    check("last stage: M_S", found["m_s"] > 0.9, True)
    check("last stage: peers", found["peers_slowdown"] < 1.02, True)
    check("last stage: words", found["verdict"].startswith("The last stage (3) has "), True)


def rotating(folder):
    """Now this worker, now that."""
    found = ranks(folder, Job(2, 8, 16, lambda step, stage, replica: 1.8 if replica == step % 8 else 1.0))
    check("rotating: culprit", found["culprit"], "rotates")
    check("rotating: words", found["verdict"].startswith("No rank: waiting rotates."), True)


def nothing(folder):
    """Nobody is blamed for what chance does."""
    for seed in range(10):
        found = ranks(folder, Job(2, 4, 6, jitter=0.01, seed=seed))
        check(f"nothing wrong, {seed}: culprit", found["culprit"], "nobody")


def other_names(folder):
    """Names and columns of another tracer: no stages, whole nanoseconds, hosts."""
    rows = []
    for step in range(5):
        for rank in range(8):
            took = 3_000_000 if rank in (4, 5, 6, 7) else 1_000_000
            start = step * 5_000_000
            rows.append((rank, step, "my_layers", start, took, f"node{rank // 4}"))
            rows.append((rank, step, "ncclAllReduce all_reduce", start + took, 3_500_000 - took, f"node{rank // 4}"))
    names = ["rank", "step", "optype", "start_ts", "duration", "host"]
    path = pathlib.Path(folder, "other.parquet")
    pq.write_table(pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)}), path)
    found = json.loads(run(path, "--format", "json").stdout)
    check("other names: culprit", (found["culprit"], found["culprit_ranks"]), ("host", [4, 5, 6, 7]))
    check("other names: words", found["verdict"].startswith("Host node1 (ranks 4 to 7) makes"), True)


def bad_tables(folder):
    good = Job(2, 2, 2).table()

    def written(name, table, **options):
        path = pathlib.Path(folder, f"{name}.parquet")
        pq.write_table(table, path, **options)
        return path

    def put(column, values):
        return good.set_column(good.column_names.index(column), column, values)

    n = good.num_rows
    whole = written("whole", good).read_bytes()
    cut = pathlib.Path(folder, "cut.parquet")
    cut.write_bytes(whole[: len(whole) // 2])
    turned = pathlib.Path(folder, "turned.parquet")
    turned.write_bytes(whole[:200] + bytes(255 - b for b in whole[200:900]) + whole[900:])
    cases = {
        "no column 'optype'": written("no_type", good.drop_columns(["optype"])),
        "there is no operation in it": written("empty", good.slice(0, 0)),
        "column 'start_ts' is empty in row 1": written("null", put("start_ts", pa.array([None] * n, pa.float64()))),
        "no time in seconds": written("nan", put("duration", pa.array([float("nan")] * n))),
        "cannot end before it begins": written("negative", put("duration", pa.array([-1.0] * n))),
        "take more than 30 years": written("ages", put("duration", pa.array([3e9] * n))),
        "no number of a job": written("beyond", put("stage", pa.array([2**63 - 1] * n))),
        "holds no whole numbers": written("text", put("rank", pa.array(["one"] * n))),
        "holds no texts": written("number", put("optype", pa.array([1] * n))),
        "no column 'rank'": written("list", put("rank", pa.array([[1, 2]] * n))),
        "has two places in the job": written("two", put("stage", pa.array(range(n)))),
        "more than 4096 different texts": None,
        "damaged": cut,
    }
    many = pa.table({"rank": range(5000), "step": [0] * 5000, "optype": [f"op{i}" for i in range(5000)],
                     "start_ts": [0.0] * 5000, "duration": [1.0] * 5000})
    cases["more than 4096 different texts"] = written("many", many)
    for words, path in cases.items():
        done = run(path)
        what = f"bad table {path.name}"
        check(f"{what}: exit code", done.returncode, 2)
        check(f"{what}: says why", words in done.stderr, True)
        check(f"{what}: says it in a line or two", len(done.stderr.strip().splitlines()) <= 2, True)
        check(f"{what}: names the file", path.name in done.stderr or "places" in words, True)
        check(f"{what}: prints nothing else", done.stdout, "")
    check("turned bytes: trouble or an answer", run(turned).returncode in (0, 2), True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (slow_rank, last_stage, rotating, nothing, other_names, bad_tables):
            test(folder)
    print("\n".join(faults) or "operations: all hold")
    return 1 if faults else 0


sys.exit(main())
