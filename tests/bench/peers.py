"""Other tools on the same export and the same stored trace: what `./dev bench peers` prints beside xsp."""
import os
import subprocess
import sys

PACKAGES = ["duckdb", "pyarrow", "nsys-ai"]

COPY_WITH_DUCKDB = """
import duckdb, sqlite3, sys
tables = [row[0] for row in sqlite3.connect(sys.argv[1]).execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
db = duckdb.connect()
db.execute("INSTALL sqlite; LOAD sqlite; SET threads = 1")
for table in tables:
    db.execute(f'CREATE TABLE "{table}" AS SELECT * FROM sqlite_scan(?, ?)', [sys.argv[1], table])
"""

LOAD_WITH_PYARROW = """
import pathlib, sys
import pyarrow.parquet as parquet
tables = [parquet.read_table(file) for file in sorted(pathlib.Path(sys.argv[1]).glob("*.parquet"))]
"""

KERNELS_WITH_DUCKDB = """
import duckdb, sys
duckdb.execute(f"SELECT s.text, sum(e.end_ns - e.begin_ns) AS ns FROM '{sys.argv[1]}/events.parquet' e "
               f"JOIN '{sys.argv[1]}/strings.parquet' s ON s.id = e.name WHERE e.kind = 'kernel' GROUP BY 1 ORDER BY 2 DESC").fetchall()
"""


def install(folder):
    """What PyPI has of the packages, into a folder of their own; the names of those that are there."""
    for package in PACKAGES:
        if not list(folder.glob(package.replace("-", "_") + "-*.dist-info")):
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), package],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [p for p in PACKAGES if list(folder.glob(p.replace("-", "_") + "-*.dist-info"))]


def commands(export, stored):
    """(what, tool, command); a tool is what must be installed, or xsp itself."""
    python = [sys.executable, "-c"]
    return [
        ("all tables of the export, in memory", "duckdb", python + [COPY_WITH_DUCKDB, str(export)]),
        ("what nsys-ai keeps of the export (`warm`)", "nsys-ai", [sys.executable, "-m", "nsys_ai", "warm", str(export)]),
        ("all tables of the stored trace, in memory", "pyarrow", python + [LOAD_WITH_PYARROW, str(stored)]),
        ("time by kernel, of the stored trace", "duckdb", python + [KERNELS_WITH_DUCKDB, str(stored)]),
    ]


def measure(command, packages_folder=None):
    """Processor seconds and peak bytes; nothing where the command fails."""
    environment = dict(os.environ)
    if packages_folder:
        environment["PYTHONPATH"] = str(packages_folder)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return None if process.returncode else (usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def bench_peers(bench, folder):
    bench.say("## Peers")
    bench.say()
    packages = bench.options.peers.absolute()
    there = install(packages)
    export, stored = folder / "peers.sqlite", folder / "peers.xsp"
    subprocess.run([bench.program("xsp-sample"), "multi", "--ranks", "2", "--kernels", str(bench.options.kernels), "-o", str(export)],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    scan, _ = measure([bench.program("import_bench"), "scan", str(export)])
    size = export.stat().st_size
    xsp = bench.program("xsp")
    jobs = [("export to stored trace", "xsp", [xsp, "import", "--quiet", "--force", str(export), "-o", str(stored)]),
            ("first screen of the stored trace", "xsp", [xsp, str(stored)]),
            ("the same again", "xsp", [xsp, str(stored)]),
            ("all tables of the stored trace, in memory", "xsp", [bench.program("import_bench"), "load", str(stored)])]
    rows = []
    for what, tool, command in jobs + commands(export, stored):
        if tool != "xsp" and tool not in there:
            rows.append([what, tool, "not to be had here", ""])
            continue
        result = measure(command, None if tool == "xsp" else packages)
        figures = ["does not run here", ""] if result is None else [f"{result[0] / scan:.2f}", f"{result[1] / size:.1f}"]
        rows.append([what, tool, *figures])
    bench.table(["what", "tool", "ratio to a plain scan", "peak memory / export"], rows)
    bench.say(f"Processor time of one run each, {bench.options.kernels:,} kernels in two processes. DuckDB's SQLite scanner is no package of PyPI but fetched when it is first used; nsys-ai needs it, too.")
    bench.say()
