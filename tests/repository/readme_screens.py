#!/usr/bin/env python3
"""The screens in the README are what the program shows: readme_screens.py XSP [--update]

A command in backquotes, `xsp ... sample_traces/...`, stands before each screen, a block of code.
With --update, or XSP_UPDATE_GOLDEN=1, the screens are written anew.
"""
import difflib
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCREEN = re.compile(r"(`xsp (?P<command>[^`]*sample_traces/[^`]*)`[^`]*?```\n)(?P<screen>.*?)(?=```\n)", re.S)


def main():
    xsp = str(pathlib.Path(sys.argv[1]).resolve())
    is_update = "--update" in sys.argv or os.environ.get("XSP_UPDATE_GOLDEN") == "1"
    readme = ROOT / "README.md"
    faults = []

    def shown(match):
        words = shlex.split(match["command"])
        run = subprocess.run([xsp, *words], cwd=ROOT, capture_output=True, text=True, check=True)
        if run.stdout != match["screen"]:
            faults.extend(difflib.unified_diff(match["screen"].split("\n"), run.stdout.split("\n"),
                                               "README.md", match["command"], lineterm=""))
        return match[1] + run.stdout

    text = readme.read_text()
    new, count = SCREEN.subn(shown, text)
    assert count >= 2, f"{count} screens found in the README"
    if is_update:
        readme.write_text(new)
    elif faults:
        print("\n".join(faults))
        sys.exit("the README shows other screens: tests/repository/readme_screens.py XSP --update")
    print(f"{count} screens")


main()
