#!/usr/bin/env python3
"""README.md says of forecasts what docs/replay.md and docs/accuracy.md say: readme_figures.py [--write]

Exit code 1 where it says something else; --write corrects it.
"""
import difflib
import pathlib
import re
import sys

from document import fill, part

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
REPLAY = ROOT / "docs" / "replay.md"
ACCURACY = ROOT / "docs" / "accuracy.md"

NUMBER = r"([0-9.]+)"
REAL = re.compile(rf"Mean \|replay error\| {NUMBER} % over {NUMBER} traces, largest {NUMBER} %")
PROOF = re.compile(rf"{NUMBER} cases\..* Forecast: mean {NUMBER} %, at most {NUMBER} % off\. Naive: mean {NUMBER} %")
PAIRS = re.compile(rf"{NUMBER} pairs\. Forecast: mean {NUMBER} %, at most {NUMBER} % off")


def figures(document, name, pattern):
    found = pattern.search(part(document, name))
    if found is None:
        sys.exit(f"{document}: the table {name} has no summary of the known form")
    return found.groups()


def real_pairs():
    """How far the forecasts of real pairs are off, in percent, the smallest first."""
    rows = [line.split("|") for line in part(ACCURACY, "real").splitlines()[2:]]
    return sorted((row[7].strip().lstrip("+-") for row in rows if row[2].strip() != "none"), key=float)


def replay():
    mean, traces, most = figures(REPLAY, "real", REAL)
    spans, span_mean, span_most, naive = figures(REPLAY, "generated", PROOF)
    steps, step_mean, step_most, _ = figures(REPLAY, "steps", PROOF)
    return (f"On {traces} real traces the unchanged simulation is off by {mean} % on average, by {most} % at most; in {spans} changes of\n"
            f"generated programs, whose *after* is known, forecasts are off by {span_mean} % on average and {span_most} % at most, where\n"
            f"adding up changed durations is off by {naive} %; for the mean step, in {steps} changes, by {step_mean} % and {step_most} %.\n"
            "All rows, misses included: [docs/replay.md](docs/replay.md).")


def accuracy():
    pairs, mean, most = figures(ACCURACY, "generated", PAIRS)
    real = real_pairs()
    return (f"Named what-ifs are held against {pairs} generated after-runs (mean error {mean} %, at most {most} %) and {len(real)} real ones\n"
            f"({', '.join(real[:-1])} and {real[-1]} % off): [docs/accuracy.md](docs/accuracy.md) says why.")


def write():
    README.write_text(fill(README, {"replay": replay(), "accuracy": accuracy()}))


def main(arguments):
    if arguments == ["--write"]:
        return write()
    if arguments:
        sys.exit(__doc__.splitlines()[0])
    lines = [text.splitlines(keepends=True) for text in
             (README.read_text(), fill(README, {"replay": replay(), "accuracy": accuracy()}))]
    sys.stdout.writelines(difflib.unified_diff(*lines, "README.md", "by the documents", n=0))
    return 1 if lines[0] != lines[1] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
