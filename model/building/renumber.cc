#include "model/building/renumber.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace xsp {
namespace {

// New id by old id.
using Renaming = std::vector<std::uint32_t>;

// Sorts rows by `key` and says where each went.
template <class Row, class Key>
Renaming SortRows(std::vector<Row>& rows, Key key) {
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return key(rows[a]) < key(rows[b]); });
  Renaming renaming(rows.size());
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    renaming[order[i]] = i;
    sorted.push_back(rows[order[i]]);
  }
  rows = std::move(sorted);
  return renaming;
}

template <class Tag>
void Rename(Id<Tag>& id, const Renaming& renaming) {
  if (id.valid()) id.value = renaming[id.value];
}

// Calls f on every value of type T in events, details, collectives, operators and frames.
template <class T, class F>
void ForEachValue(TraceTables& t, F f) {
  auto visit = [&]<class Table>(Table& table) {
    ForEachColumn<Table>([&](const Column&, auto member) {
      auto& values = table.*member;
      if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(values)>::value_type, T>) {
        for (T& value : values) f(value);
      }
    });
  };
  visit(t.events);
  ForEachDetailTable(t.details, [&](const KindGroup&, auto& table) { visit(table); });
  visit(t.collectives);
  visit(t.operators);
  visit(t.operands);
  visit(t.frames);
}

// Calls f on every value of type T in a table of rows.
template <class T, class Row, class F>
void ForEachField(std::vector<Row>& rows, F f) {
  ForEachColumn<Row>([&](const Column&, auto member) {
    for (Row& row : rows) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(row.*member)>, T>) {
        f(row.*member);
      }
    }
  });
}

void RenumberEntities(TraceTables& t) {
  const Renaming processes = SortRows(t.processes, [](const Process& p) { return p.global_id; });
  auto rename_process = [&](ProcessId& id) { Rename(id, processes); };
  ForEachField<ProcessId>(t.tracks, rename_process);
  ForEachField<ProcessId>(t.contexts, rename_process);
  ForEachField<ProcessId>(t.domains, rename_process);

  const Renaming tracks = SortRows(t.tracks, [](const Track& k) {
    return std::tuple(k.process, k.kind, k.device, k.context, k.stream, k.thread);
  });
  ForEachValue<TrackId>(t, [&](TrackId& id) { Rename(id, tracks); });

  const Renaming domains =
      SortRows(t.domains, [](const NvtxDomain& d) { return std::tuple(d.process, d.number); });
  ForEachValue<DomainId>(t, [&](DomainId& id) { Rename(id, domains); });
  ForEachField<DomainId>(t.categories, [&](DomainId& id) { Rename(id, domains); });

  SortRows(t.contexts, [](const Context& c) { return std::tuple(c.process, c.id); });
  SortRows(t.categories, [](const NvtxCategory& c) { return std::tuple(c.domain, c.number); });
}

// Signatures are numbered in the order in which operators use them; unused ones go.
void RenumberSignatures(TraceTables& t) {
  const Operands& all = t.operands;
  const std::size_t count = all.signature.empty() ? 0 : all.signature.back().value + std::size_t{1};
  Renaming renaming(count, SignatureId::kNone);
  std::vector<std::uint32_t> first_row(count + 1, static_cast<std::uint32_t>(RowCount(all)));
  for (std::uint32_t row = static_cast<std::uint32_t>(RowCount(all)); row-- > 0;) {
    first_row[all.signature[row].value] = row;
  }
  std::vector<std::uint32_t> order;
  std::uint32_t used = 0;
  for (SignatureId& id : t.operators.signature) {
    if (!id.valid()) continue;
    if (renaming[id.value] == SignatureId::kNone) {
      renaming[id.value] = used++;
      for (std::uint32_t row = first_row[id.value];
           row < all.signature.size() && all.signature[row] == id; ++row) {
        order.push_back(row);
      }
    }
    Rename(id, renaming);
  }
  PermuteRows(t.operands, order);
  for (SignatureId& id : t.operands.signature) Rename(id, renaming);
}

void RenumberStrings(TraceTables& t) {
  std::uint32_t kept = 0;
  Renaming renaming(t.strings.size(), StringId::kNone);
  auto keep = [&](StringId& id) {
    if (!id.valid()) return;
    std::uint32_t& renamed = renaming[id.value];
    if (renamed == StringId::kNone) renamed = kept++;
    id.value = renamed;
  };
  ForEachValue<StringId>(t, keep);
  ForEachField<StringId>(t.processes, keep);
  ForEachField<StringId>(t.tracks, keep);
  ForEachField<StringId>(t.gpus, keep);
  ForEachField<StringId>(t.domains, keep);
  ForEachField<StringId>(t.categories, keep);
  t.strings.Renumber(renaming, kept);
}

}  // namespace

void Renumber(TraceTables& tables) {
  RenumberEntities(tables);
  RenumberSignatures(tables);
  RenumberStrings(tables);
}

}  // namespace xsp
