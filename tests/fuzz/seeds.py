"""Writes what fuzzers begin with, one folder per target, from samples that stand in the repository as text."""
import gzip
import json
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/hostile"))
import run_given  # noqa: E402
import run_made  # noqa: E402
import run_nulls  # noqa: E402

IMPORTERS = ROOT / "tests/golden/importers"
CLI = ROOT / "tests/golden/cli"
HOSTILE = ROOT.parent / "shared/traces/hostile"  # Where it is to be had.
LARGEST = 400_000  # Of a larger file a fuzzer would change next to nothing in a minute.
EVENTS = 300  # Of a Kineto file.

# One change of each kind that docs/whatif.md lists.
CHANGES = [
    {"scale": 0.5}, {"duration_us": 10}, {"gap_scale": 0.5}, {"remove": "operation"}, {"remove": "call"},
    {"insert": {"kernel": "cast", "duration_us": 5, "where": "before"}}, {"stream": "other"},
    {"schedule": {"channel": "link", "priority": 2}}, {"wait": "none"},
    {"select": None, "retime": {"latency": "submit.kernel", "scale": 0.5}}, {"select": None, "ignore": "launch_queue"},
    {"select": None, "whatif": "faster", "options": "name=*,by=2"},
]


def sql_of(path):
    lines = path.read_text().split("\n")
    return "\n".join((IMPORTERS / line[6:].strip()).read_text() if line.startswith(".read ") else line for line in lines)


def write_exports(folder):
    """Each in small pages: a change then hits something more often."""
    for source in sorted(IMPORTERS.glob("*.sql")):
        target = folder / f"{source.stem}.sqlite"
        target.unlink(missing_ok=True)
        database = sqlite3.connect(target)
        database.execute("PRAGMA page_size = 512")
        database.executescript(sql_of(source))
        database.close()


def files_of_cases(ending):
    """The files of that ending that golden cases have in them."""
    for case in sorted(CLI.glob("*.case")):
        name, lines = None, []
        for line in case.read_text().split("\n") + ["--- end"]:
            if not line.startswith("--- "):
                lines.append(line)
                continue
            if name:
                yield f"{case.stem}_{name}", "\n".join(lines)
            words = line.split()
            name, lines = (words[2] if words[1] == "file" and words[2].endswith(ending) else None), []


def write_texts(folders):
    for name, text in files_of_cases(".csv"):
        (folders["ncu_csv"] / name).write_text(text)
    for name, text in files_of_cases(".json"):
        for target, word in (("kernel_rules", '"rules"'), ("diff_policy", '"xsp_policy"'), ("kineto_json", '"traceEvents"')):
            if word in text:
                (folders[target] / name).write_text(text)
    for source in sorted(IMPORTERS.glob("kineto_*.json")):
        (folders["kineto_json"] / source.name).write_bytes(source.read_bytes())
    rules = json.loads((ROOT / "model/names/kernel_rules.json").read_text())["rules"]
    for first in range(0, len(rules), 10):
        (folders["kernel_rules"] / f"built_in_{first}.json").write_text(json.dumps({"rules": rules[first:first + 10]}))
    for pack in sorted((ROOT / "model/names/frameworks").glob("*.json")):
        (folders["framework_names"] / pack.name).write_bytes(pack.read_bytes())
    for number, line in enumerate((ROOT / "tests/data/framework_texts.tsv").read_text().splitlines()):
        (folders["framework_names"] / f"text_{number}.txt").write_text(line.split("\t")[-1])
    annotations = {"1": {"fqn_map": {"p1": "encoder.linear.weight"}, "graph_id": 0}, "42": [{"name": "norm"}, {"str": "x"}]}
    (folders["graph_names"] / "annotations.json").write_text(json.dumps(annotations))
    noise = {"xsp_noise": 1, "step": {"squares": 8.3e-05, "degrees": 30.0}, "span": {"squares": 8.3e-05, "degrees": 30.0}}
    run = {"baseline": "main", "run": "20260131T120000Z-8afcc1ea1ddf", "source": "a.sqlite", "gpu": "T4", "steps": 5, "step_ns": 100, "span_ns": 900}
    for name, document in ("noise", noise), ("index", {"xsp_baselines": 1, "runs": [run, {**run, "baseline": "feature/x"}]}):
        (folders["baseline_files"] / name).write_text(json.dumps(document))
    for number, text in enumerate(re.findall(r"```json\n(.*?)```", (ROOT / "docs/whatif.md").read_text(), re.S)):
        (folders["whatif_json"] / f"documented_{number}.json").write_text(text)
    for number, change in enumerate(CHANGES):
        change = {"what": "x", "select": {"name": "*gemm*"}, **change}
        whatif = {"name": "w", "changes": [{key: value for key, value in change.items() if value is not None}]}
        (folders["whatif_json"] / f"change_{number}.json").write_text(json.dumps(whatif))


def write_operations(folder):
    """The first byte says which form it is (operations_table.cc)."""
    (folder / "file").write_bytes(b"\0" + (ROOT / "tests/data/job_operations.parquet").read_bytes())
    for rows in 1, 20, 200:
        dice = random.Random(rows)
        (folder / f"rows_{rows}").write_bytes(b"\1" + bytes(dice.randrange(256) for _ in range(10 * rows)))
        # Four workers that do the same, one after the other.
        table = [[row % 12, row // 12 % 4, row // 48, 0, row % 12 * 20, 20, row // 12 % 2, row // 24 % 2, 0, row % 3] for row in range(rows)]
        (folder / f"job_{rows}").write_bytes(b"\1" + bytes(value % 250 for row in table for value in row))


def small_kineto(packed):
    document = json.loads(gzip.open(packed).read())
    document["traceEvents"] = document["traceEvents"][:EVENTS]
    return json.dumps(document).encode()


def hostile_files(folder):
    """Files made to hurt, small ones whole and Kineto files in part; stored traces as folders."""
    folder.mkdir(parents=True, exist_ok=True)
    for packed in sorted(HOSTILE.glob("*.gz")):
        target = folder / packed.name.removesuffix(".gz").removesuffix(".tar")
        if packed.name.endswith(".tar.gz"):
            tarfile.open(packed).extractall(folder)
        else:
            data = small_kineto(packed) if target.suffix == ".json" else gzip.open(packed).read()
            if len(data) > LARGEST:
                continue
            target.write_bytes(data)
        yield target
    yield from made_files(folder)


MADE = [run_made.nested_launches, run_made.processes, run_made.unnamed_calls, run_made.odd_device, run_made.streams, run_made.at_once, run_made.threads,
        run_made.devices, run_made.one_correlation, run_made.reversed_calls, run_made.no_time, run_made.nested_operations,
        run_made.nested_modules, run_made.symbols]
MADE_EVENTS = 200


def made_files(folder):
    """What tests/hostile makes, a few hundred of each instead of ten thousands, and exports whose values are missing."""
    run_made.COUNT = MADE_EVENTS // 2
    for case in MADE:
        target = folder / f"made_{case.__name__}.json"
        target.write_text(run_made.text_of(case()[:MADE_EVENTS]))
        yield target
    target = folder / "names.whatif"
    target.write_text(json.dumps(run_given.WHATIF))
    yield target
    sound = folder / "sound"
    columns = {}
    for table, column in run_nulls.without_rules(ROOT / "sample_traces/hpc_old.sqlite", sound):
        columns.setdefault(table, []).append(f'"{column}" = NULL')
    for table, missing in columns.items():
        target = folder / f"nulls_{table.lower()}.sqlite"
        target.write_bytes(sound.read_bytes())
        database = sqlite3.connect(target)
        database.execute(f'UPDATE "{table}" SET {", ".join(missing)} WHERE rowid % 2 = 0')
        database.commit()
        database.close()
        yield target


def write_hostile(folder, folders):
    of_ending = {".sqlite": "nsys_sqlite", ".json": "kineto_json", ".whatif": "whatif_json"}
    for path in hostile_files(folder):
        if path.suffix != ".xsp":
            (folders[of_ending[path.suffix]] / path.name).write_bytes(path.read_bytes())
            continue
        (folders["stored_manifest"] / path.stem).write_bytes((path / "manifest.json").read_bytes())
        for table in sorted(path.glob("*.parquet")):
            for number in range(0, 32, 4):  # The first byte says which table it stands for.
                (folders["stored_table"] / f"{path.stem}_{table.stem}_{number}").write_bytes(bytes([number]) + table.read_bytes())


def write_seeds(folder, targets, program):
    """`program`: fuzz_seeds, which writes what is no text."""
    folders = {target: folder / target for target in targets}
    for path in folders.values():
        path.mkdir(parents=True, exist_ok=True)
    write_exports(folders["nsys_sqlite"])
    write_texts(folders)
    write_hostile(folder / "hostile", folders)
    write_operations(folders["operations_table"])
    subprocess.run([program, folder], check=True)
    return folders
