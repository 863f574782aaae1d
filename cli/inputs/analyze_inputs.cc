#include "cli/inputs/analyze_inputs.h"

#include "base/error.h"
#include "cli/terminal/result_file.h"
#include "hierarchy/analyses/batch_manifest.h"

namespace xsp {

std::vector<AnalyzeInput> AnalyzeInputs(const std::vector<std::string>& traces,
                                        const std::vector<std::uint64_t>& batches,
                                        const std::string& manifest) {
  std::vector<AnalyzeInput> inputs;
  if (!manifest.empty()) {
    if (!traces.empty() || !batches.empty()) {
      throw Error("--manifest names the traces and their batch sizes",
                  "leave out TRACE and --batch");
    }
    ProtectInput(manifest);
    for (const ManifestEntry& entry : ReadBatchManifest(manifest)) {
      inputs.push_back({entry.trace.string(), entry.batch});
    }
    return inputs;
  }
  if (traces.empty()) throw Error("no trace was given", "give a TRACE or --manifest FILE");
  if (batches.size() > 1 && batches.size() != traces.size()) {
    throw Error("--batch names " + std::to_string(batches.size()) + " batch sizes for " +
                    std::to_string(traces.size()) + " traces",
                "give one, or one for each trace");
  }
  for (std::size_t i = 0; i < traces.size(); ++i) {
    std::optional<std::uint64_t> batch;
    if (!batches.empty()) batch = batches[batches.size() == 1 ? 0 : i];
    if (batch == 0u) throw Error("--batch 0: a batch holds at least one input");
    inputs.push_back({traces[i], batch});
  }
  return inputs;
}

}  // namespace xsp
