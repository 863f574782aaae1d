"""What is kept of the first look, as a user meets it: run_kept.py MODE XSP [EXPORT...]

same     from the kept file each format is byte for byte what the first look at the stored trace was
real     the same for the exports of ../shared/traces, where they are to be had
planted  whatever lies in the place of the kept file, sealed as xsp seals it, the first look shows figures of the
         trace, in bounded time, and never fails
crowd    several first looks at once agree, and leave one kept file and nothing else
"""

import hashlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared/traces"
SKIPPED = 77
MOST_SECONDS = 20  # Of processor time; generous: a second is usual.
MOST_KB = 1_500_000

EVERY_FORM = [[], ["--format", "json"], ["--format", "csv", "--quiet"], ["--format", "csv", "--table", "device_time"],
              ["--format", "markdown"], ["--top", "0"], ["--timeunit", "us"],
              *(["--sort", key, "--format", "json"] for key in ("mean", "longest", "count", "name"))]
SOME_FORMS = [[], ["--format", "json"]]


def run(xsp, *arguments):
    done = subprocess.run([xsp, *map(str, arguments)], capture_output=True)
    return done.returncode, done.stdout, done.stderr


def stored(xsp, export, folder):
    """The stored trace of an export, and where its first look is kept."""
    target = pathlib.Path(folder) / f"{export.stem}.xsp"
    subprocess.run([xsp, "import", "--quiet", export, "-o", target], check=True, capture_output=True)
    return target, target / "first_look.kept"


def compare(xsp, export, forms):
    with tempfile.TemporaryDirectory(prefix="xsp_kept_") as folder:
        trace, kept = stored(xsp, export, folder)
        for form in forms:
            kept.unlink(missing_ok=True)
            first = run(xsp, trace, *form)
            if first[0] == 0 and not kept.exists():
                return f"{export.name}: nothing was kept"
            if run(xsp, trace, *form) != first:
                return f"{export.name} {' '.join(form)}: not what it was at first"
    return ""


def sealed(kept, text):
    """A kept file of the same rules and manifest with another text."""
    lines = kept.read_bytes().split(b"\n", 4)
    text = text if isinstance(text, bytes) else text.encode()
    return b"\n".join([*lines[:3], hashlib.sha256(text).hexdigest().encode(), text])


def hostile_texts(good):
    report = json.loads(good)
    hostile = None, -1, 1 << 63, 1e300, "\x1b[2J", [], {}, [[]], [{}]
    yield "nothing", ""
    yield "deep", "[" * (15 << 20)
    yield "many keys", "{" + ",".join(f'"{i}":0' for i in range(1_000_000)) + "}"
    yield "many values", "[" + "0," * 7_000_000 + "0]"
    for field in report:
        for value in hostile:
            yield f"{field} = {value!r}", json.dumps({**report, field: value})
    kernels = next(table for table in report["tables"] if table["name"] == "kernels")
    others = [table for table in report["tables"] if table is not kernels]
    changed = lambda **fields: json.dumps({**report, "tables": [*others, {**kernels, **fields}]})
    for field in kernels:
        for value in hostile:
            yield f"{field} of a table = {value!r}", changed(**{field: value})
    for column in range(len(kernels["columns"])):
        for value in hostile:
            cells = [*kernels["rows"][0]]
            cells[column] = value
            yield f"cell {column} = {value!r}", changed(rows=[cells])
            for place in range(6):
                columns = [[*each] for each in kernels["columns"]]
                columns[column][place] = value
                yield f"column {column}, {place} = {value!r}", changed(columns=columns)
    for rows in 90_000, 1_000_000:
        yield f"{rows} kernels", changed(rows=[kernels["rows"][0]] * rows)
    yield "a table shown again and again", json.dumps({**report, "sections": [0] * 1_000_000})
    keys = [[str(i), 0] for i in range(1_000_000)]
    yield "an object of many keys", json.dumps({**report, "fields": [["a", {"json": {"object": keys}}]]})


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def look(xsp, trace):
    """(what is wrong, output)"""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([xsp, trace], stdout=out, stderr=subprocess.DEVNULL, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        out.seek(0)
        output = out.read()
    if status != 0:
        return f"status {status}", output
    if usage.ru_maxrss > MOST_KB:
        return f"{usage.ru_maxrss // 1000} MB", output
    if b"\x1b" in output:
        return "control characters", output
    return "", output


def planted(xsp, export):
    wrong = []
    with tempfile.TemporaryDirectory(prefix="xsp_kept_") as folder:
        trace, kept = stored(xsp, export, folder)
        _, expected = look(xsp, trace)
        own = kept.read_bytes()
        for name, text in hostile_texts(own.split(b"\n", 4)[4]):
            kept.write_bytes(own)
            kept.write_bytes(sealed(kept, text))
            problem, output = look(xsp, trace)
            if problem:
                wrong.append(f"{name}: {problem}")
        kept.write_bytes(own.replace(b"xsp kept result 1", b"xsp kept result 2"))
        wrong += ["another format"] if look(xsp, trace) != ("", expected) else []
        kept.write_bytes(own)
        kept.write_bytes(sealed(kept, own.split(b"\n", 4)[4].replace(b'"about":["', b'"about":["Planted ')))
        # (Else nothing above was looked at.)
        wrong += ["a sealed file is not read"] if b"Planted" not in look(xsp, trace)[1] else []
    return wrong


def crowd(xsp, export):
    with tempfile.TemporaryDirectory(prefix="xsp_kept_") as folder:
        trace, kept = stored(xsp, export, folder)
        looks = [subprocess.Popen([xsp, trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for _ in range(8)]
        outputs = {process.communicate()[0] for process in looks}
        wrong = [] if len(outputs) == 1 and not any(p.returncode for p in looks) else ["they do not agree"]
        odd = [path.name for path in trace.iterdir() if path.suffix != ".parquet"]
        return wrong + ([] if sorted(odd) == ["first_look.kept", "manifest.json", "ranks.kept"] else odd)


def main():
    mode, xsp, exports = sys.argv[1], sys.argv[2], [pathlib.Path(path) for path in sys.argv[3:]]
    if mode == "real":
        exports = sorted(SHARED.glob("nsys*/*.sqlite"))
        if not exports:
            print("skipped: no ../shared/traces")
            return SKIPPED
    if mode in ("same", "real"):
        wrong = [compare(xsp, export, EVERY_FORM if mode == "same" else SOME_FORMS) for export in exports]
    else:
        wrong = {"planted": planted, "crowd": crowd}[mode](xsp, exports[0])
    wrong = [text for text in wrong if text]
    print("\n".join(wrong) or f"fine: {len(exports)} exports")
    return bool(wrong)


sys.exit(main())
