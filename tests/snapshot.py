#!/usr/bin/env python3
"""What every command says of every trace, kept as files, and how two such folders differ.

    snapshot.py XSP FOLDER [PART-OF-A-NAME...]   writes FOLDER anew with what the program XSP says
    snapshot.py --compare A B                    lists what differs; exit code 1 if anything does

A change that moves code must not move a figure: make a snapshot with the program before it and one
with the program after it, and compare. The traces are those of sample_traces and, where it exists,
of ../shared/traces; FOLDER/TRACE/COMMAND.json is what a command wrote, .txt what it shows on a
terminal of 80 columns, and a command that refused leaves its exit code and message in the file.
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import sys

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS / "golden"))
from run_golden import run  # noqa: E402

SAMPLES = TESTS.parent / "sample_traces"
SHARED = TESTS.parents[1] / "shared" / "traces"
REAL_FOLDERS = ("nsys", "nsys_stats", "nsys_hard", "kineto")
MAX_BYTES = 12_000_000  # larger traces take their time, and say nothing new

JSON_COMMANDS = {
    "summary": "summary {}",
    "info": "info {}",
    "stats": "stats {}",
    "stats-trace": "stats {} -r cuda_gpu_trace,nvtx_gpu_proj_trace --top 200",
    "stats-more": "stats {} -r overlap,launch,sync,memory,osrt_sum,cuda_kern_exec_sum",
    "tree": "tree {}",
    "tree-all": "tree {} --steps all --min-share 0",
    "analyze": "analyze {}",
    "graph": "graph {}",
    "graph-edges": "graph {} --edges",
    "explain-40": "graph {} --explain 40",
    "explain-400": "graph {} --explain 400",
    "critical-path": "critical-path {}",
    "idle": "idle {}",
    "leverage": "leverage {} --top 0",
    "whatif-amp": "whatif {} --amp",
    "whatif-launches": "whatif {} --cuda-graphs --no-sync",
    "whatif-fuse": "whatif {} --fuse",
    "whatif-ddp": "whatif {} --ddp",
    "advise": "advise {}",
    "level": "level {}",
}
TEXT_COMMANDS = ("summary", "tree", "idle", "whatif-amp")
PAIRS = [  # before, after, and the what-if that leads from one to the other
    ("train_fp32.sqlite", "train_amp.sqlite", "--amp"),
    ("train_fp32.sqlite", "train_hostbound.sqlite", "--no-sync"),
    ("kineto/mlp_t4_fp32.json.gz", "kineto/mlp_t4_amp.json.gz", "--amp"),
    ("kineto/resnet50_num_workers_0.json.gz", "kineto/resnet50_num_workers_4.json.gz", "--loader=now=0"),
    ("kineto/hta_rank0.json.gz", "kineto/hta_rank1.json.gz", "--fuse"),
    ("nsys/GindaChen__nsys-ai__mfu_2gpu_before.sqlite", "nsys/GindaChen__nsys-ai__mfu_2gpu_after.sqlite", "--fuse"),
    (
        "nsys/JiangShanCode__CUDATutorial__10_fused_bias_mask_scale_and_add_fp32_report.sqlite",
        "nsys/JiangShanCode__CUDATutorial__10_fused_bias_mask_scale_and_add_fp16_report.sqlite",
        "--amp",
    ),
    (
        "nsys/caoye310__Lower-Triangular-Solves__nsys_report__la.sqlite",
        "nsys/caoye310__Lower-Triangular-Solves__nsys_report__report_la_opt.sqlite",
        "--no-sync",
    ),
]
PAIR_COMMANDS = {"diff": "diff {0} {1}", "validate": "validate {0} {1} {2}", "level": "level {0} {1}"}
MARKER = ".snapshot"  # in every such folder: what may be written anew


def jobs(parts):
    """(file in the snapshot, folder to stand in, words of a command), in the order of the files."""
    wanted = lambda name: not parts or any(part in name for part in parts)
    for root, trace in traces():
        if not wanted(str(trace)):
            continue
        file = shlex.quote(str(trace))
        for name, command in JSON_COMMANDS.items():
            yield f"{trace}/{name}.json", root, f"{command.format(file)} --format json --quiet"
        for name in TEXT_COMMANDS:
            yield f"{trace}/{name}.txt", root, f"{JSON_COMMANDS[name].format(file)} --color never"
    for before, after, whatif in PAIRS:
        root = SHARED if "/" in before else SAMPLES
        if not (wanted(before) or wanted(after)):
            continue
        if not ((root / before).exists() and (root / after).exists()):
            print(f"left out: {before} and {after} are not both there", file=sys.stderr)
            continue
        for name, command in PAIR_COMMANDS.items():
            words = command.format(shlex.quote(before), shlex.quote(after), whatif)
            yield f"{before}/{name}-{pathlib.Path(after).name}.json", root, f"{words} --format json --quiet"


def traces():
    """Folder to stand in, and a trace seen from there: paths in results are the same everywhere."""
    for path in sorted(SAMPLES.glob("*.sqlite")):
        yield SAMPLES, path.relative_to(SAMPLES)
    for folder in REAL_FOLDERS:
        if not (SHARED / folder).is_dir():
            print(f"left out: {folder} is not in ../shared/traces", file=sys.stderr)
            continue
        for path in sorted((SHARED / folder).iterdir()):
            if path.suffix in (".sqlite", ".json", ".gz") and path.stat().st_size <= MAX_BYTES:
                yield SHARED, path.relative_to(SHARED)


def take(xsp, file, root, words):
    script = f"{shlex.quote(str(xsp))} {words}"
    code, out, err = run(script, "80x24" if file.suffix == ".txt" else None, root, xsp)
    text = out.decode(errors="backslashreplace")
    if code != 0 or file.suffix == ".txt":
        text += err.decode(errors="backslashreplace")
    if code != 0:
        text = f"exit {code}\n{text}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def snapshot(xsp, folder, *parts):
    xsp, folder = pathlib.Path(xsp).resolve(strict=True), pathlib.Path(folder)
    if folder.exists():
        if not (folder / MARKER).exists():
            raise SystemExit(f"{folder} is there and is no snapshot")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARKER).touch()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        done = [pool.submit(take, xsp, folder / file, root, words) for file, root, words in jobs(parts)]
        for one in done:
            one.result()
    print(f"{len(done)} results in {folder}")
    return 0


def first_difference(a, b, path="$"):
    """(path, value in a, value in b) where two JSON values first differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(key for key in b if key not in a)]:
            if key not in a or key not in b:
                return f"{path}.{key}", a.get(key, "(nothing)"), b.get(key, "(nothing)")
            if a[key] != b[key]:
                return first_difference(a[key], b[key], f"{path}.{key}")
        return path, list(a), list(b)  # the same keys in another order
    if isinstance(a, list) and isinstance(b, list):
        for i, (one, other) in enumerate(zip(a, b)):
            if one != other:
                return first_difference(one, other, f"{path}[{i}]")
        return f"{path} (rows)", len(a), len(b)
    return path, a, b


def difference(a, b):
    """One line on where two texts, JSON or not, first differ."""
    try:
        where, one, other = first_difference(json.loads(a), json.loads(b))
        one, other = (json.dumps(value, ensure_ascii=False) for value in (one, other))
    except ValueError:
        lines = zip(a.splitlines() + [""], b.splitlines() + [""])
        at, one, other = next(
            ((i, one, other) for i, (one, other) in enumerate(lines, 1) if one != other), ("length", len(a), len(b))
        )
        where = f"line {at}"
    return f"{where}\n    - {str(one)[:160]}\n    + {str(other)[:160]}"


def results(folder):
    if not (folder / MARKER).exists():
        raise SystemExit(f"{folder} is no snapshot")
    return {file.relative_to(folder) for file in folder.rglob("*") if file.is_file() and file.name != MARKER}


def compare(*folders):
    a, b = map(pathlib.Path, folders)
    in_a, in_b = results(a), results(b)
    differing = 0
    for name in sorted(in_a | in_b):
        if name not in in_a or name not in in_b:
            print(f"{name}: only in {a if name in in_a else b}")
        elif (a / name).read_bytes() != (b / name).read_bytes():
            print(f"{name}: {difference((a / name).read_text(), (b / name).read_text())}")
        else:
            continue
        differing += 1
    print(f"{differing} of {len(in_a | in_b)} results differ")
    return 1 if differing else 0


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "--compare":
        return compare(*arguments[1:])
    if len(arguments) < 2 or arguments[0].startswith("-"):
        raise SystemExit(__doc__)
    return snapshot(*arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
