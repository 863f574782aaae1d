#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.h"
#include "report/tables/color.h"
#include "report/tables/table_format.h"
#include "report/tables/table_writers.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

// Different names, in the order in which they come, that look the same when cut.
using Alike = std::vector<std::string>;

std::map<std::string, Alike> AlikeNames(const std::vector<std::string>& names, std::size_t width) {
  std::map<std::string, Alike> by_look;
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (seen.insert(name).second) by_look[CutMiddle(name, width)].push_back(name);
  }
  std::erase_if(by_look, [](const auto& entry) { return entry.second.size() < 2; });
  return by_look;
}

bool IsCharacterStart(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// Where the first difference of these names is, in bytes; at the begin of a character.
std::size_t FirstDifference(const Alike& names) {
  std::size_t at = names.front().size();
  for (const std::string& name : names) {
    const auto end =
        std::mismatch(names.front().begin(), names.front().end(), name.begin(), name.end());
    at = std::min(at, static_cast<std::size_t>(end.first - names.front().begin()));
  }
  while (at > 0 && at < names.front().size() && !IsCharacterStart(names.front()[at])) --at;
  return at;
}

// "front…difference…" with two thirds of the room for the part from `at` on.
std::string CutAround(const std::string& name, std::size_t at, std::size_t width) {
  const std::size_t tail_width = width * 2 / 3;
  std::string tail = name.substr(std::min(at, name.size()));
  std::string cut_tail;
  for (std::size_t i = 0; i < tail.size();) {
    std::size_t next = i + 1;
    while (next < tail.size() && !IsCharacterStart(tail[next])) ++next;
    const bool is_last = next == tail.size();
    const std::string longer = cut_tail + tail.substr(i, next - i);
    if (DisplayWidth(longer) + (is_last ? 0 : 1) > tail_width) {
      cut_tail += "…";
      break;
    }
    cut_tail = longer;
    i = next;
  }
  // CutMiddle keeps the whole tail: it gets its width as the part behind the middle.
  const std::size_t front_width = width - DisplayWidth(cut_tail);
  const std::string front = name.substr(0, std::min(at, name.size()));
  return CutMiddle(front, front_width) + cut_tail;
}

std::string WithNumber(const std::string& name, std::size_t number, std::size_t width) {
  const std::string tail = "#" + std::to_string(number);
  return width > tail.size() ? CutMiddle(name, width - tail.size()) + tail : CutMiddle(name, width);
}

// The names of a column, each at most `width` columns wide. What is too long loses its middle, as
// in CutMiddle; where that would make two different names look the same, what is kept behind the
// cut is the place in which they differ, and where even that does not tell them apart, they end in
// a number (#1, #2, in the order of the column). Expects safe text.
std::vector<std::string> CutApart(const std::vector<std::string>& names, std::size_t width) {
  std::map<std::string_view, std::string> apart;  // By name, where CutMiddle is not enough.
  const std::map<std::string, Alike> by_look = AlikeNames(names, width);
  for (const auto& [look, alike] : by_look) {
    const std::size_t at = FirstDifference(alike);
    std::set<std::string> looks;
    for (const std::string& name : alike) looks.insert(CutAround(name, at, width));
    for (std::size_t i = 0; i < alike.size(); ++i) {
      apart[alike[i]] = looks.size() == alike.size() ? CutAround(alike[i], at, width)
                                                     : WithNumber(alike[i], i + 1, width);
    }
  }
  std::vector<std::string> cut;
  for (const std::string& name : names) {
    const auto found = apart.find(name);
    cut.push_back(found == apart.end() ? CutMiddle(name, width) : found->second);
  }
  return cut;
}

constexpr std::size_t kGap = 2;            // Spaces between columns, and before the first.
constexpr std::size_t kReadableName = 32;  // Columns go before names get shorter than this...
constexpr std::size_t kShortestName = 12;  // ...and no name gets shorter than that.

// A column as it will be printed.
struct Shown {
  const TableColumn* column;
  bool right;
  std::string title;
  std::vector<std::string> cells;
  std::size_t width = 0;  // Of the widest cell; less where names are cut.
};

bool IsName(const Shown& shown) { return shown.column->kind == ColumnKind::kName; }
bool IsSentence(const Shown& shown) { return shown.column->kind == ColumnKind::kSentence; }

std::vector<Shown> ShowColumns(const Table& table, const TextLayout& layout) {
  std::vector<Shown> columns;
  std::vector<ColumnFormat> formats;
  std::vector<std::size_t> places;  // By shown column: its cell in a row.
  for (std::size_t c = 0; c < table.columns().size(); ++c) {
    if (!table.columns()[c].ForPeople()) continue;
    formats.emplace_back(table, c, layout.time_unit);
    places.push_back(c);
    Shown shown{&table.columns()[c], formats.back().AtRightEdge(), formats.back().Title(), {}};
    if (!table.header_hidden()) shown.width = DisplayWidth(shown.title);
    columns.push_back(std::move(shown));
  }
  InterruptPoll poll;
  table.ForEachRow([&](const std::vector<Cell>& row) {
    poll();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      Shown& shown = columns[i];
      shown.cells.push_back(formats[i].Show(row[places[i]]));
      shown.width = std::max(shown.width, DisplayWidth(shown.cells.back()));
    }
  });
  return columns;
}

// The width of a line if no name were longer than `name_limit`.
std::size_t LineWidth(const std::vector<Shown>& columns, std::size_t name_limit) {
  return std::accumulate(
      columns.begin(), columns.end(), std::size_t{0}, [&](std::size_t sum, const Shown& shown) {
        const bool gives_way = IsName(shown) || IsSentence(shown);
        return sum + kGap + (gives_way ? std::min(shown.width, name_limit) : shown.width);
      });
}

// Takes out the least important columns until the rest fits; of equals the rightmost goes.
void DropColumns(std::vector<Shown>& columns, std::size_t width) {
  while (columns.size() > 1 && LineWidth(columns, kReadableName) > width) {
    auto least = std::min_element(
        columns.rbegin(), columns.rend(),
        [](const auto& a, const auto& b) { return a.column->importance < b.column->importance; });
    if (least->column->importance >= kAlways) return;
    columns.erase(std::next(least).base());
  }
}

// Shortens the names so that lines fit, all to one length.
void LimitNames(std::vector<Shown>& columns, std::size_t width) {
  std::size_t widest = 0;
  for (const Shown& shown : columns) {
    if (IsName(shown)) widest = std::max(widest, shown.width);
  }
  std::size_t limit = widest;
  while (limit > kShortestName && LineWidth(columns, limit) > width) --limit;
  for (Shown& shown : columns) {
    if (!IsName(shown) || shown.width <= limit) continue;
    shown.width = limit;
    shown.cells = CutApart(shown.cells, limit);
  }
}

// Breaks the sentences of the last column into lines, behind the columns before it.
void WrapSentences(std::vector<Shown>& columns, std::size_t width) {
  if (columns.empty() || !IsSentence(columns.back())) return;
  Shown& last = columns.back();
  const std::size_t indent = LineWidth(columns, std::string::npos) - last.width;
  for (std::string& cell : last.cells) cell = Wrapped(cell, width, indent);
}

std::string Aligned(const Shown& shown, std::string_view text) {
  if (IsSentence(shown)) return std::string(text);
  const std::string cut = CutMiddle(text, shown.width);
  return shown.right ? PadLeft(cut, shown.width) : PadRight(cut, shown.width);
}

void TrimRight(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

// One line; text(shown) gives each column's part.
template <class Text>
std::string Line(const std::vector<Shown>& columns, const TextLayout& layout, Text text) {
  std::string line;
  for (const Shown& shown : columns) {
    const bool last = &shown == &columns.back();
    std::string part = Aligned(shown, text(shown));
    if (last) TrimRight(part);
    const bool bar = shown.column->kind == ColumnKind::kBar;
    line += std::string(kGap, ' ') + (bar ? Painted(part, Look::kBar, layout.color) : part);
  }
  TrimRight(line);
  return line;
}

}  // namespace

std::string WriteTextTable(const Table& whole, const TextLayout& layout) {
  const Table table = whole.Shown();
  std::vector<Shown> columns = ShowColumns(table, layout);
  if (layout.width) {
    DropColumns(columns, *layout.width);
    LimitNames(columns, *layout.width);
    WrapSentences(columns, *layout.width);
  }
  std::string text;
  if (!table.title().empty()) {
    const std::string title = SafeText(TitleWithUnit(table, layout.time_unit));
    text += Painted(title, Look::kTitle, layout.color) + "\n";
  }
  if (!table.header_hidden() && table.row_count() > 0) {
    const std::string header =
        Line(columns, {}, [](const Shown& shown) -> std::string_view { return shown.title; });
    text += Painted(header, Look::kHeader, layout.color) + "\n";
  }
  InterruptPoll poll;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    poll();
    text += Line(columns, layout,
                 [row](const Shown& shown) -> std::string_view { return shown.cells[row]; });
    text += "\n";
  }
  for (const std::string& note : table.notes()) {
    const std::string safe = SafeText(note);
    const std::string lines = layout.width ? Wrapped(safe, *layout.width, kGap) : safe;
    text += std::string(kGap, ' ') + Painted(lines, Look::kDim, layout.color) + "\n";
  }
  return text;
}

}  // namespace xsp
