#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/column.h"
#include "model/event_kind.h"
#include "model/events.h"
#include "model/import_log.h"

namespace xsp {

// Some events of one kind with their details, as one reader found them. `order` says where the
// chunk belongs among the chunks of its kind, so that readers may finish in any order.
template <class Table>
struct Chunk {
  EventKind kind;
  std::uint64_t order = 0;
  std::string source_table;  // For the import log.
  Events events;
  Table details;
};

// The chunks of a group of kinds, put together: kinds in order, each sorted by begin, rows of equal
// begin in the order of the source.
template <class Table>
struct MergedGroup {
  Events events;
  Table details;
  std::vector<std::pair<EventKind, std::uint32_t>> kind_counts;
};

// The order that sorts rows [first, last) by begin and keeps all others in place, or nothing if
// they are in order already. `out_of_order` tells how many rows began before their predecessor.
std::vector<std::uint32_t> SortedOrder(const std::vector<TimeNs>& begin, std::uint32_t first,
                                       std::uint32_t last, std::uint32_t* out_of_order);

template <class Table>
void ReserveRows(Table& table, std::size_t rows) {
  ForEachColumn<Table>([&](const auto& column) { (table.*(column.member)).reserve(rows); });
}

// Sorts the rows of each kind by begin.
template <class Table>
void SortByBegin(MergedGroup<Table>& group, std::string_view source_table, ImportLog& log) {
  std::uint32_t first = 0;
  for (const auto& [kind, count] : group.kind_counts) {
    std::uint32_t out_of_order = 0;
    auto order = SortedOrder(group.events.begin, first, first + count, &out_of_order);
    if (out_of_order > 0) {
      PermuteRows(group.events, order);
      PermuteRows(group.details, order);
      log.AddIssue(source_table, ImportReason::kOutOfOrder, std::string(NameOf(kind)) + " rows",
                   out_of_order);
    }
    first += count;
  }
}

// Concatenates chunks in (kind, order); gives memory back as it goes.
template <class Table>
MergedGroup<Table> MergeChunks(std::vector<Chunk<Table>> chunks) {
  std::stable_sort(chunks.begin(), chunks.end(), [](const auto& a, const auto& b) {
    return std::pair(a.kind, a.order) < std::pair(b.kind, b.order);
  });
  std::size_t rows = 0;
  for (const auto& chunk : chunks) rows += chunk.events.begin.size();
  MergedGroup<Table> merged;
  if (chunks.size() > 1) {
    ReserveRows(merged.events, rows);
    ReserveRows(merged.details, rows);
  }
  for (auto& chunk : chunks) {
    const auto count = static_cast<std::uint32_t>(chunk.events.begin.size());
    if (merged.kind_counts.empty() || merged.kind_counts.back().first != chunk.kind) {
      merged.kind_counts.emplace_back(chunk.kind, 0);
    }
    merged.kind_counts.back().second += count;
    if (chunks.size() == 1) {
      merged.events = std::move(chunk.events);
      merged.details = std::move(chunk.details);
    } else {
      AppendRows(merged.events, std::exchange(chunk.events, {}));
      AppendRows(merged.details, std::exchange(chunk.details, {}));
    }
  }
  return merged;
}

}  // namespace xsp
