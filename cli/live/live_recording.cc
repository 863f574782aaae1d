#include "cli/live/live_recording.h"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "base/demangle.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/inputs/access_as.h"
#include "cli/inputs/import_plan.h"
#include "cli/live/live_names.h"
#include "cli/live/live_program.h"
#include "cli/live/program_file.h"
#include "cli/options/option_set.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
#include "cli/terminal/terminal.h"
#include "importers/operators/nvtx_operators.h"
#include "live/decode/decode.h"
#include "live/spool/environment.h"
#include "live/spool/kinds.h"
#include "live/spool/shared_session.h"
#include "model/names/kernel_names.h"
#include "report/tables/text.h"
#include "report/tables/units.h"
#include "store/stored_trace.h"

namespace xsp {
namespace fs = std::filesystem;
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

DurationNs DurationOf(const std::string& option, const std::string& text) {
  const std::optional<DurationNs> duration = ParseDuration(text);
  if (!duration || *duration < 0) {
    throw Error(option + ": '" + text + "' is no time", "for example 30s or 500ms");
  }
  return *duration;
}

std::uint64_t MaxSizeOf(const LiveSettings& settings) {
  const std::optional<std::uint64_t> bytes = ReadBytes(settings.max_size);
  if (!bytes) {
    throw Error("--max-size: '" + settings.max_size + "' is no size", "for example 2GB");
  }
  return *bytes;
}

void CheckKinds(const std::string& list) {
  live::KindSet set = 0;
  std::string_view unknown;
  if (live::ParseKinds(list, &set, &unknown)) return;
  std::vector<std::string> names = {"default", "all"};
  for (const live::RecordedKind& kind : live::kRecordedKinds) names.emplace_back(kind.name);
  const std::string meant = DidYouMean(std::string(unknown), names);
  throw Error("--kinds: '" + std::string(unknown) + "' is none of " + Joined(names, "|"), meant);
}

void CheckSteps(const LiveSettings& settings) {
  if (settings.steps.empty() && settings.step_range.empty()) return;
  constexpr std::size_t kMostBytes = 255;
  if (settings.step_range.size() > kMostBytes) throw Error("--step-range: the name is too long");
  if (settings.steps.empty() || settings.step_range.empty()) {
    throw Error("--steps and --step-range go together",
                "--steps 20-40 --step-range 'step #' records 21 ranges of that name");
  }
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  const std::optional<StepRun> run = ParseStepRun(settings.steps);
  if (!run || run->last > kMost) {
    throw Error("--steps: '" + settings.steps + "' is no range of steps, counted from 1",
                "for example --steps 20-40");
  }
}

// What tells the library what to do.
Variables VariablesFor(const LiveSettings& settings, const fs::path& spool,
                       const live::SharedSession& session) {
  Variables variables = {{live::kEnvSpool, fs::absolute(spool).string()},
                         {live::kEnvSession, session.file()},
                         {live::kEnvKinds, settings.kinds},
                         {live::kEnvMaxBytes, std::to_string(MaxSizeOf(settings))},
                         {live::kEnvSteps, settings.steps},
                         {live::kEnvStepRange, settings.step_range},
                         {live::kEnvCapture, settings.capture_range ? "cudaProfilerApi" : ""}};
  if (!settings.cupti.empty()) variables.emplace_back(live::kEnvCupti, settings.cupti);
  constexpr DurationNs kNsPerMs = 1'000'000;
  auto add_time = [&](const char* name, const std::string& option, const std::string& text) {
    const DurationNs ns = text.empty() ? 0 : DurationOf(option, text);
    variables.emplace_back(name, std::to_string(ns / kNsPerMs));
  };
  add_time(live::kEnvDelay, "--delay", settings.delay);
  add_time(live::kEnvDuration, "--duration", settings.duration);
  return variables;
}

// Puts the library where the driver and NVTX look for one. A tool that was there first keeps its
// place: two would disturb each other.
void AddInjection(const fs::path& library, Variables& variables, LiveResult& result) {
  const std::pair<const char*, const char*> places[] = {{live::kEnvCudaInjection, "cuda"},
                                                        {live::kEnvNvtxInjection, "nvtx"}};
  for (const auto& [variable, kind] : places) {
    const char* other = std::getenv(variable);
    if (other == nullptr || *other == '\0') {
      variables.emplace_back(variable, library.string());
    } else {
      result.unavailable.emplace_back(
          kind, std::string("another tool is there already: ") + variable + "=" + other);
    }
  }
}

// A line on the terminal while the program runs. It shares the terminal with the program, so it
// comes at most once a second, and only where stderr is one.
class LiveLine {
 public:
  LiveLine(const live::SharedSession& session, bool quiet)
      : session_(session), shown_(!quiet && isatty(STDERR_FILENO) != 0) {}
  ~LiveLine() {
    if (on_screen_) Write("\r\x1b[K");
  }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  void Tick() {
    const Clock::time_point now = Clock::now();
    if (!shown_ || now - drawn_ < std::chrono::seconds(1)) return;
    const live::SharedSession::Progress progress = session_.Look();
    const double seconds = std::chrono::duration<double>(now - drawn_).count();
    const double rate = static_cast<double>(progress.kept - kept_) / seconds;
    drawn_ = now;
    kept_ = progress.kept;
    on_screen_ = true;
    Write("\r\x1b[Kxsp: recording  " + FormatLargeNumber(rate, 0) + " events/s  " +
          FormatCount(static_cast<std::int64_t>(progress.dropped)) + " lost  spool " +
          FormatBytes(progress.spool_bytes));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static void Write(const std::string& text) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  }

  const live::SharedSession& session_;
  const bool shown_;
  bool on_screen_ = false;
  std::uint64_t kept_ = 0;
  Clock::time_point drawn_ = Clock::now();
};

void PrepareTarget(const LiveSettings& settings, const fs::path& stored, const fs::path& spool) {
  if (LookAtTarget(stored, "") != Standing::kNothing && !settings.force) {
    throw Error(stored.string() + " exists", "--force replaces it, -o takes another name");
  }
  CheckWritable(stored);
  // With a file's name behind it.
  constexpr std::size_t kMostBytes = 4096 - 256;
  if (fs::absolute(spool).native().size() > kMostBytes) {
    throw Error("the name of the stored trace is too long for a recording beside it",
                "-o takes another one");
  }
  std::error_code error;
  if (fs::exists(spool, error)) {
    throw Error(spool.string() + " exists: a spool of an earlier recording",
                "xsp live --convert " + spool.string() + ", or remove it");
  }
  fs::create_directories(spool, error);
  if (error) throw Error("cannot make " + spool.string() + ": " + error.message());
}

// The spool goes once it is a stored trace, unless it was asked for.
void RemoveSpool(const LiveSettings& settings, const fs::path& spool, LiveResult& result) {
  if (settings.keep_spool) {
    const std::ofstream ended(spool / live::kEndedFile);  // Whoever comes late stays away.
    result.messages.push_back("the spool is " + spool.string());
    return;
  }
  std::error_code ignored;
  fs::remove_all(spool, ignored);
}

// After the program: whatever goes wrong here must not change how it ended.
void StoreRecording(const LiveSettings& settings, live::SharedSession& session,
                    const fs::path& spool, const fs::path& stored, Progress& progress,
                    LiveResult& result) {
  if (const std::uint32_t left = session.End(); left > 0) {
    result.messages.push_back(
        left == 1 ? "a process that it started goes on: what it does from here on is not recorded"
                  : FormatCount(left) +
                        " processes that it started go on: what they do from here on is not "
                        "recorded");
  }
  const live::SharedSession::Progress last = session.Look();
  if (last.error != 0) {
    result.messages.push_back("cannot write to " + spool.string() + ": " +
                              std::strerror(last.error));
  }
  if (last.processes == 0) {
    if (IsStaticallyLinked(FindProgram(settings.program.front()))) {
      result.messages.emplace_back(
          "the program is statically linked: nothing can be loaded into it that records");
    } else if (last.error == 0) {
      result.messages.emplace_back(
          "the program used neither NVTX nor CUDA, or ran where the recorder cannot follow (as "
          "another user, without its environment)");
    }
    RemoveSpool(settings, spool, result);
    return;
  }
  try {
    session.CollectFrom(spool);
    ConvertSpools(spool, stored, progress, result);
  } catch (const std::exception& error) {
    result.messages.push_back(std::string(error.what()) +
                              "; the spool is kept: xsp live --convert " + spool.string());
    return;
  }
  RemoveSpool(settings, spool, result);
}

}  // namespace

void CheckLiveSettings(const LiveSettings& settings) {
  CheckKinds(settings.kinds);
  CheckSteps(settings);
  MaxSizeOf(settings);
  if (!settings.delay.empty()) DurationOf("--delay", settings.delay);
  if (!settings.duration.empty()) DurationOf("--duration", settings.duration);
  const int starts = (settings.delay.empty() ? 0 : 1) + (settings.steps.empty() ? 0 : 1) +
                     (settings.capture_range ? 1 : 0);
  if (starts > 1) {
    throw Error("--delay, --steps and --capture-range each say when to begin: give one of them");
  }
}

LiveResult RecordLive(const LiveSettings& settings, Progress& progress) {
  const fs::path library = InjectedLibrary();
  LiveResult result;
  result.source = fs::path(settings.program.front()).filename().string();
  live::SharedSession session(MaxSizeOf(settings));
  fs::path stored, spool;
  {
    LiveProgram program(settings.program);
    stored = LiveTarget(settings.out, settings.program.front(), program.pid());
    spool = SpoolBeside(stored);
    PrepareTarget(settings, stored, spool);
    Variables variables = VariablesFor(settings, spool, session);
    AddInjection(library, variables, result);
    try {
      program.Start(variables);
    } catch (const Error&) {
      std::error_code ignored;
      fs::remove_all(spool, ignored);
      throw;
    }
    LiveLine line(session, settings.output.quiet);
    result.exit_code = program.Wait([&] {
      line.Tick();
      // What fails now is tried again, and told, when the program has ended.
      try {
        session.CollectFrom(spool);
      } catch (const std::exception&) {
      }
    });
  }
  StoreRecording(settings, session, spool, stored, progress, result);
  return result;
}

void ConvertSpools(const fs::path& spool, const fs::path& stored, Progress& progress,
                   LiveResult& result) {
  live::DecodeOptions options;
  options.progress = &progress;
  options.namer = [](std::string_view symbol) {
    return live::KernelName{Demangled(symbol), BaseKernelName(symbol)};
  };
  live::DecodedRecording decoded = live::DecodeSpools(live::SpoolsIn(spool), options);
  // Frameworks say in the texts of their ranges what they run: as in an export of nsys.
  const Trace trace = DecodeOperators(std::move(decoded.trace));
  SourceStamp source;
  source.name = spool.filename().string();
  source.bytes = trace.info().source_bytes;
  const AccessAs access({spool});
  WriteStoredTrace(trace, source, stored, &progress);
  result.stored = stored.string();
  for (const auto& entry : fs::recursive_directory_iterator(stored)) {
    if (entry.is_regular_file()) result.stored_bytes += entry.file_size();
  }
  const live::RecordingSummary& summary = decoded.summary;
  result.processes = summary.processes;
  result.records = summary.records;
  result.dropped = summary.dropped;
  for (const live::Unavailable& entry : summary.unavailable) {
    result.unavailable.emplace_back(entry.kind, entry.why);
  }
  result.messages.insert(result.messages.end(), summary.messages.begin(), summary.messages.end());
  if (!summary.has_cuda && result.unavailable.empty()) {
    result.unavailable.emplace_back("cuda", "the program did not initialise CUDA");
  }
}

std::string WhyNoCuda() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) {
    return "there is no CUDA device here: no CUDA driver (libcuda.so.1) is installed";
  }
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  const int result = init == nullptr || count == nullptr ? -1 : init(0);
  if (result == 0 && count(&devices) == 0 && devices > 0) return {};
  return "there is no CUDA device here: the driver answers " + std::to_string(result) +
         " to cuInit";
}

}  // namespace xsp
