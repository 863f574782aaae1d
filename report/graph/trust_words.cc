#include "report/graph/trust_words.h"

#include <algorithm>
#include <cmath>

#include "report/tables/units.h"

namespace xsp {
namespace {

std::string OnPath(double share, const std::string& what) {
  return FormatPercent(share) + " of the critical path is " + what;
}

// "thread receiver", "threads receiver, sender and 3 more".
std::string NamesOf(const std::vector<std::string>& threads) {
  constexpr std::size_t kMost = 2;
  std::string text = threads.size() == 1 ? "thread " : "threads ";
  for (std::size_t i = 0; i < std::min(kMost, threads.size()); ++i) {
    text += (i > 0 ? ", " : "") + threads[i];
  }
  const std::size_t more = threads.size() - std::min(kMost, threads.size());
  return more > 0 ? text + " and " + std::to_string(more) + " more" : text;
}

std::string ThreadWords(const std::string& name) {
  return name.empty() ? "a thread" : "thread " + name;
}

// What speaks for a graph against which nothing speaks.
std::string GoodWords(const Trust& trust) {
  return "replay is off by " + FormatPercent(std::abs(trust.replay_error)) + ", " +
         FormatPercent(trust.idle_explained) + " of idle time is explained";
}

}  // namespace

std::string WordsOf(const TrustReason& reason, const Trust& trust) {
  const double share = reason.share;
  switch (reason.doubt) {
    case Doubt::kReplay:
      return std::string("replay takes ") + FormatPercent(share) +
             (trust.replay_error < 0 ? " less" : " more") + " than was measured";
    case Doubt::kIdle:
      return "for " + FormatPercent(share) + " of the time a GPU is idle and nothing says why";
    case Doubt::kLongCalls:
      return "for " + FormatPercent(share) +
             " of the time the host is in calls far longer than usual, and nothing says why";
    case Doubt::kViolated:
      return FormatPercent(share) + " of the operations began before the graph lets them";
    case Doubt::kWaits:
      return OnPath(share, "the host asleep, or waiting for somebody unknown");
    case Doubt::kPolling:
      return OnPath(share, "the host asking whether something is over");
    case Doubt::kSilence:
      return "for " + FormatPercent(share) +
             " of the time a thread is silent, working or waiting: system calls were not recorded";
    case Doubt::kUnseenRanks:
      return OnPath(share, "collectives whose other ranks were not recorded");
    case Doubt::kUnseenThreads:
      return "nothing was recorded of " + NamesOf(trust.unseen_threads) +
             ": faster steps may have to wait for what it does";
    case Doubt::kBeside:
      return FormatPercent(share) + " of the device work is none of the steps'";
    case Doubt::kScatter:
      return "steps differ by ±" + FormatPercent(share);
    case Doubt::kOutliers:
      return "steps far from the others, which are not counted, would add " + FormatPercent(share) +
             " to the mean";
    case Doubt::kExposed:
      return FormatPercent(share) +
             " of the time after the change is host time hidden before, and may be a wait";
    case Doubt::kGone:
      return "it does without waits that only silences tell: " + FormatPercent(share) +
             " of its time";
    case Doubt::kLagging:
      return ThreadWords(trust.lagging_thread) + " needs " + FormatPercent(share) +
             " longer for its part: such steps may have to wait";
    case Doubt::kMissesBeats:
      return "steps come too late for the timer that they wait for";
    case Doubt::kTimedWaits:
      return FormatPercent(share) + " of its time are waits that may run out instead";
    case Doubt::kOtherCompany:
      return "kernels have other company on the GPU than any that was measured, for " +
             FormatPercent(share) + " of the time";
    case Doubt::kRanksApart:
      return "ranks no longer go at one pace: one is " + FormatPercent(share) + " faster";
    case Doubt::kOrder:
      return "streams keep the order that waits gave them: if none needs what another one "
             "computed, "
             "it takes " +
             FormatPercent(share) + " less";
    case Doubt::kWideRange:
      return "it may be ±" + FormatPercent(share) + " off";
    case Doubt::kFewOperations:
    case Doubt::kCount:
      break;
  }
  return "only " + FormatCount(trust.operations) +
         (trust.operations == 1 ? " operation to judge by" : " operations to judge by");
}

std::string TrustWords(const Trust& trust, std::size_t most) {
  std::string text = std::string(NameOf(trust.level)) + ": ";
  if (trust.reasons.empty()) return text + GoodWords(trust);
  for (std::size_t i = 0; i < std::min(most, trust.reasons.size()); ++i) {
    text += (i > 0 ? "; " : "") + WordsOf(trust.reasons[i], trust);
  }
  return text;
}

std::string TrustSentence(const Trust& trust) { return "Trust is " + TrustWords(trust, 2) + "."; }

Json TrustJson(const Trust& trust) {
  Json reasons = Json::array();
  for (const TrustReason& reason : trust.reasons) reasons.push_back(WordsOf(reason, trust));
  if (reasons.empty()) reasons.push_back(GoodWords(trust));
  return {{"level", NameOf(trust.level)}, {"reasons", std::move(reasons)}};
}

Json DoubtsJson(const Trust& trust) {
  Json doubts = Json::object();
  for (const DoubtRow& row : AllDoubts()) {
    if (!row.is_of_forecast) doubts[std::string(row.name)] = trust.Of(row.doubt);
  }
  return doubts;
}

}  // namespace xsp
