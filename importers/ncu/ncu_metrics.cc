#include "importers/ncu/ncu_metrics.h"

#include <charconv>
#include <limits>
#include <string>
#include <utility>

namespace xsp {
namespace {

constexpr std::string_view kOccupancy = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view kRead = "dram__bytes_read.sum";
constexpr std::string_view kWrite = "dram__bytes_write.sum";

// Operations per counted instruction of a thread, for half, single and double precision; packed
// half-precision instructions count once per thread and do two operations, which only their own
// metrics (op_hadd2...) would tell.
double FlopsPerInstruction(std::string_view metric) {
  constexpr std::string_view kPrefix = "sm__sass_thread_inst_executed_op_";
  constexpr std::string_view kSmspPrefix = "smsp__sass_thread_inst_executed_op_";
  constexpr std::string_view kSuffix = "_pred_on.sum";
  std::string_view name = metric;
  if (name.starts_with(kPrefix)) {
    name.remove_prefix(kPrefix.size());
  } else if (name.starts_with(kSmspPrefix)) {
    name.remove_prefix(kSmspPrefix.size());
  } else {
    return 0;
  }
  if (!name.ends_with(kSuffix)) return 0;
  name.remove_suffix(kSuffix.size());
  if (name.size() != 4 || std::string_view("hfd").find(name[0]) == std::string_view::npos) return 0;
  const std::string_view operation = name.substr(1);
  if (operation == "add" || operation == "mul") return 1;
  return operation == "fma" ? 2 : 0;
}

bool IsTensorMetric(std::string_view metric) {
  constexpr std::string_view kPrefix = "sm__ops_path_tensor_src_";
  if (!metric.starts_with(kPrefix) || !metric.ends_with(".sum")) return false;
  if (metric.find("sparsity") != std::string_view::npos) return false;  // A part of another one.
  const std::string_view source = metric.substr(kPrefix.size());
  return source.starts_with("fp") || source.starts_with("bf") || source.starts_with("tf");
}

bool IsOldFlopCount(std::string_view metric) {
  return metric == "flop_count_sp" || metric == "flop_count_dp" || metric == "flop_count_hp";
}

bool IsOccupancy(std::string_view metric) {
  return metric == kOccupancy || metric == "Achieved Occupancy" || metric == "achieved_occupancy";
}

bool IsRead(std::string_view metric) { return metric == kRead || metric == "dram_read_bytes"; }
bool IsWrite(std::string_view metric) { return metric == kWrite || metric == "dram_write_bytes"; }

// "Mbyte" is a million bytes: Nsight Compute's units are decimal.
std::optional<double> BytesPer(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 10> kUnits = {{{"byte", 1},
                                                                           {"Kbyte", 1e3},
                                                                           {"Mbyte", 1e6},
                                                                           {"Gbyte", 1e9},
                                                                           {"Tbyte", 1e12},
                                                                           {"B", 1},
                                                                           {"KB", 1e3},
                                                                           {"MB", 1e6},
                                                                           {"GB", 1e9},
                                                                           {"", 1}}};
  for (const auto& [name, bytes] : kUnits) {
    if (name == unit) return bytes;
  }
  return std::nullopt;
}

void AddTo(std::optional<double>& sum, double value) { sum = sum.value_or(0) + value; }

}  // namespace

bool IsKnownNcuMetric(std::string_view metric) {
  return FlopsPerInstruction(metric) > 0 || IsTensorMetric(metric) || IsOldFlopCount(metric) ||
         IsOccupancy(metric) || IsRead(metric) || IsWrite(metric);
}

bool AddNcuMetric(std::string_view metric, std::string_view unit, double value,
                  KernelCounters& counters) {
  if (IsRead(metric) || IsWrite(metric)) {
    const std::optional<double> bytes = BytesPer(unit);
    if (!bytes) return false;
    (IsRead(metric) ? counters.dram_read_bytes : counters.dram_write_bytes) = value * *bytes;
    return true;
  }
  if (IsOccupancy(metric)) {
    // nvprof gave a share, Nsight Compute gives percent.
    const bool is_share = metric == "achieved_occupancy" && unit != "%";
    counters.occupancy = is_share ? value : value / 100;
    return true;
  }
  if (IsTensorMetric(metric)) {
    AddTo(counters.flops, value);
    counters.has_tensor_flops = true;
    return true;
  }
  AddTo(counters.flops, IsOldFlopCount(metric) ? value : value * FlopsPerInstruction(metric));
  return true;
}

std::optional<double> NcuNumber(std::string_view text) {
  std::string digits;
  for (char c : text) {
    if (c != ',' && c != ' ') digits += c;
  }
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || rest != end || !(value >= 0)) return std::nullopt;
  if (value > std::numeric_limits<double>::max()) return std::nullopt;
  return value;
}

std::optional<std::array<std::uint32_t, 3>> NcuShape(std::string_view text) {
  std::array<std::uint32_t, 3> shape{};
  std::size_t at = 0;
  const auto skip = [&](char wanted) {
    while (at < text.size() && text[at] == ' ') ++at;
    return at < text.size() && text[at++] == wanted;
  };
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!skip(i == 0 ? '(' : ',')) return std::nullopt;
    while (at < text.size() && text[at] == ' ') ++at;
    const auto [rest, error] =
        std::from_chars(text.data() + at, text.data() + text.size(), shape[i]);
    if (error != std::errc()) return std::nullopt;
    at = static_cast<std::size_t>(rest - text.data());
  }
  if (!skip(')') || at != text.size()) return std::nullopt;
  return shape;
}

bool AddNcuShape(std::string_view metric, double value, KernelCounters& counters) {
  constexpr std::array<std::string_view, 6> kMetrics = {
      "launch__grid_dim_x",  "launch__grid_dim_y",  "launch__grid_dim_z",
      "launch__block_dim_x", "launch__block_dim_y", "launch__block_dim_z"};
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    if (metric != kMetrics[i]) continue;
    if (value <= std::numeric_limits<std::uint32_t>::max()) {
      (i < 3 ? counters.grid : counters.block)[i % 3] = static_cast<std::uint32_t>(value);
    }
    return true;
  }
  return false;
}

}  // namespace xsp
