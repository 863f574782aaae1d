#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hierarchy/level.h"
#include "model/names/framework_names.h"
#include "model/string_pool.h"
#include "model/trace.h"

namespace xsp {

// A name in the hierarchy: a string of the trace, or one that the hierarchy made itself.
using NameId = Id<struct NameTag>;

// The level of a framework's range, as its role tells; nothing for other ranges.
std::optional<Level> LevelOfOperator(const Trace& trace, EventId range);

// The level of a range that a framework's pack knows; nothing where its surroundings tell.
std::optional<Level> LevelOf(TextRole role);

// The names of a trace's ranges, looked at once per distinct text, and names made up on the way.
class NameTable {
 public:
  // What one distinct text says.
  struct Entry {
    NameId name;  // Shown name; of an operator its bare one.
    Phase phase = Phase::kNone;
    std::uint8_t step_rank = 0;
    bool is_library = false;
    std::uint32_t known_text = 0;  // What a framework's pack says of it; see Known.
  };

  // Keeps a reference to the trace, and to the packs.
  explicit NameTable(const Trace& trace,
                     const FrameworkNames& frameworks = FrameworkNames::InUse());

  const Entry& OfRange(StringId text) const {
    return entries_[text.valid() && text.value < place_.size() ? place_[text.value] : 0];
  }

  // What a framework means by a range, where it is known to write such texts; else nullptr.
  const FrameworkText* Known(StringId text) const {
    const std::uint32_t known = OfRange(text).known_text;
    return known == 0 ? nullptr : &known_texts_[known];
  }
  const FrameworkNames& frameworks() const { return *frameworks_; }

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
  void DropWeak();
  void Recognise(Entry& entry);

  const Trace* trace_;
  const FrameworkNames* frameworks_;
  StringPool own_;
  std::vector<std::uint32_t> place_;  // By StringId: a row of entries_; row 0 is a nameless range.
  std::vector<Entry> entries_;
  std::vector<Words> words_;                // By NameId.
  std::vector<FrameworkText> known_texts_;  // Row 0 says nothing.
};

}  // namespace xsp
