#include "store/parquet/schema.h"

#include "base/enum_names.h"
#include "store/detail_names.h"
#include "store/parquet/bound_tables.h"
#include "store/stored_trace.h"

namespace xsp {
namespace {

constexpr std::string_view kIntroduction =
    R"(<!-- Made by store/parquet/schema.cc; a test compares the two. XSP_UPDATE_GOLDEN=1 rewrites this file. -->

# The stored trace

`xsp import run.sqlite` writes the folder `run.xsp/`: one Parquet file per table (`events.parquet`, `kernels.parquet`, …,
compressed with zstd) and `manifest.json`. Anything that reads Parquet reads it as it is:

```sql
-- DuckDB: the kernels that took most time
SELECT s.text AS kernel, count(*) AS n, sum(e.end_ns - e.begin_ns) AS ns
FROM 'run.xsp/events.parquet' e JOIN 'run.xsp/strings.parquet' s ON s.id = e.name
WHERE e.kind = 'kernel' GROUP BY 1 ORDER BY 3 DESC LIMIT 10;
```

```python
import pyarrow.parquet as pq
kernels = pq.read_table("run.xsp/kernels.parquet").to_pandas()
```

- **A table without rows has no file.** The manifest lists every table with its number of rows.
- Rows refer to rows of other tables by number: "a row of strings" means the `id` of `strings`. Tables of details have a column
  `event`, which is the `id` of the event that the row describes.
- Times are nanoseconds on the trace's own clock, `trace.utc_start_ns` of the manifest is the UTC of its zero.
- What the source did not say is null, never 0 – but only columns marked "may be null" ever are.
- Texts are UTF-8.

)";

constexpr std::string_view kManifest = R"(
## manifest.json

| field | meaning |
|---|---|
| `xsp_stored_trace` | version of the format: `major`, `minor` |
| `writer` | the program that wrote it |
| `source` | the file it was made from: `name`, `bytes`, `mtime_ns`, `sha256` (empty if it was not hashed) |
| `trace` | where the trace came from, how it was recorded, what it lacks; unknown is null |
| `kinds` | number of events of each kind |
| `tables` | each table's `rows` and, if there are any, `bytes` and `sha256` of its file |
| `import_log` | `tables`: rows of the source `read`, `kept`, `set_aside`; `issues`: oddities by `table` and `reason`, their `count` and a `sample` |
| `manifest_sha256` | SHA-256 of the manifest without this field, as two-space indented JSON |

## Kept results

The first look (`xsp run.xsp`) of a whole trace is worked out once and kept as `first_look.kept`. That file is no part of the stored trace: nobody needs it,
it can be deleted at any time, and other readers ignore it. Its lines are `xsp kept result 1`, a checksum of the sources of the xsp that made it, the
SHA-256 of the `manifest.json` it belongs to, and that of the result, which follows as JSON. Where one of them does not fit, or a table no longer has the
size that the manifest says, the result is worked out anew. It is written only where the folder belongs to the user who looks, with the access rights of the manifest.

## Small tables

`steps.parquet`, `budget.parquet`, `collective_instances.parquet`, `segments.parquet` and `facts.parquet` carry texts, for questions about many ranks and for
SQL: [dataset.md](dataset.md) describes them. They are kept results, too: `ranks.kept` says that they are whole and belong to this manifest. Without it, or by
other rules, they are made anew where they are needed.

## Versions

A reader takes every minor version of its own major version: columns, tables and fields that it does not know are ignored. A
change of meaning, a new kind of event or a new reason in the import log raises the major version, and an older reader refuses.
1.1 added the tables `operators` and `operands`, the column `rank` of `processes`, and `operation`, `group`, `type` and `sequence` of `collectives`;
in a trace from before they are empty.
The folder is written under a hidden name beside its final one and renamed when it is complete, so a folder with a manifest is whole.
)";

std::string Row(const ColumnSchema& column) {
  std::string row = "| `" + std::string(column.name) + "` | " + std::string(NameOf(column.type));
  row += " | " + std::string(column.unit) + " | " + (column.nullable ? "may be null" : "") + " | ";
  return row + std::string(column.doc) + " |\n";
}

// Which table has the details of events of each kind.
std::string Kinds() {
  std::string text =
      "\n## Kinds of events\n\nEvents stand in this order; those of one kind are sorted by "
      "`begin_ns`.\n\n| kind | details in |\n|---|---|\n";
  for (std::size_t i = 0; i < kKindGroups.size(); ++i) {
    for (std::size_t k = IndexOf(kKindGroups[i].first); k <= IndexOf(kKindGroups[i].last); ++k) {
      text += "| `" + std::string(NameOf(static_cast<EventKind>(k))) + "` | `" +
              std::string(kDetailNames[i].name) + "` |\n";
    }
  }
  return text;
}

}  // namespace

std::string_view NameOf(ValueType type) {
  constexpr EnumNames<ValueType::kText> kNames(
      {"uint8", "uint32", "uint64", "int32", "int64", "string"});
  return kNames[type];
}

std::string TableDocumentation(const TableSchema& table) {
  std::string text = "\n### " + std::string(table.name) + "\n\n" + std::string(table.doc) + "\n\n";
  text += "| column | type | unit | null | meaning |\n|---|---|---|---|---|\n";
  for (const ColumnSchema& column : table.columns) text += Row(column);
  return text;
}

std::vector<TableSchema> StoredSchema() {
  TraceTables none;
  std::vector<TableSchema> schemas;
  for (BoundTable& table : BindTables(none)) schemas.push_back(std::move(table.schema));
  return schemas;
}

std::string StoredTraceDocumentation() {
  std::string text(kIntroduction);
  text += "Format " + std::to_string(kFormatMajor) + "." + std::to_string(kFormatMinor) +
          ".\n\n## Tables\n";
  for (const TableSchema& table : StoredSchema()) text += TableDocumentation(table);
  return text + Kinds() + std::string(kManifest);
}

}  // namespace xsp
