#!/usr/bin/env python3
"""Writes the tables of docs/replay.md anew, between their markers, and what README.md says of them: write_tables.py BIN

BIN is the folder with xsp and xsp-proof. The prose stays. Tables over real traces are left as
they are where ../shared/traces is missing.
"""
import json
import pathlib
import statistics
import subprocess
import sys

import readme_figures
import rule_effects
from document import fill

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "replay.md"
TRACES = ROOT.parent / "shared" / "traces" / "nsys"
PAIR = "RajaATAli__SC23_Programming-Your-GPU-with-OpenMP_Tutorial__report{}.sqlite"
DEVICE_WORK = ("kernel", "memcpy", "memset", "graph_span")
ENOUGH_OPERATIONS = 20
FREEZABLE = ("launch_queue", "host_sync", "blocking_copy", "allocation", "thread_handoff")

HEADER = ("trace", "ops", "replay error, %", "warm steps, %: median / max", "halved: full", "queue frozen",
          "sync", "copy", "alloc", "hand-off", "long calls, %", "idle, % of span, over all GPUs",
          "idle explained, %")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def table(header, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [header] + rows]
    lines.insert(1, "|---|" + "--:|" * (len(header) - 1))
    return "\n".join(lines)


def percent(part, whole, digits=1):
    return f"{100 * part / whole:.{digits}f}" if whole else "–"


def real_row(xsp, file):
    """The number of operations, the replay error and the cells; None without device work."""
    counts = json.loads(run(xsp, "info", file, "--format", "json", "--quiet"))["counts"]
    operations = sum(counts[kind] for kind in DEVICE_WORK)
    if operations == 0:
        return None
    graph = json.loads(run(xsp, "graph", file, "--format", "json", "--quiet"))
    replay, halved, idle = graph["replay"], graph["halved"], graph["idle"]
    steps = replay["steps"]
    of_steps = "–"
    errors = [abs(step["error"]) for step in steps["list"] if not step["cold"]]
    if errors:
        of_steps = f"{100 * statistics.median(errors):.2f} / {100 * max(errors):.2f}"
    cells = [rule_effects.name_of(file), str(operations), f'{100 * replay["error"]:+.2f}',
             of_steps, percent(halved["gpu_span_share"], 1)]
    cells += [percent(halved["frozen"][rule], 1) for rule in FREEZABLE]
    calls = graph["long_calls"]
    cells += [percent(calls["explained_ns"], calls["total_ns"], 0),
              percent(idle["total_ns"], replay["measured_ns"]),
              percent(idle["explained_ns"], idle["total_ns"])]
    return operations, replay["error"], cells


def real_tables(xsp):
    rows = [row for row in (real_row(xsp, file) for file in sorted(TRACES.glob("*.sqlite"))) if row]
    many = [row for row in rows if row[0] >= ENOUGH_OPERATIONS]
    few = [row for row in rows if row[0] < ENOUGH_OPERATIONS]
    errors = [abs(error) for _, error, _ in many]
    summary = (f"Mean |replay error| {100 * sum(errors) / len(errors):.2f} % over {len(errors)} traces, "
               f"largest {100 * max(errors):.2f} %, {sum(e <= 0.01 for e in errors)} within 1 %.")
    return {"real": table(HEADER, [cells for _, _, cells in many]) + "\n\n" + summary,
            "few": table(HEADER, [cells for _, _, cells in few])}


def proof_summary(rows):
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()[2:]]
    replay = max(abs(float(row[3])) for row in cells)
    errors = [abs(float(row[6])) for row in cells]
    naive = [abs(float(row[7])) for row in cells]
    better = sum(error + 2 < other for error, other in zip(errors, naive))
    return (f"{len(cells)} cases. Replay: at most {replay:.2f} % off. Forecast: mean {sum(errors) / len(errors):.2f} %, "
            f"at most {max(errors):.2f} % off. Naive: mean {sum(naive) / len(naive):.1f} %, within 2 % in "
            f"{sum(error <= 2 for error in naive)}; the graph is better by more than 2 points in {better}.")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    programs = pathlib.Path(sys.argv[1])
    proof = programs / "xsp-proof"
    tables = {}
    for name in ("generated", "steps"):
        rows = run(proof, name).strip()
        tables[name] = rows + "\n\n" + proof_summary(rows)
    for name in ("unmodelled", "unmodelled-steps"):
        tables[name] = run(proof, name).strip()
    if TRACES.is_dir():
        tables |= real_tables(programs / "xsp")
        tables["rules"] = rule_effects.of_rules(programs / "xsp")
        tables["pair"] = run(proof, "pair", TRACES / PAIR.format(4), TRACES / PAIR.format(5)).strip()
    else:
        print(f"no {TRACES}: tables over real traces stay as they are", file=sys.stderr)
    DOCUMENT.write_text(fill(DOCUMENT, tables))
    readme_figures.write()


main()
