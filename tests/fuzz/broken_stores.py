"""Breaks stored traces and seals them again, as somebody would who means harm.

Checksums stop accidents. Here every checksum is right, and the content is not: odd numbers in
columns, rows lost, doubled or in another order, bytes of Parquet files changed, fields of the
manifest replaced. Needs pyarrow to change columns; without it, only bytes and the manifest change.
"""

import hashlib
import json
import pathlib
import shutil
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / ".deps/python"))
try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    pyarrow = None

ODD_FIELDS = [None, 0, -1, 1, 2**31, 2**32 - 1, 2**63, 1.5, "", "text", [], {}, True, "x" * 5000]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def read_manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def seal(folder, manifest):
    """Writes the manifest with the checksum that its own content has, as xsp lays it out."""
    manifest.pop("manifest_sha256", None)
    manifest["manifest_sha256"] = sha256(json.dumps(manifest, indent=2, ensure_ascii=False).encode())
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    (folder / "manifest.json").write_text(text + "\n")


def replace_file(folder, manifest, name, data, rows=None):
    (folder / f"{name}.parquet").write_bytes(data)
    entry = manifest["tables"][name]
    entry.update(bytes=len(data), sha256=sha256(data))
    if rows is not None:
        entry["rows"] = rows


def break_field(folder, manifest, dice):
    """One field somewhere in the manifest."""
    at = manifest
    while True:
        key = dice.choice(list(at) if isinstance(at, dict) else range(len(at)))
        inner = at[key]
        if isinstance(inner, (dict, list)) and inner and dice.random() < 0.8:
            at = inner
            continue
        at[key] = inner + dice.choice([1, -1, 2**32]) if type(inner) is int and dice.random() < 0.5 else dice.choice(ODD_FIELDS)
        return


def break_bytes(folder, manifest, dice):
    name = dice.choice([n for n, t in manifest["tables"].items() if t.get("rows")])
    data = bytearray((folder / f"{name}.parquet").read_bytes())
    for _ in range(dice.randint(1, 8)):
        data[dice.randrange(len(data))] = dice.randrange(256)
    replace_file(folder, manifest, name, bytes(data))


def odd_values(column, dice):
    """A column with odd values in few rows or in many, all within its type."""
    values = column.to_pylist()
    if pyarrow.types.is_string(column.type) or pyarrow.types.is_binary(column.type):
        odd = ["", "\x1b[2J", "x" * 10000, values[0]]
    else:
        bits = column.type.bit_width
        signed = pyarrow.types.is_signed_integer(column.type)
        top = 2 ** (bits - 1) if signed else 2**bits
        odd = [0, 1, len(values), len(values) - 1, top - 1, top - 2, values[-1]] + ([-top, -1] if signed else [])
    for row in dice.sample(range(len(values)), dice.randint(1, len(values))):
        values[row] = dice.choice(odd)
        if dice.random() < 0.7:
            break
    return pyarrow.array(values, type=column.type)


def break_table(folder, manifest, dice):
    name = dice.choice([n for n, t in manifest["tables"].items() if t.get("rows")])
    path = folder / f"{name}.parquet"
    table = pyarrow.parquet.read_table(path)
    change = dice.randrange(4)
    if change == 0:
        order = list(range(table.num_rows))
        dice.shuffle(order)
        table = table.take(order)
    elif change == 1:
        keep = dice.randrange(table.num_rows)
        table = table.slice(0, keep) if keep else table
    else:
        at = dice.randrange(table.num_columns)
        field = table.schema.field(at)
        table = table.set_column(at, field, odd_values(table.column(at), dice))
    pyarrow.parquet.write_table(table, path)
    replace_file(folder, manifest, name, path.read_bytes(), table.num_rows)


def break_store(source, target, dice):
    """Makes `target` a broken copy of the stored trace `source`."""
    shutil.copytree(source, target)
    manifest = read_manifest(target)
    breaks = [break_field, break_bytes] + [break_table] * (4 if pyarrow else 0)
    for _ in range(dice.randint(1, 3)):
        try:
            dice.choice(breaks)(target, manifest, dice)
        except (KeyError, TypeError, IndexError, ValueError, AttributeError, OSError, OverflowError):
            pass  # What an earlier break left cannot be broken in this way any more.
    seal(target, manifest)
