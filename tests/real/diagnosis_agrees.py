#!/usr/bin/env python3
"""One diagnosis in all commands: diagnosis_agrees.py XSP FOLDER...

For every trace in the folders with work of a GPU: the first look, `critical-path`, `advise` and `whatif` give the same
`diagnosis` and the same `one_time_ns`, people read its text in each, its parts sum to what was measured, and what is
one-time is no more than the whole.
"""
import json
import pathlib
import subprocess
import sys

ENDINGS = (".sqlite", ".json.gz", ".json")
WORDS = {"gpu", "host", "launches", "communication", "input", "copies", "allocation", "other_rank", "one_time", "unknown"}
COMMANDS = [[], ["critical-path"], ["advise"], ["whatif", "--no-sync"]]


def run(xsp, command, trace, *options):
    done = subprocess.run([xsp, *command, str(trace), "--quiet", *options], capture_output=True, text=True)
    assert done.returncode == 0, f"{trace.name}: {command}: {done.stderr}"
    return done.stdout


def check(xsp, trace):
    first = json.loads(run(xsp, [], trace, "--format", "json"))
    diagnosis = first["diagnosis"]
    if diagnosis is None:
        return False
    assert diagnosis["what"] in WORDS, diagnosis
    assert 0 <= first["one_time_ns"] <= first["gpu_span_ns"], first["one_time_ns"]
    assert diagnosis["text"].endswith("."), diagnosis["text"]
    for command in COMMANDS[1:]:
        other = json.loads(run(xsp, command, trace, "--format", "json"))
        assert other["diagnosis"] == diagnosis, f"{command}: {other['diagnosis']} and not {diagnosis}"
        assert other["one_time_ns"] == first["one_time_ns"], command
        text = " ".join(run(xsp, command, trace).split())
        assert " ".join(diagnosis["text"].split()) in text, f"{command}: {diagnosis['text']} is not in: {text[:400]}"
        if command == ["critical-path"] and first["unit"] == "span":
            whole = sum(part["ns"] for part in diagnosis["resources"])
            assert whole == other["measured_ns"], f"{whole} and not {other['measured_ns']}"
    return True


def main():
    xsp, folders = str(pathlib.Path(sys.argv[1]).resolve()), [pathlib.Path(f) for f in sys.argv[2:]]
    if not any(folder.is_dir() for folder in folders):
        print(f"skipped: no folder {folders[0]}")
        return
    count = 0
    for trace in sorted(f for folder in folders for f in folder.glob("*") if f.name.endswith(ENDINGS)):
        try:
            count += check(xsp, trace)
        except AssertionError as problem:
            raise AssertionError(f"{trace.name}: {problem}") from None
    assert count > 0, "no diagnosis in these folders"
    print(f"{count} diagnoses, the same in {len(COMMANDS)} commands")


main()
