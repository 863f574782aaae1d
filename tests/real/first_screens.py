#!/usr/bin/env python3
"""The first screens on a terminal of 80 columns: first_screens.py XSP FOLDER...

For every trace in the folders: at most 40 lines of 80 columns, no two rows of a table that look the
same, and a verdict of whole sentences. The first screen that breaks a rule is printed, and ends the run.
"""
import fcntl
import os
import pathlib
import pty
import struct
import sys
import termios

COLUMNS, LINES = 80, 40
ENDINGS = (".sqlite", ".json.gz", ".json")


def screen(xsp, trace):
    """What `xsp TRACE` shows on a terminal, in lines."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 200, COLUMNS, 0, 0))
        os.chdir(trace.parent)
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        os.execve(xsp, [xsp, trace.name, "--quiet"], environment | {"PAGER": "", "NO_COLOR": "1"})
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # The terminal's way to say that the program has ended.
            break
        if not part:
            break
        shown += part
    os.close(terminal)
    status = os.waitpid(child, 0)[1]
    assert status == 0, f"{trace.name}: ended with {status}: {shown.decode(errors='replace')}"
    return shown.decode().replace("\r\n", "\n").rstrip("\n").split("\n")


def faults(lines):
    if len(lines) > LINES:
        yield f"{len(lines)} lines"
    for line in lines:
        if len(line) > COLUMNS and not line.startswith(("  xsp ", "  torch", "  nsys")):
            yield f"{len(line)} columns: {line}"
        if line.startswith(("% ", "%.", "%,")):
            yield f"a number and its unit apart: {line}"
    rows = [line for line in lines if line.startswith("  ")]
    for row in rows:
        if rows.count(row) > 1:
            yield f"twice: {row}"
    verdict = " ".join(lines[lines.index("") + 1:]).split("  ")[0]
    if len(verdict) < 20 or not verdict.rstrip().endswith("."):
        yield f"no verdict: {verdict}"


def main():
    xsp, folders = str(pathlib.Path(sys.argv[1]).resolve()), [pathlib.Path(f) for f in sys.argv[2:]]
    if not any(folder.is_dir() for folder in folders):
        print(f"skipped: no folder {folders[0]}")
        return
    traces = sorted(f for folder in folders for f in folder.glob("*") if f.name.endswith(ENDINGS))
    assert traces, "no trace in these folders"
    for trace in traces:
        lines = screen(xsp, trace)
        found = list(faults(lines))
        if found:
            print("\n".join(lines))
        assert not found, f"{trace.name}: {found[0]}"
    print(f"{len(traces)} first screens")


main()
