#include "store/dataset/rank_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "store/dataset/dataset.h"
#include "store/json_fields.h"
#include "store/kept_result.h"
#include "store/parquet/parquet_file.h"
#include "store/stored_trace.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKeptName = "ranks";

// A row with the process that it belongs to: a trace may hold several ranks.
template <class Row>
struct OfProcess {
  std::int64_t process = 0;
  Row row;
};

template <class T>
constexpr ValueType TypeOf() {
  if constexpr (std::is_same_v<T, std::string>) return ValueType::kText;
  if constexpr (std::is_same_v<T, bool>) return ValueType::kUint8;
  return ValueType::kInt64;
}

template <class Row>
TableSchema SchemaOf(std::string_view name, std::string_view doc) {
  TableSchema schema{name, doc, {}};
  schema.columns.push_back(
      {"process", "", "A row of the trace's processes.", ValueType::kInt64, false});
  ForEachColumn<Row>([&](const Column& column, auto field) {
    using T = std::remove_cvref_t<decltype(std::declval<Row>().*field)>;
    schema.columns.push_back(
        {column.name, column.unit, column.doc, TypeOf<T>(), column.nulls == Nulls::kAllowed});
  });
  return schema;
}

// Calls f(schema, rows, get) for each table; `get` gives the rows of one rank.
template <class F>
void ForEachRankTable(F f) {
  f(
      SchemaOf<RankStep>("steps", "The steps of the trace, with what became of each."),
      [](auto& rank) -> auto& { return rank.steps; });
  f(
      SchemaOf<RankBudget>("budget", "What the time of each step went to."),
      [](auto& rank) -> auto& { return rank.budget; });
  f(
      SchemaOf<CollectiveInstance>("collective_instances",
                                   "Collectives, sends and receives that the rank took part in, by "
                                   "begin."),
      [](auto& rank) -> auto& { return rank.collectives; });
  f(
      SchemaOf<RankSegment>("segments", "Compute between collectives, by class of work."),
      [](auto& rank) -> auto& { return rank.segments; });
}
TableSchema FactsSchema() {
  return SchemaOf<RankFacts>("facts", "What is known of the rank as a whole: one row.");
}

template <class Row>
TableSource SourceOf(const TableSchema& schema, const std::vector<OfProcess<Row>>& rows) {
  TableSource source{schema, rows.size(), {}};
  const auto at = [&](const auto& member) {
    return ValuesAt{reinterpret_cast<const std::byte*>(&member), sizeof(OfProcess<Row>)};
  };
  static const OfProcess<Row> kNoRow;  // Where there are none, nothing is read.
  const OfProcess<Row>& first = rows.empty() ? kNoRow : rows.front();
  source.columns.emplace_back(at(first.process));
  ForEachColumn<Row>([&](const Column&, auto field) {
    using T = std::remove_cvref_t<decltype(first.row.*field)>;
    if constexpr (std::is_same_v<T, std::string>) {
      source.columns.emplace_back(
          TextAt{[&rows, field](std::size_t i) { return std::string_view(rows[i].row.*field); }});
    } else {
      source.columns.emplace_back(at(first.row.*field));
    }
  });
  return source;
}

// Writes files, and remembers what is in them.
class Writer {
 public:
  explicit Writer(fs::path folder) : folder_(std::move(folder)) {}

  template <class Row>
  void Write(const TableSchema& schema, const std::vector<OfProcess<Row>>& rows) {
    // Of several that write at once, the last one wins; nobody sees half a file.
    const fs::path hidden =
        folder_ / (".tmp-" + std::to_string(::getpid()) + "-" + schema.FileName());
    fs::remove(hidden);  // Of a process that was killed.
    NoProgress silent;
    const StoredFile written = WriteParquet(SourceOf(schema, rows), hidden, silent);
    fs::rename(hidden, folder_ / schema.FileName());
    index_[std::string(schema.name)] = {
        {"rows", rows.size()}, {"bytes", written.bytes}, {"sha256", written.sha256}};
  }

  std::string Index() const { return index_.dump(2) + "\n"; }

 private:
  fs::path folder_;
  Json index_ = Json::object();
};

KeptResult KeptIndex(const fs::path& folder) {
  return KeptResult(folder, kKeptName, "ranks " + std::to_string(kRankTablesVersion));
}

class Reader {
 public:
  Reader(fs::path folder, const Json& index) : folder_(std::move(folder)), index_(index) {}

  // Calls f(process, row) for each row.
  template <class Row, class F>
  void Read(const TableSchema& schema, F f) const {
    const Json& entry = ObjectField(index_, schema.name);
    StoredTable expected;
    expected.rows = CountField(entry, "rows");
    expected.file = {CountField(entry, "bytes"), TextField(entry, "sha256")};
    const ParquetFile file(folder_ / schema.FileName(), schema, expected);
    std::vector<OfProcess<Row>> rows(file.rows());
    if (rows.empty()) return;
    const auto read = [&](std::string_view column, auto& first) {
      file.ReadValues(column, reinterpret_cast<std::byte*>(&first), sizeof(OfProcess<Row>));
    };
    read("process", rows.front().process);
    ForEachColumn<Row>([&](const Column& column, auto field) {
      using T = std::remove_cvref_t<decltype(rows.front().row.*field)>;
      if constexpr (std::is_same_v<T, std::string>) {
        std::size_t i = 0;
        file.ReadTexts(column.name, [&](std::string_view text) { rows[i++].row.*field = text; });
      } else if constexpr (std::is_same_v<T, bool>) {
        std::vector<std::uint8_t> values(rows.size());
        file.ReadValues(column.name, reinterpret_cast<std::byte*>(values.data()), 1);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i].row.*field = values[i] != 0;
      } else {
        read(column.name, rows.front().row.*field);
      }
    });
    for (OfProcess<Row>& row : rows) f(row.process, std::move(row.row));
  }

 private:
  fs::path folder_;
  const Json& index_;
};

template <class Get>
using RowOf = typename std::remove_cvref_t<std::invoke_result_t<Get, RankTables&>>::value_type;

// Whether whatever is added up of these times fits: they may be anybody's, sealed or not.
class TimesThatFit {
 public:
  explicit TimesThatFit(const RankTables& rank) {
    Take(rank.facts.begin_ns, rank.facts.end_ns);
    for (const RankStep& row : rank.steps) Take(row.begin_ns, row.end_ns);
    for (const RankBudget& row : rank.budget) Take(row.ns);
    for (const CollectiveInstance& row : rank.collectives) {
      Take(row.begin_ns, row.end_ns);
      Take(row.exposed_ns);
      Take(row.blocking_ns);
    }
    for (const RankSegment& row : rank.segments) {
      Take(row.begin_ns, row.end_ns);
      Take(row.busy_ns);
    }
  }
  bool all() const { return is_sound_ && sum_ < kMost; }

 private:
  static constexpr double kMost = 1e18;  // 30 years, of all rows together.

  void Take(std::int64_t begin, std::int64_t end) {
    const auto is_near = [](std::int64_t time) {
      return std::abs(static_cast<double>(time)) < kMost;
    };
    is_sound_ = is_sound_ && is_near(begin) && is_near(end);
    if (is_sound_) Take(end - begin);
  }
  void Take(std::int64_t duration) {
    is_sound_ = is_sound_ && duration >= 0;
    sum_ += static_cast<double>(duration);
  }

  bool is_sound_ = true;
  double sum_ = 0;
};

std::vector<RankTables> ReadAll(const fs::path& folder, const Json& index) {
  std::vector<RankTables> ranks;
  const Reader reader(folder, index);
  const std::optional<std::uint32_t> rank = RankOfFolder(folder.filename().string());
  reader.Read<RankFacts>(FactsSchema(), [&](std::int64_t process, RankFacts row) {
    RankTables& one = ranks.emplace_back();
    one.process = process;
    one.facts = std::move(row);
    if (rank) one.facts.global_rank = *rank;
  });
  ForEachRankTable([&](const TableSchema& schema, auto get) {
    std::size_t at = 0;  // Rows of a rank follow each other, as ranks do in facts.
    reader.Read<RowOf<decltype(get)>>(schema, [&](std::int64_t process, auto row) {
      while (at < ranks.size() && ranks[at].process != process) ++at;
      if (at == ranks.size()) throw Error("a row of a process that has no facts");
      get(ranks[at]).push_back(std::move(row));
    });
  });
  for (const RankTables& one : ranks) {
    if (!TimesThatFit(one).all()) throw Error("times that are none");
  }
  return ranks;
}

bool IsOwnFolder(const fs::path& folder) {
  struct stat facts = {};
  return ::stat(folder.c_str(), &facts) == 0 && facts.st_uid == ::geteuid() &&
         ::access(folder.c_str(), W_OK) == 0;
}

}  // namespace

void WriteRankTables(const std::vector<RankTables>& ranks, const fs::path& folder) {
  const KeptResult kept = KeptIndex(folder);
  Writer writer(folder);
  ForEachRankTable([&](const TableSchema& schema, auto get) {
    std::vector<OfProcess<RowOf<decltype(get)>>> rows;
    for (const RankTables& rank : ranks) {
      for (const auto& row : get(rank)) rows.push_back({rank.process, row});
    }
    writer.Write(schema, rows);
  });
  std::vector<OfProcess<RankFacts>> facts;
  for (const RankTables& rank : ranks) facts.push_back({rank.process, rank.facts});
  writer.Write(FactsSchema(), facts);
  kept.Write(writer.Index());
}

void KeepRankTables(const std::vector<RankTables>& ranks, const fs::path& folder) {
  if (!IsOwnFolder(folder)) return;
  try {
    WriteRankTables(ranks, folder);
  } catch (const Error&) {  // Nothing is kept, then.
  } catch (const fs::filesystem_error&) {
  }
}

std::optional<std::vector<RankTables>> ReadRankTables(const fs::path& folder) {
  const std::optional<std::string> index = KeptIndex(folder).Read();
  if (!index) {
    ReadManifest(folder);  // Says what is wrong with the trace, if anything is.
    return std::nullopt;
  }
  try {
    return ReadAll(folder, Json::parse(*index));
  } catch (const Error&) {
  } catch (const Json::exception&) {
  }
  return std::nullopt;
}

bool HasRankTables(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / (std::string(kKeptName) + ".kept"), error);
}

std::vector<RankTables> LoadRankTables(const fs::path& folder) {
  std::optional<std::vector<RankTables>> ranks = ReadRankTables(folder);
  if (!ranks) {
    throw Error(folder.string() + " has no small tables, or those of another version of xsp",
                "import its file again, or let xsp write to the folder");
  }
  return *std::move(ranks);
}

std::vector<TableSchema> RankTablesSchema() {
  std::vector<TableSchema> schemas;
  ForEachRankTable([&](TableSchema schema, auto) { schemas.push_back(std::move(schema)); });
  schemas.push_back(FactsSchema());
  return schemas;
}

}  // namespace xsp
