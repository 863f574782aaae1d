#include "report/tree/tree_explain.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/error.h"
#include "hierarchy/names/device_number.h"
#include "hierarchy/totals/path_text.h"
#include "report/tables/text.h"
#include "report/tables/units.h"
#include "report/tree/level_words.h"

namespace xsp {
namespace {

constexpr std::size_t kExamples = 5;

std::string_view WordsFor(Source source) {
  switch (source) {
    case Source::kRange:
      return "the thread that launched it had this range open";
    case Source::kSequence:
      return "the framework's sequence number links it with a forward operation, whose layer it "
             "joins";
    case Source::kCapture:
      return "it was recorded into a CUDA graph while this range was open";
    case Source::kTemporal:
      return "its thread had no such range open; what another thread did at that time stands in: "
             "by "
             "time, not by cause";
    case Source::kRepetition:
      return "no range tells; the same sequence of work comes again and again, and this is part of "
             "it";
    case Source::kClass:
      return "no range tells; its name says what it does";
    case Source::kNone:
      break;
  }
  return "nothing tells where it belongs";
}

// Device time below a node, by the fact that gave the work its place.
struct PlaceFacts {
  std::array<DurationNs, kSourceCount> time{};
  std::array<std::uint64_t, kSourceCount> count{};
  std::vector<EventId> examples;  // The first ones by begin.
};

PlaceFacts FactsOf(const PathTotals& tree, PathId node) {
  const Trace& trace = tree.hierarchy().trace();
  PlaceFacts facts;
  std::vector<EventId> work;
  for (EventId e : trace.DeviceWork()) {
    const PathId place = tree.places()[e.value];
    if (!place.valid() || !tree.IsBelow(place, node)) continue;
    const auto source = static_cast<std::size_t>(tree.hierarchy().SourceOfWork(e));
    facts.time[source] += trace.duration(e);
    ++facts.count[source];
    work.push_back(e);
  }
  const std::size_t shown = std::min(kExamples, work.size());
  std::partial_sort(work.begin(), work.begin() + static_cast<std::ptrdiff_t>(shown), work.end(),
                    [&](EventId a, EventId b) {
                      return std::pair(trace.begin(a), a) < std::pair(trace.begin(b), b);
                    });
  facts.examples.assign(work.begin(), work.begin() + static_cast<std::ptrdiff_t>(shown));
  return facts;
}

// Whether no range of the program stands behind a node: it was found in what its work does, or
// between others. `examples` is work below it.
bool IsInferred(const PathTotals& tree, PathId id, const std::vector<EventId>& examples) {
  const PathNode& node = tree[id];
  if (node.level >= Level::kApi) return false;
  if (node.source == Source::kClass || node.source == Source::kRepetition) return true;
  const Nodes& nodes = tree.hierarchy().nodes();
  for (EventId work : examples) {
    NodeId at = tree.hierarchy().NodeOfWork(work);
    // Steps have one path for all of them.
    auto is_it = [&] {
      return nodes.level[at.value] == node.level &&
             (node.level == Level::kStep || nodes.name[at.value] == node.name);
    };
    while (at.valid() && !is_it()) at = nodes.parent[at.value];
    if (at.valid()) return !nodes.event[at.value].valid();
  }
  return false;
}

// What told that a node is there.
std::string WordsForNode(const PathNode& node, bool is_inferred) {
  if (node.source != Source::kRange || node.level >= Level::kApi) {
    return (is_inferred ? "inferred: " : "") + std::string(WordsFor(node.source));
  }
  if (!is_inferred) return "recorded by the program";
  return node.level == Level::kStep ? "inferred: the same ranges come again and again"
                                    : "inferred: the program marked where it begins and ends";
}

Table FactsTable(const PlaceFacts& facts, bool is_inferred) {
  Table table("By which fact", {{"device", "device_sum_ns", ColumnKind::kDuration, kAlways},
                                {"operations", "count", ColumnKind::kInt, 5},
                                {"by", "source", ColumnKind::kText, kAlways},
                                {"why", "why", ColumnKind::kName, kAlways}});
  for (std::size_t i = 0; i < kSourceCount; ++i) {
    if (facts.count[i] == 0) continue;
    const auto source = static_cast<Source>(i);
    const bool by_range_above = is_inferred && source == Source::kRange;
    table.AddRow({facts.time[i], facts.count[i], NameOf(source),
                  by_range_above
                      ? "the thread that launched it had the range around this open; this itself "
                        "is inferred"
                      : WordsFor(source)});
  }
  return table;
}

// "gemm, by rule gemm.cutlass".
std::string ClassWords(const Hierarchy& hierarchy, const KernelRules& rules, EventId work) {
  const KernelKind& kind = hierarchy.kinds().Of(hierarchy.trace(), work);
  std::string words(NameOf(kind.kernel_class));
  if (kind.class_rule != KernelKind::kNoRule) {
    words += ", by rule " + rules.rules()[kind.class_rule].id;
  } else if (hierarchy.trace().OfKind(EventKind::kKernel).Contains(work)) {
    words += ", no rule knows the name";
  }
  return words;
}

double InMs(TimeNs moment) {
  return static_cast<double>(moment) / static_cast<double>(NanosecondsPer(TimeUnit::kMs));
}

Table ExamplesTable(const PathTotals& tree, const PlaceFacts& facts, const KernelRules& rules,
                    NameForm form) {
  const Hierarchy& hierarchy = tree.hierarchy();
  const Trace& trace = hierarchy.trace();
  const KernelLabels labels(trace, form);
  // Moments in milliseconds with all their digits that count; scripts get nanoseconds.
  Table table("Its first operations",
              {{"operation", "name", ColumnKind::kName, kAlways},
               {"begin (ms)", "", ColumnKind::kFloat, 6, 3, Readers::kPeople},
               {"", "begin_ns", ColumnKind::kInt, 0, 0, Readers::kScripts},
               {"class", "class", ColumnKind::kText, 5},
               {"by", "source", ColumnKind::kText, 8},
               {"call", "call", ColumnKind::kText, 7},
               {"called at (ms)", "", ColumnKind::kFloat, 6, 3, Readers::kPeople},
               {"", "call_begin_ns", ColumnKind::kInt, 0, 0, Readers::kScripts},
               {"thread", "thread", ColumnKind::kId, 6},
               {"place", "place", ColumnKind::kName, kAlways}});
  for (EventId work : facts.examples) {
    const bool is_kernel = trace.OfKind(EventKind::kKernel).Contains(work);
    const EventId call = trace.call_of(work);
    std::vector<Cell> cells = {
        is_kernel ? labels.Of(work) : hierarchy.names().Text(hierarchy.NameOfWork(work)),
        InMs(trace.begin(work)), trace.begin(work), ClassWords(hierarchy, rules, work),
        NameOf(hierarchy.SourceOfWork(work))};
    if (call.valid()) {
      cells.insert(cells.end(), {Cell(hierarchy.names().Text(hierarchy.NameOfCall(call))),
                                 Cell(InMs(trace.begin(call))), Cell(trace.begin(call)),
                                 Cell(trace.track(trace.track_of(call)).thread)});
    } else {
      cells.insert(cells.end(), {Cell(), Cell(), Cell(), Cell()});
    }
    cells.push_back(hierarchy.Path(hierarchy.NodeOfWork(work)));
    table.AddRow(std::move(cells));
  }
  return table;
}

}  // namespace

PathId FindTreeNode(const PathTotals& tree, std::string_view path) {
  const std::string wanted = LowerCase(path);
  std::vector<PathId> ending, containing;
  std::vector<std::uint8_t> contains(tree.nodes().size(), 0);
  TreePaths paths(tree.nodes().size());
  for (std::uint32_t n = 0; n < tree.nodes().size(); ++n) {
    if (n > 0) paths.Place(n, tree.nodes()[n].parent.value);
    const std::string at =
        LowerCase(paths.Text(n, [&](std::uint32_t of) { return tree.Name(PathId(of)); }));
    if (at == wanted) return PathId(n);
    if (at.ends_with("/" + wanted)) ending.emplace_back(n);
    // What lies below a node that fits fits, too, and is not meant.
    contains[n] = at.find(wanted) != at.npos ? 1 : 0;
    if (contains[n] != 0 && (n == 0 || contains[tree.nodes()[n].parent.value] == 0)) {
      containing.emplace_back(n);
    }
  }
  const std::vector<PathId>& found = ending.empty() ? containing : ending;
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw Error("no node of the tree has '" + std::string(path) + "' in its path",
                "--format csv lists all paths");
  }
  std::string hint;
  for (std::size_t i = 0; i < std::min(kExamples, found.size()); ++i) {
    hint += (i == 0 ? "give more of the path: " : "; ") + tree.Path(found[i]);
  }
  throw Error(
      std::to_string(found.size()) + " nodes have '" + std::string(path) + "' in their path",
      hint + (found.size() > kExamples ? "; ..." : ""));
}

Report MakeTreeExplainReport(const PathTotals& tree, PathId node, const KernelRules& rules,
                             NameForm names, const TraceSource& source, const Window& window) {
  const PathNode& what = tree[node];
  const PlaceFacts facts = FactsOf(tree, node);
  const bool is_inferred = IsInferred(tree, node, facts.examples);
  Report report("tree", source, GpuWords(tree.hierarchy().trace()), window);
  const std::string_view level = LevelWords(tree.hierarchy()).Of(tree, node);
  std::string words = SafeText(tree.Path(node)) + ": ";
  words += level.empty() ? "what no range holds" : level;
  if (what.source != Source::kNone) {
    words +=
        ", by " + std::string(NameOf(what.source)) + " (" + WordsForNode(what, is_inferred) + ")";
  }
  if (facts.examples.empty()) words += ". No device work belongs to it";
  report.Show(words + ".");
  report.fields["path"] = JsonText(tree.Path(node));
  report.fields["level"] = NameOf(what.level);
  report.fields["source"] =
      what.source == Source::kNone ? Json(nullptr) : Json(NameOf(what.source));
  report.Add("facts", FactsTable(facts, is_inferred));
  report.Add("operations", ExamplesTable(tree, facts, rules, names));
  return report;
}

}  // namespace xsp
