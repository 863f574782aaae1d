"""Ctrl-C at several moments of several commands: run_interrupt.py XSP XSP_SAMPLE

Whatever a command does at the moment, it ends with 130 within a bounded time (or was done before), and leaves
nothing half-written: no result, or a whole one.
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

KERNELS = 60_000
MOMENTS_S = [0.1, 0.25, 0.5, 0.9]
MOST_SECONDS = 60  # From the signal to the end: tells endless from late, machines are busy.
INTERRUPTED = 130

COMMANDS = [
    ["import", "{export}", "--force", "-o", "{folder}/new.xsp"],
    ["{store}", "--format", "json", "--output", "{folder}/summary.json"],
    ["stats", "{store}", "--format", "json", "--output", "{folder}/stats.json"],
    ["tree", "{store}", "--steps", "all", "--min-share", "0", "--format", "json", "--output", "{folder}/tree.json"],
    ["graph", "{store}", "--format", "json", "--output", "{folder}/graph.json"],
    ["idle", "{store}", "--format", "json", "--output", "{folder}/idle.json"],
    ["critical-path", "{store}", "--format", "json", "--output", "{folder}/path.json"],
    ["leverage", "{store}", "--format", "json", "--output", "{folder}/leverage.json"],
    ["advise", "{store}", "--format", "json", "--output", "{folder}/advise.json"],
    ["report", "{store}", "-o", "{folder}/report.html"],
    ["diff", "{store}", "{store}", "--format", "json", "--output", "{folder}/diff.json"],
]


def interrupt(command, moment):
    """How a command ended that got the signal after `moment` seconds; None: it did not end."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(moment)
    process.send_signal(signal.SIGINT)
    try:
        _, text = process.communicate(timeout=MOST_SECONDS)
        return process.returncode, text.decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, ""


def half_written(xsp, folder):
    """What a command left in the folder that is neither nothing nor whole."""
    odd = []
    for path in folder.iterdir():
        if path.suffix == ".json":
            try:
                json.loads(path.read_text())
            except ValueError:
                odd.append(path.name)
        elif path.suffix == ".html":
            if not path.read_text().endswith("</html>\n"):
                odd.append(path.name)
        elif path.name != "new.xsp" or subprocess.run([xsp, "info", path], capture_output=True).returncode != 0:
            odd.append(path.name)
    return odd


def main():
    xsp, sample = sys.argv[1:]
    complaints, heard = [], 0
    with tempfile.TemporaryDirectory(prefix="xsp_interrupt_") as base:
        export, store = f"{base}/big.sqlite", f"{base}/big.xsp"
        subprocess.run([sample, "train", "--kernels", str(KERNELS), "-o", export], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([xsp, "import", export, "-o", store], check=True, stdout=subprocess.DEVNULL)
        for number, words in enumerate(COMMANDS):
            for moment in MOMENTS_S:
                folder = pathlib.Path(base) / f"{number}_{moment}"
                folder.mkdir()
                command = [xsp] + [word.format(export=export, store=store, folder=folder) for word in words]
                code, text = interrupt(command, moment)
                heard += code == INTERRUPTED
                # Done before the signal, or struck before the program's first line.
                fine = code in (INTERRUPTED, 0, -signal.SIGINT)
                odd = half_written(xsp, folder) if fine else []
                if not fine or odd:
                    complaints.append(f"{' '.join(words)}, Ctrl-C after {moment} s: exit {code} {text.strip()} {' '.join(odd)}")
    if heard == 0:
        complaints.append("no command was interrupted: all were done before")
    print("\n".join(complaints + [f"{heard} of {len(COMMANDS) * len(MOMENTS_S)} runs were interrupted, {len(complaints)} complaints"]))
    return 1 if complaints else 0


sys.exit(main())
