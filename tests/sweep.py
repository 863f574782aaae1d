#!/usr/bin/env python3
"""Runs every command on every real trace in ../shared/traces: sweep.py XSP [PART-OF-A-NAME...]

One line per file: the exit code of each command and the time of them all. Good traces must
give 0 and bad ones 2; anything else, a crash or JSON that does not parse ends the sweep with 1.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

TRACES = pathlib.Path(__file__).resolve().parents[2] / "shared" / "traces"
FOLDERS = {"nsys": 0, "nsys_stats": 0, "kineto": 0, "bad": 2}  # and the exit code that their files must give

# What is run, in this order: {file} is the trace, {store} what `import` made of it.
COMMANDS = {
    "xsp": ["{file}"],
    "info": ["info", "{file}"],
    "json": ["info", "{file}", "--format", "json"],
    "import": ["import", "{file}", "-o", "{store}"],
    "stored": ["info", "{store}"],
    "stats": ["stats", "{file}"],
    "tree": ["tree", "{file}"],
    "analyze": ["analyze", "{file}", "--format", "json"],
    "graph": ["graph", "{file}"],
    "graph-json": ["graph", "{file}", "--format", "json"],
    "path": ["critical-path", "{file}"],
    "path-json": ["critical-path", "{file}", "--format", "json"],
    "path-chrome": ["critical-path", "{file}", "--format", "chrome"],
    "idle": ["idle", "{file}"],
    "idle-json": ["idle", "{file}", "--format", "json"],
    "leverage": ["leverage", "{file}"],
    "leverage-json": ["leverage", "{file}", "--format", "json"],
    "report": ["report", "{file}", "-o", "/dev/null"],
    "level": ["level", "{file}"],
    "diff": ["diff", "{file}", "{file}"],
    "diff-json": ["diff", "{file}", "{store}", "--format", "json"],
}
MAY_REFUSE = {"level"}  # exit code 2 where the trace holds nothing to compare
NEED_GPU = ("graph", "path", "idle", "leverage", "diff")  # refused where it holds no work of a GPU
NO_GPU = b"holds no work of a GPU"
TIMEOUT_S = 120


def run(xsp, arguments):
    """The exit code (negative after a signal), or the name of what went wrong."""
    try:
        done = subprocess.run([xsp, *arguments], capture_output=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode == 2 and NO_GPU in done.stderr:
        return "no-gpu"
    if arguments[-1] in ("json", "chrome") and done.returncode == 0:
        try:
            json.loads(done.stdout)
        except ValueError:
            return "not-json"
    return done.returncode


def sweep_file(xsp, path, expected):
    """Runs all commands on one file; prints its line; True if all went as expected."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        names = {"file": path, "store": pathlib.Path(folder) / "trace.xsp"}
        codes = {
            name: run(xsp, [part.format(**names) for part in command])
            for name, command in COMMANDS.items()
        }
    good = all(
        code == expected
        or (code == 2 and name in MAY_REFUSE)
        or (code == "no-gpu" and name.startswith(NEED_GPU))
        for name, code in codes.items()
    )
    shown = " ".join(f"{name}={code}" for name, code in codes.items())
    verdict = "ok  " if good else "FAIL"
    print(f"{verdict} {time.monotonic() - begin:6.2f} s  {shown}  {path.parent.name}/{path.name}", flush=True)
    return good


def main(xsp, *wanted):
    if not TRACES.is_dir():
        print(f"no real traces: {TRACES} is not there")
        return 0
    results = [
        sweep_file(xsp, path, expected)
        for folder, expected in FOLDERS.items()
        for path in sorted((TRACES / folder).iterdir())
        if path.suffix != ".txt" and (not wanted or any(part in path.name for part in wanted))
    ]
    print(f"{results.count(True)} of {len(results)} files as expected")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
