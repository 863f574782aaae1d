#!/usr/bin/env python3
"""No two types of one name: one_name.py

Two classes of one name in one namespace, in files that never meet in a compilation, link without a word; which of their
functions is called is chance. Prints where each stands. The layout of the sources (./dev format) is relied on: namespaces
and the types in them begin in the first column.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = "base model importers store live stats hierarchy graph sim diff report cli sample_traces tests".split()

OPENS = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{")
CLOSES = re.compile(r"\}  // namespace")
TYPE = re.compile(r"(?:template <.*>\s+)?(?:class|struct|union|enum(?: class| struct)?) (?:\[\[\w+\]\] |alignas\(.*?\) )?(\w+)\b(?!::)(.*)")


def types_of(text):
    """(namespace, name, line) of each type that is defined in a namespace with a name; those without are a file's own."""
    inside, lines = [], text.splitlines()
    for number, line in enumerate(lines, 1):
        if opened := OPENS.match(line):
            inside.append(opened[1])
        elif CLOSES.match(line):
            inside.pop()
        elif None not in inside and not re.fullmatch(r"template <.*>", line) and (found := TYPE.match(line)):
            is_definition = "{" in found[2] or not found[2].rstrip().endswith(";")
            is_special = found[2].startswith("<")  # Of a template, for some types.
            if is_definition and not is_special:
                yield "::".join(inside), found[1], number


def check_itself():
    text = """
namespace xsp {
struct Seen { int a; };
class Declared;
template <template <class> class Of, class T>
class [[nodiscard]] Template final : public Seen {
};
enum class Word : int { kA };
struct Outer::Inner {
};
template <> struct Template<int> {
};
namespace {
struct Own {
};
}  // namespace
namespace live {
class Longer
    : public Seen {
};
}  // namespace live
}  // namespace xsp
"""
    found = [f"{space}::{name}" for space, name, _ in types_of(text)]
    assert found == ["xsp::Seen", "xsp::Template", "xsp::Word", "xsp::live::Longer"], found


def main():
    check_itself()
    places = {}
    for module in MODULES:
        for file in sorted((ROOT / module).rglob("*")):
            if file.suffix in (".h", ".cc"):
                for space, name, line in types_of(file.read_text()):
                    places.setdefault(f"{space}::{name}", []).append(f"{file.relative_to(ROOT)}:{line}")
    assert len(places) > 500, "the sources are not read as they should be"
    twice = [f"{name} is defined in {' and '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1]
    sys.exit("\n".join(twice) or 0)


main()
