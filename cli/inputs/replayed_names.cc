#include "cli/inputs/replayed_names.h"

#include <cctype>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "base/user_json.h"
#include "cli/inputs/open_trace.h"
#include "cli/terminal/console.h"
#include "cli/terminal/result_file.h"
#include "hierarchy/names/graph_names.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// Below this the two are not of the same model, or not of the same batch.
constexpr double kLeastShare = 0.5;

// {"42": ...: an object whose first key is a number.
bool IsAnnotations(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string head(256, ' ');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  std::string plain;
  for (char c : head) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) plain += c;
  }
  return plain.starts_with("{\"") && plain.size() > 2 &&
         std::isdigit(static_cast<unsigned char>(plain[2])) != 0;
}

GraphNames NamesFrom(const Trace& trace, const std::string& file, const Hierarchy* names) {
  if (names != nullptr) return JoinGraphNames(trace, *names);
  return NamesOfNodes(trace, UserJson::Read(file,
                                            "torch.cuda writes it by node of the graph: "
                                            "{\"42\": {\"fqn_map\": {...}}}"));
}

}  // namespace

Trace NameReplayedKernels(Trace trace, const std::string& file, Progress& progress, bool quiet,
                          NamedReplays& found) {
  CheckExists(file);
  ProtectInput(file);
  std::optional<OpenedTrace> other;
  std::optional<Hierarchy> hierarchy;
  if (!IsAnnotations(file)) {
    other.emplace(OpenTrace(file, &progress, Notes(quiet)));
    hierarchy.emplace(other->trace);
  }
  const GraphNames names = NamesFrom(trace, file, hierarchy ? &*hierarchy : nullptr);
  if (names.replayed == 0) {
    throw Error("--graph-names: no kernel of this trace was replayed by a CUDA graph",
                "nsys records them with --cuda-graph-trace=node");
  }
  if (names.Share() < kLeastShare) {
    throw Error("--graph-names " + file + " does not fit: it names " +
                    std::to_string(names.names.size()) + " of " + std::to_string(names.replayed) +
                    " replayed kernels (" + FormatPercent(names.Share()) + ")",
                "it must be a run of the same model with the same batch, with kernels launched one "
                "by one inside of ranges");
  }
  found = {file, names.replayed, names.names.size()};
  return WithKernelOperators(std::move(trace), names.names, names.source);
}

}  // namespace xsp
