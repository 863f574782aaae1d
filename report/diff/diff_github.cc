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

std::string Annotation(const char* level, const std::string& title, const std::string& message) {
  return "::" + std::string(level) + " title=" + Data(title, true) + "::" + Data(message, false) +
         "\n";
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

std::string DiffAnnotations(const Comparison& c, const DiffReportOptions& options) {
  std::string text;
  const std::string mostly = Mostly(c);
  if (!c.comparable && !options.outcome.force) {
    text += Annotation("error", "xsp: not comparable", c.reasons.front());
  }
  for (const GateResult& gate : c.gates) {
    const std::string value = ValueWords(gate);
    std::string message = LimitLine(gate.gate) + (value.empty() ? "" : ": " + value);
    if (!gate.where.empty()) message += " in " + gate.where;
    if (std::string remark = RemarkOf(gate); !remark.empty()) message += ", " + remark;
    if (gate.state == State::kFails) {
      text += Annotation("error", "xsp: limit exceeded", message + "." + mostly);
    } else if (gate.state == State::kUnknown || gate.state == State::kNoData) {
      text += Annotation("warning", "xsp: limit not checked", message);
    } else if (gate.state == State::kAccepted) {
      text += Annotation("notice", "xsp: accepted change", message);
    }
  }
  for (const std::string& warning : c.warnings) text += Annotation("warning", "xsp", warning);
  const bool is_bad = c.verdict == Verdict::kRegression || c.verdict == Verdict::kCannotTell;
  text += Annotation(is_bad ? "warning" : "notice", "xsp", HeadlineWords(c) + "." + mostly);
  return text;
}

}  // namespace xsp
