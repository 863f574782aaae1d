#include "cli/live/live_self_test.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include "base/error.h"
#include "cli/live/live_names.h"
#include "cli/live/live_recording.h"
#include "live/self_test/plan.h"
#include "model/trace.h"
#include "report/tables/units.h"
#include "store/stored_trace.h"

namespace xsp {
namespace fs = std::filesystem;
namespace {

// A folder that goes away with the test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "xsp-self-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error("cannot make a folder in " + name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// What the program wrote down of itself: see live/self_test/program.cc.
std::map<std::string, std::string> ReadOwnWords(const fs::path& file) {
  std::map<std::string, std::string> words;
  std::ifstream in(file);
  std::string name, value;
  while (in >> name && std::getline(in >> std::ws, value)) words[name] = value;
  return words;
}

class Checker {
 public:
  Checker(SelfTest& test, const Trace& trace, const std::string& why_no_cuda)
      : test_(test), trace_(trace), why_no_cuda_(why_no_cuda) {}

  void CheckAll(std::uint64_t ranges) {
    Equal("NVTX ranges", ranges, trace_.OfKind(EventKind::kNvtxPushPop).size(), ranges > 0);
    const std::uint64_t in_steps = live::kSelfTestSteps * live::kSelfTestKernels;
    const std::uint64_t kernels = in_steps + live::kSelfTestRounds * live::kSelfTestTimed;
    Equal("kernels", kernels, trace_.OfKind(EventKind::kKernel).size());
    Equal("copies", 2 * live::kSelfTestSteps, trace_.OfKind(EventKind::kMemcpy).size());
    Equal("bytes copied", 2 * live::kSelfTestSteps * live::kSelfTestBytes, BytesCopied());
    Equal("memsets", live::kSelfTestSteps, trace_.OfKind(EventKind::kMemset).size());
    Equal("event records", live::kSelfTestSteps, trace_.OfKind(EventKind::kEventRecord).size());
    // The driver may add waits of its own.
    const std::uint64_t waits = trace_.OfKind(EventKind::kSync).size();
    Equal("waits for the stream, at least", live::kSelfTestSteps,
          std::min<std::uint64_t>(waits, live::kSelfTestSteps));
    Equal("kernels with the right name, grid and block", kernels, KernelsAsLaunched());
    Equal("kernels that know their call", kernels, Kernels([](EventId, EventId) { return true; }));
    Equal("kernels that begin after their call began (clocks)", kernels,
          Kernels([&](EventId kernel, EventId call) {
            return trace_.begin(kernel) >= trace_.begin(call);
          }));
    Equal("kernels whose call lies in an NVTX range", in_steps,
          Kernels([&](EventId, EventId call) { return IsInRange(call); }), ranges > 0);
  }

  void Equal(const std::string& what, std::uint64_t expected, std::uint64_t found,
             bool has_nvtx = true) {
    const bool is_cuda = what.find("NVTX ranges") == std::string::npos;
    SelfCheck check = {what, std::to_string(expected), std::to_string(found),
                       expected == found ? SelfTestVerdict::kRight : SelfTestVerdict::kWrong};
    if (is_cuda && !why_no_cuda_.empty()) {
      check.found = why_no_cuda_;
      check.verdict = SelfTestVerdict::kNotChecked;
    } else if (!has_nvtx) {
      check.found = "xsp was built without NVTX";
      check.verdict = SelfTestVerdict::kNotChecked;
    }
    test_.checks.push_back(std::move(check));
  }

 private:
  // How many kernels have a call for which this is so.
  template <class F>
  std::uint64_t Kernels(F is_so) const {
    std::uint64_t count = 0;
    for (EventId kernel : trace_.OfKind(EventKind::kKernel)) {
      const EventId call = trace_.call_of(kernel);
      if (call.valid() && is_so(kernel, call)) ++count;
    }
    return count;
  }

  std::uint64_t BytesCopied() const {
    std::uint64_t bytes = 0;
    for (EventId copy : trace_.OfKind(EventKind::kMemcpy)) {
      bytes += trace_.copies().bytes[trace_.Row(copy)];
    }
    return bytes;
  }

  std::uint64_t KernelsAsLaunched() const {
    std::uint64_t count = 0;
    for (EventId kernel : trace_.OfKind(EventKind::kKernel)) {
      const auto row = trace_.Row(kernel);
      const bool right = trace_.name(kernel) == live::kSelfTestKernel &&
                         trace_.kernels().grid_x[row] == live::kSelfTestGrid &&
                         trace_.kernels().block_x[row] == live::kSelfTestBlock;
      count += right ? 1 : 0;
    }
    return count;
  }

  bool IsInRange(EventId call) const {
    for (EventId range : trace_.OfKind(EventKind::kNvtxPushPop)) {
      if (trace_.track_of(range) == trace_.track_of(call) &&
          trace_.begin(range) <= trace_.begin(call) && trace_.end(call) <= trace_.end(range)) {
        return true;
      }
    }
    return false;
  }

  SelfTest& test_;
  const Trace& trace_;
  const std::string& why_no_cuda_;
};

// One run of the program, recorded or not; what it wrote down.
std::map<std::string, std::string> RunUnrecorded(const fs::path& program, const fs::path& words) {
  const std::string command = "'" + program.string() + "' '" + words.string() + "'";
  return std::system(command.c_str()) < 0 ? std::map<std::string, std::string>{}
                                          : ReadOwnWords(words);
}

void AddFacts(const Trace& trace, const std::string& own_launch, const std::string& plain_launch,
              const std::string& why_no_cuda, SelfTest& test) {
  if (!why_no_cuda.empty()) {
    test.facts.push_back("there is no CUDA device here: " + why_no_cuda);
    return;
  }
  for (const Gpu& gpu : trace.gpus()) {
    test.facts.push_back("device: " + std::string(trace.strings().Get(gpu.name)));
  }
  test.facts.push_back("recorded with CUPTI " +
                       trace.info().tool_version.value_or("of unknown version") + ", driver " +
                       trace.info().driver_version.value_or("of unknown version"));
  test.facts.push_back("a launch costs the program " + own_launch + " ns recorded, " +
                       plain_launch + " ns not recorded");
}

}  // namespace

SelfTest RunLiveSelfTest(const std::string& cupti, Progress& progress) {
  const ScratchFolder folder;
  const fs::path program = InjectedLibrary().parent_path() / "xsp-live-self-test";
  const fs::path words = folder.path() / "words";
  const auto plain = RunUnrecorded(program, words);

  LiveSettings settings;
  settings.program = {program.string(), words.string()};
  settings.out = (folder.path() / "self-test.xsp").string();
  settings.cupti = cupti;
  settings.output.quiet = true;
  const LiveResult result = RecordLive(settings, progress);
  auto own = ReadOwnWords(words);
  const std::string why_no_cuda = own["cuda"] == "0" ? "" : own["cuda"];

  SelfTest test;
  if (!result.stored) {
    test.checks.push_back({"a trace was stored", "yes", "no", SelfTestVerdict::kWrong});
    for (const std::string& message : result.messages) test.facts.push_back(message);
    return test;
  }
  const Trace trace = LoadStoredTrace(*result.stored);
  AddFacts(trace, own["launch_ns"], plain.contains("launch_ns") ? plain.at("launch_ns") : "?",
           why_no_cuda, test);
  for (const auto& [kind, why] : result.unavailable) {
    if (why_no_cuda.empty()) test.facts.push_back("not available: " + kind + ": " + why);
  }
  for (const std::string& message : result.messages) test.facts.push_back(message);
  test.checks.push_back({"the program's exit code", std::to_string(live::kSelfTestExit),
                         std::to_string(result.exit_code.value_or(-1)),
                         result.exit_code == live::kSelfTestExit ? SelfTestVerdict::kRight
                                                                 : SelfTestVerdict::kWrong});
  Checker checker(test, trace, why_no_cuda);
  checker.CheckAll(std::strtoull(own["ranges"].c_str(), nullptr, 10));
  std::uint64_t lost = 0;
  for (const auto& [kind, count] : result.dropped) lost += count;
  checker.Equal("records lost", 0, lost);
  checker.Equal("kinds of records that were refused", 0, result.unavailable.size());
  return test;
}

}  // namespace xsp
