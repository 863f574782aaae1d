#include "cli/inputs/diff_policy.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "base/ascii.h"
#include "base/dates.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/quantity.h"
#include "base/whole_file.h"
#include "cli/inputs/open_trace.h"
#include "cli/terminal/result_file.h"
#include "diff/gates/gate_check.h"
#include "diff/gates/policy.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// "2%" or "0.02".
double ParseNoise(const std::string& text) {
  const std::optional<double> share = ReadShare(text);
  if (!share || *share > 1) {
    throw Error("--noise '" + text + "' is no share from 0 to 1", "write it as 2% or 0.02");
  }
  return *share;
}

std::string Today() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return FormatUtc(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()).substr(0, 10);
}

std::string ReadIfThere(const std::string& file) {
  return std::filesystem::exists(file) ? ReadWholeFile(file) : "";
}

// Whether --accept-only names a change: "kernel:*gemm*", "step".
bool IsChosen(const std::vector<std::string>& only, const std::string& what) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& pattern) {
           return MatchesGlob(pattern, what);
         });
}

}  // namespace

void DiffPolicy::AddTo(OptionSet& options) {
  options.Add("--fail-on", fail_on_, "A limit, as in 'step > 3%'; may be repeated")
      .Repeatable()
      .Value("LIMIT")
      .Group("Limits");
  options.Add("--policy", file_, "Limits and accepted changes, in a JSON file kept with the code")
      .Value("FILE")
      .Group("Limits");
  options.Flag("--strict", strict_, "Where noise leaves a limit undecided, the estimate decides")
      .Group("Limits");
  options
      .Add("--noise", noise_,
           "What counts as noise where there are too few values to see it; by default what the "
           "baseline knows, else 10%")
      .Value("SHARE")
      .Group("Limits");
  options
      .Add("--accept", accept_,
           "Record in the policy, with this reason, all that is beyond its limits: from now on it "
           "counts as accepted")
      .Value("REASON")
      .Group("Limits");
  options
      .Add("--accept-only", accept_only_,
           "Of that, only what this pattern fits, as in 'kernel:*gemm*'; may be repeated")
      .Repeatable()
      .Value("PATTERN")
      .Group("Limits");
  options.Add("--until", until_, "The last day on which what --accept records counts")
      .Value("YYYY-MM-DD")
      .Group("Limits");
}

CompareOptions DiffPolicy::Read() {
  today_ = Today();
  if (!accept_.empty() && file_.empty()) {
    throw Error("--accept needs a policy to record the change in", "give it with --policy FILE");
  }
  if (!accept_only_.empty() && accept_.empty()) {
    throw Error("--accept-only says what --accept records", "give the reason with --accept");
  }
  if (!until_.empty() && accept_.empty()) throw Error("--until says until when --accept counts");
  if (!until_.empty() && !IsDay(until_)) {
    throw Error("--until '" + until_ + "' is no day", "write it as 2026-01-31");
  }
  if (!until_.empty() && until_ < today_) {
    throw Error("--until " + until_ + " has passed: nothing would be accepted");
  }
  if (!accept_.empty() && Trimmed(accept_).empty()) {
    throw Error("--accept needs a reason", "say why the change is worth it");
  }
  Policy policy;
  const bool may_be_new = !accept_.empty() && !std::filesystem::exists(file_);
  if (!file_.empty() && !may_be_new) {
    CheckExists(file_);
    ProtectInput(file_);
    policy = ReadPolicy(file_);
  }
  CompareOptions options;
  options.gates = policy.gates;
  for (const std::string& gate : fail_on_) options.gates.push_back(ParseGate(gate));
  options.accepted = policy.accepted;
  options.strict = strict_;
  options.today = today_;
  if (policy.noise) options.noise = *policy.noise;
  if (!noise_.empty()) options.noise = ParseNoise(noise_);
  return options;
}

void DiffPolicy::Accept(Comparison& c, CompareOptions& options, const NoteSink& note) const {
  if (accept_.empty()) return;
  if (c.refused) {
    note("the runs are not comparable: there is nothing to accept");
    return;
  }
  AcceptedChange how;
  how.reason = accept_;
  how.recorded = today_;
  if (!until_.empty()) how.until = until_;
  std::vector<AcceptedChange> changes;
  for (const GateResult& gate : c.gates) {
    for (AcceptedChange& change : AcceptancesOf(gate, how)) changes.push_back(std::move(change));
  }
  // Without limits: the change of the unit.
  if (c.gates.empty() && c.verdict == Verdict::kRegression) {
    how.what = "step";
    how.change = c.unit.growth();
    how.base = c.unit.base;
    changes.push_back(how);
  }
  std::erase_if(changes, [&](const auto& change) { return !IsChosen(accept_only_, change.what); });
  if (changes.empty()) {
    note(accept_only_.empty() ? "no limit fails: there is nothing to accept"
                              : "nothing that fails a limit fits --accept-only");
    return;
  }
  std::string text = ReadIfThere(file_);
  for (const AcceptedChange& change : changes) {
    text = WithAccepted(text, file_, change);
    std::erase_if(options.accepted, [&](const auto& old) { return old.what == change.what; });
    options.accepted.push_back(change);
  }
  ResultFile(file_).Replace(text);
  for (const AcceptedChange& change : changes) {
    note(file_ + ": '" + change.what + "' is accepted");
  }
  JudgeGates(c, options);
}

std::vector<std::string> DiffPolicy::Words() const {
  std::vector<std::string> words;
  for (const std::string& gate : fail_on_) words.insert(words.end(), {"--fail-on", gate});
  if (!file_.empty()) words.insert(words.end(), {"--policy", file_});
  if (!noise_.empty()) words.insert(words.end(), {"--noise", noise_});
  if (strict_) words.emplace_back("--strict");
  return words;
}

}  // namespace xsp
