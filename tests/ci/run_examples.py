#!/usr/bin/env python3
"""Runs an example of docs/ci.md as it stands there: run_examples.py XSP shell|github|gitlab|jenkins|jenkinsfile

The commands that are not ours (nsys, gh, python) are stand-ins: "nsys export" puts a sample trace in
the place of what would have been recorded. jenkinsfile: the whole file, by the Groovy that Jenkins has
(pipeline.groovy), where ./dev has fetched it and there is a Java; else a line says that it is skipped.
"""
import atexit
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_traces"
NSYS = """#!/bin/sh
for word; do case $word in --output=*.sqlite) cp "$XSP_SAMPLE" "${word#--output=}" ;; esac; done
"""


def example(name):
    text = (ROOT / "docs/ci.md").read_text()
    return re.search(rf"<!-- example: {re.escape(name)} -->\n```\w+\n(.*?)```", text, re.S).group(1)


def blocks(yaml, opener):
    """The literal blocks of a YAML text that are opened by a line, as shell scripts."""
    found = []
    lines = yaml.splitlines()
    for i, line in enumerate(lines):
        if line.strip() != opener:
            continue
        indent = len(line) - len(line.lstrip())
        body = []
        for inner in lines[i + 1:]:
            if inner.strip() and len(inner) - len(inner.lstrip()) <= indent:
                break
            body.append(inner[indent + 2:])
        found.append("\n".join(body))
    return found


class Folder:
    def __init__(self, xsp):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="xsp_ci_"))
        atexit.register(shutil.rmtree, self.path)
        bin_dir = self.path / "bin"
        bin_dir.mkdir()
        (bin_dir / "xsp").symlink_to(xsp)
        for name, text in {"nsys": NSYS, "gh": "#!/bin/sh\nexit 0\n"}.items():
            (bin_dir / name).write_text(text)
            (bin_dir / name).chmod(0o755)
        for name in ("perf.json", "perf-pinned.json", "perf-gate.sh"):
            (self.path / name).write_text(example(name))
        self.env = {"PATH": f"{bin_dir}:{os.environ['PATH']}", "XSP_BASELINES": ".xsp-baselines", "HOME": str(self.path)}

    def run(self, script, sample, expected, **more):
        env = self.env | {"XSP_SAMPLE": str(SAMPLES / sample)} | more
        done = subprocess.run(["bash", "-e", "-c", script], cwd=self.path, env=env, capture_output=True, text=True)
        if done.returncode != expected:
            sys.exit(f"exit {done.returncode}, expected {expected}:\n{script}\n{done.stdout}\n{done.stderr}")
        return done

    def expect(self, file, text):
        content = (self.path / file).read_text()
        if text not in content:
            sys.exit(f"{file} lacks {text!r}:\n{content[:2000]}")


def shell(folder):
    gate = "sh ./perf-gate.sh main"
    folder.run(f"{gate} {SAMPLES}/train_amp.sqlite", "train_amp.sqlite", 0)
    folder.run(f"{gate} {SAMPLES}/train_amp.sqlite", "train_amp.sqlite", 0)
    folder.expect("perf/change.md", "### ✅ xsp: step")
    folder.run(f"{gate} {SAMPLES}/train_fp32.sqlite", "train_fp32.sqlite", 1)
    folder.expect("perf/change.md", "### ❌ xsp: step +")
    folder.expect("perf/change.xml", "<failure type=\"regression\"")
    folder.expect("perf/release.md", "### ❌ xsp: step +")
    # The base has moved on, the pinned one has not.
    folder.run(f"xsp baseline save main {SAMPLES}/train_fp32.sqlite --replace", "train_fp32.sqlite", 0)
    folder.run(f"{gate} {SAMPLES}/train_fp32.sqlite", "train_fp32.sqlite", 1)
    folder.expect("perf/change.md", "### ✅ xsp: step")
    folder.run(f"{gate} {SAMPLES}/two_gpu.sqlite", "two_gpu.sqlite", 4)
    # Trouble leaves nothing behind that could be taken for a result.
    folder.run(f"{gate} {SAMPLES}/nothing.sqlite", "train_fp32.sqlite", 2)
    folder.expect("perf/change.md", "could not be checked")
    folder.expect("perf/change.xml", "<error type=\"trouble\"")


def github(folder):
    record, compare, pinned, comment, save = blocks(example("github.yml"), "run: |")
    folder.run(record + "\n" + save, "train_amp.sqlite", 0)
    summary = folder.path / "summary.md"
    actions = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary), "CI": "true"}
    done = folder.run(record + "\n" + compare, "train_fp32.sqlite", 1, **actions)
    folder.expect("summary.md", "### ❌ xsp: step +")
    folder.expect("comment.md", "### ❌ xsp: step +")
    folder.expect("xsp.sarif", '"version": "2.1.0"')
    if "::error title=xsp%3A limit exceeded::step" not in done.stderr:
        sys.exit("no annotation:\n" + done.stderr)
    folder.run(pinned, "train_fp32.sqlite", 1)
    folder.run(comment, "train_fp32.sqlite", 0)
    folder.run(record + "\n" + compare, "train_amp.sqlite", 0)
    folder.run(pinned, "train_amp.sqlite", 0)
    broken = compare.replace("run1.sqlite", "nothing.sqlite")
    done = folder.run(broken, "train_amp.sqlite", 2, **actions)
    folder.expect("summary.md", "could not be checked")
    folder.expect("comment.md", "could not be checked")
    if "::error title=xsp%3A could not be checked::" not in done.stderr:
        sys.exit("no annotation:\n" + done.stderr)


def gitlab(folder):
    record, decide = blocks(example("gitlab.yml"), "- |")
    main = {"CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main"}
    branch = {"CI_COMMIT_BRANCH": "feature", "CI_DEFAULT_BRANCH": "main"}
    folder.run(record + "\n" + decide, "train_amp.sqlite", 0, **main)
    folder.run(record + "\n" + decide, "train_fp32.sqlite", 1, **branch)
    folder.expect("junit.xml", "<failure type=\"regression\"")
    folder.expect("junit-pinned.xml", "<failure type=\"regression\"")
    folder.run(record + "\n" + decide, "train_amp.sqlite", 0, **branch)


def jenkins(folder):
    record, compare, save = re.findall(r"'''(.*?)'''", example("Jenkinsfile"), re.S)
    folder.run(record + save, "train_amp.sqlite", 0)
    folder.run(record + compare, "train_fp32.sqlite", 1)
    folder.expect("junit.xml", "<failure type=\"regression\"")
    folder.run(record + compare, "train_amp.sqlite", 0)


def jenkinsfile(folder):
    jar = ROOT / ".deps/groovy/groovy-all.jar"
    if not jar.exists() or shutil.which("java") is None:
        print("skipped: no Groovy or no Java here")
        return
    text = example("Jenkinsfile")
    kept = "/var/lib/xsp-baselines/train"
    assert kept in text
    (folder.path / "Jenkinsfile").write_text(text.replace(kept, str(folder.path / "kept")))

    def build(branch, file="Jenkinsfile"):
        return f"java -cp {jar} groovy.ui.GroovyMain {ROOT}/tests/ci/pipeline.groovy {file} {branch}"

    folder.run(build("main"), "train_amp.sqlite", 0)
    assert (folder.path / "kept/pinned").exists()
    folder.run(build("feature"), "train_amp.sqlite", 0)
    folder.run(build("feature"), "train_fp32.sqlite", 1)
    folder.expect("junit-pinned.xml", "<failure type=\"regression\"")
    (folder.path / "perf.json").write_text('{"xsp_policy": 1, "fail_on": ["memory.peak > 2%"]}')
    done = folder.run(build("feature"), "train_amp.sqlite", 3)
    assert "unstable: performance: undecided" in done.stdout, done.stdout
    # A word that Jenkins does not know is found: the test can fail.
    (folder.path / "Wrong").write_text(text.replace("archiveArtifacts", "archivArtifacts"))
    folder.run(build("none", "Wrong"), "train_amp.sqlite", 1)


examples = {"shell": shell, "github": github, "gitlab": gitlab, "jenkins": jenkins, "jenkinsfile": jenkinsfile}
examples[sys.argv[2]](Folder(pathlib.Path(sys.argv[1]).resolve()))
