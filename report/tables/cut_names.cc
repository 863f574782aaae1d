#include "report/tables/cut_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

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

}  // namespace

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

}  // namespace xsp
