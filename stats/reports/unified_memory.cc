#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "stats/distribution.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

// What happened to the pages at one address, or to all.
struct Pages {
  std::int64_t to_device = 0;  // Bytes.
  std::int64_t to_host = 0;
  std::int64_t cpu_faults = 0;
  std::int64_t gpu_faults = 0;
  DurationNs migration_time = 0;

  std::int64_t Migrated() const { return SaturatingAdd(to_device, to_host); }
};

// By virtual address; without one under the largest number.
using PagesByAddress = std::map<std::uint64_t, Pages>;

PagesByAddress CollectPages(const ReportInput& in) {
  PagesByAddress result;
  const Copies& copies = in.trace.copies();
  in.events.ForEach(EventKind::kMigration, [&](EventId e) {
    const std::uint32_t row = in.trace.Row(e, EventKind::kMigration);
    Pages& pages = result[copies.address[row]];
    const auto bytes = static_cast<std::int64_t>(copies.bytes[row]);
    pages.migration_time += in.trace.duration(e);
    if (copies.copy_kind[row] == CopyKind::kUnifiedHtoD) {
      pages.to_device = SaturatingAdd(pages.to_device, bytes);
    } else if (copies.copy_kind[row] == CopyKind::kUnifiedDtoH) {
      pages.to_host = SaturatingAdd(pages.to_host, bytes);
    }
  });
  const PageFaults& faults = in.trace.page_faults();
  in.events.ForEach(EventKind::kPageFault, [&](EventId e) {
    const std::uint32_t row = in.trace.Row(e, EventKind::kPageFault);
    Pages& pages = result[faults.address[row]];
    (faults.on_gpu[row] ? pages.gpu_faults : pages.cpu_faults) += faults.count[row];
  });
  return result;
}

std::string HexAddress(std::uint64_t address) {
  std::array<char, 24> text;
  std::snprintf(text.data(), text.size(), "0x%llX", static_cast<unsigned long long>(address));
  return text.data();
}

std::optional<double> MigrationThroughput(const Pages& pages) {
  if (pages.migration_time <= 0) return std::nullopt;
  return Megabytes(static_cast<double>(pages.Migrated()) * 1e9 /
                   static_cast<double>(pages.migration_time));
}

// NVIDIA's totals leave the cell empty where there is nothing to add up.
std::optional<std::int64_t> TotalOf(std::int64_t sum) {
  return sum == 0 ? std::nullopt : std::optional(sum);
}

std::optional<double> TotalMegabytes(std::int64_t bytes) {
  if (bytes == 0) return std::nullopt;
  return Megabytes(static_cast<double>(bytes));
}

}  // namespace

StatsTable UmSum(const ReportInput& in) {
  StatsTable table("um_sum", "Unified Memory Analysis Summary",
                   {{"Virtual Address", StatsKind::kText},
                    {"HtoD Migration Size", StatsKind::kMegabytes},
                    {"DtoH Migration Size", StatsKind::kMegabytes},
                    {"CPU Page Faults", StatsKind::kInteger},
                    {"GPU PageFaults", StatsKind::kInteger},
                    {"Migration Throughput", StatsKind::kMegabytesPerS}});
  const PagesByAddress all = CollectPages(in);
  std::vector<std::pair<std::uint64_t, Pages>> rows(all.begin(), all.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.Migrated() > b.second.Migrated();
  });
  if (rows.size() > in.options.rows) rows.resize(in.options.rows);
  for (const auto& [address, pages] : rows) {
    std::optional<std::string_view> text;
    if (address != kMissing<std::uint64_t>) text = table.Keep(HexAddress(address));
    table.AddRow(text, Megabytes(static_cast<double>(pages.to_device)),
                 Megabytes(static_cast<double>(pages.to_host)), pages.cpu_faults, pages.gpu_faults,
                 MigrationThroughput(pages));
  }
  return table;
}

StatsTable UmTotalSum(const ReportInput& in) {
  StatsTable table("um_total_sum", "Unified Memory Totals Summary",
                   {{"Total HtoD Migration Size", StatsKind::kMegabytes},
                    {"Total DtoH Migration Size", StatsKind::kMegabytes},
                    {"Total CPU Page Faults", StatsKind::kInteger},
                    {"Total GPU PageFaults", StatsKind::kInteger},
                    {"Minimum Virtual Address", StatsKind::kText},
                    {"Maximum Virtual Address", StatsKind::kText}});
  const PagesByAddress all = CollectPages(in);
  if (all.empty()) return table;
  Pages sum;
  std::optional<std::uint64_t> lowest, highest;
  for (const auto& [address, pages] : all) {
    sum.to_device = SaturatingAdd(sum.to_device, pages.to_device);
    sum.to_host = SaturatingAdd(sum.to_host, pages.to_host);
    sum.cpu_faults += pages.cpu_faults;
    sum.gpu_faults += pages.gpu_faults;
    if (address == kMissing<std::uint64_t>) continue;
    if (!lowest) lowest = address;
    highest = address;
  }
  std::optional<std::string_view> first, last;
  if (lowest) first = table.Keep(HexAddress(*lowest));
  if (highest) last = table.Keep(HexAddress(*highest));
  table.AddRow(TotalMegabytes(sum.to_device), TotalMegabytes(sum.to_host), TotalOf(sum.cpu_faults),
               TotalOf(sum.gpu_faults), first, last);
  return table;
}

}  // namespace xsp
