#include "hierarchy/steps/kind_words.h"

#include <vector>

#include "base/text.h"

namespace xsp {

std::string KindWords(const Steps& steps) {
  if (steps.kinds.empty()) return "";
  if (steps.size() == 1) {
    const StepContent& content = steps.steps.front().content;
    std::string words = "1 step: " + content.kind;
    const auto add = [&](std::uint64_t count, const char* what) {
      if (count != kMissing<std::uint64_t>) words += ", " + std::to_string(count) + what;
    };
    add(content.requests, content.requests == 1 ? " request" : " requests");
    if (content.tokens == content.requests && content.requests > 0) {
      return words + (content.requests == kMissing<std::uint64_t> ? "" : ", 1 token each");
    }
    add(content.tokens, content.tokens == 1 ? " token" : " tokens");
    return words;
  }
  std::vector<std::string> kinds;
  for (const StepKindFacts& kind : steps.kinds) {
    kinds.push_back(kind.name + " " + std::to_string(kind.count));
  }
  return std::to_string(steps.size()) + " steps: " + Joined(kinds, ", ");
}

}  // namespace xsp
