#!/usr/bin/env python3
"""run_cluster.py XSP: imports 64 ranks on a standalone Spark cluster on loopback, kills one of its two workers in the middle, and
asks the dataset: nothing is lost, nothing is there twice, and Spark's answers are DuckDB's. Ends within a few minutes in any case."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "fleet"), str(ROOT / "tests/datasets")]
from make_ranks import make_ranks  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from xsp_fleet.spark import import_run, open_dataset, ship  # noqa: E402
from xsp_fleet.task import ImportOptions, summary  # noqa: E402
from xsp_fleet.views import duckdb_views  # noqa: E402

import pyspark  # noqa: E402

RANKS = 64
KILL_AFTER = 8  # Ranks that are there when a worker dies.
LONGEST_S = 230
SPARK_HOME = Path(pyspark.__file__).parent
BEGIN = time.monotonic()


def say(words: str) -> None:
    print(f"{time.monotonic() - BEGIN:6.1f} s  {words}", flush=True)


class Cluster:
    """A master and two workers, each a process group of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.groups: list[subprocess.Popen[bytes]] = []
        self.environment = {
            **os.environ,
            "SPARK_HOME": str(SPARK_HOME),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),  # Of the package itself workers know nothing.
        }

    def start(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        with open(self.folder / f"{name}.log", "wb") as log:
            process = subprocess.Popen(
                [str(SPARK_HOME / "bin/spark-class"), *words],
                env=self.environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
            )
        self.groups.append(process)
        return process

    def wait_for(self, name: str, pattern: str, seconds: float = 60) -> str:
        for _ in range(int(seconds * 10)):
            found = re.search(pattern, (self.folder / f"{name}.log").read_text(errors="replace"))
            if found:
                return found.group(1)
            time.sleep(0.1)
        sys.exit(f"{name} did not say {pattern}:\n" + (self.folder / f"{name}.log").read_text(errors="replace")[-2000:])

    def begin(self) -> str:
        package = "org.apache.spark.deploy"
        self.start("master", f"{package}.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
        url = self.wait_for("master", r"Starting Spark master at (spark://\S+)")
        self.wait_for("master", r"(I have been elected leader)")
        for name in ("worker1", "worker2"):
            self.start(name, f"{package}.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "-c", "1", "-m", "1g",
                       "-d", str(self.folder / name), url)
        for name in ("worker1", "worker2"):
            self.wait_for(name, r"(Successfully registered with master)")
        return url

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def end(self) -> None:
        for process in self.groups:
            self.kill(process)


@contextlib.contextmanager
def running(folder: Path) -> Iterator[tuple[Cluster, SparkSession]]:
    cluster = Cluster(folder)
    try:
        url = cluster.begin()
        say(f"a master and two workers: {url}")
        os.environ.update(cluster.environment)
        spark = (
            SparkSession.builder.master(url).appName("xsp fleet test")
            .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.ui.enabled", "false").config("spark.executor.memory", "512m").config("spark.executor.cores", "1")
            .config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", "2").config("spark.network.timeout", "60s")
            .getOrCreate()
        )
        spark.sparkContext.setLogLevel("OFF")
        yield cluster, spark
    finally:
        cluster.end()


def ranks_there(run: Path) -> list[int]:
    if not run.exists():
        return []
    return sorted(int(name.partition("=")[2]) for name in os.listdir(run) if name.startswith("global_rank="))


def kill_worker_in_the_middle(cluster: Cluster, run: Path) -> threading.Thread:
    def wait_and_kill() -> None:
        while len(ranks_there(run)) < KILL_AFTER:
            time.sleep(0.02)
        cluster.kill(cluster.groups[1])
        say(f"killed worker 1 when {len(ranks_there(run))} ranks were there")

    thread = threading.Thread(target=wait_and_kill, daemon=True)
    thread.start()
    return thread


def check_import(cluster: Cluster, spark: SparkSession, xsp: str, folder: Path) -> Path:
    dataset = folder / "dataset"
    files = [str(file) for file in make_ranks(folder / "files", RANKS)]
    say(f"{RANKS} files made")
    killer = kill_worker_in_the_middle(cluster, dataset / "run=monday")
    outcomes = import_run(spark, files, ImportOptions(str(dataset), "monday", xsp, attempts=1))
    killer.join(1)
    say(f"imported: {summary(outcomes)}")
    assert not killer.is_alive(), "the worker was never killed"
    assert sorted(outcome.rank for outcome in outcomes) == list(range(RANKS)), "each rank comes back once"
    assert {outcome.path for outcome in outcomes} == set(files)
    assert all(outcome.is_there for outcome in outcomes)
    run = dataset / "run=monday"
    assert ranks_there(run) == list(range(RANKS)), ranks_there(run)
    listed = subprocess.run([xsp, "runs", str(dataset), "--format", "json"], capture_output=True, check=True, text=True).stdout
    assert '"oddities": []' in listed, listed
    # The same again, with a program that is sent along: nothing is written.
    installed = folder / "installed"
    (installed / "bin").mkdir(parents=True)
    (installed / "bin/xsp").write_text(f'#!/bin/sh\nexec {xsp} "$@"\n')
    (installed / "bin/xsp").chmod(0o755)
    again = import_run(spark, files[:4], ImportOptions(str(dataset), "monday", ship(spark, str(installed))))
    assert [outcome.outcome for outcome in again] == ["up to date"] * 4, again
    say("the same files again: " + summary(again))
    # A file that is none is said, and harms nobody.
    (folder / "files/broken.sqlite").write_bytes(b"SQLite format 3\0 not")
    (bad,) = import_run(spark, [str(folder / "files/broken.sqlite")], ImportOptions(str(dataset), "monday", xsp))
    assert not bad.is_there and bad.trouble, bad
    return dataset


def check_queries(spark: SparkSession, dataset: Path) -> None:
    """The queries of docs/dataset.md: Spark finds what DuckDB finds."""
    import duckdb

    open_dataset(spark, str(dataset))
    db = duckdb.connect()
    db.execute(f"SET VARIABLE dataset = '{dataset}'")
    for statement in duckdb_views():
        db.execute(statement)
    queries = re.findall(r"```sql\n(.*?)```", (ROOT / "docs/dataset.md").read_text(encoding="utf-8"), re.S)
    for query in queries:
        ours = [tuple(row) for row in spark.sql(query.strip().rstrip(";")).collect()]
        theirs = db.execute(query).fetchall()
        assert len(ours) == len(theirs), query
        for one, other in zip(ours, theirs):
            for a, b in zip(one, other):
                is_same = a == b or (a is not None and b is not None and not isinstance(a, str) and
                                     abs(float(a) - float(b)) <= 1e-9 * abs(float(b)) + 1e-9)
                assert is_same, f"{query}\nSpark: {one}\nDuckDB: {other}"
    say(f"{len(queries)} queries give in Spark what they give in DuckDB")


def main() -> None:
    signal.alarm(LONGEST_S)  # Whatever hangs: the test fails, and its groups die with it.
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"took longer than {LONGEST_S} s"))
    xsp = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        with running(Path(name)) as (cluster, spark):
            dataset = check_import(cluster, spark, xsp, Path(name))
            check_queries(spark, dataset)
            spark.stop()
    say("fine: 64 ranks, one worker lost, nothing else")


if __name__ == "__main__":
    main()
