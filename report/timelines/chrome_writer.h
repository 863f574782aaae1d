#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_sink.h"
#include "graph/sim_time.h"
#include "report/tables/json.h"

namespace xsp {

// Writes a document in Chrome's trace event format, which Perfetto and
// chrome://tracing show. Groups ("processes" of the format) hold tracks
// ("threads"), both shown in the order of their numbers.
class ChromeWriter {
 public:
  explicit ChromeWriter(ByteSink sink);

  void NameGroup(int group, const std::string& name);
  void NameTrack(int group, std::uint32_t track, const std::string& name);
  void AddSpan(int group, std::uint32_t track, const std::string& name, std::string_view category,
               SimTime begin, SimTime end, Json arguments);

  // An arrow from a span to another one: from where one begins to where the other does. `id` is the
  // arrow's own.
  void AddArrow(std::uint64_t id, int from_group, std::uint32_t from_track, SimTime from,
                int to_group, std::uint32_t to_track, SimTime to);

  // Ends the document.
  void Finish();

 private:
  void Add(const Json& event);

  BufferedSink sink_;
  bool is_first_ = true;
};

}  // namespace xsp
