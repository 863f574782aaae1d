#include "report/html/waterfall.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/quantile.h"
#include "graph/unit/gpu_span.h"
#include "model/spans.h"
#include "report/html/counters.h"
#include "report/html/waterfall_edges.h"
#include "report/html/waterfall_items.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// Beyond this a browser has to draw too much.
constexpr std::size_t kMostItems = 150'000;

// A part of the time that could be shown, and how to call it.
struct Candidate {
  TimeRange part;
  std::string shown;  // Empty: everything.
  bool only_deciding = false;
};

Json NamesOf(std::size_t count, const std::function<std::string_view(std::size_t)>& name) {
  Json list = Json::array();
  for (std::size_t i = 0; i < count; ++i) list.push_back(name(i));
  return list;
}

class WaterfallMaker {
 public:
  WaterfallMaker(const WaterfallInput& input, std::size_t budget, PackedTexts& texts)
      : in_(input),
        steps_(input.hierarchy.steps()),
        trace_(input.hierarchy.trace()),
        budget_(budget),
        texts_(texts),
        texts_size_(texts.DeflatedSize()) {
    if (in_.graph != nullptr) replay_ = Simulate(*in_.graph, {}, &answers_);
  }

  Json Run() {
    std::vector<Candidate> candidates = Candidates();
    for (const Candidate& candidate : candidates) {
      if (auto json = Try(candidate)) return *json;
    }
    // Half of the last one, and half of that: one bar always fits.
    Candidate half = candidates.back();
    while (half.part.Length() > 1) {
      half.part.end = half.part.begin + half.part.Length() / 2;
      half.shown = candidates.back().shown + (candidates.back().shown.empty() ? "" : ", ") +
                   "the first " + FormatDuration(half.part.Length()) + " only";
      if (auto json = Try(half)) return *json;
    }
    return nullptr;
  }

 private:
  TimeRange TimeOfSteps(std::uint32_t first, std::uint32_t end) const {
    return {steps_.steps[first].time.begin, steps_.steps[end - 1].time.end};
  }

  // The first that fits is shown.
  std::vector<Candidate> Candidates() const {
    std::vector<Candidate> list;
    const auto count = static_cast<std::uint32_t>(steps_.size());
    if (in_.path != nullptr && in_.path->unit.is_step) {
      const Unit& unit = in_.path->unit;
      const std::uint32_t example = in_.path->example;
      const std::string one = "step " + std::to_string(example + 1) + ", a typical one";
      if (count > 0) list.push_back({WithMargins(TimeOfSteps(0, count)), ""});
      list.push_back({TimeOfSteps(unit.first_step, unit.end_step()),
                      unit.step_count == 1
                          ? one
                          : "the simulated steps, " + std::to_string(unit.first_step + 1) + " to " +
                                std::to_string(unit.end_step())});
      list.push_back({TimeOfSteps(example, example + 1), one});
      list.push_back({TimeOfSteps(example, example + 1), one + ", with deciding waits only", true});
      return list;
    }
    const auto span = in_.graph != nullptr ? GpuSpan(trace_) : ProgramSpan(trace_);
    const TimeRange whole = span.value_or(TimeRange{0, 1});
    const TimeRange part =
        in_.path != nullptr && in_.path->unit.is_asked_for ? in_.path->unit.time : whole;
    list.push_back({WithMargins(part), ""});
    list.push_back({WithMargins(part), "deciding waits only", true});
    return list;
  }

  // What led to the first operation lies before it.
  static TimeRange WithMargins(TimeRange part) {
    const DurationNs margin = part.Length() / 40 + 1;
    return {part.begin - margin, part.end + margin};
  }

  // Nothing where it does not fit.
  std::optional<Json> Try(const Candidate& candidate) {
    const WaterfallItems items(in_.hierarchy, in_.graph, candidate.part);
    if (items.list().size() > kMostItems) return std::nullopt;
    PackedTexts texts = texts_;
    Json json = {{"begin_ns", candidate.part.begin},
                 {"length_ns", candidate.part.Length()},
                 {"shown", candidate.shown}};
    json["items"] = items.ToJson(texts);
    json["steps"] = StepsIn(candidate.part);
    if (in_.graph != nullptr) {
      json["edges"] =
          EdgeColumns(items, *in_.graph, replay_, answers_, candidate.only_deciding, texts);
      json["rules"] = NamesOf(kRuleCount, [](std::size_t i) { return kRuleTable[i].name; });
    }
    if (in_.path != nullptr) AddPath(items, json);
    if (in_.idle != nullptr) AddIdle(candidate.part, json);
    json["counters"] = CountersIn(trace_, candidate.part);
    const std::size_t more_texts =
        texts.DeflatedSize() - std::min(texts.DeflatedSize(), texts_size_);
    if (json.dump().size() + more_texts > budget_) return std::nullopt;
    texts_ = std::move(texts);
    return json;
  }

  // The one that is simulated as an example; where nothing is simulated, the median of those that
  // count.
  std::optional<std::uint32_t> TypicalStep() const {
    if (in_.path != nullptr) {
      return in_.path->unit.is_step ? std::optional(in_.path->example) : std::nullopt;
    }
    std::vector<std::pair<DurationNs, std::uint32_t>> counted;
    for (const std::uint32_t i : steps_.Counted()) {
      counted.emplace_back(steps_.steps[i].time.Length(), i);
    }
    if (counted.empty()) return std::nullopt;
    return UpperMedian(counted).second;
  }

  Json StepsIn(TimeRange part) const {
    Json list = Json::array();
    const std::optional<std::uint32_t> typical = TypicalStep();
    for (std::uint32_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_.steps[i];
      if (step.time.Clip(part).Empty() || list.size() >= 2000) continue;
      constexpr std::string_view kRoles[] = {"counted", "cold", "outlier", "left out"};
      list.push_back({{"number", i + 1},
                      {"name", JsonText(CutText(step.name))},
                      {"begin_ns", step.time.begin - part.begin},
                      {"ns", step.time.Length()},
                      {"role", kRoles[static_cast<std::size_t>(step.role)]},
                      {"typical", typical == i}});
    }
    return list;
  }

  // The path is one of simulated times; each of its pieces is shown where its task was measured.
  void AddPath(const WaterfallItems& items, Json& json) const {
    const TaskGraph& graph = *in_.graph;
    PackedColumn begin(PackedColumn::Kind::kSteps), length, kind, item;
    std::size_t rows = 0;
    for (const PathSegment& segment : in_.path->path.segments) {
      TimeNs at = segment.begin.ns;
      if (segment.task.valid() && in_.path->replay.begin[segment.task].known()) {
        at += TraceBegin(graph, segment.task) - in_.path->replay.begin[segment.task].ns;
      }
      const TimeRange time = {at, at + (segment.end - segment.begin)};
      if (time.end < items.part().begin || time.begin > items.part().end) continue;
      begin.Add(time.begin - items.part().begin);
      length.Add(time.Length());
      kind.Add(static_cast<int>(segment.kind));
      item.Add(items.RowOf(segment.task));
      ++rows;
    }
    json["path"] = {{"rows", rows},
                    {"begin", begin.ToJson()},
                    {"length", length.ToJson()},
                    {"kind", kind.ToJson()},
                    {"item", item.ToJson()},
                    {"kinds", NamesOf(kPathKindCount, [](std::size_t i) {
                       return NameOf(static_cast<PathKind>(i));
                     })}};
  }

  void AddIdle(TimeRange part, Json& json) const {
    PackedColumn device, begin(PackedColumn::Kind::kSteps), length, cause;
    std::size_t rows = 0;
    for (const IdleGap& gap : in_.idle->gaps) {
      if (gap.time.Clip(part).Empty()) continue;
      device.Add(in_.idle->devices[gap.device].number);
      begin.Add(gap.time.begin - part.begin);
      length.Add(gap.time.Length());
      cause.Add(static_cast<int>(gap.main_cause));
      ++rows;
    }
    json["idle"] = {
        {"rows", rows},
        {"device", device.ToJson()},
        {"begin", begin.ToJson()},
        {"length", length.ToJson()},
        {"cause", cause.ToJson()},
        {"causes",
         NamesOf(kIdleCauseCount, [](std::size_t i) { return NameOf(static_cast<IdleCause>(i)); })},
        {"meanings", NamesOf(kIdleCauseCount,
                             [](std::size_t i) { return Meaning(static_cast<IdleCause>(i)); })}};
  }

  const WaterfallInput& in_;
  const Steps& steps_;
  const Trace& trace_;
  const std::size_t budget_;
  PackedTexts& texts_;
  const std::size_t texts_size_;  // Before anything was added.
  Schedule replay_;
  Answers answers_;
};

}  // namespace

Json WaterfallColumns(const WaterfallInput& input, std::size_t budget, PackedTexts& texts) {
  return WaterfallMaker(input, budget, texts).Run();
}

}  // namespace xsp
