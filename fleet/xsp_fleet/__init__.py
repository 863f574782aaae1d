"""Imports the traces of many ranks on a Spark cluster, and asks the dataset that they become."""

from xsp_fleet.task import ImportOptions, Outcome, import_trace

__all__ = ["ImportOptions", "Outcome", "import_trace"]
