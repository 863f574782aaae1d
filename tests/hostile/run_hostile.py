"""Runs xsp on one file made to hurt (../shared/traces/hostile).

usage: run_hostile.py XSP NAME

Whatever the file, each command ends with 0, or with 2 and one line that names the file, takes no
more than 15 s of CPU time and 1.5 GB, and prints names as text in every format.
"""

import gzip
import os
import pathlib
import re
import resource
import subprocess
import sys
import tarfile
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "shared/traces/hostile"
MOST_SECONDS = 15  # Of CPU time: how busy the machine is does not matter.
MOST_KB = 1_500_000
SKIPPED = 77

COMMANDS = {
    "streams": [["graph"], ["leverage"], ["critical-path"]],
    "deep": [["critical-path"], ["leverage"], ["tree"]],
    "t_wide": [["graph"], ["tree"], ["leverage"], ["stats"]],
    "nested8000": [["tree", "--format", "chrome", "--output", "/dev/null"]],
    "nested_launch": [["tree"], ["level"], ["diff", "SELF"]],
    "processes": [["diff", "SELF"]],
    "one_corr": [["stats", "-r", "cuda_kern_exec_sum"], ["stats", "-r", "nvtx_kern_sum"]],
    "nvtxproj": [["stats", "-r", "nvtx_kern_sum"], ["stats", "-r", "nvtx_gpu_proj_trace"]],
}

# What must not reach a reader: control characters, marks of direction, invisible characters; what
# a spreadsheet runs; tags, links and headings.
HARMFUL = {
    "table": "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]",
    "csv": r'(?m)(^|,)"?[=+@-][A-Za-z(]|\x1b',
    "markdown": r"(?m)<(script|img)|\x1b|^# |[^\\]\]\(|[^\\]://",
    "json": "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]",
}


def unpacked(name, folder):
    if (FOLDER / name).suffix == ".gz" and (FOLDER / name).exists():
        (folder / name).write_bytes((FOLDER / name).read_bytes())
        return folder / name
    for suffix, unpack in ((".gz", lambda f: (folder / name).write_bytes(gzip.open(f).read())),
                           (".tar.gz", lambda f: tarfile.open(f).extractall(folder))):
        packed = FOLDER / (name + suffix)
        if packed.exists():
            unpack(packed)
            return folder / name
    return None


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def run(xsp, arguments, folder, most_kb=MOST_KB):
    """(what is wrong, output); runs in `folder`, where nothing else is."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([xsp, *arguments], stdout=out, stderr=err, cwd=folder,
                                   preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        out.seek(0), err.seek(0)
        text, trouble = out.read().decode(), err.read().decode()
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}", text
    code = os.WEXITSTATUS(status)
    if code not in (0, 2):
        return f"exit code {code}", text
    if code == 2 and not re.fullmatch(r"xsp: [^\n]+\n", trouble):
        return f"not one clear line: {trouble[:300]!r}", text
    if usage.ru_maxrss > most_kb:
        return f"{usage.ru_maxrss // 1000} MB", text
    return "", text


def main():
    xsp, name = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        path = unpacked(name, folder)
        if path is None:
            print(f"skipped: no {name} in ../shared/traces/hostile")
            return SKIPPED
        wrong = []
        if name.endswith(".whatif"):  # A user's what-if, on a trace that only has to be there.
            trace = next(FOLDER.parent.glob("nsys/*zx3xyy*.sqlite"))
            problem, _ = run(xsp, ["whatif", "--file", path.name, str(trace)], folder)
            print(problem or "fine")
            return bool(problem)
        stem = name.split(".")[0]
        for command in [["info"], [], *COMMANDS.get(stem, [])]:
            problem, text = run(xsp, [*command[:1], path.name, *[path.name if word == "SELF" else word for word in command[1:]]], folder)
            # (info shows the times of rows that were set aside.)
            if not problem and stem == "t_wide" and command != ["info"] and re.search(r"\s-\d", text):
                problem = "negative time"
            if problem:
                wrong.append(f"{' '.join(command) or 'first screen'}: {problem}")
        if stem == "hostile":
            for form, harmful in HARMFUL.items():
                for command in [], ["tree"], ["stats"]:
                    problem, text = run(xsp, [*command, path.name, "--format", form], folder)
                    found = re.search(harmful, text)
                    if problem or found:
                        wrong.append(f"{' '.join(command)} {form}: {problem or found}")
    print("\n".join(wrong) or "fine")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
