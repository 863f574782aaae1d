#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xsp {

// A trace to analyse and the batch size it was recorded with, if anybody said.
struct AnalyzeInput {
  std::string trace;
  std::optional<std::uint64_t> batch;
};

// What the user gave as traces, --batch and --manifest. One batch size serves all traces, several
// must be as many as the traces. Throws Error.
std::vector<AnalyzeInput> AnalyzeInputs(const std::vector<std::string>& traces,
                                        const std::vector<std::uint64_t>& batches,
                                        const std::string& manifest);

}  // namespace xsp
