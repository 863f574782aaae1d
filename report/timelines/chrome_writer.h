#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/sim_time.h"
#include "report/tables/json.h"

namespace xsp {

// Writes a document in Chrome's trace event format, which Perfetto and
// chrome://tracing show. Groups ("processes" of the format) hold tracks
// ("threads"), both shown in the order of their numbers.
class ChromeWriter {
 public:
  void NameGroup(int group, const std::string& name);
  void NameTrack(int group, std::uint32_t track, const std::string& name);
  void AddSpan(int group, std::uint32_t track, const std::string& name, std::string_view category,
               SimTime begin, SimTime end, Json arguments);

  // Ends the document and gives it back.
  std::string Finish();

 private:
  void Add(const Json& event);

  std::string text_ = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  bool is_first_ = true;
};

}  // namespace xsp
