#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hierarchy/level.h"
#include "model/string_pool.h"
#include "model/trace.h"

namespace xsp {

// A name in the hierarchy: a string of the trace, or one that the hierarchy made itself.
using NameId = Id<struct NameTag>;

// The level of a framework's range, as its role tells; nothing for other ranges.
std::optional<Level> LevelOfOperator(const Trace& trace, EventId range);

// The names of a trace's ranges, looked at once per distinct text, and names made up on the way.
class NameTable {
 public:
  // What one distinct text says.
  struct Entry {
    NameId name;  // Shown name; of an operator its bare one.
    Phase phase = Phase::kNone;
    std::uint8_t step_rank = 0;
    bool is_library = false;
  };

  explicit NameTable(const Trace& trace);

  // Keeps a reference to the trace.
  const Entry& OfRange(StringId text) const {
    return entries_[text.valid() && text.value < place_.size() ? place_[text.value] : 0];
  }

  NameId Intern(std::string_view text);
  // A name that was interned, or is a string of the trace; invalid otherwise.
  NameId Find(std::string_view text) const;
  NameId OfString(StringId text) const { return NameId(text.value); }
  std::string_view Text(NameId name) const;

 private:
  // What a shown name says; the same for all texts that show it.
  struct Words {
    Phase phase = Phase::kNone;
    std::uint8_t step_rank = 0;
    bool is_library = false;
    bool is_known = false;
  };

  void AddRange(EventId range);
  const Words& WordsOf(NameId name);

  const Trace* trace_;
  StringPool own_;
  std::vector<std::uint32_t> place_;  // By StringId: a row of entries_; row 0 is a nameless range.
  std::vector<Entry> entries_;
  std::vector<Words> words_;  // By NameId.
};

}  // namespace xsp
