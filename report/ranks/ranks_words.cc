#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/duration.h"
#include "report/ranks/ranks_report.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

constexpr std::size_t kMostShown = 8;  // Ranks in a sentence.

// "1.97 ×".
std::string Times(double factor) { return FormatNumber(factor, 2) + " ×"; }

// "rank 12 (node 3)", "ranks 3, 17 and 40", "ranks 24 to 31".
std::string NameRanks(const JobOperations& job, const std::vector<WorkerRow>& workers) {
  if (workers.size() == 1) {
    const JobWorker& worker = job.workers[workers.front()];
    std::string name = "rank " + std::to_string(worker.rank);
    return worker.host.empty() ? name : name + " (" + SafeText(worker.host) + ")";
  }
  std::vector<std::int64_t> ranks;
  for (const WorkerRow w : workers) ranks.push_back(job.workers[w].rank);
  std::sort(ranks.begin(), ranks.end());
  const bool is_run = ranks.back() - ranks.front() + 1 == static_cast<std::int64_t>(ranks.size());
  if (is_run && ranks.size() > 3) {
    return "ranks " + std::to_string(ranks.front()) + " to " + std::to_string(ranks.back());
  }
  const std::size_t more = ranks.size() > kMostShown ? ranks.size() - kMostShown : 0;
  std::string last = std::to_string(ranks.back());
  if (more > 0) last = std::to_string(more) + " more";
  ranks.resize(more > 0 ? kMostShown : ranks.size() - 1);
  return "ranks " + Joined(ranks, ", ") + " and " + last;
}

// "in every step", "in 30 of 44 steps".
std::string HowOften(double share, std::size_t steps) {
  const auto count = static_cast<std::size_t>(std::llround(share * static_cast<double>(steps)));
  if (count == steps) return "in every step";
  return "in " + std::to_string(count) + " of " + std::to_string(steps) + " steps";
}

std::string WhatTakesLonger(const RanksAnalysis& analysis, const std::string& whose) {
  const Blame& blame = analysis.blame;
  std::string what = whose + " compute takes ";
  if (blame.type == kHostType) {
    what = whose + " host holds work back for ";
  } else if (!blame.type.empty()) {
    what = whose + " " + SafeText(blame.type) + " takes ";
  }
  what += Times(blame.longer) + " that of " + whose + " peers";
  if (blame.steps_share <= 0) return what;
  return what + ", " + HowOften(blame.steps_share, analysis.job.steps.size());
}

std::string SentenceOnNobody(const RanksAnalysis& analysis) {
  const std::string begin = "No rank holds up the others: with all of them alike a step would ";
  const JobSlowdown& peers = analysis.peers;
  const std::string now = FormatDuration(std::llround(peers.step_ns));
  if (peers.slowdown < kLeastSlowdown) return begin + "not take less than its " + now;
  return begin + "take " + FormatDuration(std::llround(peers.ideal_step_ns)) + " instead of " + now;
}

std::string SentenceOnStage(const RanksAnalysis& analysis) {
  const Blame& blame = analysis.blame;
  const bool is_last = blame.stage == analysis.all.by_stage.back().key;
  std::string words = is_last ? "The last stage (" + std::to_string(blame.stage) + ")"
                              : "Stage " + std::to_string(blame.stage);
  words += blame.longer >= 1 ? " has " + FormatPercent(blame.longer - 1) + " more to compute than"
                             : " does not compute more than";
  return words + " the mean of all stages, which makes the job " + Times(blame.slowdown) +
         " slower; no rank is slower than its peers";
}

std::string SentenceOnRotation(const RanksAnalysis& analysis) {
  const Blame& blame = analysis.blame;
  std::string words = "No rank: waiting rotates. It makes the job " + Times(blame.slowdown) +
                      " slower, and the slowest rank is another one from step to step";
  if (!blame.workers.empty()) {
    words += " (most often " + NameRanks(analysis.job, blame.workers) + ", " +
             HowOften(blame.steps_share, analysis.job.steps.size()) + ")";
  }
  words += ": ";
  if (blame.by_micro_batch) {
    return words + "micro-batches differ in length, forward and backward alike";
  }
  if (blame.type == kHostType || blame.type == "gc") {
    return words + "pauses of the host, such as garbage collection";
  }
  return words + "look for uneven data and for pauses of the host";
}

std::string Sentence(const RanksAnalysis& analysis) {
  const Blame& blame = analysis.blame;
  const std::string slower = " the job " + Times(blame.slowdown) + " slower";
  switch (blame.culprit) {
    case Culprit::kNobody:
      return SentenceOnNobody(analysis);
    case Culprit::kWorker: {
      std::string who = NameRanks(analysis.job, blame.workers);
      who.front() = 'R';
      return who + " makes" + slower + ": " + WhatTakesLonger(analysis, "its");
    }
    case Culprit::kWorkers: {
      std::string who = NameRanks(analysis.job, blame.workers);
      who.front() = 'R';
      return who + " make" + slower + ": " + WhatTakesLonger(analysis, "their");
    }
    case Culprit::kHost:
      return "Host " + SafeText(blame.host) + " (" + NameRanks(analysis.job, blame.workers) +
             ") makes" + slower + ": " + WhatTakesLonger(analysis, "its");
    case Culprit::kStage:
      return SentenceOnStage(analysis);
    case Culprit::kCommunication:
      if (blame.workers.empty()) {
        return "No rank: transfers of " + SafeText(blame.type) + " make" + slower +
               " than their median would; look at the links";
      }
      return "Transfers of " + SafeText(blame.type) + " on " +
             NameRanks(analysis.job, blame.workers) + " make" + slower + ": they take " +
             Times(blame.longer) + " that of others; look at the links between these ranks";
    case Culprit::kUnknown:
      return "Who holds up whom cannot be told: " + Joined(analysis.trust.reasons, "; ");
    case Culprit::kRotates:
      break;
  }
  return SentenceOnRotation(analysis);
}

}  // namespace

std::string RanksVerdict(const RanksAnalysis& analysis) {
  std::string words = Sentence(analysis) + ".";
  const Culprit culprit = analysis.blame.culprit;
  if (culprit == Culprit::kNobody || culprit == Culprit::kUnknown) return words;
  const bool is_stage = culprit == Culprit::kStage;
  const bool is_all =
      is_stage || culprit == Culprit::kRotates || culprit == Culprit::kCommunication;
  const std::string who = is_all ? "all" : analysis.blame.workers.size() == 1 ? "it" : "they";
  words += " If " + who + " did as " +
           (is_stage      ? "the mean of all workers"
            : is_all      ? "the mean of their peers"
            : who == "it" ? "its peers"
                          : "their peers") +
           ", a step would take " + FormatDuration(std::llround(analysis.blame.without_ns)) +
           " instead of " + FormatDuration(std::llround(analysis.peers.step_ns)) + ".";
  return words;
}

}  // namespace xsp
