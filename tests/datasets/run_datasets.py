#!/usr/bin/env python3
"""run_datasets.py CASE XSP XSP_SAMPLE: datasets as users and schedulers make and break them. Each case is a test of its own."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "fleet"))
from make_ranks import make_rank, make_ranks  # noqa: E402

XSP, SAMPLE = sys.argv[2], sys.argv[3]


def xsp(*words, code=0):
    done = subprocess.run([XSP, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, f"{words}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}"
    return done


def as_json(*words, code=0):
    return json.loads(xsp(*words, "--format", "json", "--quiet", code=code).stdout)


def ranks_in(run):
    return sorted(int(name.partition("=")[2]) for name in os.listdir(run) if name.startswith("global_rank="))


def hidden_in(run):
    return [name for name in os.listdir(run) if name.startswith(".")]


def check_whole(dataset, run, count):
    """All ranks are there, can be read and are as they were recorded; nothing else is."""
    folder = dataset / f"run={run}"
    assert ranks_in(folder) == list(range(count)), ranks_in(folder)
    assert not hidden_in(folder), hidden_in(folder)
    rows = as_json("runs", dataset)
    row = next(row for row in rows["runs"] if row["run"] == run)
    assert row["ranks"] == count, row
    assert not [odd for odd in rows["oddities"] if odd["run"] == run], rows["oddities"]
    return row


def several_at_once(d):
    """-j imports files beside each other, and the dataset is what one after the other gives."""
    files = make_ranks(d / "files", 8)
    rows = as_json("import", *files, "--dataset", d / "a", "--run", "r", "-j", 4)["ranks"]
    assert [row["rank"] for row in rows] == list(range(8)), rows
    assert {row["outcome"] for row in rows} == {"written"} and {row["rank_source"] for row in rows} == {"mpi"}, rows
    check_whole(d / "a", "r", 8)
    for file in files:
        xsp("import", file, "--dataset", d / "b", "--run", "r", "--quiet")
    for rank in range(8):
        for table in (d / "a/run=r" / f"global_rank={rank:05}").glob("*.parquet"):
            other = d / "b/run=r" / f"global_rank={rank:05}" / table.name
            assert table.read_bytes() == other.read_bytes(), table


def eight_processes(d):
    """Eight processes at once on one dataset, each with all files: what a scheduler does that runs tasks twice."""
    files = make_ranks(d / "files", 8)
    words = [XSP, "import", *map(str, files), "--dataset", str(d / "ds"), "--run", "r", "--format", "json", "--quiet"]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(8)]
    outcomes = []
    for process in running:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        outcomes += [(row["rank"], row["outcome"]) for row in json.loads(out)["ranks"]]
    assert len(outcomes) == 64
    for rank in range(8):
        assert (rank, "failed") not in outcomes
    check_whole(d / "ds", "r", 8)


def again(d):
    """The same files again change nothing; one that failed is said, and can be redone alone."""
    files = make_ranks(d / "files", 3)
    good = files[1].read_bytes()
    files[1].write_bytes(good[: len(good) // 3])
    words = ("import", *files, "--dataset", d / "ds", "--run", "r")
    rows = as_json(*words, code=2)["ranks"]
    assert [row["outcome"] for row in rows] == ["failed", "written", "written"], rows
    assert "job_0001" in rows[0]["file"] and rows[0]["trouble"], rows[0]
    assert ranks_in(d / "ds/run=r") == [0, 2]
    assert "rank 1 is not there" in xsp("runs", d / "ds").stdout
    before = {file: file.stat().st_mtime_ns for file in (d / "ds").rglob("*") if file.is_file()}
    files[1].write_bytes(good)
    rows = as_json(*words)["ranks"]
    assert sorted(row["outcome"] for row in rows) == ["up to date", "up to date", "written"], rows
    for file, time_ns in before.items():
        assert file.stat().st_mtime_ns == time_ns, f"{file} was written again"
    check_whole(d / "ds", "r", 3)


def who_is_who(d):
    """A rank comes from what was recorded, else from the file's name; never from an environment."""
    plain = shutil.copy(ROOT / "sample_traces/train_fp32.sqlite", d / "job_rank7_x.sqlite")
    other = shutil.copy(ROOT / "sample_traces/train_fp32.sqlite", d / "other.sqlite")
    recorded = make_rank(d / "job_rank5.sqlite", 3)
    regex = ("--rank-regex", "rank([0-9]+)")
    rows = as_json("import", plain, recorded, "--dataset", d / "ds", "--run", "r", *regex)["ranks"]
    assert [(row["rank"], row["rank_source"]) for row in rows] == [(3, "mpi"), (7, "file name")], rows
    failed = xsp("import", plain, other, "--dataset", d / "ds", "--run", "r2", *regex, code=2)
    assert "nothing in it says which rank it is, nor does its name" in failed.stderr, failed.stderr
    # A job of one needs no number; the same number from another file is refused.
    assert as_json("import", other, "--dataset", d / "ds", "--run", "single")["ranks"][0]["rank"] == 0
    make_rank(d / "zero.sqlite", 0)
    failed = xsp("import", d / "zero.sqlite", "--dataset", d / "ds", "--run", "single", code=2)
    assert "rank 0 of run single is there already, made from another file" in failed.stderr, failed.stderr
    xsp("import", d / "zero.sqlite", "--dataset", d / "ds", "--run", "single", "--force")
    # Two files of one command that are the same rank: one of them is there, the other is said, with --force as well.
    twin = make_rank(d / "twin.sqlite", 0)
    with open(twin, "ab") as file:
        file.write(b"\0" * 4096)
    for more in (["-j", "2"], ["--force"]):
        failed = xsp("import", d / "zero.sqlite", twin, "--dataset", d / "ds", "--run", "twice", *more, code=2)
        assert re.search(r"(twin|zero).sqlite: is rank 0, as (twin|zero).sqlite is", failed.stderr), failed.stderr
    assert "((' is no regular expression" in xsp(
        "import", other, "--dataset", d / "ds", "--run", "r", "--rank-regex", "((", code=2).stderr


def a_trace_everywhere(d):
    """A rank's folder is a trace; a run is one with --rank, and refused without."""
    files = make_ranks(d / "files", 2)
    xsp("import", *files, "--dataset", d / "ds", "--run", "a b", "--quiet")
    run = d / "ds/run=a%20b"
    by_folder = as_json("tree", run / "global_rank=00001")
    by_rank = as_json("tree", run, "--rank", "1")
    for one in (by_folder, by_rank):
        for key in ("traces", "trace"):
            one.pop(key, None)
    assert by_folder == by_rank
    assert by_rank["schema_version"] == as_json("tree", f"{run}/", "--rank", "1")["schema_version"]
    assert "--rank N takes one of them" in xsp("tree", run, code=2).stderr
    assert "xsp runs" in xsp(d / "ds", code=2).stderr
    assert "has no rank 9" in xsp("idle", run, "--rank", "9", code=2).stderr
    assert "is for a run of a dataset" in xsp("idle", files[0], "--rank", "1", code=2).stderr
    assert "a b" in xsp("runs", d / "ds").stdout
    # Commands that take several traces take a run in the place of each.
    rank0, rank1 = run / "global_rank=00000", run / "global_rank=00001"
    for words, same in {
        ("analyze", run, "--rank", "1"): ("analyze", rank1),
        ("analyze", run, files[0], "--rank", "1"): ("analyze", rank1, files[0]),
        ("level", run, rank0, "--rank", "1"): ("level", rank1, rank0),
        ("validate", "--amp", run, rank0, "--rank", "1"): ("validate", "--amp", rank1, rank0),
    }.items():
        assert xsp(*words, "--format", "csv").stdout == xsp(*same, "--format", "csv").stdout, words
        assert "is for a run of a dataset" in xsp(*same, "--rank", "1", code=2).stderr, same
    xsp("baseline", "save", "one", run, "--rank", "1", "--dir", d / "saved")
    xsp("baseline", "save", "one", rank1, "--dir", d / "saved")
    assert len(as_json("baseline", "show", "one", "--dir", d / "saved")["runs"]) == 1
    assert "is a run of a dataset" in xsp("baseline", "save", "one", run, "--dir", d / "saved", code=2).stderr
    # Two runs can be compared: all of their ranks, or one of each.
    xsp("import", *files, "--dataset", d / "ds", "--run", "other", "--quiet")
    assert len(as_json("diff", run, d / "ds/run=other")["base"]) == 2
    assert len(as_json("diff", run, d / "ds/run=other", "--rank", "1")["base"]) == 1
    xsp("runs", d / "ds", "--rm", "a b", "--rank", "1")
    assert ranks_in(run) == [0]
    xsp("runs", d / "ds", "--rm", "a b")
    assert not run.exists()
    assert "has no run 'a c'" in xsp("runs", d / "ds", "--rm", "a c", code=2).stderr


def what_is_wrong(d):
    """Bad datasets are said in one line each, and what can be told is told."""
    files = make_ranks(d / "files", 6)
    xsp("import", *files, "--dataset", d / "ds", "--run", "r", "--quiet")
    run = d / "ds/run=r"
    shutil.rmtree(run / "global_rank=00002")
    (run / "global_rank=00003/events.parquet").unlink()
    shutil.copytree(run / "global_rank=00004", run / "global_rank=4")
    shutil.copytree(run / "global_rank=00001", run / "global_rank=00006")
    manifest = run / "global_rank=00005/manifest.json"
    manifest.write_text(manifest.read_text().replace('"major": 1', '"major": 9'))
    (run / "notes.txt").write_text("mine")
    done = as_json("runs", d / "ds")
    said = [odd["what"] for odd in done["oddities"]]
    for words in ("rank 2 is not there", "rank 3: events.parquet is missing: half-copied?", "rank 4 is there twice",
                  "rank 6 is a copy of rank 1", "rank 5: ", "holds what is no rank: notes.txt"):
        assert any(words in line for line in said), (words, said)
    assert done["runs"][0]["step_ns"] is not None
    # What xsp did not write stays.
    assert "still holds something" in xsp("runs", d / "ds", "--rm", "r", code=2).stderr
    assert (run / "notes.txt").exists()


def older_traces(d):
    """A stored trace without small tables, or with those of other rules, still opens; they are made when first needed."""
    files = make_ranks(d / "files", 2)
    xsp("import", *files, "--dataset", d / "ds", "--run", "r", "--quiet")
    rank = d / "ds/run=r/global_rank=00001"
    names = ("steps", "budget", "collective_instances", "segments", "facts")
    made = {name: (rank / f"{name}.parquet").read_bytes() for name in names[:-1]}
    for name in names:
        (rank / f"{name}.parquet").unlink()
    kept = rank / "ranks.kept"
    kept.unlink()
    xsp("tree", rank)
    check_whole(d / "ds", "r", 2)
    assert kept.exists()
    for name, content in made.items():
        assert (rank / f"{name}.parquet").read_bytes() == content, name
    whole = kept.read_text()
    kept.write_text(re.sub(r"ranks [1-9][0-9]*", "ranks 0", whole))
    assert kept.read_text() != whole
    check_whole(d / "ds", "r", 2)
    assert kept.read_text() == whole
    # Damaged tables are none, and are made anew.
    (rank / "steps.parquet").write_bytes(b"PAR1 no more")
    check_whole(d / "ds", "r", 2)
    assert (rank / "steps.parquet").read_bytes() == made["steps"]


def interrupted(d):
    """Ctrl-C leaves whole ranks, and no half ones; what was killed is cleaned up by whoever comes next."""
    files = make_ranks(d / "files", 24)
    words = [XSP, "import", *map(str, files), "--dataset", str(d / "ds"), "--run", "r", "-j", "3", "--quiet"]
    for how in (signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        run = d / "ds/run=r"
        there = len(ranks_in(run)) if run.exists() else 0
        for _ in range(600):
            if process.poll() is not None or (run.exists() and len(ranks_in(run)) > there + 3):
                break
            time.sleep(0.02)
        process.send_signal(how)
        process.wait(timeout=60)
        for rank in ranks_in(run):
            xsp("info", run / f"global_rank={rank:05}")
        if how == signal.SIGINT:
            assert not hidden_in(run), hidden_in(run)
    assert subprocess.run([*words, "--format", "json"], capture_output=True, timeout=300, check=False).returncode == 0
    check_whole(d / "ds", "r", 24)


def no_room(d):
    """How much disk it takes is said before anything is written."""
    files = make_ranks(d / "files", 2)
    said = xsp("import", *files, "--dataset", d / "ds", "--run", "r").stderr
    assert re.search(r"will take about [0-9.]+ [KMG]iB for 2 files of [0-9.]+ [KMG]iB; [0-9.]+ [KMGT]iB are free", said), said
    assert "needs both --dataset DIR and --run NAME" in xsp("import", files[0], "--dataset", d / "x", code=2).stderr
    files.append(make_rank(d / "files/job_0002.sqlite", 2))  # What is there already takes no more room.
    said = xsp("import", *files, "--dataset", d / "ds", "--run", "r").stderr
    assert re.search(r"will take about [0-9.]+ [KMG]iB for 1 file of ", said), said
    assert not xsp("import", *files, "--dataset", d / "ds", "--run", "r").stderr
    would = as_json("import", *files, "--dataset", d / "dry", "--run", "r", "--dry-run")["ranks"]
    assert {row["outcome"] for row in would} == {"would write"} and not (d / "dry").exists()


def documented_queries(d):
    """The views of xsp.sql and the queries of docs/dataset.md, run by DuckDB."""
    try:
        import duckdb
    except ImportError:
        print("skipped: no duckdb")
        return
    from xsp_fleet.views import duckdb_views

    # Monday's ranks talk to each other, Tuesday's talk to nobody.
    subprocess.run([SAMPLE, "job", "--ranks", "4", "--tensor", "2", "--steps", "4", "-o", d / "job"], check=True, capture_output=True)
    xsp("import", *sorted((d / "job").glob("*")), "--dataset", d / "ds", "--run", "monday", "--quiet")
    xsp("import", *make_ranks(d / "tuesday", 3), "--dataset", d / "ds", "--run", "tuesday", "--quiet")
    db = duckdb.connect()
    db.execute(f"SET VARIABLE dataset = '{d / 'ds'}'")
    for statement in duckdb_views():
        db.execute(statement)
    text = (ROOT / "docs/dataset.md").read_text(encoding="utf-8")
    queries = re.findall(r"```sql\n(.*?)```", text, re.S)
    assert len(queries) >= 5, "docs/dataset.md has queries"
    for query in queries:
        assert db.execute(query).fetchall(), f"nothing found by {query}"
    # What adds up in the documentation adds up here.
    off = db.execute(
        "SELECT count(*) FROM (SELECT s.run, s.global_rank, s.step, any_value(s.end_ns - s.begin_ns) AS step_ns, sum(b.ns) AS ns"
        " FROM steps s JOIN budget b USING (run, global_rank, process, step) WHERE b.part_of = '' GROUP BY ALL) WHERE step_ns <> ns"
    ).fetchone()[0]
    assert off == 0, f"{off} budgets do not add up to their step"
    ranks = db.execute("SELECT run, global_rank, recorded_rank, host FROM facts ORDER BY ALL").fetchall()
    assert ranks[:2] == [("monday", 0, 0, "node0"), ("monday", 1, 1, "node0")], ranks
    assert ranks[4] == ("tuesday", 0, 0, "node-0"), ranks
    assert len(ranks) == 7


CASES = [several_at_once, eight_processes, again, who_is_who, a_trace_everywhere, what_is_wrong, older_traces, interrupted,
         no_room, documented_queries]

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        {case.__name__: case for case in CASES}[sys.argv[1]](Path(folder))
