"""others_read_it.py pyarrow|duckdb STORE_FIXTURE: shows that a stored trace is plain Parquet.

The fixture program stores a trace and prints the counts and sums of every column; the named
reader must find the same.
"""
import importlib
import json
import os
import subprocess
import sys
import tempfile

faults = []


def check(what, found, expected):
    if found != expected:
        faults.append(f"{what}: found {found}, expected {expected}")


def check_column(what, count, total, expected):
    check(what, (count, str(int(total or 0))), (expected["count"], expected["sum"]))


def read_with_pyarrow(pa, folder, expected):
    import pyarrow.parquet

    for name, table in expected.items():
        found = pa.parquet.read_table(os.path.join(folder, name + ".parquet"))
        check(f"rows of {name}", found.num_rows, table["rows"])
        for column, sums in table["columns"].items():
            values = [v for v in found.column(column).to_pylist() if v is not None]
            if values and isinstance(values[0], str):
                values = [len(v.encode()) for v in values]
            check_column(f"{name}.{column}", len(values), sum(values), sums)
    events = pa.parquet.read_table(os.path.join(folder, "events.parquet"))
    check("events.id", events.column("id").to_pylist(), list(range(events.num_rows)))


def read_with_duckdb(duckdb, folder, expected):
    db = duckdb.connect()
    for name in expected:
        db.execute(f"CREATE VIEW {name} AS FROM '{folder}/{name}.parquet'")
    for name, table in expected.items():
        (rows,) = db.execute(f"SELECT count(*) FROM {name}").fetchone()
        check(f"rows of {name}", rows, table["rows"])
        for column, sums in table["columns"].items():
            value = f"strlen({column})" if column == "text" else f'"{column}"'
            query = f'SELECT count("{column}"), sum({value}::HUGEINT) FROM {name}'
            check_column(f"{name}.{column}", *db.execute(query).fetchone(), sums)
        if "durations" in table:
            check_join(db, name, table["durations"])


def check_join(db, name, durations):
    """Every row of a table of details belongs to an event of the right kind."""
    query = f"""SELECT e.kind, count(*), sum(e.end_ns - e.begin_ns)
                FROM {name} d JOIN events e ON e.id = d.event GROUP BY 1"""
    found = {kind: (count, str(int(total))) for kind, count, total in db.execute(query).fetchall()}
    check(f"durations by {name}", found, {k: (s["count"], s["sum"]) for k, s in durations.items()})


def main():
    reader, fixture = sys.argv[1:]
    try:
        module = importlib.import_module(reader)
    except ImportError as e:
        print(f"skipped: {e}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        stored = os.path.join(folder, "run.xsp")
        expected = json.loads(subprocess.run([fixture, stored], check=True, capture_output=True).stdout)
        {"pyarrow": read_with_pyarrow, "duckdb": read_with_duckdb}[reader](module, stored, expected)
    print("\n".join(faults) or f"{reader} agrees on {len(expected)} tables")
    return 1 if faults else 0


sys.exit(main())
