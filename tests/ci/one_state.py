#!/usr/bin/env python3
"""One state of each limit in all that xsp diff writes, and none that misleads: one_state.py XSP

Pairs of samples and of samples that were changed (longer kernels, other names, a run that ended early, runs that differ), with
options: JSON, JUnit, SARIF, annotations, markdown, the text and the exit code say the same of each limit, and what holds is
within its limit.
"""
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "sample_traces"
LIMITS = ["step > 3%", "step.median > 100us", "device > 2%", "idle > 5%", "launch > 3%", "copies > 1us", "kernels > 0", "kernels.added > 0",
          "kernels.renamed > 3", "memory.peak > 1GB", "span > 2%", "one_time > 1%", "layer:*layer* > 3%", "class:gemm > 2ms", "kernel:*gemm* > 3%",
          "nvtx:forward > 3%", "kernel:nothing > 1%"]
OPTIONS = [[], ["--strict"], ["--allow-unknown"], ["--noise", "1%"]]
STATES = ["holds", "fails", "accepted", "undecided", "no_data", "not_judged"]
ICONS = {"✅": "holds", "❌": "fails", "☑️": "accepted", "❔": "undecided", "⚠️": "no_data"}


def tables(database):
    return [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def longer(database):
    database.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + (end - start) / 20")


def renamed(database):
    database.execute("UPDATE StringIds SET value = value || '_v2' WHERE id IN (SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL)")


def ended(database):
    """What begins after the second step goes."""
    end = sorted(row[0] for row in database.execute(
        "SELECT end FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId WHERE coalesce(text, value) LIKE 'step%'"))[1]
    for table in tables(database):
        if "start" in [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]:
            database.execute(f'DELETE FROM "{table}" WHERE start >= ?', (end,))


def changed(name, change, folder):
    path = folder / f"{change.__name__}.sqlite"
    shutil.copyfile(SAMPLES / f"{name}.sqlite", path)
    database = sqlite3.connect(path)
    change(database)
    database.commit()
    database.close()
    return path


def of_junit(path):
    """By limit, as shown; an <error> says which state, and a <skipped> which of two."""
    states = []
    for case in xml.parse(path).getroot().iter("testcase"):
        result = next((child for child in case if child.tag != "system-out"), None)
        if result is None:
            states.append("holds")
        elif result.tag == "failure":
            states.append("fails")
        elif result.tag == "error":
            states.append(result.get("type"))
        else:
            states.append("undecided" if "undecided" in result.get("message") else "accepted")
    return states[1:]


def of_sarif(path, texts):
    """A limit that holds has no result; of one on places the worst counts."""
    levels = {}
    for result in json.loads(path.read_text())["runs"][0]["results"]:
        text = result.get("partialFingerprints", {}).get("limit/v1")
        levels.setdefault(text, set()).add(result["level"])
    states = []
    for text in texts:
        found = levels.get(text, set())
        states.append("fails" if "error" in found else "open" if "warning" in found else "accepted" if found else "holds")
    return states


def of_annotations(path):
    lines = path.read_text().split("\n")
    count = lambda title: sum(title in line.split("::")[1] for line in lines if line.startswith("::"))
    return {"fails": count("limit exceeded"), "open": count("limit not checked"), "accepted": count("accepted change")}


def of_markdown(path):
    line = next(line for line in path.read_text().split("\n") if line.startswith("Limits: "))
    return [ICONS[part.split()[0]] for part in re.split(r" · (?=[✅❌☑❔⚠])", line.removeprefix("Limits: "))]


def of_text(text):
    """The first state on each row of the table that begins with a limit."""
    table = text[text.index("\nLimits\n"):].split("\n\n")[0]
    return [re.search(rf" ≤ .*?({'|'.join(STATES)})\b", line)[1] for line in table.split("\n") if re.search(rf"^  \S.* ≤ [^:]*  ({'|'.join(STATES)})\b", line)]


def coarse(state):
    return "open" if state in ("undecided", "no_data", "not_judged") else state


def check(xsp, base, new, options, folder):
    files = {kind: folder / f"out.{kind}" for kind in ("json", "junit", "sarif", "github", "markdown")}
    command = [xsp, "diff", "--base", *base, "--new", *new, "--top", "0", "--width", "0", *options]
    for kind, path in files.items():
        command += ["--write", f"{kind}={path}"]
    if "--policy" not in options:
        for limit in LIMITS:
            command += ["--fail-on", limit]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    document = json.loads(files["json"].read_text())
    gates = document["gates"]
    assert len(gates) == len(LIMITS), done.stderr
    junit = of_junit(files["junit"])
    for gate, detail in zip(gates, junit):
        expected = "accepted" if detail == "accepted" else "no_data" if detail == "not_judged" else detail
        assert gate["state"] == ("holds" if expected == "accepted" else expected), f"JUnit: {gate['expression']} {gate['state']} {detail}"
        is_taken = gate["accepted"] or any(place["accepted"] for place in gate["places"])
        within = gate["value"] is None or gate["value"] <= gate["limit"]
        assert gate["state"] != "holds" or is_taken or within, f"{gate['expression']} holds at {gate['value']}"
        assert gate["state"] != "fails" or not within or gate["value"] is None, f"{gate['expression']} fails at {gate['value']}"
        assert "--strict" not in options or gate["state"] != "undecided" or "outliers" in gate["why"], f"{gate['expression']} is open"
    assert of_sarif(files["sarif"], [gate["expression"] for gate in gates]) == list(map(coarse, junit)), "SARIF"
    told = of_annotations(files["github"])
    assert told == {state: list(map(coarse, junit)).count(state) for state in told}, f"annotations: {told}"
    assert of_markdown(files["markdown"]) == ["no_data" if state == "not_judged" else state for state in junit], "markdown"
    assert of_text(done.stdout) == junit, f"text: {of_text(done.stdout)} {junit}"
    passes_open = "--allow-unknown" in options
    code = (4 if "not_judged" in junit else 1 if "fails" in junit else
            3 if "no_data" in junit or ("undecided" in junit and not passes_open) else 0)
    assert done.returncode == code, f"exit {done.returncode}, by the states {code}"
    return junit


def accepted(xsp, base, new, folder):
    """Options by which all that fails is accepted."""
    policy = folder / "policy.json"
    policy.write_text(json.dumps({"xsp_policy": 1, "fail_on": LIMITS}))
    subprocess.run(list(map(str, [xsp, "diff", base, new, "--policy", policy, "--accept", "on purpose"])), capture_output=True)
    return ["--policy", policy]


def main(xsp):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fp32, amp, two, hpc = (SAMPLES / f"{sample}.sqlite" for sample in ("train_fp32", "train_amp", "two_gpu", "hpc_old"))
        slow, other, short = (changed("train_fp32", change, folder) for change in (longer, renamed, ended))
        seen = set()
        for base, new in [([fp32], [slow]), ([fp32], [other]), ([amp], [fp32]), ([fp32], [amp]), ([fp32], [two]), ([hpc], [fp32]),
                          ([fp32, slow], [fp32]), ([fp32, slow], [slow, fp32])]:
            for options in OPTIONS:
                seen.update(check(xsp, base, new, options, folder))
        for options in OPTIONS:
            states = check(xsp, [fp32], [short], options, folder)
            seen.update(states)
            assert states[LIMITS.index("step > 3%")] == states[LIMITS.index("span > 2%")] == "no_data", f"a run that ended early: {states}"
        options = accepted(xsp, fp32, slow, folder)
        states = check(xsp, [fp32], [slow], options, folder)
        assert "accepted" in states and "fails" not in states, states
        assert "fails" in check(xsp, [slow], [changed_again(slow, folder)], options, folder), "an accepted change hides a second one"
        seen.update(states)
        assert seen == set(STATES), f"never seen: {set(STATES) - seen}"
    print("fine")


def changed_again(path, folder):
    again = folder / "again.sqlite"
    shutil.copyfile(path, again)
    database = sqlite3.connect(again)
    longer(database)
    database.commit()
    database.close()
    return again


main(sys.argv[1])
