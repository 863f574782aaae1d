#include "base/error.h"
#include "base/interrupt.h"
#include "cli/command.h"
#include "cli/inputs/import_plan.h"
#include "cli/live/live_names.h"
#include "cli/live/live_recording.h"
#include "cli/live/live_self_test.h"
#include "cli/options/option_set.h"
#include "cli/options/output.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"

namespace xsp {
namespace {

class LiveAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    LiveSettings& s = settings_;
    options.AddProgram("PROGRAM", s.program, "What to run and record, with its own arguments");
    options
        .Add("-o", s.out,
             "The stored trace; %p is the process id, %q{NAME} a variable of the environment "
             "(default: PROGRAM-PID.xsp)")
        .Value("NAME.xsp");
    options
        .Add("--kinds", s.kinds,
             "What to record: default, all, or names; '-' takes away: default,memory,-driver. "
             "Names: nvtx, runtime, driver, kernel, memcpy, memset, sync, event, overhead, "
             "external, memory, pool, unified, graph (whole graphs instead of their kernels)")
        .Value("LIST")
        .Words({"default", "all", "nvtx", "runtime", "driver", "kernel", "memcpy", "memset", "sync",
                "event", "overhead", "external", "memory", "pool", "unified", "graph"});
    options.Add("--delay", s.delay, "Begin so long after the program").Value("TIME");
    options.Add("--duration", s.duration, "Record for so long; the program goes on").Value("TIME");
    options.Add("--steps", s.steps, "Record these steps only, counted from 1").Value("A-B");
    options
        .Add("--step-range", s.step_range,
             "The NVTX range that is a step; a number or # in it stands for any number")
        .Value("NAME");
    options
        .Choice(
            "--capture-range", {"cudaProfilerApi"}, [&s](std::size_t) { s.capture_range = true; },
            "Record between cudaProfilerStart and cudaProfilerStop")
        .Value("cudaProfilerApi");
    options
        .Add(
            "--max-size", s.max_size,
            "Most that the recording may take on disk, all processes together (default: 2GB); what "
            "comes after is counted and lost")
        .Value("SIZE");
    options.Add("--cupti", s.cupti, "The libcupti to use (default: the program's own)")
        .Value("FILE");
    options.Flag("--keep-spool", s.keep_spool, "Keep the raw recording beside the trace");
    options.Flag("--force", s.force, "Replace a stored trace of that name");
    options.Add("--convert", convert_, "Turn a spool that was left behind into a stored trace")
        .Value("SPOOL");
    options.Flag("--self-test", self_test_,
                 "Record a program of known work, and say what is right and what is not: the first "
                 "thing to run on a new machine");
    s.output.AddTo(options, {"records", "unavailable", "checks"});
  }

  ExitCode Run() override {
    const UnfinishedWork recording;
    if (self_test_) return TestItself();
    if (!convert_.empty() && !settings_.program.empty()) {
      throw Error("--convert takes a spool, and no program");
    }
    if (convert_.empty() && settings_.program.empty()) {
      throw Error("no program given", "usage: xsp live [options] -- PROGRAM [ARGUMENT...]");
    }
    CheckLiveSettings(settings_);
    Output output(settings_.output);
    ProgressBar progress(settings_.output.quiet);
    LiveResult result = convert_.empty() ? Record(progress) : Convert(progress);
    progress.Clear();
    Tell(result, output);
    return result.exit_code ? static_cast<ExitCode>(*result.exit_code) : ExitCode::kOk;
  }

 private:
  ExitCode TestItself() {
    if (!convert_.empty() || !settings_.program.empty()) {
      throw Error("--self-test has a program of its own");
    }
    Output output(settings_.output);
    ProgressBar progress(settings_.output.quiet);
    const SelfTest test = RunLiveSelfTest(settings_.cupti, progress);
    progress.Clear();
    output.Write(MakeSelfTestReport(test));
    return test.passed() ? ExitCode::kOk : ExitCode::kGateFailed;
  }

  LiveResult Record(Progress& progress) {
    LiveResult result = RecordLive(settings_, progress);
    for (auto& [kind, why] : result.unavailable) {
      if (kind != "cuda") continue;
      const std::string no_device = WhyNoCuda();
      if (!no_device.empty()) why = no_device;
    }
    return result;
  }

  LiveResult Convert(Progress& progress) {
    const std::filesystem::path stored =
        settings_.out.empty() ? StoredBesideSpool(convert_) : LiveTarget(settings_.out, "", 0);
    if (LookAtTarget(stored, "") != Standing::kNothing && !settings_.force) {
      throw Error(stored.string() + " exists", "--force replaces it, -o takes another name");
    }
    CheckWritable(stored);
    LiveResult result;
    result.source = convert_;
    ConvertSpools(convert_, stored, progress, result);
    return result;
  }

  // Standard output is the program's: what we have to say goes to stderr, unless a result was asked
  // for in some form.
  void Tell(const LiveResult& result, Output& output) const {
    const OutputOptions& options = settings_.output;
    const bool asked = options.format != OutputFormat::kTable || !options.output.empty() ||
                       !options.writes.empty();
    if (!options.quiet) {
      for (const std::string& line : LiveLines(result)) SayNote(line);
    }
    if (asked) output.Write(MakeLiveReport(result));
  }

  LiveSettings settings_;
  std::string convert_;
  bool self_test_ = false;
};

}  // namespace

extern const Command kLiveCommand;
const Command kLiveCommand = {
    "live",
    "Traces",
    "run a program and record it, without nsys",
    "Runs the program with a library inside it that records CUDA through CUPTI and ranges through\n"
    "NVTX, and stores the trace: every other command reads it. Standard input, signals and the "
    "exit\n"
    "code are the program's own. What cannot be recorded is counted and told; the program never\n"
    "waits for it. A program that is killed leaves what it had recorded by then.",
    {{{"xsp live -o train.xsp -- python train.py", "records the whole run"},
      {"xsp live --steps 20-40 --step-range 'step #' -- python train.py",
       "records steps 20 to 40 only"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<LiveAction>(); }};

}  // namespace xsp
