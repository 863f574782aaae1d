#!/usr/bin/env python3
"""run_jobs.py CASE XSP XSP_SAMPLE: jobs whose truth is known, recorded as exports of all their ranks, imported as users do, and judged."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

XSP, SAMPLE = sys.argv[2], sys.argv[3]


def truth(*options, folder=None):
    """What a step of the job really takes; with a folder, also the exports of its ranks."""
    words = [SAMPLE, "job", *map(str, options), *(["-o", str(folder)] if folder else [])]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)["step_ns"]


def xsp(*words, code=0):
    done = subprocess.run([XSP, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, f"{words}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
    return done


def judged(d, *options, code=0, share=0.01):
    """The job as an eight-line batch script would do it: exports, a dataset, the verdict."""
    step = truth(*options, folder=d / "files")
    files = sorted((d / "files").glob("*.sqlite"))
    xsp("import", *files, "--dataset", d / "runs", "--run", "job", "-j", 2, "--quiet", code=code)
    found = json.loads(xsp("ranks", d / "runs/run=job", "--format", "json").stdout)
    near("the step", found["step_ns"], step, share)
    for row in found["ranks"]:
        parts = row["compute_ns"] + row["transfer_ns"] + row["waiting_ns"] + row["idle_ns"]
        assert abs(parts - row["step_ns"]) <= 4, f"rank {row['global_rank']} does not add up: {row}"
    return step, found


def near(what, found, expected, share=0.03):
    assert found is not None and abs(found / expected - 1) <= share, f"{what}: {found}, expected {expected} within {share:.0%}"


def blames(found, culprit, ranks):
    assert (found["culprit"], found["culprit_ranks"]) == (culprit, list(ranks)), (found["culprit"], found["culprit_ranks"], found["verdict"])


def slow_rank(d):
    """One of eight."""
    step, found = judged(d, "--slow", "3=1500")
    blames(found, "rank", [3])
    near("what it costs", found["culprit_slowdown"], step / truth())
    # The published ideal: every rank as the mean of all.
    near("S", found["slowdown"], step / truth("--slow", "0-7=1062"))
    assert found["m_w"] > 0.9 and found["trust"]["level"] == "high", found["trust"]
    assert found["verdict"].startswith("Rank 3 (node0) makes the job"), found["verdict"]


def slow_tensor_rank(d):
    """One of 64, among tensor-parallel peers that all wait for it."""
    layout = ("--ranks", 64, "--tensor", 8, "--steps", 6)
    step, found = judged(d, *layout, "--slow", "21=1400")
    blames(found, "rank", [21])
    near("what it costs", found["culprit_slowdown"], step / truth(*layout))
    near("S", found["slowdown"], step / truth(*layout, "--slow", "0-63=1006"))


def slow_node(d):
    """Eight ranks of one host are one culprit."""
    layout = ("--ranks", 64, "--steps", 6)
    step, found = judged(d, *layout, "--slow", "24-31=1400")
    blames(found, "host", range(24, 32))
    near("what it costs", found["culprit_slowdown"], step / truth(*layout))
    near("S", found["slowdown"], step / truth(*layout, "--slow", "0-63=1050"))


def slow_link(d):
    """Replicas of one part exchange gradients slowly."""
    layout = ("--ranks", 64, "--tensor", 8, "--steps", 6)
    step, found = judged(d, *layout, "--slow-link", "3=6000")
    blames(found, "communication", range(3, 64, 8))
    near("what it costs", found["culprit_slowdown"], step / truth(*layout))
    near("S", found["slowdown"], step / truth(*layout))  # The median transfer is a sound one.


def last_stage(d):
    """More to do at the last stage is no rank's fault."""
    layout = ("--ranks", 64, "--stages", 4, "--steps", 6)
    step, found = judged(d, *layout, "--more-work", "3=1300")
    assert found["culprit"] == "stage" and found["verdict"].startswith("The last stage (3) has "), found["verdict"]
    assert max(found["by_stage"], key=lambda row: row["slowdown"])["stage"] == 3
    assert found["peers_slowdown"] < 1.02, found["peers_slowdown"]
    # The mean of a stage's passes over all: three times 1 and once 1.3.
    near("S", found["slowdown"], step / truth(*layout, "--more-work", "0-3=1075"))


def slow_pipeline_rank(d):
    layout = ("--ranks", 16, "--stages", 4)
    step, found = judged(d, *layout, "--slow", "6=1500")
    blames(found, "rank", [6])
    near("what it costs", found["culprit_slowdown"], step / truth(*layout))
    near("S", found["slowdown"], step / truth(*layout, "--slow", "0-15=1031"))
    row = next(row for row in found["ranks"] if row["global_rank"] == 6)
    assert (row["stage"], row["data_parallel"]) == (1, 2), row


def lengths(d):
    """Steps of different lengths, now here, now there."""
    step, found = judged(d, "--lengths", 600, "--steps", 16)
    assert found["culprit"] == "rotates" and found["verdict"].startswith("No rank: waiting rotates"), found["verdict"]
    # In the mean a step is longer by half of the most.
    near("S", found["peers_slowdown"], step / truth("--slow", "0-7=1300", "--steps", 16))


def pauses(d):
    """A garbage collector that stops another host in every step."""
    step, found = judged(d, "--pause", 6_000_000, "--steps", 16)
    assert found["culprit"] == "rotates", found["verdict"]
    assert "pauses of the host" in found["verdict"], found["verdict"]
    # In the mean a host stops for an eighth of that, and a step is as long whether one host does or all do at once.
    near("S", found["slowdown"], step / truth("--pause", 6_000_000 // 8, "--steps", 16))
    assert found["trust"]["level"] == "high", found["trust"]


def clocks(d):
    """Hosts whose clocks differ by milliseconds and drift."""
    layout = ("--ranks", 32, "--steps", 64)
    step, found = judged(d, *layout, "--slow", "21=1300", "--clock-ahead", 50_000_000, "--drift", 100_000)
    blames(found, "rank", [21])
    near("what it costs", found["culprit_slowdown"], step / truth(*layout))
    near("S", found["slowdown"], step / truth(*layout, "--slow", "0-31=1009"))
    assert len(found["clocks"]) == 4
    for host, row in enumerate(found["clocks"]):
        assert row["residual_p95_ns"] <= 5_000, row
        # Of 260 moments within a second the mean ends of eight ranks differ by 1.3 us: a deviation of 0.3 ppm.
        assert abs(row["drift_ppm"] - 100 * host) < 1, row


def not_recorded(d):
    """What was recorded is judged, and what was not is said."""
    step, found = judged(d, "--slow", "3=1500", "--without", 5)
    blames(found, "rank", [3])
    near("S", found["slowdown"], step / truth("--slow", "0-7=1071"))  # The mean of seven.
    assert any("7 of 8 ranks were recorded" in note for note in found["notes"]), found["notes"]
    assert found["trust"]["level"] == "fair", found["trust"]


def cut_off(d):
    """An export of which half was copied: said, and the others are judged."""
    truth("--slow", "3=1500", folder=d / "whole")
    (d / "files").mkdir()
    for file in sorted((d / "whole").glob("*.sqlite")):
        content = file.read_bytes()
        (d / "files" / file.name).write_bytes(content[: len(content) // 2] if "00002" in file.name else content)
    failed = xsp("import", *sorted((d / "files").glob("*")), "--dataset", d / "runs", "--run", "job", "--quiet", code=2)
    assert "rank_00002" in failed.stderr, failed.stderr
    found = json.loads(xsp("ranks", d / "runs/run=job", "--format", "json").stdout)
    blames(found, "rank", [3])
    near("S", found["slowdown"], truth("--slow", "3=1500") / truth("--slow", "0-7=1071"))
    assert any("rank 2 is not there" in note for note in found["notes"]), found["notes"]


def mpi(d):
    """No NCCL: MPI's collectives match ranks and put them on one clock."""
    layout = ("--ranks", 16, "--mpi", "yes")
    step, found = judged(d, *layout, "--slow", "3=1500", "--clock-ahead", 5_000_000)
    blames(found, "rank", [3])
    near("what it costs", found["culprit_slowdown"], step / truth(*layout))
    near("S", found["slowdown"], step / truth(*layout, "--slow", "0-15=1031"))
    assert found["clocks"][1]["residual_p95_ns"] <= 5_000, found["clocks"]


def nothing_wrong(d):
    """Nobody is blamed for chance: jobs of all layouts, each with a seed of its own."""
    layouts = [(), ("--tensor", 4), ("--stages", 4), ("--mpi", "yes"), ("--per-host", 4, "--clock-ahead", 7_000_000)]
    for seed in range(100):
        folder = d / str(seed)
        truth("--steps", 5, "--seed", seed, *layouts[seed % len(layouts)], folder=folder)
        found = json.loads(xsp("ranks", *sorted(folder.glob("*.sqlite")), "--format", "json").stdout)
        assert found["culprit"] == "nobody", (seed, found["verdict"])
        assert found["culprit_slowdown"] is None
        near("S", found["slowdown"], 1)
        for file in folder.glob("*"):
            file.unlink()


CASES = [slow_rank, slow_tensor_rank, slow_node, slow_link, last_stage, slow_pipeline_rank, lengths, pauses, clocks, not_recorded,
         cut_off, mpi, nothing_wrong]

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        {case.__name__: case for case in CASES}[sys.argv[1]](Path(folder))
