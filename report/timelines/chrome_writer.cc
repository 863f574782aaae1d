#include "report/timelines/chrome_writer.h"

#include <algorithm>
#include <utility>

namespace xsp {
namespace {

// Chrome counts in microseconds.
double Micro(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

}  // namespace

ChromeWriter::ChromeWriter(ByteSink sink) : sink_(std::move(sink)) {
  sink_.Write("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
}

void ChromeWriter::Add(const Json& event) {
  if (!is_first_) sink_.Write(",\n");
  is_first_ = false;
  sink_.Write(EscapedJson(event.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

void ChromeWriter::NameGroup(int group, const std::string& name) {
  Add({{"ph", "M"}, {"name", "process_name"}, {"pid", group}, {"args", {{"name", name}}}});
  Add({{"ph", "M"},
       {"name", "process_sort_index"},
       {"pid", group},
       {"args", {{"sort_index", group}}}});
}

void ChromeWriter::NameTrack(int group, std::uint32_t track, const std::string& name) {
  Add({{"ph", "M"},
       {"name", "thread_name"},
       {"pid", group},
       {"tid", track},
       {"args", {{"name", JsonText(name)}}}});
  Add({{"ph", "M"},
       {"name", "thread_sort_index"},
       {"pid", group},
       {"tid", track},
       {"args", {{"sort_index", track}}}});
}

void ChromeWriter::AddSpan(int group, std::uint32_t track, const std::string& name,
                           std::string_view category, SimTime begin, SimTime end, Json arguments) {
  Add({{"ph", "X"},
       {"name", JsonText(name)},
       {"cat", category},
       {"pid", group},
       {"tid", track},
       {"ts", Micro(begin.ns)},
       {"dur", Micro(std::max<DurationNs>(0, end - begin))},
       {"args", std::move(arguments)}});
}

void ChromeWriter::AddArrow(std::uint64_t id, int from_group, std::uint32_t from_track,
                            SimTime from, int to_group, std::uint32_t to_track, SimTime to) {
  const auto add = [&](const char* phase, int group, std::uint32_t track, SimTime at) {
    Json event = {{"ph", phase},  {"name", "issues"}, {"cat", "issues"},   {"id", id},
                  {"pid", group}, {"tid", track},     {"ts", Micro(at.ns)}};
    if (*phase == 'f') event["bp"] = "e";  // Ends at the span that holds it, not at the next one.
    Add(event);
  };
  add("s", from_group, from_track, from);
  add("f", to_group, to_track, to);
}

void ChromeWriter::Finish() {
  sink_.Write("\n]}\n");
  sink_.Flush();
}

}  // namespace xsp
