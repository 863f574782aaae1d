#!/usr/bin/env python3
"""Runs golden cases of the program: run_golden.py XSP CASE...

A case is a text of blocks, each opened by a line that begins with "--- ":

    --- sql NAME            the block is run as SQL to make the database NAME
    --- include FILE NAME   the same with the SQL of a file beside the case, extended by the block
    --- sample NAME         sample_traces/NAME stands in the folder
    --- file NAME           the block is written to NAME
    --- sample NAME         a copy of sample_traces/NAME
    --- run                 the block is run by bash, in the folder with these files
    --- run terminal=80x24  the same, with standard input and output on a terminal of that size
    --- exit N              expected of the last run: exit code (none: 0),
    --- stdout              and output, each with what differs from run to run replaced
    --- stderr

Lines before the first block say what the case is about. With XSP_UPDATE_GOLDEN=1 the expected
blocks are written anew instead of compared.
"""
import difflib
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

# What differs between runs, machines and versions of libraries.
REPLACED = [
    (r"\b[0-9a-f]{64}\b", "SHA256"),
    (r": [0-9.]+ (B|KiB|MiB), [0-9.]+ % of the source, in [0-9.]+ s", ": SIZE, in N s"),
    (r'"stored_bytes": [0-9]+', '"stored_bytes": SIZE'),
    (r"\.tmp-[0-9]+-[0-9]+", ".TEMPORARY"),
    (r"\.part-[0-9]+-[0-9]+|\.xsp-probe-[0-9]+", ".TEMPORARY"),
]
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "sample_traces"
EXPECTED = ("exit", "stdout", "stderr")


class Case:
    def __init__(self, path):
        self.path = path
        self.intro = ""
        self.blocks = []  # [header words, text]
        for line in path.read_text().splitlines(keepends=True):
            if line.startswith("--- "):
                self.blocks.append([line[4:].split(), ""])
            elif self.blocks:
                self.blocks[-1][1] += line
            else:
                self.intro += line

    def text(self):
        return self.intro + "".join(f"--- {' '.join(head)}\n{text}" for head, text in self.blocks)


def make_database(path, sql):
    database = sqlite3.connect(path)
    database.executescript(sql)
    database.commit()
    database.close()


def run(script, size, folder, xsp):
    """Exit code, stdout and stderr of a bash script in the folder."""
    environment = {
        "PATH": f"{folder}/.bin:{os.environ['PATH']}",
        "HOME": f"{folder}/.home",
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm",
        "PAGER": "",
    }
    for name in os.environ:
        if name.startswith(("ASAN_", "UBSAN_", "LSAN_", "LD_LIBRARY")):
            environment[name] = os.environ[name]
    command = ["bash", "-c", script]
    if size is None:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=120
        )
        return done.returncode, done.stdout, done.stderr
    import fcntl, pty, struct, termios

    columns, rows = map(int, size.split("x"))
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=inner, stderr=errors, stdin=inner
        )
        os.close(inner)
        output = b""
        try:
            while chunk := os.read(outer, 65536):
                output += chunk
        except OSError:  # how Linux tells that the last writer has gone
            pass
        code = child.wait(timeout=120)
        errors.seek(0)
        return code, output.replace(b"\r\n", b"\n"), errors.read()


def normal(output, folder):
    text = output.decode("utf-8", errors="backslashreplace").replace(str(folder), "$TMP")
    for pattern, replacement in REPLACED:
        text = re.sub(pattern, replacement, text)
    text = text.replace("\r", "<CR>").replace("\x1b", "<ESC>")
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", lambda match: f"<{ord(match[0]):02x}>", text)
    return text if not text or text.endswith("\n") else text + "<no line end>\n"


def actual_blocks(code, stdout, stderr, folder):
    blocks = []
    if code != 0:
        blocks.append([["exit", str(code)], ""])
    for name, output in (("stdout", stdout), ("stderr", stderr)):
        if output:
            blocks.append([[name], normal(output, folder)])
    return blocks


def play(case, folder, xsp):
    """The case as it should read, by what the program does now."""
    (folder / ".bin").mkdir()
    (folder / ".bin/xsp").symlink_to(xsp)
    (folder / ".home").mkdir()
    result = Case.__new__(Case)
    result.path, result.intro, result.blocks = case.path, case.intro, []
    for head, text in case.blocks:
        kind = head[0]
        if kind in EXPECTED:
            continue
        result.blocks.append([head, text])
        if kind == "sql":
            make_database(folder / head[1], text)
        elif kind == "include":
            make_database(folder / head[2], (case.path.parent / head[1]).read_text() + text)
        elif kind == "sample":
            (folder / head[1]).symlink_to(SAMPLES / head[1])
        elif kind == "file":
            (folder / head[1]).write_text(text)
        elif kind == "sample":
            shutil.copyfile(case.path.parents[3] / "sample_traces" / head[1], folder / head[1])
        elif kind == "run":
            size = head[1].removeprefix("terminal=") if len(head) > 1 else None
            result.blocks += actual_blocks(*run(text, size, folder, xsp), folder)
        else:
            raise SystemExit(f"{case.path}: unknown block '{kind}'")
    return result


def check(path, xsp):
    case = Case(path)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="xsp-golden-"))
    try:
        actual = play(case, folder, xsp).text()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if actual == case.text():
        return True
    if os.environ.get("XSP_UPDATE_GOLDEN") == "1":
        path.write_text(actual)
        print(f"{path.name}: written anew")
        return True
    sys.stdout.writelines(
        difflib.unified_diff(
            case.text().splitlines(keepends=True), actual.splitlines(keepends=True), "expected", "actual"
        )
    )
    return False


def main(xsp, *cases):
    results = [check(pathlib.Path(case).resolve(), pathlib.Path(xsp).resolve()) for case in cases]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
