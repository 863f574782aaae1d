#include "sample_traces/jobs/job_command.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>

#include "sample_traces/jobs/job_program.h"
#include "sample_traces/jobs/rank_exports.h"
#include "sample_traces/noise.h"

namespace xsp::samples {
namespace {

struct JobCommand {
  JobOptions job;
  std::string folder;  // empty: nothing is written, what is true is still told
  std::set<int32_t> not_recorded;
  int64_t clock_ahead_ns = 0, drift_ppb = 0;  // of each host against the one before
};

int64_t NumberIn(const std::string& option, std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error(option + " needs a number, not '" + std::string(text) + "'");
  }
  return value;
}

// "3=1500" and "8-15=1300".
void AddFactors(const std::string& option, std::string_view text,
                std::map<int32_t, int64_t>& factors) {
  const size_t sign = text.find('=');
  if (sign == std::string_view::npos) {
    throw std::runtime_error(option + " is written as 3=1500 or 8-15=1300");
  }
  const std::string_view keys = text.substr(0, sign);
  const size_t dash = keys.find('-');
  const int64_t first = NumberIn(option, keys.substr(0, dash));
  const int64_t last =
      dash == std::string_view::npos ? first : NumberIn(option, keys.substr(dash + 1));
  for (int64_t key = first; key <= last; ++key) {
    factors[static_cast<int32_t>(key)] = NumberIn(option, text.substr(sign + 1));
  }
}

struct JobOption {
  const char* name;
  const char* value;
  const char* help;
  std::function<void(JobCommand&, const std::string& name, const std::string& text)> set;
};

JobOption Small(const char* name, int32_t JobOptions::*field, const char* help) {
  return {name, "N", help, [=](JobCommand& command, const std::string& option, auto& text) {
            command.job.*field = static_cast<int32_t>(NumberIn(option, text));
          }};
}
JobOption Large(const char* name, int64_t JobOptions::*field, const char* value, const char* help) {
  return {name, value, help, [=](JobCommand& command, const std::string& option, auto& text) {
            command.job.*field = NumberIn(option, text);
          }};
}
JobOption Factors(const char* name, std::map<int32_t, int64_t> JobOptions::*field,
                  const char* value, const char* help) {
  return {name, value, help, [=](JobCommand& command, const std::string& option, auto& text) {
            AddFactors(option, text, command.job.*field);
          }};
}

std::vector<JobOption> JobCommandOptions() {
  using Text = const std::string&;
  return {
      {"-o", "DIR", "write DIR/rank_00000.sqlite, ...; without it only what is true is told",
       [](JobCommand& command, Text, Text text) { command.folder = text; }},
      Small("--ranks", &JobOptions::ranks, "how many (8)"),
      Small("--per-host", &JobOptions::per_host, "ranks of a host (8)"),
      Small("--stages", &JobOptions::stages, "of a pipeline (1)"),
      Small("--tensor", &JobOptions::tensor, "ranks that share each layer (1)"),
      Large("--steps", &JobOptions::steps, "N", "behind two warm-up steps (10)"),
      {"--seed", "N", "of all noise (1)",
       [](JobCommand& command, Text option, Text text) {
         command.job.seed = static_cast<uint64_t>(NumberIn(option, text));
       }},
      {"--mpi", "yes|no", "gradients are summed by MPI calls of the host, without NCCL",
       [](JobCommand& command, Text, Text text) { command.job.mpi = text == "yes"; }},
      Factors("--slow", &JobOptions::slow, "RANKS=PERMILLE", "compute of ranks, as in 3=1500"),
      Factors("--slow-link", &JobOptions::slow_link, "RANK=PERMILLE",
              "transfers of gradients of its part"),
      Factors("--more-work", &JobOptions::more_work, "STAGE=PERMILLE", "passes of a stage"),
      Large("--lengths", &JobOptions::lengths, "PERMILLE",
            "each step of each rank takes up to so much more"),
      Large("--pause", &JobOptions::pause_ns, "NS",
            "in step s the host of rank s (modulo ranks) stops so long"),
      {"--clock-ahead", "NS", "each host's clock is so much ahead of that of the one before",
       [](JobCommand& command, Text option, Text text) {
         command.clock_ahead_ns = NumberIn(option, text);
       }},
      {"--drift", "PPB", "and gains so much more every second",
       [](JobCommand& command, Text option, Text text) {
         command.drift_ppb = NumberIn(option, text);
       }},
      {"--without", "RANK", "this rank is not recorded; may be repeated",
       [](JobCommand& command, Text option, Text text) {
         command.not_recorded.insert(static_cast<int32_t>(NumberIn(option, text)));
       }},
  };
}

JobCommand ReadArguments(const std::vector<std::string>& arguments) {
  const std::vector<JobOption> options = JobCommandOptions();
  JobCommand command;
  for (size_t i = 0; i < arguments.size(); i += 2) {
    const auto option = std::find_if(options.begin(), options.end(), [&](const JobOption& one) {
      return arguments[i] == one.name;
    });
    if (option == options.end()) throw std::runtime_error("unknown option '" + arguments[i] + "'");
    if (i + 1 == arguments.size()) throw std::runtime_error(arguments[i] + " needs a value");
    option->set(command, arguments[i], arguments[i + 1]);
  }
  const JobOptions& job = command.job;
  const bool is_layout = job.ranks > 0 && job.per_host > 0 && job.stages > 0 && job.tensor > 0 &&
                         job.ranks <= 4'096 && job.ranks % (job.stages * job.tensor) == 0;
  if (!is_layout) throw std::runtime_error("ranks must be a multiple of stages and of tensor");
  if (job.stages > 1 && (job.tensor > 1 || job.mpi)) {
    throw std::runtime_error("a pipeline goes with neither --tensor nor --mpi");
  }
  return command;
}

std::string FileOfRank(const std::string& folder, int32_t rank) {
  const std::string digits = std::to_string(rank);
  return folder + "/rank_" + std::string(5 - std::min<size_t>(5, digits.size()), '0') + digits +
         ".sqlite";
}

std::vector<RankRecording> RecordingsOf(const JobCommand& command) {
  std::vector<RankRecording> recordings;
  for (int32_t rank = 0; rank < command.job.ranks; ++rank) {
    const int32_t host = rank / command.job.per_host;
    RankRecording& one = recordings.emplace_back();
    const bool is_written = !command.folder.empty() && !command.not_recorded.contains(rank);
    if (is_written) one.path = FileOfRank(command.folder, rank);
    one.host = "node" + std::to_string(host);
    one.device = rank % command.job.per_host;
    // Recordings begin when they begin, before the program does.
    const uint64_t bits = Mix(command.job.seed * 65'537 + static_cast<uint64_t>(rank));
    one.started_ns = -static_cast<int64_t>(bits % 300'000'000);
    one.clock_ahead_ns = host * command.clock_ahead_ns;
    one.drift_ppb = host * command.drift_ppb;
    if (command.job.mpi) one.mpi_rank = rank;
  }
  return recordings;
}

// Exports, and when each step ended on the last of all ranks.
class JobRecorder : public RankExports {
 public:
  using RankExports::Add;
  using RankExports::RankExports;

  void Add(const NvtxRecord& record) override {
    if (record.text.starts_with(kJobStep)) {
      int64_t& end = step_ends_[record.text];
      end = std::max(end, record.end);
    }
    RankExports::Add(record);
  }

  // From the end of the first step to that of the last.
  int64_t MeanStep() const {
    std::vector<int64_t> ends;
    for (const auto& [text, end] : step_ends_) ends.push_back(end);
    if (ends.size() < 2) throw std::runtime_error("two steps at least");
    const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
    return (*last - *first) / static_cast<int64_t>(ends.size() - 1);
  }

 private:
  std::map<std::string, int64_t> step_ends_;
};

}  // namespace

std::string RunJobCommand(const std::vector<std::string>& arguments) {
  const JobCommand command = ReadArguments(arguments);
  if (!command.folder.empty()) std::filesystem::create_directories(command.folder);
  const Job job = MakeJob(command.job);
  ExportOptions options;
  options.payload_blobs = true;
  options.os_runtime = false;
  JobRecorder recorder(job.program, options, RecordingsOf(command));
  recorder.Finish(Run(job.program, job.machine, recorder));
  return "{\"ranks\": " + std::to_string(command.job.ranks) +
         ", \"step_ns\": " + std::to_string(recorder.MeanStep()) + "}\n";
}

std::string JobHelpText() {
  std::string text =
      "xsp-sample job [options]: a training job of many ranks, an export for each, and what is\n"
      "true of it on standard output. Factors are in permille: 1500 takes half as long again.\n\n";
  for (const JobOption& option : JobCommandOptions()) {
    std::string line = "  " + std::string(option.name) + " " + option.value;
    line.resize(std::max<size_t>(line.size() + 1, 30), ' ');
    text += line + option.help + "\n";
  }
  return text;
}

}  // namespace xsp::samples
