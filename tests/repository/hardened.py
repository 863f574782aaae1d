"""What is shipped is built to give a bug in it as little as possible: hardened.py FILE...

Loaded anywhere (PIE, or a library), with tables of functions that are read-only before the first line runs, and with
buffers that stop the program where they are written beyond their end.
"""

import re
import subprocess
import sys


def missing(file):
    text = subprocess.run(["readelf", "-W", "-h", "-l", "-d", "--dyn-syms", file], check=True, capture_output=True, text=True).stdout
    wanted = {
        "can be loaded anywhere": r"Type: +DYN",
        "relocations are read-only": r"GNU_RELRO",
        "all of them are made at the start": r"BIND_NOW|Flags:.* NOW",
        "the stack is no code": r"GNU_STACK .* RW ",
        "the stack is guarded": r"UND __stack_chk_fail",
        "buffers of known sizes are": r"UND __\w+_chk@",
    }
    return [f"{file}: not so: {what}" for what, pattern in wanted.items() if not re.search(pattern, text)]


wrong = [line for file in sys.argv[1:] for line in missing(file)]
print("\n".join(wrong) or "fine")
sys.exit(bool(wrong))
