#include "report/html/waterfall_edges.h"

#include "base/ascii.h"
#include "base/interrupt.h"
#include "graph/readings/explain.h"

namespace xsp {
namespace {

// Bits of the column "how".
constexpr std::int64_t kAtFinish = 1, kDecides = 2;

}  // namespace

SentencePattern PatternOf(std::string_view sentence) {
  SentencePattern result;
  for (std::size_t i = 0; i < sentence.size();) {
    if (!IsDigit(sentence[i])) {
      result.pattern += sentence[i++];
      continue;
    }
    std::size_t end = i;
    while (end < sentence.size() &&
           (IsDigit(sentence[end]) ||
            (sentence[end] == '.' && end + 1 < sentence.size() && IsDigit(sentence[end + 1])))) {
      ++end;
    }
    result.pattern += "{}";
    result.numbers.emplace_back(sentence.substr(i, end - i));
    i = end;
  }
  return result;
}

Json EdgeColumns(const WaterfallItems& items, const TaskGraph& graph, const Schedule& replay,
                 const Answers& answers, bool only_deciding, PackedTexts& texts) {
  using Kind = PackedColumn::Kind;
  PackedColumn to(Kind::kSteps), from, rule, how, why, numbers;
  std::size_t rows = 0;
  InterruptPoll poll;
  for (std::size_t i = 0; i < items.list().size(); ++i) {
    const TaskId task = items.list()[i].task;
    if (!task.valid()) continue;
    poll();
    for (const ExplainedEdge& edge : ExplainTask(graph, replay, answers, task)) {
      if (only_deciding && !edge.binds) continue;
      const std::int64_t source = items.RowOf(edge.source);
      const SentencePattern sentence = PatternOf(edge.why);
      to.Add(static_cast<std::int64_t>(i));
      // Neighbours are near: the distance is short where the number is not.
      from.Add(source < 0 ? 0 : source - static_cast<std::int64_t>(i));
      rule.Add(static_cast<int>(edge.rule));
      how.Add((edge.at_finish ? kAtFinish : 0) | (edge.binds ? kDecides : 0));
      why.Add(texts.Of(sentence.pattern));
      for (const std::string& number : sentence.numbers) numbers.Add(texts.Of(number));
      ++rows;
    }
  }
  return {{"rows", rows},
          {"to", to.ToJson()},
          {"from", from.ToJson()},
          {"rule", rule.ToJson()},
          {"how", how.ToJson()},
          {"why", why.ToJson()},
          {"numbers", numbers.ToJson()}};
}

}  // namespace xsp
