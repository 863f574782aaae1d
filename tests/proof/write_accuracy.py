#!/usr/bin/env python3
"""Writes the tables of docs/accuracy.md anew, between their markers, and what README.md says of them: write_accuracy.py BIN

BIN is the folder with xsp, xsp-proof and xsp-ranges. The prose stays. The tables of real pairs are left as they
are where ../shared/traces is missing.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import readme_figures
from document import fill

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "foreign"))
import adversaries
import drawn
import heldout
import judge
import newcomers
import programs
import strangers
import unseen

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "accuracy.md"
TRACES = ROOT.parent / "shared" / "traces"
OPENMP = "nsys/RajaATAli__SC23_Programming-Your-GPU-with-OpenMP_Tutorial__report{}.sqlite"
SOLVES = "nsys/caoye310__Lower-Triangular-Solves__nsys_report__{}.sqlite"
BIAS = "nsys/JiangShanCode__CUDATutorial__10_fused_bias_mask_scale_and_add_{}_report.sqlite"
TILES = "nsys/michaelmichaeln__Parallel-Sheet-Simulator__results__nsys_logs__tile_{}.sqlite"
TWO_GPUS = "nsys/GindaChen__nsys-ai__mfu_2gpu_{}.sqlite"
# What was changed, the two runs, and the what-if that says so; None where there is none.
REAL = (
    ("T4, MLP: fp32 → autocast fp16", "kineto/mlp_t4_fp32.json.gz", "kineto/mlp_t4_amp.json.gz", "--amp"),
    ("V100, ResNet-50: data loader in the main thread → 4 workers", "kineto/resnet50_num_workers_0.json.gz",
     "kineto/resnet50_num_workers_4.json.gz", "--loader=4"),
    ("T4, OpenMP: the kernel's body improved 5.07 ×", OPENMP.format(4), OPENMP.format(5), "--faster=name=*,by=5.073"),
    ("T4, triangular solves: 1221 small kernels → 18 large ones", SOLVES.format("la"), SOLVES.format("report_la_opt"), None),
    ("RTX 3060, a program of its own: fp32 → fp16, with half the bytes to copy", BIAS.format("fp32"), BIAS.format("fp16"), None),
    ("RTX 2080, stencil: blocks of 8 × 8 → 32 × 8", TILES.format("8x8"), TILES.format("32x8"), None),
    ("2 GPUs, language model: an unnamed change", TWO_GPUS.format("before"), TWO_GPUS.format("after"), None),
)
FOREIGN = 240  # Programs drawn at random for the other machine.
NOTHING = "--faster=name=*,by=1"  # A what-if that changes nothing: for what was measured.


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def milliseconds(ns):
    return f"{ns / 1e6:.2f}"


def percent(share):
    return f"{100 * share:+.1f}"


def generated(proof):
    rows = run(proof, "whatifs").strip()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows.splitlines()[2:]]
    errors = [abs(float(row[6])) for row in cells]
    naive = [abs(float(row[7])) for row in cells]
    return rows + (f"\n\n{len(cells)} pairs. Forecast: mean {sum(errors) / len(errors):.2f} %, at most "
                   f"{max(errors):.2f} % off. Durations only: mean {sum(naive) / len(naive):.1f} %, at most "
                   f"{max(naive):.1f} % off.")


def real(xsp):
    lines = ["| pair | what-if | unit | before, ms | after, ms | forecast, ms | error, % | naive error, % | device work, error, % |",
             "|---|---|---|--:|--:|--:|--:|--:|--:|"]
    for what, before, after, option in REAL:
        answer = json.loads(run(xsp, "validate", option or NOTHING, TRACES / before, TRACES / after, "--format", "json", "--quiet"))
        pair = answer["pairs"][0]
        measured = [pair["unit"], milliseconds(pair["measured_before_ns"]), milliseconds(pair["measured_after_ns"])]
        if option is None:
            lines.append("| " + " | ".join([what, "none", *measured, "–", "–", "–", "–"]) + " |")
            continue
        device = [sum(row[side] for row in pair["by_class"]) for side in ("forecast_ns", "after_ns")]
        lines.append("| " + " | ".join([
            what, f"`{option}`", *measured, milliseconds(pair["forecast_ns"]), percent(pair["error"]),
            percent(pair["naive_error"]), percent(device[0] / device[1] - 1) if device[1] else "–"]) + " |")
    return "\n".join(lines)


def ask(xsp, *words):
    return json.loads(run(xsp, *words, "--format", "json", "--quiet"))


def warm_mean(xsp, trace):
    """How long a step takes on average, outliers included, cold ones not; the span where there are no steps."""
    answer = ask(xsp, "whatif", NOTHING, trace)
    return (answer["step_set"] or {}).get("warm_mean_ns") or answer["measured_ns"]


def real_ranges(xsp):
    lines = ["| pair | what-if | trust | likely, ms | best case, ms | mean of all warm steps after, ms | in the range |", "|---|---|---|--:|--:|--:|---|"]
    for what, before, after, option in REAL:
        if option is None:
            continue
        answer, truth = ask(xsp, "whatif", option, TRACES / before), warm_mean(xsp, TRACES / after)
        work = answer["forecast_ns"] * answer["speedup"]
        fast, slow = work / answer["speedup_high"], work / answer["speedup_low"]
        lines.append("| " + " | ".join([what, f"`{option}`", answer["trust"]["level"], f"{milliseconds(fast)} to {milliseconds(slow)}",
                                        milliseconds(answer["bound_ns"]), milliseconds(truth), "yes" if fast <= truth <= slow else "no"]) + " |")
    return "\n".join(lines)


def rows_of(xsp, programs_by_name):
    with tempfile.TemporaryDirectory() as folder:
        return judge.judge_all(xsp, programs_by_name, 1, folder)


def foreign_rows(xsp):
    """What becomes of programs that were drawn for a machine which shares nothing with xsp or the samples."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(70_000, 70_000 + FOREIGN):
            kind, build, change = drawn.program(seed)
            rows.append(judge.judge(xsp, f"drawn {seed}", kind, build, change, seed, seed % 2 == 0, folder))
    return rows


def of_rows(name, rows):
    errors = sorted(abs(row["error"]) for row in rows)
    share = lambda value: f"{100 * value:.1f}"
    return "| " + " | ".join([name, str(len(rows)), share(statistics.median(errors)), share(errors[int(0.9 * len(errors))]),
                              share(statistics.median(row["half_width"] for row in rows)),
                              f'{100 * sum(row["inside"] for row in rows) / len(rows):.0f}', str(sum(row["beaten"] for row in rows))]) + " |"


def by_trust(rows):
    return [(f"trust {level}", [row for row in rows if row["trust"] == level]) for level in ("high", "fair", "low")]


def groups_by_kind(rows):
    kinds = sorted({row["kind"] for row in rows})
    return [(f"with {kind}" if kind != "none" else "nothing else", [row for row in rows if row["kind"] == kind]) for kind in kinds]


def foreign(rows, groups):
    header = ["| programs | forecasts | error, median, % | error, 9 of 10 within, % | half-width, median, % | truth in the range, % | best case beaten |",
              "|---|--:|--:|--:|--:|--:|--:|"]
    return "\n".join(header + [of_rows(name, some) for name, some in groups + [("all", rows)] + by_trust(rows) if some])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    built = pathlib.Path(sys.argv[1])
    drawn_rows = foreign_rows(built / "xsp")
    tables = {"generated": generated(built / "xsp-proof"),
              "ranges": run(built / "xsp-ranges", "held-out").strip(),
              # Programs that rules were written for, and others that do the same in another way.
              "classes": judge.table(rows_of(built / "xsp", programs.PROGRAMS | strangers.STRANGERS | adversaries.ADVERSARIES |
                                             unseen.UNSEEN | newcomers.NEWCOMERS)),
              # None of these was looked at when rules were mended.
              "held out": foreign(rows_of(built / "xsp", heldout.HELDOUT), []),
              "foreign": foreign(drawn_rows, groups_by_kind(drawn_rows))}
    if TRACES.is_dir():
        tables["real"] = real(built / "xsp")
        tables["real ranges"] = real_ranges(built / "xsp")
    else:
        print(f"no {TRACES}: the table of real pairs stays as it is", file=sys.stderr)
    DOCUMENT.write_text(fill(DOCUMENT, tables))
    readme_figures.write()


main()
