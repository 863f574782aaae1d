#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/tables/report.h"

namespace xsp {

// What a recording gave.
struct LiveResult {
  std::string source;                 // The program's name, or the spool that was converted.
  std::optional<std::string> stored;  // The stored trace; none if nothing was recorded.
  std::uint64_t stored_bytes = 0;
  std::uint32_t processes = 0;
  std::map<std::string, std::uint64_t> records;                  // By kind.
  std::map<std::string, std::uint64_t> dropped;                  // By kind: lost while recording.
  std::vector<std::pair<std::string, std::string>> unavailable;  // Kind, and why.
  std::vector<std::string> messages;                             // All else that is worth knowing.
  std::optional<int> exit_code;                                  // Of the program; none: none ran.
};

Report MakeLiveReport(const LiveResult& result);

// The same in a few lines, for a terminal that belongs to the recorded program: the result, then
// one line for each thing that did not work.
std::vector<std::string> LiveLines(const LiveResult& result);

}  // namespace xsp
