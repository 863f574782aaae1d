#include "report/exports/stacks.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/tables/json.h"

namespace xsp {
namespace {

// No flame graph shows more, and ranges may nest ten thousands deep.
constexpr std::uint32_t kMostNames = 64;
constexpr std::string_view kLeftOut = "[...]";

DurationNs Mean(DurationNs sum, std::uint32_t steps) {
  const DurationNs n = std::max<std::uint32_t>(1, steps);
  return (sum + n / 2) / n;
}

DurationNs Figure(const PathNode& node, StackWeight weight) {
  if (weight == StackWeight::kDevice) return node.total.device_sum;
  return node.has_host ? node.total.host : 0;
}

bool IsWork(PathKind kind) { return kind <= PathKind::kGraph; }

}  // namespace

std::string_view NameOf(StackWeight weight) {
  switch (weight) {
    case StackWeight::kDevice:
      return "device";
    case StackWeight::kHost:
      return "host";
    case StackWeight::kPath:
      break;
  }
  return "path";
}

// `outer_` of a row: the row itself, or of a deep one the innermost of those above that are shown.
Stacks::Stacks(const PathTotals& totals, StackWeight weight, const StackPath* path)
    : totals_(totals),
      own_(totals.nodes().size()),
      depth_(totals.nodes().size()),
      outer_(totals.nodes().size()) {
  const std::vector<PathNode>& nodes = totals.nodes();
  for (std::uint32_t row = 0; row < nodes.size(); ++row) {
    const PathId parent = nodes[row].parent;
    depth_[row] = parent.valid() ? depth_[parent.value] + 1 : 0;
    outer_[row] = depth_[row] < kMostNames ? row : outer_[parent.value];
    if (weight == StackWeight::kPath) continue;
    const DurationNs figure = Figure(nodes[row], weight);
    own_[row] += figure;
    if (parent.valid()) own_[parent.value] -= figure;
  }
  if (path != nullptr) WeighPath(*path);
  // Of ranges that overlap, children may have more than what holds them.
  const std::uint32_t steps = weight == StackWeight::kPath ? 1 : totals.divisor();
  for (DurationNs& ns : own_) ns = Mean(std::max<DurationNs>(0, ns), steps);
}

void Stacks::WeighPath(const StackPath& path) {
  std::map<std::pair<PathId, PathKind>, DurationNs> waits;
  for (const PathSegment& segment : path.path.segments) {
    PathId place(std::uint32_t{0});
    if (segment.task.valid() && path.graph.event[segment.task].valid()) {
      const EventId event = path.graph.event[segment.task];
      const Trace& trace = totals_.hierarchy().trace();
      PathId found;
      if (event.value < totals_.places().size()) found = totals_.places()[event.value];
      if (trace.OfKind(EventKind::kApi).Contains(event)) found = totals_.PlaceOfCall(event);
      if (found.valid()) place = found;
    }
    const DurationNs ns = segment.end - segment.begin;
    if (IsWork(segment.kind) && place.value != 0) {
      own_[place.value] += ns;
    } else {
      waits[{place, segment.kind}] += ns;
    }
  }
  for (DurationNs& ns : own_) ns = Mean(std::max<DurationNs>(0, ns), path.steps);
  for (const auto& [key, ns] : waits) {
    const DurationNs mean = Mean(std::max<DurationNs>(0, ns), path.steps);
    if (mean > 0) waits_.push_back({key.first, key.second, mean});
  }
}

std::string_view Stacks::NameAt(std::uint32_t row) const {
  const std::string_view name = totals_.Name(PathId(row));
  return name.empty() ? "[no name]" : name;
}

void Stacks::ForEach(
    const std::function<void(std::span<const std::string_view>, DurationNs)>& f) const {
  std::vector<std::string_view> names;
  const auto lead_to = [&](std::uint32_t row) {
    names.clear();
    for (std::uint32_t at = outer_[row]; at != 0; at = totals_.nodes()[at].parent.value) {
      names.push_back(NameAt(at));
    }
    std::reverse(names.begin(), names.end());
    if (outer_[row] == row) return;
    if (depth_[row] > kMostNames) names.push_back(kLeftOut);
    names.push_back(NameAt(row));
  };
  for (std::uint32_t row = 0; row < own_.size(); ++row) {
    if (own_[row] <= 0) continue;
    lead_to(row);
    if (names.empty()) names.push_back("[unattributed]");
    f(names, own_[row]);
  }
  for (const Wait& wait : waits_) {
    lead_to(wait.place.value);
    names.push_back(NameOf(wait.kind));
    f(names, wait.ns);
  }
}

DurationNs Stacks::total() const {
  DurationNs sum = 0;
  ForEach([&](std::span<const std::string_view>, DurationNs ns) { sum += ns; });
  return sum;
}

std::uint64_t WriteFolded(const Stacks& stacks, const ByteSink& sink) {
  BufferedSink out(sink);
  std::uint64_t count = 0;
  stacks.ForEach([&](std::span<const std::string_view> names, DurationNs ns) {
    std::string line;
    for (const std::string_view name : names) {
      if (!line.empty()) line += ';';
      const std::size_t first = line.size();
      line += name;
      for (std::size_t i = first; i < line.size(); ++i) {
        if (line[i] == ';' || static_cast<unsigned char>(line[i]) < ' ') line[i] = ',';
      }
    }
    out.Write(line + ' ' + std::to_string(ns) + '\n');
    ++count;
  });
  out.Flush();
  return count;
}

std::uint64_t WriteSpeedscope(const Stacks& stacks, std::string_view name, const ByteSink& sink) {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  Json frames = Json::array(), samples = Json::array(), weights = Json::array();
  DurationNs total = 0;
  stacks.ForEach([&](std::span<const std::string_view> names, DurationNs ns) {
    Json sample = Json::array();
    for (const std::string_view frame : names) {
      const auto [at, is_new] =
          numbers.try_emplace(frame, static_cast<std::uint32_t>(numbers.size()));
      if (is_new) frames.push_back({{"name", JsonText(frame)}});
      sample.push_back(at->second);
    }
    samples.push_back(std::move(sample));
    weights.push_back(ns);
    total += ns;
  });
  const std::uint64_t count = weights.size();
  const Json document = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                         {"exporter", "xsp"},
                         {"name", JsonText(name)},
                         {"activeProfileIndex", 0},
                         {"shared", {{"frames", std::move(frames)}}},
                         {"profiles", Json::array({{{"type", "sampled"},
                                                    {"name", JsonText(name)},
                                                    {"unit", "nanoseconds"},
                                                    {"startValue", 0},
                                                    {"endValue", total},
                                                    {"samples", std::move(samples)},
                                                    {"weights", std::move(weights)}}})}};
  sink(EscapedJson(document.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n");
  return count;
}

}  // namespace xsp
