#!/usr/bin/env python3
"""What base/ has, nobody writes again; and no folder of the core is a wall of files.

Prints file:line of each old shape with what to use instead. Where one has to stay, its file stands
in the row, with the reason."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORE = "base model importers store live stats hierarchy graph sim diff report cli".split()
MOST_FILES = 32  # .h and .cc in one folder, without its rooms.

# What is banned, a line that has it, what to use instead, and where it may stay.
SHAPES = [
    (r"\bnth_element\b", "std::nth_element(a, b, c);", "base/quantile.h", {}),
    (r"__cxa_demangle", "abi::__cxa_demangle(name, 0, 0, 0)", "base/demangle.h", {}),
    (r"^(inline |static )?(std::string|auto) (Join|Joined|Listed)\(", "std::string Joined(const T& t) {",
     "Joined of base/text.h", {}),
    (r"^(inline |static )?std::vector<std::string(_view)?> Split\(",
     "std::vector<std::string> Split(x) {", "Split of base/text.h", {}),
    (r"\b(std|fs|filesystem)::rename\(|(?<![\w:.])rename\(", "    if (rename(a, b) != 0) {",
     "base/file_in_progress.h", {
         "store/folder_in_progress.cc": "a folder, exchanged with the old one",
         "store/baselines/baselines.cc": "folders of runs that are whole",
         "store/dataset/rank_store.cc": "a file that is hashed while it is written",
         "cli/inputs/nsys_report.cc": "a file that another program writes",
     }),
    (r"std::j?thread\b(?!::id)|std::async\b", "std::jthread t;", "base/workers.h", {
        "importers/kineto/reader.cc": "pieces in the order of the file while it is read on",
        "cli/commands/diff.cc": "the next trace is opened meanwhile",
        "cli/inputs/hash_task.cc": "one task in the background",
    }),
    (r"(?i)0x9e3779b97f4a7c15|0xbf58476d1ce4e5b9|0xff51afd7ed558ccd|0xcbf29ce484222325|0x100000001b3|1099511628211",
     "x * 0x9E3779B97F4A7C15u", "base/hash.h", {
         "cli/inputs/nsys_report.cc": "FNV-1a names files that exist",
     }),
    (r"\b(gmtime|localtime|timegm|mktime|strftime)(_r)?\(", "::gmtime_r(&a, &b);", "base/dates.h", {}),
    (r"pattern\[\w+\] == '\*'", "if (pattern[p] == '*') {", "base/glob.h", {}),
]
OUTSIDE = ("base/", "live/inject/")  # The library that is injected links nothing.


def files():
    for folder in CORE:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".h", ".cc"):
                yield file.relative_to(ROOT).as_posix(), file


def old_shapes():
    needed = set()
    for name, file in files():
        if name.startswith(OUTSIDE):
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            code = line.split("//")[0]
            for shape, _, instead, stays in SHAPES:
                if not re.search(shape, code):
                    continue
                if name in stays:
                    needed.add((shape, name))
                else:
                    yield f"{name}:{number}: {line.strip()}\n    use {instead}"
    for shape, _, _, stays in SHAPES:
        for name in stays:
            if (shape, name) not in needed:
                yield f"{name}: need not be excepted any more (tests/repository/one_place.py)"


def full_folders():
    count = {}
    for name, _ in files():
        folder = name.rsplit("/", 1)[0]
        count[folder] = count.get(folder, 0) + 1
    for folder, number in count.items():
        if number > MOST_FILES:
            yield f"{folder}: {number} files, more than {MOST_FILES}: make rooms"


def main():
    for shape, example, _, _ in SHAPES:
        assert re.search(shape, example), f"{shape} does not find {example}"
    faults = [*old_shapes(), *full_folders()]
    if faults:
        sys.exit("\n".join(faults))


main()
