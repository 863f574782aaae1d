#!/usr/bin/env python3
"""What a change of the rules does to real traces, as a markdown table: rule_effects.py BEFORE AFTER

BEFORE and AFTER are two builds of xsp. Rows that are the same in both are only counted.
"""
import json
import pathlib
import subprocess
import sys

TRACES = pathlib.Path(__file__).resolve().parents[3] / "shared" / "traces"
FOLDERS = ("nsys", "nsys_hard", "nsys_stats")


def figures(xsp, file):
    """Operations, replay error, mean error of kernel starts, idle explained; None without work."""
    result = subprocess.run([xsp, "graph", file, "--format", "json", "--quiet"], capture_output=True, text=True)
    if result.returncode != 0:
        return None
    graph = json.loads(result.stdout)
    idle = graph["idle"]
    explained = 100 * idle["explained_ns"] / idle["total_ns"] if idle["total_ns"] else 100
    return (str(graph["device_tasks"]), f'{100 * graph["replay"]["error"]:+.2f}',
            f'{graph["replay"]["kernel_start_mae_ns"] / 1000:.1f}', f"{explained:.1f}")


def main(before, after):
    same = 0
    print("| trace | ops | replay error, % | kernel starts, µs off | idle explained, % |\n|---|--:|--:|--:|--:|")
    for file in sorted(file for folder in FOLDERS for file in (TRACES / folder).glob("*.sqlite")):
        old, new = figures(before, file), figures(after, file)
        if new is None:
            continue
        if old == new:
            same += 1
            continue
        cells = [new[0]] + [a if a == b else f"{a} → {b}" for a, b in zip(old[1:], new[1:])]
        print("| " + " | ".join([file.stem] + cells) + " |")
    print(f"\n{same} traces are the same in all figures.")


if __name__ == "__main__":
    main(*sys.argv[1:])
