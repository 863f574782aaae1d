#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/column.h"
#include "model/event_kind.h"
#include "model/events.h"

namespace xsp {

// Some events of one kind, as one reader found them. `order` says where the chunk belongs among the
// chunks of its kind, so that readers may finish in any order.
struct EventChunk {
  EventKind kind;
  std::uint64_t order = 0;
  std::string source_table;  // For the import log.
  std::unique_ptr<Events> events;
};

// The same with their details, row for row. Behind pointers, so that code which moves chunks about
// is the same small code for every table.
template <class Table>
struct Chunk : EventChunk {
  std::unique_ptr<Table> details;
};

// The events of a group of kinds, put together: kinds in order, each sorted by begin, rows of equal
// begin in the order of the source.
struct MergedEvents {
  Events events;
  std::vector<std::pair<EventKind, std::uint32_t>> kind_counts;
  std::string source_table;  // Of the first chunk.
  // How many rows began before their predecessor in the same table of the source.
  std::map<std::pair<std::string, EventKind>, std::uint32_t> out_of_order;
};

// The order in which chunks come: by kind, then by `order`; indices into `chunks`.
std::vector<std::uint32_t> OrderOfChunks(const std::vector<const EventChunk*>& chunks);

// Concatenates the events of chunks in this order and gives their memory back.
MergedEvents MergeEvents(const std::vector<EventChunk*>& chunks,
                         const std::vector<std::uint32_t>& order);

// The order of rows that sorts each kind by begin; nothing if they are sorted already.
std::vector<std::uint32_t> OrderByBegin(const MergedEvents& merged);

// Concatenates the chunks of a group; fills `details` and gives the chunks' memory back.
template <class Table>
MergedEvents MergeChunks(std::vector<Chunk<Table>>& chunks, Table& details) {
  std::vector<EventChunk*> heads;
  std::size_t rows = 0;
  for (auto& chunk : chunks) {
    heads.push_back(&chunk);
    rows += chunk.events->begin.size();
  }
  const auto order = OrderOfChunks({heads.begin(), heads.end()});
  MergedEvents merged = MergeEvents(heads, order);
  if (chunks.size() == 1) {
    details = std::move(*chunks.front().details);
  } else {
    ReserveRows(details, rows);
    for (std::uint32_t i : order) {
      AppendRows(details, *chunks[i].details);
      chunks[i].details.reset();
    }
  }
  chunks.clear();
  return merged;
}

}  // namespace xsp
