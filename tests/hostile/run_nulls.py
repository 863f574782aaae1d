"""An export in which one column is NULL in every other row: run_nulls.py XSP EXPORT [COMMAND...]

Of every column of every table of events in turn, where the schema says NOT NULL, too: nothing that a file may leave out is
counted on. Each command answers or says one line. More COMMANDs are run beside the first look and stats.
"""

import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

EVENTS = ("CUPTI_", "NVTX_", "OSRT_", "CUDA_", "TARGET_INFO_", "MPI_")


def without_rules(export, copy):
    """A copy whose schema forbids nothing, with a second thread: what one waits for, the other launches."""
    shutil.copyfile(export, copy)
    database = sqlite3.connect(copy)
    database.execute("PRAGMA writable_schema = 1")
    database.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')")
    database.commit()
    database.close()
    database = sqlite3.connect(copy)
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    database.execute("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + 1 WHERE correlationId % 3 = 0")
    database.commit()
    columns = [(table, row[1]) for table in tables if table.startswith(EVENTS) for row in database.execute(f'PRAGMA table_info("{table}")')]
    database.close()
    return columns


def trouble(xsp, command, file):
    done = subprocess.run([xsp, *command[:1], file, *command[1:]], capture_output=True, timeout=120)
    if done.returncode == 0 or (done.returncode == 2 and re.fullmatch(rb"xsp: [^\n]+\n", done.stderr)):
        return ""
    return f"exit {done.returncode} {done.stderr.decode(errors='replace')[-300:]}"


def main():
    xsp, export, *more = sys.argv[1:]
    wrong = []
    with tempfile.TemporaryDirectory(prefix="xsp_nulls_") as base:
        sound, broken = pathlib.Path(base) / "sound.sqlite", pathlib.Path(base) / "broken.sqlite"
        for table, column in without_rules(export, sound):
            shutil.copyfile(sound, broken)
            database = sqlite3.connect(broken)
            database.execute(f'UPDATE "{table}" SET "{column}" = NULL WHERE rowid % 2 = 0')
            database.commit()
            database.close()
            for command in [], ["stats"], *([word] for word in more):
                if problem := trouble(xsp, command, broken):
                    wrong.append(f"{' '.join(command) or 'first screen'}, {table}.{column}: {problem}")
    print("\n".join(wrong) or "fine")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
