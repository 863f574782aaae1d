#include "importers/ncu/ncu_csv.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/whole_file.h"
#include "importers/ncu/ncu_metrics.h"

namespace xsp {
namespace {

constexpr const char* kHowToWrite =
    "write it with ncu --csv --page raw --metrics "
    "sm__sass_thread_inst_executed_op_fadd_pred_on.sum,"
    "sm__sass_thread_inst_executed_op_fmul_pred_on.sum,"
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum,"
    "dram__bytes_read.sum,dram__bytes_write.sum,"
    "sm__warps_active.avg.pct_of_peak_sustained_active";

using Record = std::vector<std::string>;

// Reads comma-separated values (RFC 4180) record by record: quoted fields may hold commas, line
// breaks and doubled quotes. Keeps a view of the text.
class CsvReader {
 public:
  // `line` is the number of the first line, for messages.
  explicit CsvReader(std::string_view text, std::size_t line = 1) : text_(text), next_line_(line) {}

  // The next record; nothing at the end. Throws Error for a quote that is never closed; the message
  // begins with `where`.
  std::optional<Record> Next(const std::string& where);

  // The line on which the last record began.
  std::size_t line() const { return line_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::size_t next_line_;
};

std::optional<Record> CsvReader::Next(const std::string& where) {
  if (at_ >= text_.size()) return std::nullopt;
  line_ = next_line_;
  Record fields(1);
  bool is_quoted = false;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') ++next_line_;
    if (is_quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        fields.back() += text_[++at_];
      } else {
        is_quoted = false;
      }
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      ++at_;
      return fields;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  if (is_quoted) {
    throw Error(
        where + ": a quote that opens on line " + std::to_string(line_) + " is never closed",
        "the file is cut off: write it again");
  }
  return fields;
}

// The table of one file: a header, then a record per launch or per metric.
class NcuTable {
 public:
  NcuTable(std::string_view text, std::string where)
      : where_(std::move(where)), reader_(FromHeader(text)) {
    header_ = *reader_.Next(where_);
    kernel_ = Column("Kernel Name");
    id_ = Column("ID");
    process_ = Column("Process ID");
    grid_ = Column("Grid Size");
    block_ = Column("Block Size");
    name_ = Column("Metric Name");
    unit_ = Column("Metric Unit");
    value_ = Column("Metric Value");
    if (!kernel_)
      throw Error(where_ + " is no table of Nsight Compute: no \"Kernel Name\"", kHowToWrite);
  }

  std::vector<KernelCounters> Read() {
    if (name_ && value_) {
      ReadRowPerMetric();
    } else {
      ReadRowPerLaunch();
    }
    Check();
    return std::move(launches_);
  }

 private:
  // Skips what the profiler and the program printed before the table.
  CsvReader FromHeader(std::string_view text) const {
    std::size_t line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (text.substr(at, end - at).find("\"Kernel Name\"") != std::string_view::npos ||
          text.substr(at, end - at).starts_with("Kernel Name,")) {
        return CsvReader(text.substr(at), line);
      }
      at = end + 1;
    }
    throw Error(where_ + " is no CSV of Nsight Compute: no line has a \"Kernel Name\" column",
                kHowToWrite);
  }

  std::optional<std::size_t> Column(std::string_view title) const {
    const auto it = std::find(header_.begin(), header_.end(), title);
    if (it == header_.end()) return std::nullopt;
    return static_cast<std::size_t>(it - header_.begin());
  }

  // The next record of the table. Messages between and after the records ("==PROF== ...") are not.
  std::optional<Record> NextRecord() {
    while (auto record = reader_.Next(where_)) {
      if (record->size() == header_.size()) return record;
      const bool is_message = record->size() == 1 || record->front().starts_with("==");
      if (!is_message) {
        throw Error(where_ + " line " + std::to_string(reader_.line()) + ": " +
                        std::to_string(record->size()) + " fields where the header has " +
                        std::to_string(header_.size()),
                    "the file is cut off or was edited: write it again");
      }
    }
    return std::nullopt;
  }

  void SetShape(const Record& record, KernelCounters& launch) {
    if (!grid_ || !block_) return;
    const auto grid = NcuShape(record[*grid_]);
    const auto block = NcuShape(record[*block_]);
    if (!grid || !block) {
      throw Error(where_ + " line " + std::to_string(reader_.line()) + ": '" + record[*grid_] +
                  "', '" + record[*block_] + "' is no grid and block");
    }
    launch.grid = *grid;
    launch.block = *block;
  }

  void Add(std::string_view metric, std::string_view unit, std::string_view text,
           KernelCounters& launch) {
    const std::optional<double> value = NcuNumber(text);
    if (!value) return;  // "n/a": this GPU does not have the metric.
    if (AddNcuShape(metric, *value, launch) || !IsKnownNcuMetric(metric)) return;
    if (!AddNcuMetric(metric, unit, *value, launch)) {
      throw Error(where_ + " line " + std::to_string(reader_.line()) + ": unknown unit '" +
                      std::string(unit) + "' of " + std::string(metric),
                  "write it with --print-units base");
    }
    has_metric_ = true;
  }

  // Rows of one launch share its id; ids are counted per process.
  void ReadRowPerMetric() {
    std::map<std::pair<std::string, std::string>, std::size_t> place;
    while (const auto record = NextRecord()) {
      const std::string process = process_ ? (*record)[*process_] : "";
      const std::string id = id_ ? (*record)[*id_] : (*record)[*kernel_];
      const auto [it, is_new] = place.try_emplace({process, id}, launches_.size());
      if (is_new) {
        launches_.emplace_back().kernel = (*record)[*kernel_];
        SetShape(*record, launches_.back());
      }
      Add((*record)[*name_], unit_ ? (*record)[*unit_] : "", (*record)[*value_],
          launches_[it->second]);
    }
  }

  // The record after the header holds the units, and no kernel.
  void ReadRowPerLaunch() {
    Record units(header_.size());
    bool is_first = true;
    while (const auto record = NextRecord()) {
      if (std::exchange(is_first, false) && (*record)[*kernel_].empty()) {
        units = *record;
        continue;
      }
      KernelCounters& launch = launches_.emplace_back();
      launch.kernel = (*record)[*kernel_];
      SetShape(*record, launch);
      for (std::size_t c = 0; c < header_.size(); ++c) {
        Add(header_[c], units[c], (*record)[c], launch);
      }
    }
  }

  void Check() const {
    if (launches_.empty()) throw Error(where_ + " holds no kernel launches", kHowToWrite);
    if (!has_metric_) {
      throw Error(where_ + " has none of the metrics that xsp knows", kHowToWrite);
    }
    for (const KernelCounters& launch : launches_) {
      if (launch.grid[0] != 0 && launch.block[0] != 0) continue;
      throw Error(where_ + " has no launch shapes: \"Grid Size\" and \"Block Size\" are missing",
                  "counters are joined by kernel name and launch shape; use ncu 2022 or later, or "
                  "--page raw");
    }
  }

  std::string where_;
  CsvReader reader_;
  Record header_;
  std::optional<std::size_t> kernel_, id_, process_, grid_, block_, name_, unit_, value_;
  std::vector<KernelCounters> launches_;
  bool has_metric_ = false;
};

}  // namespace

std::vector<KernelCounters> ParseNcuCsv(std::string_view text, const std::string& where) {
  if (text.find('\0') != std::string_view::npos) {
    throw Error(where + " is a binary file, not the CSV of Nsight Compute",
                "convert it: ncu --import FILE.ncu-rep --csv --page raw > FILE.csv");
  }
  return NcuTable(text, where).Read();
}

std::vector<KernelCounters> ReadNcuCsv(const std::filesystem::path& file) {
  constexpr std::size_t kMost = 512 << 20;  // A program writes it, a row for each launch.
  return ParseNcuCsv(ReadWholeFile(file, kMost), file.string());
}

}  // namespace xsp
