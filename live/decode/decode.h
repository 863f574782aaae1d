#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/progress.h"
#include "model/trace.h"

namespace xsp::live {

inline constexpr std::string_view kLiveFormat = "xsp-live";

// A kernel as people know it. CUPTI gives the symbol; how that reads is not this folder's affair.
struct KernelName {
  std::string full;  // The whole signature.
  std::string bare;  // The function's own name.
};
using KernelNamer = std::function<KernelName(std::string_view symbol)>;

struct DecodeOptions {
  KernelNamer namer;  // None: symbols are shown as they are.
  Progress* progress = nullptr;
};

// Something that could not be recorded, and why.
struct Unavailable {
  std::string kind;  // "memory", or "cuda" for everything of CUDA.
  std::string why;

  bool operator==(const Unavailable&) const = default;
};

// How a recording went; what is in it stands in the trace.
struct RecordingSummary {
  std::map<std::string, std::uint64_t> records;  // By kind: what is in the spools.
  std::map<std::string, std::uint64_t> dropped;  // By kind: known to be lost.
  std::vector<Unavailable> unavailable;          // In the order in which it was found.
  std::uint32_t processes = 0;
  bool has_cuda = false;              // At least one process recorded with CUPTI.
  std::vector<std::string> messages;  // All else worth telling.
};

struct DecodedRecording {
  Trace trace;
  RecordingSummary summary;
};

// The spools of a folder, or the one file that `path` is; by name. Throws Error if there is none.
std::vector<std::filesystem::path> SpoolsIn(const std::filesystem::path& path);

// Turns the spools of one recording into one trace. Spools that end early, because their process
// was killed, give what they have. Throws Error if nothing can be read.
DecodedRecording DecodeSpools(const std::vector<std::filesystem::path>& files,
                              const DecodeOptions& options);

}  // namespace xsp::live
