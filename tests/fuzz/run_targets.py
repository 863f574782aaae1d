#!/usr/bin/env python3
"""Runs the programs of tests/fuzz/targets: run_targets.py FOLDER-OF-PROGRAMS [--time 60s] [--jobs N] [--kept FOLDER] [--only TARGET...]

They take turns, some at a time, each for its share of the time, on seeds made anew (seeds.py) and on what earlier runs kept. Programs
that libFuzzer drives look for new paths; the others change bytes of seeds by chance. An input that fails is kept, with
the command that repeats it.
"""
import argparse
import concurrent.futures
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from seeds import write_seeds

TARGETS = ["nsys_sqlite", "kineto_json", "ncu_csv", "stored_manifest", "stored_table", "rank_tables", "baseline_files", "kept_report", "kernel_rules", "framework_names", "graph_names", "live_spool", "diff_policy", "whatif_json", "operations_table"]
MOST_SECONDS = 20  # For one input; run_files.cc has the same.
MOST_MB = 2000  # The sanitizers' own memory included.


def seconds_of(text):
    return float(text.removesuffix("s"))


def is_libfuzzer(program):
    help_text = subprocess.run([program, "-help=1"], capture_output=True, text=True)
    return "max_total_time" in help_text.stdout + help_text.stderr


def fuzz(program, seeds, kept, share):
    """libFuzzer's own run; what it found interesting stays in `kept`."""
    return [program, f"-max_total_time={max(1, round(share))}", f"-timeout={MOST_SECONDS}", f"-rss_limit_mb={MOST_MB}",
            "-print_final_stats=1", "-verbosity=0", f"-artifact_prefix={kept}/failed-", str(kept / "corpus"), str(seeds)]


def run(program, seeds, kept, share):
    """Whether a target held, and what it says if not."""
    (kept / "corpus").mkdir(parents=True, exist_ok=True)
    if is_libfuzzer(program):
        command = fuzz(program, seeds, kept, share)
    else:
        command = [program, "--seconds", str(max(1, round(share))), "--failed", str(kept / "failed-input"), str(seeds)]
    limits = {"ASAN_OPTIONS": f"hard_rss_limit_mb={MOST_MB}:" + os.environ.get("ASAN_OPTIONS", "")}
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env={**os.environ, **limits})
    runs = [line.split()[-1] for line in done.stderr.split("\n") if "number_of_executed_units" in line]
    print(f"{program.name}: {runs[0] + ' runs' if runs else done.stdout.strip() or 'ended'}", flush=True)
    return done.returncode == 0, f"{(done.stdout + done.stderr)[-6000:]}\n{program.name} ended with {done.returncode}"


def fuzz_one(programs, target, share, kept, seeds):
    """Whether a target held; else it is said on what it failed."""
    before = set((kept / target).glob("failed-*"))
    held, text = run(programs / f"fuzz_{target}", seeds[target], kept / target, share)
    if not held:
        found = sorted(set((kept / target).glob("failed-*")) - before)
        print("\n".join([text, *(f"{target} failed on {path}\nrepeat: {programs}/fuzz_{target} {path}" for path in found)]), flush=True)
    return held


def fuzz_all(programs, targets, seconds, jobs, kept, seeds):
    """How many targets failed; they share the time."""
    share = seconds / math.ceil(len(targets) / jobs)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda target: fuzz_one(programs, target, share, kept, seeds), targets)).count(False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--time", default="60s")
    parser.add_argument("--jobs", type=int, default=1, help="how many targets at a time")
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=TARGETS, metavar="TARGET")
    parser.add_argument("--kept", type=pathlib.Path, help="where inputs that failed, or found new paths, stay")
    options = parser.parse_args()
    kept = options.kept or pathlib.Path(tempfile.mkdtemp(prefix="xsp_fuzz_kept_"))
    with tempfile.TemporaryDirectory(prefix="xsp_fuzz_seeds_") as folder:
        seeds = write_seeds(pathlib.Path(folder), TARGETS, options.programs / "fuzz_seeds")
        failures = fuzz_all(options.programs, options.only, seconds_of(options.time), options.jobs, kept, seeds)
    print(f"{len(options.only)} targets, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
