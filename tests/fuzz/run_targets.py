#!/usr/bin/env python3
"""Runs the programs of tests/fuzz/targets: run_targets.py FOLDER-OF-PROGRAMS [--time 60s] [--kept FOLDER]

They take turns, each for its share of the time, on seeds made anew (seeds.py) and on what earlier runs kept. Programs
that libFuzzer drives look for new paths; the others change bytes of seeds by chance. An input that fails is kept, with
the command that repeats it.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

from seeds import write_seeds

TARGETS = ["nsys_sqlite", "kineto_json", "ncu_csv", "stored_manifest", "stored_table", "kept_summary", "kernel_rules", "live_spool", "diff_policy", "whatif_json"]
MOST_SECONDS = 20  # For one input.
MOST_MB = 2000


def seconds_of(text):
    return float(text.removesuffix("s"))


def is_libfuzzer(program):
    help_text = subprocess.run([program, "-help=1"], capture_output=True, text=True).stdout
    return "max_total_time" in help_text


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
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    runs = [line.split()[-1] for line in done.stderr.split("\n") if "number_of_executed_units" in line]
    print(f"{program.name}: {runs[0] + ' runs' if runs else done.stdout.strip()}", flush=True)
    return done.returncode == 0, (done.stdout + done.stderr)[-6000:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--time", default="60s")
    parser.add_argument("--kept", type=pathlib.Path, help="where inputs that failed, or found new paths, stay")
    options = parser.parse_args()
    kept = options.kept or pathlib.Path(tempfile.mkdtemp(prefix="xsp_fuzz_kept_"))
    seeds = write_seeds(pathlib.Path(tempfile.mkdtemp(prefix="xsp_fuzz_seeds_")), TARGETS, options.programs / "fuzz_seeds")
    began, failures = time.monotonic(), 0
    for number, target in enumerate(TARGETS):
        left = seconds_of(options.time) - (time.monotonic() - began)
        held, text = run(options.programs / f"fuzz_{target}", seeds[target], kept / target, left / (len(TARGETS) - number))
        if not held:
            failures += 1
            print(f"{text}\n{target} failed: its input is in {kept / target}; repeat: {options.programs}/fuzz_{target} {kept / target}/failed-*")
    print(f"{len(TARGETS)} targets, {failures} failed")
    return 1 if failures else 0


sys.exit(main())
