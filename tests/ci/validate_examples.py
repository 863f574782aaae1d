#!/usr/bin/env python3
"""The ready files of docs/ci.md, read by the validators of others: validate_examples.py VALIDATOR

check-jsonschema-github, check-jsonschema-gitlab: the schemas that check-jsonschema (tests/ci/requirements.txt) brings along.
actionlint: where it is installed. Else says so in a line by which ctest marks the test as skipped.
"""
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = {
    "check-jsonschema-github": ("github.yml", ["--builtin-schema", "vendor.github-workflows"]),
    "check-jsonschema-gitlab": ("gitlab.yml", ["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"]),
}


def example(name):
    text = (ROOT / "docs/ci.md").read_text()
    return re.search(rf"<!-- example: {re.escape(name)} -->\n```\w+\n(.*?)```", text, re.S).group(1)


def command(validator, file):
    if validator in SCHEMAS:
        if importlib.util.find_spec("check_jsonschema") is None:
            return None
        return [sys.executable, "-m", "check_jsonschema", *SCHEMAS[validator][1], str(file)]
    program = shutil.which(validator)
    # Labels of runners are the user's own.
    return program and [program, "-ignore", "label .* is unknown", str(file)]


def main(validator):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "example.yml"
        file.write_text(example(SCHEMAS.get(validator, ("github.yml",))[0]))
        run = command(validator, file)
        if run is None:
            print(f"skipped: {validator.removesuffix('-github').removesuffix('-gitlab')} is not installed")
            return
        done = subprocess.run(run, capture_output=True, text=True)
        sys.exit(f"{done.stdout}{done.stderr}" if done.returncode else 0)


main(sys.argv[1])
