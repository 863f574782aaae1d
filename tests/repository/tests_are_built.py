"""Every source of a test is built: a file that no list names would pass for ever without having run."""

import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[1]
lists = {path.parent: path.read_text() for path in root.rglob("CMakeLists.txt")}


def is_listed(source):
    """By the nearest list of files above it, or one further up, as a path from there."""
    for folder in source.parents:
        if source.relative_to(folder).as_posix() in lists.get(folder, "").replace(")", " ").split():
            return True
    return False


sources = sorted(root.rglob("*_test.cc"))
assert sources, "no tests"
forgotten = [str(source.relative_to(root)) for source in sources if not is_listed(source)]
print("\n".join(f"{source}: in no CMakeLists.txt" for source in forgotten) or f"{len(sources)} sources of tests")
sys.exit(bool(forgotten))
