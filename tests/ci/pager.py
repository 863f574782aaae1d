#!/usr/bin/env python3
"""A long result on a pseudo-terminal: pager.py XSP. The pager is a stand-in that leaves a file behind.

A pager that is started where nobody sits holds up the job for ever, so it must not be: where CI is set, where standard
input or output is no terminal, where TERM is dumb or not set, with --no-pager.
"""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "sample_traces/train_fp32.sqlite"


def paged(xsp, folder, environment={}, stdin_is_terminal=True, stdout_is_terminal=True, options=()):
    """Whether the pager ran; the result must have been shown in either case."""
    mark = folder / "paged"
    mark.unlink(missing_ok=True)
    env = {"PATH": os.environ["PATH"], "TERM": "xterm", "PAGER": f"tee {mark}"} | environment
    outer, inner = pty.openpty()
    file = open(folder / "stdout", "wb")
    child = subprocess.Popen([xsp, "tree", SAMPLE, *options], env={k: v for k, v in env.items() if v is not None},
                             stdin=inner if stdin_is_terminal else subprocess.DEVNULL,
                             stdout=inner if stdout_is_terminal else file, stderr=subprocess.DEVNULL)
    os.close(inner)
    shown = b""
    try:
        while chunk := os.read(outer, 65536):
            shown += chunk
    except OSError:  # how Linux tells that the last writer has gone
        pass
    child.wait(timeout=60)
    os.close(outer)
    shown += (folder / "stdout").read_bytes()
    assert shown.count(b"\n") > 24, "nothing was shown"
    return mark.exists()


def main(xsp):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cases = [
            ("a terminal", True, {}),
            ("CI is set", False, {"environment": {"CI": "true"}}),
            ("standard input is no terminal", False, {"stdin_is_terminal": False}),
            ("standard output is no terminal", False, {"stdout_is_terminal": False}),
            ("TERM is dumb", False, {"environment": {"TERM": "dumb"}}),
            ("TERM is not set", False, {"environment": {"TERM": None}}),
            ("--no-pager", False, {"options": ["--no-pager"]}),
        ]
        wrong = [what for what, expected, how in cases if paged(xsp, folder, **how) != expected]
        sys.exit("wrong: " + ", ".join(wrong) if wrong else 0)


main(sys.argv[1])
