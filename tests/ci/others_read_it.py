#!/usr/bin/env python3
"""What xsp diff writes, read by tools of others: others_read_it.py XSP json|junit|sarif

Where the tool is not installed (requirements of tests: jsonschema, junitparser, sarif-pydantic), says
so in a line by which ctest marks the test as skipped.
"""
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_traces"
TOOLS = {"json": "jsonschema", "junit": "junitparser", "sarif": "sarif_pydantic"}
PAIRS = [("train_amp", "train_fp32"), ("train_fp32", "train_fp32"), ("train_fp32", "two_gpu"), ("hpc_old", "streams")]


def write(xsp, kind, base, new, folder):
    file = folder / f"{base}_{new}.{kind}"
    gates = ["step > 3%", "memory.peak > 2%", "kernels.added > 0", "layer:*layer* > 5%"]
    command = [xsp, "diff", SAMPLES / f"{base}.sqlite", SAMPLES / f"{new}.sqlite", "--quiet", "--write", f"{kind}={file}"]
    for gate in gates:
        command += ["--fail-on", gate]
    subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL)
    return file


def read(kind, tool, file):
    if kind == "json":
        schema = json.loads((ROOT / "docs/diff.schema.json").read_text())
        tool.Draft202012Validator.check_schema(schema)
        document = json.loads(file.read_text())
        tool.validate(document, schema)
        assert sum(c["delta_ns"] for c in document["contributions"]) == document["new_ns"] - document["base_ns"]
    elif kind == "junit":
        suite = next(iter(tool.JUnitXml.fromfile(str(file))))
        cases = list(suite)
        assert suite.tests == len(cases) == 5
        results = [type(result).__name__ for case in cases for result in case.result]
        assert suite.failures == results.count("Failure") and suite.errors == results.count("Error")
    else:
        run = tool.Sarif.model_validate(json.loads(file.read_text())).runs[0]
        assert run.tool.driver.name == "xsp" and run.results is not None


def main(xsp, kind):
    try:
        tool = importlib.import_module(TOOLS[kind])
    except ImportError:
        print(f"skipped: {TOOLS[kind]} is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        for base, new in PAIRS:
            read(kind, tool, write(xsp, kind, base, new, pathlib.Path(folder)))


main(sys.argv[1], sys.argv[2])
