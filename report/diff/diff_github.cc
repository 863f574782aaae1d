#include "report/diff/diff_documents.h"
#include "report/diff/diff_words.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

using State = GateResult::State;

// A line break would begin a command of its own; the runner undoes these escapes.
std::string Data(std::string_view text, bool is_property) {
  std::string escaped;
  for (char c : SafeText(text)) {
    if (c == '%') {
      escaped += "%25";
    } else if (is_property && c == ':') {
      escaped += "%3A";
    } else if (is_property && c == ',') {
      escaped += "%2C";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Annotation(const char* level, const std::string& title, const std::string& message,
                       const std::vector<std::string>& more_lines = {}) {
  std::string text =
      "::" + std::string(level) + " title=" + Data(title, true) + "::" + Data(message, false);
  for (const std::string& line : more_lines) text += "%0A" + Data(line, false);
  return text + "\n";
}

// One annotation for a limit, whatever number of places: GitHub shows ten of a step.
std::string GateAnnotation(const char* level, const std::string& title, const GateResult& gate) {
  constexpr std::size_t kMostPlaces = 100;  // An annotation has an end.
  std::vector<std::string> places;
  for (const GatePlace& place : gate.places) {
    if (places.size() == kMostPlaces) break;
    places.push_back(PlaceWords(gate, place));
  }
  const std::size_t more = gate.places.size() - places.size();
  if (more > 0) places.push_back("and " + FormatCount(static_cast<std::int64_t>(more)) + " more");
  return Annotation(level, title, GateWords(gate), places);
}

// The largest piece of the change, in a sentence.
std::string Mostly(const Comparison& c) {
  const std::vector<ContributionGroup> groups = GroupContributions(c);
  if (groups.empty() || groups.front().delta == 0) return "";
  const ContributionGroup& group = groups.front();
  const std::string why = WhyOf(c, group).Plain();
  std::string name =
      group.where + (group.where.empty() || group.what.empty() ? "" : " / ") + group.what;
  return " Mostly " + KindWords(group.kind) + (name.empty() ? "" : " in " + name) + ": " +
         (group.delta > 0 ? "+" : "−") + FormatDuration(std::abs(group.delta)) +
         (why.empty() ? "" : " (" + why + ")") + ".";
}

}  // namespace

std::string DiffAnnotations(const Comparison& c) {
  std::string text;
  if (c.refused) {
    text += Annotation("error", "xsp: not comparable", c.reasons.front());
  }
  for (const GateResult& gate : c.gates) {
    if (gate.state == State::kFails) {
      text += GateAnnotation("error", "xsp: limit exceeded", gate);
    } else if (gate.state == State::kUndecided || gate.state == State::kNoData ||
               gate.state == State::kNotJudged) {
      text += GateAnnotation("warning", "xsp: limit not checked", gate);
    } else if (gate.state == State::kAccepted) {
      text += GateAnnotation("notice", "xsp: accepted change", gate);
    }
  }
  for (const std::string& warning : c.warnings) text += Annotation("warning", "xsp", warning);
  const bool is_bad =
      c.refused || c.verdict == Verdict::kRegression || c.verdict == Verdict::kCannotTell;
  text += Annotation(is_bad ? "warning" : "notice", "xsp", VerdictWords(c) + "." + Mostly(c));
  return text;
}

std::string TroubleAnnotation(const std::string& message) {
  return Annotation("error", "xsp: could not be checked", message);
}

}  // namespace xsp
