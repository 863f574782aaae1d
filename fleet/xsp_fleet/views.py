"""The views of xsp.sql, the same for every engine."""

from __future__ import annotations

from pathlib import Path

TABLES = ("steps", "budget", "collective_instances", "segments", "facts")

_PORTABLE = "-- From here on for every engine."


def sql_text() -> str:
    return Path(__file__).with_name("xsp.sql").read_text(encoding="utf-8")


def statements_of(text: str) -> list[str]:
    """The statements of a text without comments in strings: what stands between semicolons at the end of a line."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]
    return [one.strip() for one in "\n".join(lines).split(";\n") if one.strip().rstrip(";").strip()]


def duckdb_views() -> list[str]:
    """All statements, for DuckDB."""
    return [statement.rstrip(";") for statement in statements_of(sql_text() + "\n")]


def portable_views() -> list[str]:
    """Without those that say where the files are."""
    return [statement.rstrip(";") for statement in statements_of(sql_text().split(_PORTABLE, 1)[1] + "\n")]
