#!/usr/bin/env python3
"""Forecasts from traces whose events are not recorded, against those from the same traces with them.

unrecorded_events.py XSP XSP_SAMPLE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

CASES = [["--ranks", "2"], ["--ranks", "4", "--seed", "3"], ["--ranks", "2", "--layers", "4", "--seed", "5"],
         ["--ranks", "2", "--bucket-bytes", "4000000", "--seed", "7"]]


def tells_of_events(event):
    """What Kineto leaves out where it does not follow events: the record, and what a wait is for."""
    return event.get("name") == "cudaEventRecord" or (event.get("cat") == "cuda_sync" and "Stream Wait" in event["name"])


def figures(xsp, trace):
    """(error of the replay, share of the span with kernels halved, forecast of mixed precision)."""
    def ask(*arguments):
        return json.loads(subprocess.run([xsp, *arguments, trace, "--format", "json", "--quiet"], check=True, capture_output=True).stdout)
    graph = ask("graph")
    return graph["replay"]["error"], graph["halved"]["gpu_span_share"], ask("whatif", "--amp")["forecast_ns"]


def main():
    xsp, sample = sys.argv[1:]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        whole, bare = (pathlib.Path(folder) / name for name in ("whole.json", "bare.json"))
        for case in CASES:
            subprocess.run([sample, "multi", "--kernels", "3000", *case, "-o", whole], check=True, stderr=subprocess.DEVNULL)
            trace = json.loads(whole.read_text())
            kept = [event for event in trace["traceEvents"] if not tells_of_events(event)]
            assert len(kept) < len(trace["traceEvents"])
            bare.write_text(json.dumps(trace | {"traceEvents": kept}))
            known, found = figures(xsp, whole), figures(xsp, bare)
            holds = abs(found[0]) <= 0.003 and abs(found[1] / known[1] - 1) <= 0.01 and abs(found[2] / known[2] - 1) <= 0.02
            failures += not holds
            print(f"{'ok ' if holds else 'BAD'} {' '.join(case):44} replay {found[0]:+.2%}, kernels halved {found[1]:.1%} "
                  f"({known[1]:.1%} with events), amp {found[2] / 1e6:.2f} ms ({known[2] / 1e6:.2f} ms with events)")
    sys.exit(failures > 0)


main()
