"""run_traces.py XSP: `xsp ranks` on traces and runs of a dataset, and `xsp trend` on runs and baselines."""
import json
import pathlib
import subprocess
import sys
import tempfile

XSP = pathlib.Path(sys.argv[1]).resolve()
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "sample_traces"
TWO, TRAIN = str(SAMPLES / "two_gpu.sqlite"), str(SAMPLES / "train_fp32.sqlite")
faults = []


def check(what, found, expected):
    if found != expected:
        faults.append(f"{what}: found {found!r}, expected {expected!r}")


def run(folder, *arguments):
    return subprocess.run([str(XSP), *arguments], capture_output=True, text=True, cwd=folder)


def told(folder, *arguments):
    done = run(folder, *arguments, "--format", "json")
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"{arguments}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def two_ranks(folder):
    """Two ranks of one recording, with NCCL between them."""
    found = told(folder, "ranks", TWO, "--without-stragglers", "--like-peers", "1", "--network", "2")
    check("two ranks: numbers", [row["global_rank"] for row in found["ranks"]], [0, 1])
    for row in found["ranks"]:
        parts = row["compute_ns"] + row["transfer_ns"] + row["waiting_ns"] + row["idle_ns"]
        check(f"rank {row['global_rank']} adds up", abs(parts - row["step_ns"]) <= 4, True)
        check(f"rank {row['global_rank']}: blocking within exposed", row["blocking_ns"] <= row["exposed_ns"] + 1, True)
    check("two ranks: nobody", found["culprit"], "nobody")
    check("two ranks: trust", found["trust"]["level"], "high")
    check("two ranks: all matched", sum(row["unmatched"] for row in found["collectives"]), 0)
    for row in found["collectives"]:
        check("two ranks: a share of the link", 0 < row["link_share"] < 1, True)
        check("two ranks: waiting and transfer", abs(row["waiting_ns"] + row["transfer_ns"] - row["ns"]) <= 1, True)
    forecasts = {row["whatif"]: row for row in found["forecasts"]}
    check("two ranks: one host", forecasts["--network 2"]["applies"], False)
    for name in ("--without-stragglers", "--like-peers 1"):
        row = forecasts[name]
        check(f"{name}: a range", row["speedup_low"] < row["speedup"] < row["speedup_high"], True)


def mistakes(folder):
    for arguments, words in {
        ("ranks", TRAIN): "one rank",
        ("ranks", TWO, "--like-peers", "7"): "there is no such rank",
        ("ranks", TWO, "--network", "fast"): "not a factor",
        ("trend", "runs", "--metric", "colour"): "no such metric",
        ("trend",): "trend takes a dataset",
        ("trend", "."): "there is no run in it",
        ("trend", TWO): "there is no run in it",
        ("trend", "runs", "--baseline", "main"): "both say which runs are meant",
    }.items():
        done = run(folder, *arguments)
        check(f"{arguments}: exit code", done.returncode, 2)
        check(f"{arguments}: says why", words in done.stderr, True)


def trends(folder):
    def add(name):
        done = run(folder, "import", TRAIN, "--dataset", "runs", "--run", name, "--quiet")
        check(f"import of {name}", (done.returncode, done.stderr), (0, ""))

    limit = ("--fail-on", "drift > 3%")
    for name in ("a", "b"):
        add(name)
    check("two runs: undecided", run(folder, "trend", "runs", *limit).returncode, 3)
    add("c")
    add("d")
    check("the same again: holds", run(folder, "trend", "runs", *limit).returncode, 0)
    found = told(folder, "trend", "runs", "--last", "3")
    check("the last three", [row["run"] for row in found["points"]], ["b", "c", "d"])
    check("no change", (found["changes"], found["drift"]), ([], 0))
    step = found["points"][0]["value"]
    idle = told(folder, "trend", "runs", "--metric", "idle")["points"][0]["value"]
    kernels = told(folder, "trend", "runs", "--metric", "kernel:*")["points"][0]["value"]
    check("a step holds its idle time and its kernels", 0 < idle < step and 0 < kernels < step, True)
    none = told(folder, "trend", "runs", "--metric", "kernel:no_such_kernel")
    check("no such kernel", (none["points"], len(none["left_out"])), ([], 4))
    # Some runs, in the order in which they took place; one alone, over its steps.
    some = told(folder, "trend", "runs/run=c", "runs/run=a", "runs/run=b", *limit)
    check("named runs", (some["point"], sorted(row["run"] for row in some["points"])), ("run", ["a", "b", "c"]))
    steps = told(folder, "trend", "runs/run=a/")
    check("one run: its steps", (steps["point"], len(steps["points"])), ("step", 8))
    check("one run: their mean", abs(sum(row["value"] for row in steps["points"]) / 8 - step) < 2, True)
    shown = run(folder, "trend", "runs", "--top", "2").stdout
    check("the newest first", shown.index("\n  d") < shown.index("\n  c") if "\n  d" in shown else shown, True)
    check("the oldest is not shown", "\n  a " in shown, False)
    run(folder, "baseline", "save", "main", TRAIN, "--dir", "saved", "--quiet")
    found = told(folder, "trend", "--baseline", "main", "--dir", "saved")
    check("a baseline's runs", [row["value"] for row in found["points"]], [step])


def main():
    with tempfile.TemporaryDirectory() as folder:
        for test in (two_ranks, trends, mistakes):
            test(folder)
    print("\n".join(faults) or "traces: all hold")
    return 1 if faults else 0


sys.exit(main())
