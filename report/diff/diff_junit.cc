#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/diff/diff_documents.h"
#include "report/diff/diff_tables.h"
#include "report/diff/diff_words.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

using State = GateResult::State;

// XML 1.0 has no way to write most control characters, so SafeText has made words of them. U+FFFE
// and U+FFFF are no characters of XML either.
std::string Xml(std::string_view text) {
  std::string escaped;
  const std::string safe = SafeText(text);
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const std::string_view rest = std::string_view(safe).substr(i);
    if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      escaped += "\xEF\xBF\xBD";
      i += 2;
      continue;
    }
    switch (safe[i]) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      default:
        escaped += safe[i];
    }
  }
  return escaped;
}

// The table that people read, as lines of a failure.
std::string RowsText(const Comparison& c) {
  std::string text;
  const std::vector<ContributionGroup> groups = GroupContributions(c);
  for (const ShownRow& row : ShownRows(c, groups, 8)) {
    text += fmt::format("{:>14} ns  {}", row.delta, Xml(RowName(c, row)));
    if (row.kind == ShownRow::Kind::kGroup) {
      const std::string why = WhyOf(c, *row.group).Plain();
      text += ", " + KindWords(row.group->kind) + (why.empty() ? "" : ": " + Xml(why));
    }
    text += "\n";
  }
  return text;
}

// What is limited once for a run: where the unit's change comes from does not explain it.
bool IsOfRun(const Gate& gate) {
  return gate.what == Subject::kSpan || gate.what == Subject::kWall ||
         gate.what == Subject::kOneTime || gate.what == Subject::kMemoryPeak;
}

// What a failure holds: all places of the gate, or where the change of the unit comes from.
std::string Details(const Comparison& c, const GateResult& gate) {
  if (gate.places.empty()) {
    return gate.state == State::kFails && !IsOfRun(gate.gate) ? RowsText(c) : "";
  }
  std::string text;
  for (const GatePlace& place : gate.places) text += Xml(PlaceWords(gate, place)) + "\n";
  return text;
}

// How a test ended, as JUnit has it.
enum class Ending : std::uint8_t { kPass, kFailure, kError, kSkipped };

Ending EndingOf(State state, const OutcomeOptions& outcome) {
  switch (state) {
    case State::kHolds:
      return Ending::kPass;
    case State::kFails:
      return Ending::kFailure;
    case State::kAccepted:
      return Ending::kSkipped;
    case State::kUndecided:
      return outcome.allow_unknown ? Ending::kSkipped : Ending::kError;
    case State::kNoData:
    case State::kNotJudged:
      break;
  }
  return Ending::kError;
}

std::string CaseOf(const Comparison& c, const GateResult& gate, Ending ending) {
  const std::string message = Xml(GateWords(gate));
  std::string xml =
      "    <testcase classname=\"xsp.diff\" name=\"" + Xml(LimitLine(gate.gate)) + "\" time=\"0\"";
  switch (ending) {
    case Ending::kPass:
      return xml + "/>\n";
    case Ending::kFailure:
      return xml + ">\n      <failure type=\"regression\" message=\"" + message + "\">" +
             Details(c, gate) + "</failure>\n    </testcase>\n";
    case Ending::kSkipped:
      return xml + ">\n      <skipped message=\"" + message + "\">" + Details(c, gate) +
             "</skipped>\n    </testcase>\n";
    case Ending::kError:
      break;
  }
  return xml + ">\n      <error type=\"" + std::string(NameOf(gate.state)) + "\" message=\"" +
         message + "\">" + Details(c, gate) + "</error>\n    </testcase>\n";
}

std::string Suite(const std::string& counts, const std::string& cases) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites " + counts +
         ">\n  <testsuite name=\"xsp diff\" " + counts + ">\n" + cases +
         "  </testsuite>\n</testsuites>\n";
}

}  // namespace

std::string DiffJunit(const Comparison& c, const OutcomeOptions& outcome) {
  auto count = [&](Ending ending) {
    return std::count_if(c.gates.begin(), c.gates.end(), [&](const GateResult& gate) {
      return EndingOf(gate.state, outcome) == ending;
    });
  };
  const std::size_t tests = c.gates.size() + 1;
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.9f}\"",
                  tests, count(Ending::kFailure), count(Ending::kError) + (c.refused ? 1 : 0),
                  count(Ending::kSkipped), c.unit.now / 1e9);
  std::string xml = fmt::format("    <testcase classname=\"xsp.diff\" name=\"{}\" time=\"{:.9f}\"",
                                UnitWords(c), c.unit.now / 1e9);
  if (c.refused) {
    xml += ">\n      <error type=\"not_comparable\" message=\"" + Xml(c.reasons.front()) +
           "\"/>\n    </testcase>\n";
  } else {
    xml += ">\n      <system-out>" + Xml(VerdictWords(c)) + "\n" + RowsText(c) +
           "</system-out>\n    </testcase>\n";
  }
  for (const GateResult& gate : c.gates) {
    xml += CaseOf(c, gate, EndingOf(gate.state, outcome));
  }
  return Suite(counts, xml);
}

std::string TroubleJunit(const std::string& message) {
  return Suite("tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0\"",
               "    <testcase classname=\"xsp.diff\" name=\"comparison\" time=\"0\">\n      <error "
               "type=\"trouble\" message=\"" +
                   Xml("could not be checked: " + message) + "\"/>\n    </testcase>\n");
}

}  // namespace xsp
