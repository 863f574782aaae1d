#!/usr/bin/env python3
"""Breaks traces in random ways and runs commands on them: run_fuzz.py XSP [--count N | --time 60s] [--jobs N] [--seed S] [FILE...]

Whatever the file, a command must answer (exit 0) or refuse with one line (exit 2): no crash, no
sanitizer's report, no endless run. The same seed breaks the same files in the same way. Without
FILEs the committed samples are broken: exports, small Kineto files, and stored traces of the exports, which are sealed again with
right checksums. Each gets every command; for a --time, files made to hurt are broken, too, where they are to be had, and each file gets
the first look and some other commands: many files find more than many commands. A failure keeps its file and prints how to repeat it.
"""
import argparse
import concurrent.futures
import itertools
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from broken_stores import break_store
from seeds import hostile_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = [*sorted((ROOT / "sample_traces").glob("*.sqlite")), *sorted((ROOT / "tests/golden/importers").glob("kineto_*.json"))]
MOST_SECONDS = 60  # Of CPU time: how busy the machine is does not matter.
MOST_WAITING = 600
MOST_BREAKING = 5
LIMITED = ["sh", "-c", f'ulimit -St {MOST_SECONDS}; exec "$@"', "sh"]
SOME = 3  # Commands beside the first look.
COMMANDS = [
    ["{file}"],
    ["info", "{file}", "--format", "json"],
    ["stats", "{file}"],
    ["tree", "{file}", "--steps", "all", "--min-share", "0", "--format", "json"],
    ["analyze", "{file}", "--format", "json"],
    ["level", "{file}"],
    ["graph", "{file}", "--format", "json"],
    ["critical-path", "{file}"],
    ["idle", "{file}"],
    ["leverage", "{file}"],
]
IMPORTS = [
    ["import", "{file}", "--force", "-o", "{store}"],
    ["info", "{store}"],
]
ODD_VALUES = [None, 0, -1, 1, 2**31, 2**32 + 7, 2**63 - 1, -(2**63), 1.5, "", "text", b"\x00\xff", "x" * 70_000, "\ud7ff\x00"]


def rows_of(database, table):
    """None of a table that SQLite does not number, or cannot read: files made to hurt have such."""
    try:
        return [row[0] for row in database.execute(f'SELECT rowid FROM "{table}" LIMIT 20000')]
    except sqlite3.Error:
        return []


def columns_of(database, table):
    return [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]


def odd_cells(database, table, dice):
    """Odd values in a column, in few rows or in many."""
    column = dice.choice(columns_of(database, table))
    rows = rows_of(database, table)
    for row in dice.sample(rows, dice.randint(1, len(rows))):
        database.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = ?', (dice.choice(ODD_VALUES), row))


def shift_times(database, table, dice):
    """Rows that end before they begin, that last for years, or that begin before the epoch."""
    if "start" not in columns_of(database, table):
        return odd_cells(database, table, dice)
    shift = dice.choice([-(2**40), 2**40, 2**62, -(2**62), 1])
    column = dice.choice([c for c in ("start", "end") if c in columns_of(database, table)])
    for row in dice.sample(rows_of(database, table), 1 + len(rows_of(database, table)) // 3):
        database.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = "{column}" + ? WHERE rowid = ?', (shift, row))


def same_everywhere(database, table, dice):
    """One value in all rows of a column: one stream, one correlation id, one thread."""
    column = dice.choice(columns_of(database, table))
    value = database.execute(f'SELECT "{column}" FROM "{table}" LIMIT 1').fetchone()[0]
    database.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ?', (value,))


def double_rows(database, table, dice):
    names = ", ".join(f'"{c}"' for c in columns_of(database, table))
    database.execute(f'INSERT OR IGNORE INTO "{table}" ({names}) SELECT {names} FROM "{table}"')


def lose_rows(database, table, dice):
    rows = rows_of(database, table)
    database.executemany(f'DELETE FROM "{table}" WHERE rowid = ?', [(row,) for row in dice.sample(rows, len(rows) // 2)])


def lose_column(database, table, dice):
    database.execute(f'ALTER TABLE "{table}" DROP COLUMN "{dice.choice(columns_of(database, table))}"')


def lose_table(database, table, dice):
    database.execute(f'DROP TABLE "{table}"')


BREAKS = [odd_cells, odd_cells, shift_times, same_everywhere, double_rows, lose_rows, lose_column, lose_table]


def end_soon(database):
    """Files made to hurt have tables that have no end: whoever breaks them must not wait for that."""
    end = time.monotonic() + MOST_BREAKING
    database.set_progress_handler(lambda: time.monotonic() > end, 100_000)


def break_rows(path, dice):
    database = sqlite3.connect(path)
    try:
        for _ in range(dice.randint(1, 4)):
            end_soon(database)
            tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            tables = [t for t in tables if not t.startswith("ENUM_") and rows_of(database, t)]
            if not tables:
                return
            try:
                dice.choice(BREAKS)(database, dice.choice(tables), dice)
            except sqlite3.Error:
                pass  # A key column cannot be dropped, say: then this break does nothing.
        database.commit()
    except sqlite3.Error:
        pass  # Broken as it is.
    finally:
        database.close()


# What may stand where a Kineto file has a value.
ODD_JSON = ["null", "0", "-1", "1e309", "-9223372036854775808", "18446744073709551616", "0.0000001", '""', '"text"', "[]", "[[[]]]", "{}", "tru", '"\\ud800"', '"' + "x" * 70_000 + '"', "[" * 2000]
KINETO_KEYS = ["ts", "dur", "pid", "tid", "id", "ph", "cat", "name", "correlation", "External id", "stream", "device", "context", "Sequence number", "Input Dims", "Input type", "grid", "block", "bytes", "Fwd thread id", "baseTimeNanoseconds"]


def break_json(path, dice):
    """Odd values, lines lost, doubled or swapped: still text, perhaps no longer JSON."""
    text = path.read_text(errors="surrogateescape")
    for _ in range(dice.randint(1, 6)):
        key = dice.choice(KINETO_KEYS)
        places = [m for m in re.finditer(r'"%s"\s*:\s*("[^"]*"|[^,\[\]{}]+)' % re.escape(key), text)]
        if places and dice.random() < 0.7:
            place = dice.choice(places)
            text = text[: place.start(1)] + dice.choice(ODD_JSON) + text[place.end(1):]
            continue
        lines = text.split("\n")
        at, other = dice.randrange(len(lines)), dice.randrange(len(lines))
        change = dice.randrange(3)
        if change == 0:
            del lines[at]
        elif change == 1:
            lines.insert(other, lines[at])
        else:
            lines[at], lines[other] = lines[other], lines[at]
        text = "\n".join(lines)
    path.write_text(text, errors="surrogateescape")


def break_bytes(path, dice):
    data = bytearray(path.read_bytes())
    for _ in range(dice.randint(1, 200) if data else 0):
        data[dice.randrange(len(data))] = dice.randrange(256)
    if dice.random() < 0.3:
        del data[dice.randrange(len(data)):]
    path.write_bytes(data)


def trouble(xsp, arguments):
    """What is wrong with how a command ended, or nothing."""
    try:
        done = subprocess.run([*LIMITED, xsp, *arguments], capture_output=True, timeout=MOST_WAITING)
    except subprocess.TimeoutExpired:
        return f"did not end in {MOST_WAITING} s"
    if done.returncode == -signal.SIGXCPU:
        return f"took more than {MOST_SECONDS} s of CPU time"
    errors = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 2) or "Sanitizer" in errors or "runtime error" in errors:
        return f"exit {done.returncode}: {errors[:2000]}"
    if done.returncode == 2 and not errors.startswith("xsp: "):
        return f"exit 2 without saying why: {errors[:2000]}"
    return None


MAKING_STORES = threading.Lock()


def store_of(xsp, source, folder):
    """The stored trace of an export, made once; None of one that is refused."""
    stored = folder / f"sound_{source.stem}.xsp"
    with MAKING_STORES:
        if not stored.exists():
            subprocess.run([xsp, "import", source, "-o", stored, "--quiet"], capture_output=True)
    return stored if stored.exists() else None


def broken_store(xsp, seed, source, stored, folder, dice, commands):
    """Breaks the stored trace of a source and runs commands on it; returns complaints."""
    path = folder / f"broken_{seed}.xsp"
    break_store(stored, path, dice)
    complaints = []
    for command in commands:
        if problem := trouble(xsp, [part.format(file=path) for part in command]):
            complaints.append(f"seed {seed} (stored {source.name}), {' '.join(command)}: {problem}")
    if not complaints:
        shutil.rmtree(path)
    return complaints


def one_case(xsp, seed, sources, folder, has_all_commands):
    """Breaks a file and runs commands on it; returns how many, and complaints."""
    dice = random.Random(seed)
    commands, imports = COMMANDS, IMPORTS
    if not has_all_commands:
        commands = [COMMANDS[0], *dice.sample(COMMANDS[1:], SOME)]
        imports = IMPORTS if dice.random() < 0.3 else []
    source = dice.choice(sources)
    wants_store = source.suffix == ".sqlite" and dice.random() < 0.4
    if wants_store and (stored := store_of(xsp, source, folder)):
        return len(commands), broken_store(xsp, seed, source, stored, folder, dice, commands)
    path = folder / f"broken_{seed}{source.suffix}"
    shutil.copyfile(source, path)
    is_text = source.suffix == ".json"
    if dice.random() < 0.25:
        break_bytes(path, dice)
    else:
        (break_json if is_text else break_rows)(path, dice)
    names = {"file": path, "store": folder / f"broken_{seed}.xsp"}
    complaints = []
    for command in commands + imports:
        if "{store}" in command[1:2] and not names["store"].exists():
            continue
        if problem := trouble(xsp, [part.format(**names) for part in command]):
            complaints.append(f"seed {seed} ({source.name}), {' '.join(command)}: {problem}")
    shutil.rmtree(names["store"], ignore_errors=True)
    if not complaints:
        path.unlink()
    return len(commands + imports), complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("xsp")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--time", help="go on for so long instead of --count: 60s")
    parser.add_argument("--jobs", type=int, default=1, help="how many files at a time")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="xsp_fuzz_"))
    sources = options.files or SAMPLES
    if options.time and not options.files:
        sources = [*SAMPLES, *(path for path in hostile_files(folder / "hostile") if path.suffix in (".sqlite", ".json"))]
    end = time.monotonic() + float(options.time.removesuffix("s")) if options.time else None
    seeds = itertools.count(options.seed) if end else iter(range(options.seed, options.seed + options.count))
    taking = threading.Lock()

    def work():
        """Takes seeds as long as there are some; files, commands and complaints."""
        files = commands = failures = 0
        while not end or time.monotonic() < end:
            with taking:
                seed = next(seeds, None)
            if seed is None:
                break
            count, complaints = one_case(options.xsp, seed, sources, folder, has_all_commands=not end)
            for complaint in complaints:
                print(complaint, flush=True)
            files, commands, failures = files + 1, commands + count, failures + len(complaints)
        return files, commands, failures

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        done = [future.result() for future in [pool.submit(work) for _ in range(options.jobs)]]
    files, commands, failures = map(sum, zip(*done))
    print(f"{files} broken files, {commands} commands: {failures} failures" + (f", kept in {folder}" if failures else ""))
    if not failures:
        shutil.rmtree(folder)
    return 1 if failures else 0


sys.exit(main())
