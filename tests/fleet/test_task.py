#!/usr/bin/env python3
"""The task function without any engine: what it makes of what the program says, and of programs that crash, hang or are not there."""

import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "fleet"))
from xsp_fleet.task import ImportOptions, command_line, import_trace, summary  # noqa: E402
from xsp_fleet.views import TABLES, duckdb_views, portable_views  # noqa: E402

ROW = '{"rank": %d, "outcome": "%s", "stored": "ds/x", "trouble": null}'


class TaskTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, script: str) -> ImportOptions:
        file = Path(self.folder.name) / "xsp"
        file.write_text("#!/bin/bash\n" + script, encoding="utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return ImportOptions("ds", "run 1", str(file), timeout_s=2)

    def test_ranks_of_a_file_come_back(self) -> None:
        options = self.program(f"echo '{{\"ranks\": [{ROW % (3, 'written')}, {ROW % (4, 'up to date')}]}}'")
        outcomes = import_trace("a.sqlite", options)
        self.assertEqual([(o.rank, o.outcome, o.is_there) for o in outcomes], [(3, "written", True), (4, "up to date", True)])
        self.assertEqual(summary(outcomes), "1 up to date, 1 written")

    def test_trouble_that_xsp_names_is_an_outcome_and_not_tried_again(self) -> None:
        options = self.program("echo x >> $(dirname $0)/tries; echo 'xsp: a.sqlite: is empty' >&2; exit 2")
        (outcome,) = import_trace("a.sqlite", options)
        self.assertEqual((outcome.outcome, outcome.trouble), ("failed", "xsp: a.sqlite: is empty"))
        self.assertEqual((Path(self.folder.name) / "tries").read_text(), "x\n")

    def test_a_program_that_was_killed_is_started_again(self) -> None:
        done = f"echo '{{\"ranks\": [{ROW % (0, 'written')}]}}'"
        options = self.program(f"cd $(dirname $0); if [ -e once ]; then {done}; else touch once; kill -9 $$; fi")
        (outcome,) = import_trace("a.sqlite", options)
        self.assertEqual(outcome.outcome, "written")

    def test_a_program_that_hangs_or_is_missing_is_said(self) -> None:
        (outcome,) = import_trace("a.sqlite", self.program("exec sleep 60"))
        self.assertEqual(outcome.trouble, "took longer than 2 s")
        (outcome,) = import_trace("a.sqlite", ImportOptions("ds", "r", os.path.join(self.folder.name, "none")))
        self.assertIn("cannot start", str(outcome.trouble))

    def test_the_command_line_has_what_was_asked_for(self) -> None:
        words = command_line("a b.sqlite", ImportOptions("ds", "r", rank_regex="r([0-9]+)", more=("--salvage",)))
        self.assertEqual(words[:3], ["xsp", "import", "a b.sqlite"])
        self.assertIn("--salvage", words)
        self.assertIn("r([0-9]+)", words)

    def test_views_say_where_files_are_only_to_duckdb(self) -> None:
        self.assertEqual(len(duckdb_views()), len(portable_views()) + len(TABLES))
        self.assertFalse([view for view in portable_views() if "read_parquet" in view])
        self.assertTrue(all(view.startswith("CREATE OR REPLACE TEMP VIEW") for view in duckdb_views()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
