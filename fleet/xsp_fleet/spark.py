"""The same on Spark: a task per trace, and SQL over the small tables."""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark import cloudpickle

import xsp_fleet
from xsp_fleet.task import ImportOptions, Outcome, import_trace
from xsp_fleet.views import TABLES, portable_views

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# What Arrow gives must be what Spark was promised, to the width of a number.
_ROW = pa.schema(
    [
        ("path", pa.string()),
        ("rank", pa.int64()),
        ("outcome", pa.string()),
        ("stored", pa.string()),
        ("trouble", pa.string()),
        ("host", pa.string()),
        ("seconds", pa.float64()),
    ]
)
_ROW_DDL = "path string, rank long, outcome string, stored string, trouble string, host string, seconds double"
_SHIPPED = "xsp_shipped"


def import_run(spark: SparkSession, paths: Sequence[str], options: ImportOptions) -> list[Outcome]:
    """Imports traces that the workers see under these paths. Tasks of a worker that dies run again elsewhere."""
    if not paths:
        return []
    names = list(paths)
    cloudpickle.register_pickle_by_value(xsp_fleet)  # Workers need not have this package.

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                outcomes = import_trace(names[number], _on_worker(options))
                yield pa.RecordBatch.from_pylist([asdict(outcome) for outcome in outcomes], schema=_ROW)

    # A row and a partition for each trace: a task, as far as Spark is concerned.
    numbers = spark.range(0, len(names), 1, len(names))
    rows = numbers.mapInArrow(work, _ROW_DDL).collect()
    return [Outcome(**row.asDict()) for row in rows]


def ship(spark: SparkSession, installed: str) -> str:
    """Sends what `cmake --install --prefix installed` made to all workers; gives what to put into ImportOptions.xsp."""
    archive = os.path.join(tempfile.mkdtemp(prefix="xsp_fleet_"), f"{_SHIPPED}.tar.gz")
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(installed, arcname=".")
    spark.sparkContext.addArchive(f"{archive}#{_SHIPPED}")
    return f"{_SHIPPED}:bin/xsp"


def _on_worker(options: ImportOptions) -> ImportOptions:
    where, _, program = options.xsp.partition(":")
    if where != _SHIPPED:
        return options
    from pyspark import SparkFiles

    return replace(options, xsp=os.path.join(SparkFiles.get(_SHIPPED), program))


def open_dataset(spark: SparkSession, dataset: str) -> None:
    """Makes the small tables of a dataset, and the views of xsp.sql over them, known to spark.sql."""
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")  # A run may be called 007.
    for table in TABLES:
        frame = spark.read.option("basePath", dataset).parquet(
            os.path.join(dataset, "run=*", "global_rank=*", f"{table}.parquet")
        )
        frame.withColumn("global_rank", frame["global_rank"].cast("long")).createOrReplaceTempView(table)
    for statement in portable_views():
        spark.sql(statement)


def query(spark: SparkSession, dataset: str, statements: Iterable[str]) -> DataFrame:
    """The result of the last of some statements."""
    open_dataset(spark, dataset)
    frame = None
    for statement in statements:
        frame = spark.sql(statement)
    if frame is None:
        raise ValueError("no statement given")
    return frame
