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
# Slower, the same, not comparable, a span with other kernels; and what cannot be read.
PAIRS = [("train_amp", "train_fp32"), ("train_fp32", "train_fp32"), ("train_fp32", "two_gpu"), ("hpc_old", "streams"),
         ("nothing", "train_fp32")]
EXIT = {("train_amp", "train_fp32"): 1, ("train_fp32", "train_fp32"): 3, ("train_fp32", "two_gpu"): 4, ("nothing", "train_fp32"): 2}
GATES = ["step > 3%", "memory.peak > 2GB", "kernels.added > 0", "layer:*layer* > 5%", "kernel:* > 3%", "span > 1%",
         "wall > 1%", "nvtx:* > 900%"]


def write(xsp, kind, base, new, folder):
    file = folder / f"{base}_{new}.{kind}"
    command = [xsp, "diff", SAMPLES / f"{base}.sqlite", SAMPLES / f"{new}.sqlite", "--quiet", "--write", f"{kind}={file}"]
    for gate in GATES:
        command += ["--fail-on", gate]
    file.write_text("stale")
    code = subprocess.run(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    assert code == EXIT.get((base, new), code), f"{base} {new}: exit {code}"
    return file


def read(kind, tool, file):
    if kind == "json":
        schema = json.loads((ROOT / "docs/diff.schema.json").read_text())
        tool.Draft202012Validator.check_schema(schema)
        document = json.loads(file.read_text())
        tool.validate(document, schema)
        if "error" in document:
            assert "no such file" in document["error"]
            return
        assert sum(c["delta_ns"] for c in document["contributions"]) == document["new_ns"] - document["base_ns"]
        for gate in document["gates"]:
            assert document["comparable"] or (gate["state"] == "no_data" and gate["holds"] is None), "a limit between other GPUs is judged"
            names = [place["where"] for place in gate["places"]]
            assert len(names) == len(set(names)), "a place is listed twice"
    elif kind == "junit":
        suite = next(iter(tool.JUnitXml.fromfile(str(file))))
        cases = list(suite)
        results = [type(result).__name__ for case in cases for result in case.result]
        trouble = suite.tests == 1
        refused = any(result.type == "not_comparable" for case in cases for result in case.result)
        assert not refused or results == ["Error"] * len(cases), "a limit between other GPUs is judged"
        assert suite.tests == len(cases) == (1 if trouble else 1 + len(GATES))
        assert suite.failures == results.count("Failure") and suite.errors == results.count("Error")
        if trouble:
            assert results == ["Error"] and "could not be checked" in cases[0].result[0].message
    else:
        run = tool.Sarif.model_validate(json.loads(file.read_text())).runs[0]
        assert run.tool.driver.name == "xsp" and run.results is not None
        facts = [json.dumps(r["partialFingerprints"]) for r in json.loads(file.read_text())["runs"][0]["results"]
                 if "partialFingerprints" in r]
        assert len(facts) == len(set(facts)), "a fact is there twice"
        if not run.results and run.invocations:
            assert not run.invocations[0].execution_successful


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
