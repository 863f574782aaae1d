#include "model/recorder.h"

namespace xsp {
namespace {

constexpr std::string_view kNsysCommand = "nsys profile";
constexpr std::string_view kLiveCommand = "xsp live";

// What the profiler inside of the process, and xsp itself, offer instead of an option of nsys.
struct Counterpart {
  std::string_view nsys_option;
  std::string_view python;
  std::string_view live;
};
constexpr std::string_view kActivities =
    "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])";
constexpr std::string_view kRanges = "torch.profiler.record_function(\"name\") around it";
constexpr Counterpart kCounterparts[] = {
    {"--trace=cuda", kActivities, "--kinds default"},
    {"--trace=nvtx", kRanges, "--kinds default"},
    {"--trace=cuda,nvtx and emit_nvtx or layer ranges",
     "torch.profiler.profile(with_stack=True), or record_function around layers",
     "--kinds default and emit_nvtx or layer ranges"},
    {"emit_nvtx(record_shapes=True)", "torch.profiler.profile(record_shapes=True)",
     "emit_nvtx(record_shapes=True)"},
    {"--cuda-memory-usage=true", "torch.profiler.profile(profile_memory=True)",
     "--kinds default,memory,pool"},
};

// A stored trace, or one merged from several files, keeps the format of its (first) source.
bool IsOfTorch(std::string_view format) { return format.starts_with("kineto"); }
bool IsOfLive(std::string_view format) { return format.starts_with("xsp-live"); }

}  // namespace

std::string_view RecorderCommand(std::string_view format) {
  if (IsOfLive(format)) return kLiveCommand;
  return IsOfTorch(format) ? std::string_view() : kNsysCommand;
}

std::string_view RecorderName(std::string_view format) {
  return IsOfLive(format) ? "CUPTI" : "nsys";
}

std::string ToRecord(std::string_view format, std::string_view nsys_option) {
  const bool of_live = IsOfLive(format);
  if (!IsOfTorch(format) && !of_live) return std::string(nsys_option);
  for (const Counterpart& known : kCounterparts) {
    if (known.nsys_option == nsys_option) return std::string(of_live ? known.live : known.python);
  }
  return std::string(kNsysCommand) + " " + std::string(nsys_option);
}

}  // namespace xsp
