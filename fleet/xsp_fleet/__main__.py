"""python3 -m xsp_fleet import|sql: see docs/dataset.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from xsp_fleet.spark import import_run, query, ship
from xsp_fleet.task import ImportOptions, summary
from xsp_fleet.views import statements_of


def _session(arguments: argparse.Namespace) -> SparkSession:
    builder = SparkSession.builder.appName(f"xsp {arguments.command}")
    if arguments.master:
        builder = builder.master(arguments.master)
    for setting in arguments.conf:
        key, _, value = setting.partition("=")
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _import(arguments: argparse.Namespace) -> int:
    paths = list(arguments.paths)
    if arguments.list:
        paths += [line for line in Path(arguments.list).read_text(encoding="utf-8").splitlines() if line.strip()]
    spark = _session(arguments)
    program = ship(spark, arguments.ship) if arguments.ship else arguments.xsp
    options = ImportOptions(arguments.dataset, arguments.run, program, arguments.rank_regex)
    outcomes = import_run(spark, paths, options)
    for outcome in outcomes:
        if not outcome.is_there:
            print(f"xsp_fleet: {outcome.path}: {outcome.trouble} (on {outcome.host})", file=sys.stderr)
    print(f"run {arguments.run} in {arguments.dataset}: {summary(outcomes)}")
    return 0 if all(outcome.is_there for outcome in outcomes) else 2


def _sql(arguments: argparse.Namespace) -> int:
    spark = _session(arguments)
    query(spark, arguments.dataset, statements_of(arguments.statement + "\n")).show(arguments.rows, truncate=False)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="xsp_fleet", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--dataset", required=True, help="the dataset's folder, as the workers see it")
    common.add_argument("--master", help="spark://host:7077, local[4], yarn; default: what spark-submit says")
    common.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="settings of Spark")
    one = commands.add_parser("import", parents=[common], help="traces become ranks of a run, a task for each")
    one.add_argument("paths", nargs="*", help="traces, as the workers see them")
    one.add_argument("--list", help="a file with more of them, one per line")
    one.add_argument("--run", required=True, help="the name of the run")
    one.add_argument("--rank-regex", help="finds the rank in a file's name, where nothing in the file tells it")
    where = one.add_mutually_exclusive_group()
    where.add_argument("--xsp", default="xsp", help="the program, as the workers see it")
    where.add_argument("--ship", metavar="DIR", help="what cmake --install made: sent along with the job")
    other = commands.add_parser("sql", parents=[common], help="a query over the small tables and the views of xsp.sql")
    other.add_argument("statement")
    other.add_argument("--rows", type=int, default=50)
    arguments = parser.parse_args()
    return _import(arguments) if arguments.command == "import" else _sql(arguments)


if __name__ == "__main__":
    sys.exit(main())
