#include "report/timelines/chrome_writer.h"

#include <algorithm>
#include <utility>

namespace xsp {
namespace {

// Chrome counts in microseconds.
double Micro(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

}  // namespace

void ChromeWriter::Add(const Json& event) {
  if (!is_first_) text_ += ",\n";
  is_first_ = false;
  text_ += EscapedJson(event.dump(-1, ' ', false, Json::error_handler_t::replace));
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

std::string ChromeWriter::Finish() {
  text_ += "\n]}\n";
  return std::move(text_);
}

}  // namespace xsp
