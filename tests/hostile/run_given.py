"""What users give a command, made to hurt: run_given.py XSP XSP_SAMPLE

Files that never end, numbers beyond all bounds, names that a terminal would obey, a folder that is gone, hardly any
memory: an answer or one clear line, and nothing of the name as it was.
"""

import json
import pathlib
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile

EVIL = "\x1b[31mred\u202ex\x7f\x9b5m"
HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
WHATIF = {"name": EVIL, "title": EVIL, "help": EVIL, "assumptions": [EVIL],
          "changes": [{"what": EVIL, "scale": 0.5, "select": {"any": [{"name": f"*{EVIL}*"}, {"on": "device"}]}}]}


def run(command, folder, memory=None):
    limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))) if memory else None
    done = subprocess.run(command, cwd=folder, capture_output=True, preexec_fn=limit, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def refused(command, folder, **more):
    """What is wrong where a command should say one line and end with 2."""
    code, _, text = run(command, folder, **more)
    return "" if code == 2 and re.fullmatch(r"xsp: [^\n]+\n", text) else f"{command[1:]}: exit {code} {text[:200]!r}"


def bad_values(xsp):
    for file in (["whatif", "--file", "/dev/zero"], ["diff", "t.sqlite", "--policy", "/dev/zero"], ["tree", "--rules", "/dev/zero"]):
        yield [xsp, *file, "t.sqlite"]
    yield [xsp, "validate", "--pairs", "/dev/zero"]
    for value in ("--fsdp=parameters=1e300%", "--faster-network=1e300GB/s", "--fsdp=parameters=1e16"):
        yield [xsp, "whatif", value, "t.sqlite"]
    for steps in ("4294967297", "0", "99999999999999999999"):
        yield [xsp, "tree", "t.sqlite", "--steps", steps]
        yield [xsp, "live", "--steps", steps, "--step-range", "step", "--", "true"]
    yield [xsp, "whatif", "--file", "many.json", "t.sqlite"]


def names(xsp, folder):
    for form in "table", "markdown", "json", "csv":
        code, out, err = run([xsp, "whatif", "--file", "evil.json", "t.sqlite", "--format", form], folder)
        found = HARMFUL.search(out.replace("\r\n", "\n") + err)
        if code != 0 or found:
            yield f"name of a what-if in {form}: exit {code}, {found}"


def in_messages(xsp, folder):
    """Words of the command line that are wrong are shown as text, too; and in what is written in trouble."""
    words = [[EVIL], [f"/{EVIL}.sqlite"], ["tree", EVIL], ["stats", "-r", EVIL, "t.sqlite"], ["tree", "t.sqlite", "--steps", EVIL],
             ["tree", "t.sqlite", "--nvtx", EVIL], ["diff", "t.sqlite", "t.sqlite", "--fail-on", f"kernel:{EVIL} > x"],
             ["diff", "--baseline", EVIL, "t.sqlite"], ["whatif", "--file", EVIL, "t.sqlite"], ["whatif", f"--fsdp={EVIL}", "t.sqlite"],
             ["tree", "t.sqlite", "--output", f"/dev/null/{EVIL}"], ["live", "--kinds", EVIL, "--", "true"], ["live", "--", f"/{EVIL}"],
             ["help", EVIL], ["import", "t.sqlite", "-o", f"/dev/null/{EVIL}"], ["diff", "t.sqlite", "t.sqlite", "--policy", EVIL]]
    for form in "junit", "sarif", "github", "markdown", "json":
        words.append(["diff", "t.sqlite", f"/{EVIL}", "--format", form])
    for command in words:
        code, out, err = run([xsp, *command], folder)
        found = HARMFUL.search(out + err)
        if code != 2 or found:
            yield f"{command}: exit {code}, {found}"


def in_csv(xsp, folder):
    """A name that a spreadsheet would run, whichever sign it begins with."""
    database = sqlite3.connect(folder / "t.sqlite")
    database.execute("UPDATE StringIds SET value = '-2+3+cmd|x' WHERE id IN (SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL)")
    database.commit()
    database.close()
    _, out, _ = run([xsp, "stats", "-r", "cuda_gpu_kern_sum", "t.sqlite", "--format", "csv"], folder)
    if "'-2+3" not in out or re.search(r'(?m)(^|,)"?-[^0-9.]|(^|,)"?-2\+', out):
        yield f"csv: {out[:300]!r}"


def main():
    xsp, sample = (str(pathlib.Path(file).resolve()) for file in sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="xsp_given_") as base:
        folder = pathlib.Path(base)
        subprocess.run([sample, "train", "--kernels", "2000", "-o", folder / "t.sqlite"], check=True, stdout=subprocess.DEVNULL)
        (folder / "evil.json").write_text(json.dumps(WHATIF))
        (folder / "many.json").write_text(json.dumps({"changes": [{"whatif": "checkpoint"}] * 9000}))
        wrong = [refused(command, folder) for command in bad_values(xsp)]
        wrong += names(xsp, folder)
        wrong += in_messages(xsp, folder)
        wrong += in_csv(xsp, folder)
        # Given a length and never written.
        with open(folder / "holes.sqlite", "wb") as holes:
            holes.write((folder / "t.sqlite").read_bytes()[:40_000])
            holes.truncate(60 << 30)
        wrong.append(refused([xsp, "import", "--salvage", "holes.sqlite"], folder, memory=8 << 30))
        for megabytes in range(76, 120, 4):
            code, _, text = run([xsp, "t.sqlite"], folder, memory=megabytes << 20)
            if code not in (0, 2, 127):  # 127: not even the program itself could be loaded.
                wrong.append(f"{megabytes} MB of memory: exit {code} {text[:200]!r}")
        wrong.append(refused(["sh", "-c", f"mkdir gone; cd gone; rmdir ../gone; exec {xsp} live -o x.xsp -- true"], folder))
    wrong = [line for line in wrong if line]
    print("\n".join(wrong) or "fine")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
