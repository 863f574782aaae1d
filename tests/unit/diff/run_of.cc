#include "tests/unit/diff/run_of.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace xsp::test {
namespace {

// A line "KIND PATH = VALUES FACTS".
struct Line {
  std::string kind;
  std::vector<std::string> path;
  std::vector<DurationNs> values;
  std::uint32_t count = 1;
  std::map<std::string, std::string> facts;
};

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

Line ReadLine(const std::string& text) {
  Line line;
  const std::size_t space = text.find(' ');
  const std::size_t equals = text.find(" = ");
  if (space == text.npos || equals == text.npos || equals < space) {
    throw std::invalid_argument("no line of a run: " + text);
  }
  line.kind = text.substr(0, space);
  line.path = Split(text.substr(space + 1, equals - space - 1), '/');
  for (const std::string& word : Split(text.substr(equals + 3), ' ')) {
    if (word.empty()) continue;
    const std::size_t sign = word.find('=');
    if (sign != word.npos) {
      line.facts[word.substr(0, sign)] = word.substr(sign + 1);
    } else if (word[0] == 'x') {
      line.count = static_cast<std::uint32_t>(std::stoul(word.substr(1)));
    } else {
      line.values.push_back(std::stoll(word));
    }
  }
  return line;
}

class Builder {
 public:
  Builder() {
    run_.places.emplace_back();
    run_.places[0].name = "step";
    run_.facts.has_calls = true;
    run_.facts.has_kernels = true;
    run_.facts.format = "text";
    run_.facts.processes = 1;
  }

  void Add(const std::string& text) {
    const std::size_t space = text.find(' ');
    const std::string word = text.substr(0, space);
    const std::string rest = space == text.npos ? "" : text.substr(space + 1);
    if (word == "steps" || word == "span") return SetUnit(word == "steps", rest);
    if (word == "gpu") return run_.facts.gpus.push_back(rest);
    if (word == "driver") return void(run_.facts.driver = rest);
    if (word == "shape") return void(run_.facts.input_shape = rest);
    if (word == "clock") return run_.facts.clocks.push_back(std::stoull(rest));
    if (word == "cpu") return void(run_.facts.cpu = rest);
    if (word == "os") return void(run_.facts.os = rest);
    if (word == "card") return run_.facts.cards.push_back(rest);
    if (word == "no_kernels") return void(run_.facts.has_kernels = false);
    if (word == "whole") {
      run_.span_ns = std::stoll(rest);
      return void(run_.wall_ns = std::stoll(rest.substr(rest.find(' '))));
    }
    if (word == "found") {  // So many steps, of which each counts, whatever the unit is.
      run_.steps.found = static_cast<std::uint32_t>(std::stoul(rest));
      run_.steps.counted.resize(run_.steps.found);
      return;
    }
    if (word == "one_time") return void(run_.program_one_time_ns = std::stoll(rest));
    if (word == "memory") return void(run_.peak_memory = std::stoull(rest));
    const Line line = ReadLine(text);
    line.kind == "range" ? AddRange(line) : AddPlace(line);
  }

  Run Finish() {
    const std::size_t steps = run_.unit_ns.size();
    run_.residual_ns = run_.unit_ns;
    for (const PathCost& cost : run_.path) run_.residual_ns[cost.step] -= cost.ns;
    run_.busy_ns.resize(steps);
    run_.kernels.resize(steps);
    run_.launches.resize(steps);
    run_.syncs.resize(steps);
    std::map<std::pair<std::uint32_t, std::uint32_t>, DurationNs> above;
    for (const PlaceSample& sample : run_.samples) {
      const RunPlace& place = run_.places[sample.place];
      if (place.IsDeviceWork()) run_.busy_ns[sample.step] += sample.device_sum;
      if (place.is_kernel) run_.kernels[sample.step] += sample.count;
      if (place.name.find("Launch") != std::string::npos)
        run_.launches[sample.step] += sample.count;
      if (place.name.find("Sync") != std::string::npos) run_.syncs[sample.step] += sample.count;
      for (std::uint32_t p = place.parent; p != RunPlace::kNone; p = run_.places[p].parent) {
        above[{p, sample.step}] += sample.device_sum;
      }
    }
    for (const auto& [key, sum] : above) run_.samples.push_back({key.first, key.second, sum, 1});
    auto place_first = [](const auto& a, const auto& b) {
      return std::pair(a.place, a.step) < std::pair(b.place, b.step);
    };
    std::sort(run_.samples.begin(), run_.samples.end(), place_first);
    std::sort(run_.path.begin(), run_.path.end(), [](const PathCost& a, const PathCost& b) {
      return std::tuple(a.place, a.kind, a.step) < std::tuple(b.place, b.kind, b.step);
    });
    return std::move(run_);
  }

 private:
  void SetUnit(bool is_step, const std::string& values) {
    run_.is_step = is_step;
    run_.step_source = is_step ? StepSource::kRange : StepSource::kNone;
    for (const std::string& value : Split(values, ' ')) run_.unit_ns.push_back(std::stoll(value));
    run_.steps.found = static_cast<std::uint32_t>(run_.unit_ns.size());
    DurationNs sum = 0;
    for (std::uint32_t i = 0; i < run_.steps.found; ++i) {
      run_.steps.counted.push_back(i);
      sum += run_.unit_ns[i];
    }
    if (!is_step) run_.span_ns = run_.wall_ns = run_.unit_ns.front();
    if (sum > 0) run_.steps.typical = run_.steps.warm_mean = sum / run_.steps.found;
  }

  std::uint32_t Child(std::uint32_t parent, Level level, const std::string& name) {
    for (std::uint32_t i = 1; i < run_.places.size(); ++i) {
      const RunPlace& place = run_.places[i];
      if (place.parent == parent && place.level == level && place.name == name) return i;
    }
    RunPlace place;
    place.parent = parent;
    place.level = level;
    place.name = name;
    run_.places.push_back(place);
    return static_cast<std::uint32_t>(run_.places.size() - 1);
  }

  void AddPlace(const Line& line) {
    const bool is_call = line.kind == "call";
    std::uint32_t at = 0;
    for (std::size_t i = 0; i + 1 < line.path.size(); ++i) {
      at = Child(at, i == 0 ? Level::kPhase : i == 1 ? Level::kLayer : Level::kOp, line.path[i]);
    }
    at = Child(at, is_call ? Level::kApi : Level::kDevice, line.path.back());
    RunPlace& place = run_.places[at];
    place.is_kernel = line.kind == "kernel" || line.kind == "collective";
    ReadFacts(line, place);
    for (std::uint32_t step = 0; step < run_.unit_ns.size(); ++step) {
      const DurationNs ns = line.values[std::min<std::size_t>(step, line.values.size() - 1)];
      run_.samples.push_back({at, step, is_call ? 0 : ns, line.count});
      if (!line.facts.contains("hidden")) run_.path.push_back({at, CostOf(line), step, ns});
    }
  }

  // Ranges are given in the order of their names.
  void AddRange(const Line& line) {
    const auto row = static_cast<std::uint32_t>(run_.range_names.size());
    run_.range_names.push_back(line.path.front());
    for (std::uint32_t step = 0; step < run_.unit_ns.size(); ++step) {
      const DurationNs ns = line.values[std::min<std::size_t>(step, line.values.size() - 1)];
      run_.ranges.push_back({row, step, ns});
    }
  }

  static void ReadFacts(const Line& line, RunPlace& place) {
    for (const auto& [fact, value] : line.facts) {
      if (fact == "class") place.kernel_class = *KernelClassFromName(value);
      if (fact == "precision") place.precision = *PrecisionFromName(value);
      if (fact == "grid") place.shape.grid = {static_cast<std::uint32_t>(std::stoul(value)), 1, 1};
      if (fact == "block")
        place.shape.block = {static_cast<std::uint32_t>(std::stoul(value)), 1, 1};
    }
  }

  static CostKind CostOf(const Line& line) {
    if (line.kind == "kernel") return CostKind::kDevice;
    if (line.kind == "collective") return CostKind::kCommunication;
    if (line.kind == "copy") return CostKind::kCopy;
    const auto kind = line.facts.find("kind");
    if (kind == line.facts.end()) return CostKind::kHost;
    if (kind->second == "launch") return CostKind::kLaunch;
    if (kind->second == "sync") return CostKind::kSync;
    return CostKind::kHost;
  }

  Run run_;
};

}  // namespace

Run RunOf(std::string_view text) {
  Builder builder;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != line.npos) builder.Add(line.substr(first));
  }
  return builder.Finish();
}

}  // namespace xsp::test
