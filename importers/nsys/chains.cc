#include "importers/nsys/chains.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "importers/nsys/table.h"

namespace xsp {
namespace {

template <ChainTable table>
class ChainReader : public NsysTableReader {
 public:
  using Row = Frames::Row;
  static constexpr NsysField<Row> kFields[3] = {
      {"symbol", IntoField<&Row::symbol>},
      {"module", IntoField<&Row::module>},
      {"originalIP", IntoField<&Row::address>},
  };
  static constexpr auto kColumns =
      NsysColumns{"id", "stackDepth", "kernelMode", "unresolved", "specialEntry"} + kFields;

  ChainReader(const NsysTableSpec&, NsysContext& context, ChunkLog& log, std::size_t rows)
      : context_(context), log_(log) {
    rows_.id.reserve(rows);
    rows_.depth.reserve(rows);
  }

  void Add(const NsysRow& row) override {
    rows_.id.push_back(row.Get<std::int64_t>(kColumns["id"]));
    rows_.depth.push_back(row.Get<std::int64_t>(kColumns["stackDepth"]));
    auto flag = [&](int column, FrameFlag bit) {
      return row.Get<std::int64_t>(column, 0) != 0 ? bit : 0;
    };
    Row frame = ReadFields<ChainReader>(row, context_.strings());
    frame.flags = static_cast<std::uint8_t>(flag(kColumns["kernelMode"], kFrameKernelMode) |
                                            flag(kColumns["unresolved"], kFrameUnresolved) |
                                            flag(kColumns["specialEntry"], kFrameSpecial));
    rows_.frames.Add(frame);
    log_.Kept();
  }

  void Finish(std::uint64_t order) override {
    rows_.order = order;
    context_.shared().chains.Add(table, std::move(rows_));
  }

 private:
  NsysContext& context_;
  ChunkLog& log_;
  NsysChains::Rows rows_;
};

NsysChains::Rows Concatenate(std::vector<NsysChains::Rows> runs) {
  std::sort(runs.begin(), runs.end(), [](auto& a, auto& b) { return a.order < b.order; });
  NsysChains::Rows all;
  for (NsysChains::Rows& run : runs) {
    all.id.insert(all.id.end(), run.id.begin(), run.id.end());
    all.depth.insert(all.depth.end(), run.depth.begin(), run.depth.end());
    AppendRows(all.frames, std::exchange(run.frames, {}));
  }
  return all;
}

void SortByChain(NsysChains::Rows& rows) {
  std::vector<std::uint32_t> order(rows.id.size());
  std::iota(order.begin(), order.end(), 0u);
  auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(rows.id[a], rows.depth[a]) < std::pair(rows.id[b], rows.depth[b]);
  };
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::stable_sort(order.begin(), order.end(), before);
  std::vector<std::int64_t> ids;
  ids.reserve(order.size());
  for (std::uint32_t i : order) ids.push_back(rows.id[i]);
  rows.id = std::move(ids);
  PermuteRows(rows.frames, order);
}

}  // namespace

void NsysChains::Add(ChainTable table, Rows rows) {
  std::lock_guard lock(mutex_);
  tables_[static_cast<std::size_t>(table)].runs.push_back(std::move(rows));
}

void NsysChains::Close(TraceBuilder& builder) {
  std::uint32_t next = 0;
  for (Table& table : tables_) {
    Rows rows = Concatenate(std::exchange(table.runs, {}));
    SortByChain(rows);
    table.first = next;
    for (std::size_t i = 0; i < rows.id.size(); ++i) {
      if (table.ids.empty() || table.ids.back() != rows.id[i]) {
        table.ids.push_back(rows.id[i]);
        ++next;
      }
      rows.frames.chain[i] = ChainId(next - 1);
    }
    builder.AddFrames(rows.frames);
  }
}

ChainId NsysChains::Find(ChainTable table, std::int64_t id) const {
  const Table& from = tables_[static_cast<std::size_t>(table)];
  if (from.ids.empty() || id < from.ids.front() || id > from.ids.back()) return {};
  // Without gaps, which is the rule, the place follows from the number.
  const std::uint64_t place =
      static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(from.ids.front());
  if (place < from.ids.size() && from.ids[place] == id) return ChainId(from.first + place);
  auto it = std::lower_bound(from.ids.begin(), from.ids.end(), id);
  if (*it != id) return {};
  return ChainId(from.first + static_cast<std::size_t>(it - from.ids.begin()));
}

void AddChainTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  AddTables(catalog,
            {ReadBy<ChainReader<ChainTable::kSampling>>("SAMPLING_CALLCHAINS"),
             ReadBy<ChainReader<ChainTable::kOsrt>>("OSRT_CALLCHAINS"),
             ReadBy<ChainReader<ChainTable::kCuda>>("CUDA_CALLCHAINS")},
            specs, "id");
}

}  // namespace xsp
