#include <array>
#include <string>
#include <utility>

#include "stats/distribution.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

// A row of cuda_gpu_sum and cuda_api_gpu_sum: category and operation.
using CategorizedRow = SummaryRow<2>;
constexpr std::string_view kApiCategory = "CUDA_API";
constexpr std::string_view kKernelCategory = "CUDA_KERNEL";
constexpr std::string_view kMemoryCategory = "MEMORY_OPER";

// Memsets stand behind the kinds of copies.
constexpr std::uint32_t kMemsetKey = 256;

std::string_view MemoryLabel(std::uint32_t key) {
  return key == kMemsetKey ? kMemsetLabel : CopyLabel(static_cast<CopyKind>(key));
}

// Copies, migrations and memsets by what they are called; `value_of(event, kind)` is summed up.
template <class ValueOf>
GroupedValues<1> MemoryOperationsBy(const ReportInput& in, ValueOf value_of) {
  GroupedValues<1> values;
  for (EventKind kind : {EventKind::kMemcpy, EventKind::kMigration}) {
    in.events.ForEach(kind, [&](EventId e) {
      const CopyKind copy = in.trace.copies().copy_kind[in.trace.Row(e, kind)];
      // Kinds that NVIDIA has no label for print alike and so are one row.
      const auto number = static_cast<std::uint32_t>(copy);
      const bool labelled = copy <= CopyKind::kUnifiedDtoD;
      values.Add({labelled ? number : 0}, value_of(e, kind));
    });
  }
  in.events.ForEach(EventKind::kMemset,
                    [&](EventId e) { values.Add({kMemsetKey}, value_of(e, EventKind::kMemset)); });
  return values;
}

GroupedValues<1> MemoryTimes(const ReportInput& in) {
  return MemoryOperationsBy(in, [&](EventId e, EventKind) { return in.trace.duration(e); });
}

GroupedValues<2> KernelTimes(const ReportInput& in) {
  GroupedValues<2> kernels;
  in.events.ForEach(EventKind::kKernel, [&](EventId e) {
    const KernelTitle title = TitleOf(in, e);
    kernels.Add({title.range.value, title.name.value}, in.trace.duration(e));
  });
  return kernels;
}

std::string_view ShowKernel(const ReportInput& in, const std::array<std::uint32_t, 2>& key,
                            StatsTable& table) {
  return Show(in, {StringId(key[0]), StringId(key[1])}, table);
}

void AppendKernels(const ReportInput& in, std::vector<CategorizedRow>& rows, StatsTable& table) {
  for (const auto& group : KernelTimes(in).Finish()) {
    rows.push_back({group.values, {kKernelCategory, ShowKernel(in, group.key, table)}});
  }
}

void AppendMemoryOperations(const ReportInput& in, std::vector<CategorizedRow>& rows) {
  for (const auto& group : MemoryTimes(in).Finish()) {
    rows.push_back({group.values, {kMemoryCategory, MemoryLabel(group.key[0])}});
  }
}

void AppendCalls(const ReportInput& in, std::vector<CategorizedRow>& rows) {
  GroupedValues<1> calls;
  for (EventKind kind : {EventKind::kApi, EventKind::kApiBacktrace}) {
    in.events.ForEach(
        kind, [&](EventId e) { calls.Add({in.trace.name_of(e).value}, in.trace.duration(e)); });
  }
  for (const auto& group : calls.Finish()) {
    const std::string_view name = in.trace.strings().Get(StringId(group.key[0]));
    rows.push_back({group.values, {kApiCategory, CallLabel(name)}});
  }
}

StatsTable CategorizedTable(std::string name, std::string title) {
  return StatsTable(std::move(name), std::move(title),
                    TimeSummaryColumns("Instances", {{"Category", StatsKind::kText},
                                                     {"Operation", StatsKind::kText}}));
}

}  // namespace

StatsTable CudaGpuKernSum(const ReportInput& in) {
  StatsTable table("cuda_gpu_kern_sum", "CUDA GPU Kernel Summary",
                   TimeSummaryColumns("Instances", {{"Name", StatsKind::kText}}));
  AddNamedSummaries(table, KernelTimes(in),
                    [&](const auto& key) { return ShowKernel(in, key, table); });
  return table;
}

StatsTable CudaGpuKernGbSum(const ReportInput& in) {
  StatsTable table("cuda_gpu_kern_gb_sum", "CUDA GPU Kernel/Grid/Block Summary",
                   TimeSummaryColumns("Instances", {{"GridXYZ", StatsKind::kText},
                                                    {"BlockXYZ", StatsKind::kText},
                                                    {"Name", StatsKind::kText}}));
  const Kernels& k = in.trace.kernels();
  GroupedValues<8> kernels;
  in.events.ForEach(EventKind::kKernel, [&](EventId e) {
    const KernelTitle title = TitleOf(in, e);
    const std::uint32_t row = in.trace.Row(e, EventKind::kKernel);
    kernels.Add({title.range.value, title.name.value, k.grid_x[row], k.grid_y[row], k.grid_z[row],
                 k.block_x[row], k.block_y[row], k.block_z[row]},
                in.trace.duration(e));
  });
  std::vector<SummaryRow<3>> rows;
  for (const auto& group : kernels.Finish()) {
    const auto& key = group.key;
    rows.push_back(
        {group.values,
         {table.Keep(SizeLabel(key[2], key[3], key[4])),
          table.Keep(SizeLabel(key[5], key[6], key[7])), ShowKernel(in, {key[0], key[1]}, table)}});
  }
  AddSummaries(table, std::move(rows));
  return table;
}

StatsTable CudaGpuMemTimeSum(const ReportInput& in) {
  StatsTable table("cuda_gpu_mem_time_sum", "CUDA GPU MemOps Summary (by Time)",
                   TimeSummaryColumns("Count", {{"Operation", StatsKind::kText}}));
  AddNamedSummaries(table, MemoryTimes(in), [](const auto& key) { return MemoryLabel(key[0]); });
  return table;
}

StatsTable CudaGpuMemSizeSum(const ReportInput& in) {
  StatsTable table("cuda_gpu_mem_size_sum", "CUDA GPU MemOps Summary (by Size)",
                   {{"Total", StatsKind::kMegabytes},
                    {"Count", StatsKind::kInteger},
                    {"Avg", StatsKind::kMegabytes},
                    {"Med", StatsKind::kMegabytes},
                    {"Min", StatsKind::kMegabytes},
                    {"Max", StatsKind::kMegabytes},
                    {"StdDev", StatsKind::kMegabytes},
                    {"Operation", StatsKind::kText}});
  const GroupedValues<1> sizes = MemoryOperationsBy(in, [&](EventId e, EventKind kind) {
    const std::uint32_t row = in.trace.Row(e, kind);
    return static_cast<std::int64_t>(kind == EventKind::kMemset ? in.trace.memsets().bytes[row]
                                                                : in.trace.copies().bytes[row]);
  });
  auto groups = sizes.Finish();
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    if (a.values.total != b.values.total) return a.values.total > b.values.total;
    return MemoryLabel(a.key[0]) < MemoryLabel(b.key[0]);
  });
  for (const auto& [key, d] : groups) {
    table.AddRow(Megabytes(d.total), d.count, Megabytes(d.average), Megabytes(d.median),
                 Megabytes(d.min), Megabytes(d.max), Megabytes(d.deviation), MemoryLabel(key[0]));
  }
  return table;
}

StatsTable CudaGpuSum(const ReportInput& in) {
  StatsTable table = CategorizedTable("cuda_gpu_sum", "CUDA GPU Summary (Kernels/MemOps)");
  std::vector<CategorizedRow> rows;
  AppendKernels(in, rows, table);
  AppendMemoryOperations(in, rows);
  AddSummaries(table, std::move(rows));
  return table;
}

StatsTable CudaApiGpuSum(const ReportInput& in) {
  StatsTable table = CategorizedTable("cuda_api_gpu_sum", "CUDA Summary (API/Kernels/MemOps)");
  std::vector<CategorizedRow> rows;
  AppendCalls(in, rows);
  AppendKernels(in, rows, table);
  AppendMemoryOperations(in, rows);
  AddSummaries(table, std::move(rows));
  return table;
}

}  // namespace xsp
