"""What commands write, and who may read it: run_written.py XSP XSP_SAMPLE

Many at a time on one name: none fails, and what is there in the end is whole. Nothing that is read is written over, no
two results go to one file, and what was made of a file is for no more readers than the file.
"""

import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile

IMPORTS, BASELINES, AT_A_TIME = 60, 120, 12


def all_of(commands, folder):
    """Runs commands, some at a time; what the ones said that failed."""
    failed, running = [], []
    for command in [*commands, None]:
        while running and (command is None or len(running) == AT_A_TIME):
            process = running.pop(0)
            _, text = process.communicate(timeout=300)
            if process.returncode != 0:
                failed.append(f"{' '.join(process.args[1:])}: exit {process.returncode} {text.decode().strip()[:200]}")
        if command is not None:
            running.append(subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
    return failed


def at_once(xsp, folder):
    yield from all_of([[xsp, "import", "t.sqlite", "--force", "-o", "one.xsp"]] * IMPORTS, folder)
    yield from all_of([[xsp, "info", "one.xsp"]], folder)
    yield from (f"left behind: {path.name}" for path in folder.glob(".*tmp*"))
    verbs = [["baseline", "save", "main", "t.sqlite", "--replace"], ["baseline", "save", "main", "u.sqlite", "--replace"],
             ["baseline", "list"], ["baseline", "show", "main"], ["diff", "--baseline", "main", "u.sqlite"]]
    subprocess.run([xsp, "baseline", "save", "main", "t.sqlite"], cwd=folder, check=True, capture_output=True)
    yield from all_of([[xsp, *verbs[i % len(verbs)]] for i in range(BASELINES)], folder)


def over_inputs(xsp, folder):
    subprocess.run([xsp, "import", "t.sqlite", "-o", "t.xsp"], cwd=folder, check=True, capture_output=True)
    (folder / "policy.json").write_text('{"fail_on": ["step > 90%"]}')
    (folder / "w.json").write_text('{"changes": [{"scale": 0.5, "select": {"on": "device"}}]}')
    (folder / "rules.json").write_text('{"rules": []}')
    commands = {
        "policy.json": ["diff", "t.sqlite", "t.sqlite", "--policy", "policy.json", "--output", "policy.json"],
        "w.json": ["whatif", "--file", "w.json", "t.sqlite", "--write", "json=w.json"],
        "t.sqlite": ["tree", "t.sqlite", "--output", "t.sqlite"],
        # In trouble before it is read.
        "rules.json": ["diff", "--baseline", "none", "t.sqlite", "--rules", "rules.json", "--write", "json=rules.json"],
        "t.xsp/manifest.json": ["tree", "t.xsp", "--output", "t.xsp/manifest.json"],
    }
    # Whatever the command, and wherever in a dataset.
    for name, rank in ("t", 0), ("u", 1):
        (folder / f"rank{rank}.sqlite").write_bytes((folder / f"{name}.sqlite").read_bytes())
    subprocess.run([xsp, "import", "rank0.sqlite", "rank1.sqlite", "--rank-regex", "rank([0-9]+)", "--dataset", "ds", "--run", "a"],
                   cwd=folder, check=True, capture_output=True)
    rank = "ds/run=a/global_rank=00000/manifest.json"
    several = [(rank, ["runs", "ds", "--output", rank]), (rank, ["trend", "ds", "--write", f"json={rank}"]),
               (rank, ["export", "ds/run=a", "--to", "perfetto", "-o", rank]), ("t.sqlite", ["import", "t.sqlite", "--force", "--output", "t.sqlite"]),
               ("u.sqlite", ["export", "t.sqlite", "u.sqlite", "--to", "perfetto", "-o", "u.sqlite"])]
    for name, command in [*commands.items(), *several]:
        before = (folder / name).read_bytes()
        done = subprocess.run([xsp, *command], cwd=folder, capture_output=True)
        if done.returncode != 2 or (folder / name).read_bytes() != before:
            yield f"{' '.join(command)}: exit {done.returncode}, {name} is {'as' if (folder / name).read_bytes() == before else 'not as'} it was"
    for _ in range(2):  # What lies beside is no part of it.
        done = subprocess.run([xsp, "runs", "ds", "--output", "ds/runs.json"], cwd=folder, capture_output=True)
        if done.returncode != 0:
            yield f"runs ds --output ds/runs.json: exit {done.returncode}"
    for words in (["--output", "r.json", "--write", "csv=r.json"], ["--write", "csv=r.json", "--write", "json=./r.json"]):
        if subprocess.run([xsp, "tree", "t.sqlite", *words], cwd=folder, capture_output=True).returncode != 2:
            yield f"two results in one file: {words}"


def open_to_others(folder):
    return [path for path in [folder, *folder.rglob("*")] if path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH) and path.is_file()]


NSYS = """#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = --output ] && out=$2; shift; done
cp export.sqlite "$out.new" && cat "$out.new" > "$out" && stat -c %a "$out" > rights
"""


def rights(xsp, folder):
    os.umask(0o022)
    private = folder / "private.sqlite"
    private.write_bytes((folder / "t.sqlite").read_bytes())
    private.chmod(0o600)
    subprocess.run([xsp, "baseline", "save", "mine", "private.sqlite", "--dir", "kept"], cwd=folder, check=True, capture_output=True)
    yield from (f"readable by all: {path}" for path in open_to_others(folder / "kept/mine"))
    if (folder / "kept/index.json").stat().st_mode & 0o077:
        yield "readable by all: the index of baselines"
    subprocess.run([xsp, "import", "private.sqlite", "-o", "p.xsp"], cwd=folder, check=True, capture_output=True)
    subprocess.run([xsp, "baseline", "save", "stored", "p.xsp", "--dir", "kept"], cwd=folder, check=True, capture_output=True)
    yield from (f"readable by all: {path}" for path in open_to_others(folder / "kept/stored"))
    # An export of nsys, while it is written.
    (folder / "export.sqlite").write_bytes(private.read_bytes())
    (folder / "r.nsys-rep").write_bytes(b"NVIDIA Tegra Profiler Report" + bytes(100))
    (folder / "r.nsys-rep").chmod(0o600)
    (folder / "bin").mkdir()
    (folder / "bin/nsys").write_text(NSYS)
    (folder / "bin/nsys").chmod(0o755)
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}"}
    subprocess.run([xsp, "info", "r.nsys-rep"], cwd=folder, capture_output=True, env=environment)
    if (folder / "rights").read_text() != "600\n":
        yield f"an export while it is written: {(folder / 'rights').read_text()}"
    # The same where xsp is killed meanwhile: what is left behind is there for good.
    (folder / "bin/nsys").write_text(NSYS + "kill -9 $PPID\n")
    (folder / "killed").mkdir()
    (folder / "killed/export.sqlite").write_bytes(private.read_bytes())
    (folder / "killed/export.sqlite").chmod(0o600)
    (folder / "r.nsys-rep").rename(folder / "killed/r.nsys-rep")
    done = subprocess.run([xsp, "info", "r.nsys-rep"], cwd=folder / "killed", capture_output=True, env=environment)
    left = [path for path in open_to_others(folder / "killed") if path.name != "rights"]
    if done.returncode != -signal.SIGKILL or left:
        yield f"xsp killed while an export is written: exit {done.returncode}, readable by all: {left}"


def main():
    xsp, sample = (str(pathlib.Path(file).resolve()) for file in sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="xsp_written_") as base:
        folder = pathlib.Path(base)
        for name, kernels in ("t", "300"), ("u", "400"):
            subprocess.run([sample, "train", "--kernels", kernels, "-o", folder / f"{name}.sqlite"], check=True, stdout=subprocess.DEVNULL)
        wrong = [*at_once(xsp, folder), *over_inputs(xsp, folder), *rights(xsp, folder)]
    print("\n".join(wrong) or "fine")
    return bool(wrong)


sys.exit(main())
