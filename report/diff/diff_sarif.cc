#include <set>

#include "report/diff/diff_documents.h"
#include "report/diff/diff_words.h"
#include "report/tables/json.h"

namespace xsp {
namespace {

using State = GateResult::State;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

// A path as a URI reference: what a URI does not allow is written as %XX.
std::string UriOf(const std::string& path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri;
  for (char c : path) {
    if (kPlain.find(c) != kPlain.npos) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += kHex[byte >> 4];
    uri += kHex[byte & 15];
  }
  return uri;
}

const char* LevelOf(State state) {
  return state == State::kFails ? "error" : state == State::kAccepted ? "note" : "warning";
}

std::string RuleOf(const GateResult& gate) {
  if (gate.gate.what != Subject::kPlace) return "xsp/" + gate.gate.subject;
  return "xsp/" + std::string(NameOf(gate.gate.place));
}

// Results are shown at a file: the policy that holds the limits, or the trace.
Json LocationOf(const DiffReportOptions& options, const std::string& where) {
  const std::string file = !options.policy.empty() ? options.policy
                           : options.now.empty()   ? std::string("trace")
                                                   : options.now.front().path;
  Json location = {
      {"physicalLocation",
       {{"artifactLocation", {{"uri", UriOf(file)}}}, {"region", {{"startLine", 1}}}}}};
  if (!where.empty()) {
    location["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", JsonText(where)}, {"kind", "function"}}});
  }
  return location;
}

Json ResultOf(const Comparison& c, const GateResult& gate, const DiffReportOptions& options) {
  const std::string value = ValueWords(gate);
  const std::string remark = RemarkOf(gate);
  std::string message = "Limit " + LimitLine(gate.gate);
  if (!value.empty()) message += ": " + value;
  if (!gate.where.empty()) message += " in " + gate.where;
  if (!remark.empty()) message += ", " + remark;
  message += ". " + ChangeWords(c) + ".";
  Json result = {{"ruleId", JsonText(RuleOf(gate))},
                 {"level", LevelOf(gate.state)},
                 {"message", {{"text", JsonText(message)}}},
                 {"locations", Json::array({LocationOf(options, gate.where)})},
                 {"partialFingerprints", {{"limit/v1", JsonText(gate.gate.text)}}}};
  if (gate.state == State::kAccepted) {
    result["suppressions"] =
        Json::array({{{"kind", "external"}, {"justification", JsonText(gate.accepted->reason)}}});
  }
  return result;
}

Json VerdictResult(const Comparison& c, const DiffReportOptions& options) {
  const bool refused = !c.comparable && !options.outcome.force;
  std::string message = HeadlineWords(c) + ".";
  if (refused) message = "Not comparable: " + c.reasons.front() + ".";
  return {{"ruleId", "xsp/verdict"},
          {"level", refused                             ? "error"
                    : c.verdict == Verdict::kRegression ? "warning"
                                                        : "note"},
          {"message", {{"text", JsonText(message)}}},
          {"locations", Json::array({LocationOf(options, "")})}};
}

Json RulesOf(const Comparison& c) {
  std::set<std::string> ids = {"xsp/verdict"};
  for (const GateResult& gate : c.gates) ids.insert(RuleOf(gate));
  Json rules = Json::array();
  for (const std::string& id : ids) {
    rules.push_back({{"id", JsonText(id)},
                     {"shortDescription",
                      {{"text", id == "xsp/verdict" ? Json("Performance against the base")
                                                    : JsonText("Limit on " + id.substr(4))}}}});
  }
  return rules;
}

}  // namespace

std::string DiffSarif(const Comparison& c, const DiffReportOptions& options) {
  Json results = Json::array();
  if (c.verdict != Verdict::kSame || !c.comparable) results.push_back(VerdictResult(c, options));
  for (const GateResult& gate : c.gates) {
    if (gate.state != State::kHolds) results.push_back(ResultOf(c, gate, options));
  }
  const Json document = {
      {"$schema", kSchema},
      {"version", "2.1.0"},
      {"runs",
       Json::array(
           {{{"tool",
              {{"driver", {{"name", "xsp"}, {"version", XSP_VERSION}, {"rules", RulesOf(c)}}}}},
             {"results", std::move(results)},
             {"columnKind", "unicodeCodePoints"}}})}};
  return DumpJson(document);
}

}  // namespace xsp
