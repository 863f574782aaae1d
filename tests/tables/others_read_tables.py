"""others_read_tables.py csv|duckdb|pandas XSP: whether others read the tables that commands write.

Each command runs once, with its JSON on stdout and its tables in a folder. Every table must be one
that the command's help names, have as many fields in each row as in its header, and hold the rows
that JSON has under the same name: the same keys, as many rows, the same sums. One key means one
thing in all tables: docs/columns.md says what.
"""
import csv
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_traces"
TRAIN, OTHER, TWO = (str(SAMPLES / f"{name}.sqlite") for name in ("train_fp32", "train_amp", "two_gpu"))
HOST, STREAMS, HPC, GRAPHS = (
    str(SAMPLES / f"{name}.sqlite") for name in ("train_hostbound", "streams", "hpc_old", "graphs_whole")
)
COMMANDS = [
    ["summary", TWO],
    ["summary", HPC],
    ["summary", str(SAMPLES / "serve.sqlite")],
    ["info", TRAIN],
    ["import", TRAIN, OTHER, "--dry-run"],
    ["import", TRAIN, "--dataset", "runs", "--run", "monday", "--dry-run"],
    ["runs", "runs"],
    ["stats", TRAIN],
    ["stats", HPC, "-r", "cuda_gpu_trace,launch,memory,overlap,sync,osrt_sum", "--by", "device"],
    ["tree", TRAIN],
    ["tree", GRAPHS],
    ["tree", TRAIN, "--explain", "forward"],
    ["analyze", TRAIN],
    ["analyze", TRAIN, "--analysis", "a1,a5,a8,a9,a14,stages"],
    ["level", TRAIN, HOST],
    ["graph", STREAMS],
    ["graph", STREAMS, "--edges", "--steps", "2"],
    ["graph", STREAMS, "--explain", "40"],
    ["critical-path", TRAIN],
    ["idle", HOST],
    ["idle", TWO],
    ["leverage", TRAIN, "--top", "3"],
    ["whatif", TRAIN, "--amp"],
    ["whatif", TRAIN, "--sweep", "ddp.gpus=1,2"],
    ["whatif", "--list"],
    ["advise", HOST],
    ["validate", TRAIN, OTHER, "--amp"],
    ["diff", TRAIN, OTHER, "--fail-on", "step > 900%", "--force"],
    ["baseline", "save", "main", TRAIN, "--dir", "saved"],
    ["ranks", str(ROOT / "tests" / "data" / "job_operations.parquet")],
    ["ranks", TWO, "--without-stragglers"],
    ["trend", "runs", "--fail-on", "drift > 90%"],
]
# Where JSON has the rows of a table, if not under its name.
PLACES = {
    ("idle", "host_activities"): "host.activities",
    ("graph", "steps"): "replay.steps.list",
    ("graph", "edges"): "edge_list",
    ("info", "log_tables"): "log.tables",
    ("info", "log_reasons"): "log.reasons",
    ("critical-path", "next"): "next.breakdown",
}
# Where JSON has the same in a form of its own: only the number of rows is compared.
OWN_FORM = {("level", "nodes"), ("whatif", "points")}
# Keys that JSON has besides: null where it has no list or object.
ONLY_JSON = {"accepted", "short_name"}
faults = []


def check(what, found, expected):
    if found != expected:
        faults.append(f"{what}: found {found!r}, expected {expected!r}")


def read_with_csv(module, path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = module.reader(file, strict=True)
    for number, row in enumerate(rows):
        check(f"{path.name}, fields of row {number}", len(row), len(header))
    columns = [[row[i] for row in rows] for i in range(len(header))]
    return {key: [None if v == "" else v for v in column] for key, column in zip(header, columns)}


def read_with_duckdb(duckdb, path):
    found = duckdb.sql(f"FROM read_csv('{path}', header = true, delim = ',', quote = '\"')")
    rows = found.fetchall()
    return {key: [row[i] for row in rows] for i, key in enumerate(found.columns)}


def read_with_pandas(pandas, path):
    found = pandas.read_csv(path, keep_default_na=False, na_values=[""])
    return {key: [None if pandas.isna(v) else v for v in found[key]] for key in found.columns}


def run(arguments, folder, code=0):
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=folder)
    if done.returncode != code:
        raise SystemExit(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr}")
    return done


def rows_in(document, command, name):
    """The rows of a table in JSON; None where JSON has them in another form."""
    for listed in ("reports", "analyses"):
        for one in document.get(listed, []):
            if one["name"] == name:
                return one["rows"]
    place = document
    for key in PLACES.get((command, name), name).split("."):
        place = place.get(key) if isinstance(place, dict) else None
    is_rows = isinstance(place, list) and all(isinstance(row, dict) for row in place)
    return place if is_rows else None


def compare(what, table, rows, is_same):
    """JSON may hold lists and objects besides; a table cannot."""
    counts = {len(column) for column in table.values()}
    check(f"{what}: rows", counts, {len(rows)})
    if not is_same:
        return
    for row in rows[:1]:
        plain = {key for key, value in row.items() if not isinstance(value, (list, dict))}
        check(f"{what}: keys that JSON lacks", set(table) - set(row), set())
        check(f"{what}: keys that are missing", plain - set(table) - ONLY_JSON, set())
    for key in table:
        if key.endswith("_ns") or key == "ns":
            in_table = sum(int(float(v)) for v in table[key] if v is not None)
            in_json = sum(int(row[key]) for row in rows if row[key] is not None)
            check(f"{what}: sum of {key}", in_table, in_json)


def known_tables(xsp, command):
    """The names that the error message of --table lists; help lists the same."""
    complaint = run([xsp, command, "--table", "?"], ".", code=2).stderr
    names = re.search(r"is none of (\S+)", complaint)[1].rstrip(";").split("|")
    shown = " ".join(run([xsp, "help", command], ".").stdout.split())
    for name in names:
        check(f"help {command} names {name}", name in shown, True)
    return names


def known_keys():
    text = (ROOT / "docs" / "columns.md").read_text()
    return set(re.findall(r"^\| `([^`]+)`", text, re.M))


def main():
    reader, xsp = sys.argv[1:]
    try:
        module = importlib.import_module(reader)
    except ImportError as e:
        print(f"skipped: {e}")
        return 0
    read = {"csv": read_with_csv, "duckdb": read_with_duckdb, "pandas": read_with_pandas}[reader]
    count, used, known = 0, set(), known_keys()
    for command, *arguments in COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            if command == "trend":
                for day in ("monday", "tuesday", "wednesday"):
                    run([xsp, "import", TRAIN, "--dataset", "runs", "--run", day, "--quiet"], folder)
            if command == "runs":
                run([xsp, "import", TRAIN, "--dataset", "runs", "--run", "monday", "--quiet"], folder)
                pathlib.Path(folder, "runs/run=monday/notes.txt").write_text("odd")
            out = run([xsp, command, *arguments, "--format", "json", "--write", "csv=tables/", "--quiet"], folder)
            document, names = json.loads(out.stdout), known_tables(xsp, command)
            files = sorted(pathlib.Path(folder, "tables").iterdir())
            check(f"{command}: some tables", len(files) > 0, True)
            for path in files:
                name = path.stem
                what = f"{' '.join([command, *arguments])}: {name}"
                check(f"{what} is known", name in names, True)
                table = read(module, path)
                count += 1
                rows = rows_in(document, command, name)
                if rows is not None:
                    compare(what, table, rows, (command, name) not in OWN_FORM)
                if command != "stats":  # There the keys are NVIDIA's.
                    keys = {re.sub("^(phase|layer|op|library|device)_overhead", "overhead", key) for key in table}
                    used |= keys
                    check(f"{what}: keys that docs/columns.md lacks", keys - known, set())
            written = {path.stem: path.read_bytes() for path in files}
            alone = run([xsp, command, *arguments, "--format", "csv", "--output", "x.csv"], folder)
            told = re.search(r"csv is one table, here ([\w-]+)", alone.stderr)
            main_table = told[1] if told else files[0].stem
            check(f"{command}: others are named", told is not None, len(files) > 1)
            check(f"{command}: csv is {main_table}", pathlib.Path(folder, "x.csv").read_bytes(), written[main_table])
    check("keys in docs/columns.md that no table has", known - used, set())
    print("\n".join(faults) or f"{reader} reads {count} tables")
    return 1 if faults else 0


sys.exit(main())
