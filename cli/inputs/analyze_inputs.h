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

// "15.7T", "900G", "1.5e12": a rate with a decimal unit letter. Throws Error that names the option.
double ParseRate(const std::string& option, const std::string& text);

}  // namespace xsp
