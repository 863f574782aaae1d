"""Files of the ranks of a job, made from a sample trace: each knows its rank and host, and computes a little longer than the one before."""

import shutil
import sqlite3
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[2] / "sample_traces" / "train_fp32.sqlite"
RANKS_PER_HOST = 8
LATER_NS = 1000  # Each rank's recording begins so much later.


def make_rank(file: Path, rank: int, sample: Path = SAMPLE) -> Path:
    """One rank as nsys exports it: its number as MPI said it, the name of its machine, when its recording began."""
    shutil.copy(sample, file)
    file.chmod(0o644)
    with sqlite3.connect(file) as db:
        (process,) = db.execute("SELECT DISTINCT globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
        db.execute("CREATE TABLE MPI_RANKS (globalTid INTEGER, rank INTEGER)")
        db.execute("INSERT INTO MPI_RANKS VALUES (?, ?)", (process, rank))
        db.execute("UPDATE TARGET_INFO_SYSTEM_ENV SET value = ? WHERE nameEnum = 619", (f"node-{rank // RANKS_PER_HOST}",))
        db.execute("UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + ?", (rank * LATER_NS,))
    db.close()
    return file


def make_ranks(folder: Path, count: int) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    return [make_rank(folder / f"job_{rank:04}.sqlite", rank) for rank in range(count)]
