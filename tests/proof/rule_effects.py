#!/usr/bin/env python3
"""What rules do to real traces, as a markdown table.

rule_effects.py BEFORE AFTER   two builds of xsp: what changed between them; the same rows are only counted
rule_effects.py XSP            one build: every rule, with it and without it
"""
import json
import pathlib
import subprocess
import sys

TRACES = pathlib.Path(__file__).resolve().parents[3] / "shared" / "traces"
FILES = ("nsys/*.sqlite", "nsys_hard/*.sqlite", "nsys_stats/*.sqlite", "kineto/*.json.gz")
# All that --without takes, in the order of the table.
RULES = ("stream_order", "launch_queue", "host_sync", "polling", "blocking_launch", "driver_lock", "blocking_copy",
         "allocation", "copy_engine", "event_wait",
         "default_stream", "thread_handoff", "loader", "device_stall", "interference", "collective")


def traces():
    return sorted(file for pattern in FILES for file in TRACES.glob(pattern))


def name_of(file):
    """Owner and name; a part of the path where that says more."""
    parts = file.name.removesuffix(".json.gz").removesuffix(".sqlite").split("__")
    return " ".join([parts[0]] + parts[2:])


def graph_of(xsp, file, *options):
    """What `xsp graph` says; None without work."""
    result = subprocess.run([xsp, "graph", file, "--format", "json", "--quiet", *options], capture_output=True, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else None


def figures(xsp, file):
    """Operations, replay error, mean error of kernel starts, idle explained; None without work."""
    graph = graph_of(xsp, file)
    if graph is None:
        return None
    idle = graph["idle"]
    explained = 100 * idle["explained_ns"] / idle["total_ns"] if idle["total_ns"] else 100
    return (str(graph["device_tasks"]), f'{100 * graph["replay"]["error"]:+.2f}',
            f'{graph["replay"]["kernel_start_mae_ns"] / 1000:.1f}', f"{explained:.1f}")


def of_builds(before, after):
    same = 0
    lines = ["| trace | ops | replay error, % | kernel starts, µs off | idle explained, % |", "|---|--:|--:|--:|--:|"]
    for file in traces():
        old, new = figures(before, file), figures(after, file)
        if new is None:
            continue
        if old == new:
            same += 1
            continue
        cells = [new[0]] + [a if a == b else f"{a} → {b}" for a, b in zip(old[1:], new[1:])]
        lines.append("| " + " | ".join([name_of(file)] + cells) + " |")
    return "\n".join(lines) + f"\n\n{same} traces are the same in all figures."


def of_rules(xsp):
    """Replay error and kernel starts of each trace with all rules, then without each that changes one of them."""
    lines = ["| trace | replay error, %; kernel starts, µs off | without | replay error, % | kernel starts, µs off |",
             "|---|--:|---|--:|--:|"]
    unchanged = 0
    for file in traces():
        whole = graph_of(xsp, file)
        if whole is None:
            continue
        figure = lambda graph: (f'{100 * graph["replay"]["error"]:+.2f}',
                                f'{graph["replay"]["kernel_start_mae_ns"] / 1000:.1f}')
        with_all = figure(whole)
        first = f"{name_of(file)} | {with_all[0]}; {with_all[1]}"
        for rule in RULES:
            without = figure(graph_of(xsp, file, "--without", rule))
            if without == with_all:
                continue
            lines.append(f"| {first} | {rule} | {without[0]} | {without[1]} |")
            first = " | "
        unchanged += first != " | "
    return "\n".join(lines) + f"\n\n{unchanged} traces are the same without any one of them."


def main():
    if len(sys.argv) == 3:
        print(of_builds(*sys.argv[1:]))
    elif len(sys.argv) == 2:
        print(of_rules(sys.argv[1]))
    else:
        sys.exit(__doc__.strip())


if __name__ == "__main__":
    main()
