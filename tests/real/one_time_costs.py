#!/usr/bin/env python3
"""What happens only once is a class of its own everywhere: one_time_costs.py XSP TRACES

For every trace with work of a GPU: the tree has a row for it as large as `one_time_ns`, and kernels that cost nearly nothing
leave that much. Of a pair whose headline is one first launch, `diff` says so.
"""
import json
import pathlib
import subprocess
import sys

ENDINGS = (".sqlite", ".json.gz")
SOLVES = "caoye310__Lower-Triangular-Solves__nsys_report__{}.sqlite"


def ask(xsp, *words):
    done = subprocess.run([xsp, *map(str, words), "--quiet", "--format", "json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def check(xsp, trace):
    whatif = ask(xsp, "whatif", "--faster=name=*,by=100", trace)
    if whatif is None:
        return False
    one_time = whatif["one_time_ns"]
    assert whatif["forecast_ns"] >= 0.98 * one_time, f"{whatif['forecast_ns']} is below {one_time}, which happens once"
    if whatif["unit"] != "span":
        return True
    tree = ask(xsp, "tree", trace, "--steps", "all")
    assert tree["one_time_ns"] == one_time, (tree["one_time_ns"], one_time)
    last = tree["root"]["children"][-1] if tree["root"]["children"] else {"name": ""}
    if 100 * one_time > tree["root"]["wall_ns"]:
        assert last["name"] == "[one-time costs]" and last["wall_ns"] == one_time, last
    else:
        assert last["name"] != "[one-time costs]", last
    return True


def check_pair(xsp, folder):
    """−28.5 % are one first launch of 47.8 ms; without first launches it is about −1 %."""
    diff = ask(xsp, "diff", folder / SOLVES.format("la"), folder / SOLVES.format("report_la_opt"))
    base, new = diff["base_side"], diff["new_side"]
    for side in (base, new):
        assert sum(side["one_time_by"].values()) == side["one_time_ns"], side
    first = [side["one_time_by"]["first launches"] for side in (base, new)]
    assert 47.7e6 < first[0] < 47.8e6 and 3.4e6 < first[1] < 3.6e6, first
    change = (diff["new_ns"] - first[1]) / (diff["base_ns"] - first[0]) - 1
    assert -0.02 < change < 0, change
    words = subprocess.run([xsp, "diff", folder / SOLVES.format("la"), folder / SOLVES.format("report_la_opt"), "--quiet"],
                           capture_output=True, text=True).stdout
    assert "first launches 47.8 → 3.5 ms" in " ".join(words.split()), words[:600]
    assert "without first launches alone −1.0 %" in " ".join(words.split()), words[:600]


def main():
    xsp, traces = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    if not traces.is_dir():
        print(f"skipped: no folder {traces}")
        return
    count = 0
    for trace in sorted(f for part in ("nsys", "nsys_hard", "kineto") for f in (traces / part).glob("*") if f.name.endswith(ENDINGS)):
        try:
            count += check(xsp, trace)
        except AssertionError as problem:
            raise AssertionError(f"{trace.name}: {problem}") from None
    assert count > 40, f"only {count} traces"
    check_pair(xsp, traces / "nsys")
    print(f"{count} traces and a pair")


main()
