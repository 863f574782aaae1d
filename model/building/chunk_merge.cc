#include "model/building/chunk_merge.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace xsp {
namespace {

std::vector<std::uint32_t> Numbers(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

// How many rows of a chunk began before the row in front of them; `last` is the begin of the row
// before the chunk, and becomes that of its last row.
std::uint32_t CountDescents(const std::vector<TimeNs>& begin, TimeNs* last) {
  std::uint32_t descents = 0;
  for (TimeNs time : begin) {
    descents += time < *last;
    *last = time;
  }
  return descents;
}

}  // namespace

std::vector<std::uint32_t> OrderOfChunks(const std::vector<const EventChunk*>& chunks) {
  std::vector<std::uint32_t> order = Numbers(chunks.size());
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(chunks[a]->kind, chunks[a]->order) <
           std::pair(chunks[b]->kind, chunks[b]->order);
  });
  return order;
}

MergedEvents MergeEvents(const std::vector<EventChunk*>& chunks,
                         const std::vector<std::uint32_t>& order) {
  MergedEvents merged;
  if (!chunks.empty()) merged.source_table = chunks.front()->source_table;
  std::size_t rows = 0;
  for (const EventChunk* chunk : chunks) rows += chunk->events->begin.size();
  if (chunks.size() > 1) ReserveRows(merged.events, rows);
  std::map<std::pair<std::string, EventKind>, TimeNs> last_begin;
  for (std::uint32_t i : order) {
    EventChunk& chunk = *chunks[i];
    const std::pair table(chunk.source_table, chunk.kind);
    const auto last = last_begin.try_emplace(table, std::numeric_limits<TimeNs>::min()).first;
    const std::uint32_t descents = CountDescents(chunk.events->begin, &last->second);
    if (descents > 0) merged.out_of_order[table] += descents;
    if (merged.kind_counts.empty() || merged.kind_counts.back().first != chunk.kind) {
      merged.kind_counts.emplace_back(chunk.kind, 0);
    }
    merged.kind_counts.back().second += static_cast<std::uint32_t>(chunk.events->begin.size());
    if (chunks.size() == 1) {
      merged.events = std::move(*chunk.events);
    } else {
      AppendRows(merged.events, *chunk.events);
    }
    chunk.events.reset();
  }
  return merged;
}

std::vector<std::uint32_t> OrderByBegin(const MergedEvents& merged) {
  const std::vector<TimeNs>& begin = merged.events.begin;
  std::vector<std::uint32_t> order;
  std::uint32_t first = 0;
  for (const auto& [kind, count] : merged.kind_counts) {
    const std::uint32_t last = first + count;
    if (!std::is_sorted(begin.begin() + first, begin.begin() + last)) {
      if (order.empty()) order = Numbers(begin.size());
      std::stable_sort(order.begin() + first, order.begin() + last,
                       [&](std::uint32_t a, std::uint32_t b) { return begin[a] < begin[b]; });
    }
    first = last;
  }
  return order;
}

}  // namespace xsp
