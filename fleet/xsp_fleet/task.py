"""One task: one trace becomes one or more ranks of a dataset, by calling the xsp program.

Knows nothing of any engine, so that Spark, Dask or a loop can run it. A task may run twice, at the same time and on two
machines: xsp writes each rank under a hidden name and renames it, and leaves a rank as it is that was made from the same file.
"""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ImportOptions:
    """What all tasks of a run have in common."""

    dataset: str
    run: str
    xsp: str = "xsp"  # The program, as the workers see it.
    rank_regex: str | None = None
    more: tuple[str, ...] = ()  # Other options of `xsp import`.
    attempts: int = 2  # How often a program that was killed or hung is started.
    timeout_s: float = 3600.0


@dataclass(frozen=True)
class Outcome:
    """What became of a trace, or of one of its ranks."""

    path: str
    rank: int | None
    outcome: str  # "written", "replaced", "up to date", "failed".
    stored: str | None
    trouble: str | None
    host: str
    seconds: float

    @property
    def is_there(self) -> bool:
        return self.outcome != "failed"


def command_line(path: str, options: ImportOptions) -> list[str]:
    words = [options.xsp, "import", path, "--dataset", options.dataset, "--run", options.run]
    if options.rank_regex is not None:
        words += ["--rank-regex", options.rank_regex]
    return [*words, *options.more, "--format", "json", "--quiet"]


def import_trace(path: str, options: ImportOptions) -> list[Outcome]:
    """Imports one trace. Never raises for a trace that cannot be imported: that is an outcome, too."""
    begin = time.monotonic()
    trouble = ""
    for _ in range(max(1, options.attempts)):
        try:
            done = subprocess.run(
                command_line(path, options), capture_output=True, text=True, timeout=options.timeout_s, check=False
            )
        except subprocess.TimeoutExpired:
            trouble = f"took longer than {options.timeout_s:.0f} s"
            continue
        except OSError as error:
            trouble = f"cannot start {options.xsp}: {error.strerror}"
            continue
        # 0: fine, 2: what xsp says itself; both are the same the next time.
        if done.returncode in (0, 2):
            return _read(path, done.stdout, done.stderr, time.monotonic() - begin)
        trouble = f"xsp ended with {done.returncode}: {_last_line(done.stderr)}"
    return [_failed(path, trouble, time.monotonic() - begin)]


def summary(outcomes: Sequence[Outcome]) -> str:
    """'62 written, 2 failed'."""
    counts: dict[str, int] = {}
    for outcome in outcomes:
        counts[outcome.outcome] = counts.get(outcome.outcome, 0) + 1
    return ", ".join(f"{count} {word}" for word, count in sorted(counts.items())) or "nothing to do"


def _read(path: str, stdout: str, stderr: str, seconds: float) -> list[Outcome]:
    try:
        rows = json.loads(stdout)["ranks"]
    except (ValueError, KeyError, TypeError):
        return [_failed(path, _last_line(stderr), seconds)]
    return [
        Outcome(path, row["rank"], row["outcome"], row["stored"], row["trouble"], socket.gethostname(), seconds)
        for row in rows
    ]


def _failed(path: str, trouble: str, seconds: float) -> Outcome:
    return Outcome(path, None, "failed", None, trouble, socket.gethostname(), seconds)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it said nothing"
