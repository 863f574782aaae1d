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

// A result for a gate, or for one of its places.
Json ResultOf(const Comparison& c, const GateResult& gate, const GatePlace& place,
              const DiffReportOptions& options) {
  std::string message = "Limit ";
  if (gate.places.empty()) {
    message += GateWords(gate) + ". " + ChangeWords(c) + ".";
  } else {
    message += LimitLine(gate.gate) + ": " + PlaceWords(gate, place) + ".";
  }
  Json result = {{"ruleId", JsonText(RuleOf(gate))},
                 {"level", LevelOf(place.state)},
                 {"message", {{"text", JsonText(message)}}},
                 {"locations", Json::array({LocationOf(options, place.where)})},
                 {"partialFingerprints", {{"limit/v1", JsonText(gate.gate.text)}}}};
  if (!place.where.empty()) result["partialFingerprints"]["place/v1"] = JsonText(place.where);
  if (place.state == State::kAccepted) {
    result["suppressions"] =
        Json::array({{{"kind", "external"}, {"justification", JsonText(place.accepted->reason)}}});
  }
  return result;
}

void AddResults(const Comparison& c, const GateResult& gate, const DiffReportOptions& options,
                Json& results) {
  if (gate.state == State::kHolds) return;
  for (const GatePlace& place : gate.places) results.push_back(ResultOf(c, gate, place, options));
  if (!gate.places.empty()) return;
  GatePlace whole;
  whole.where = gate.where;
  whole.state = gate.state;
  whole.accepted = gate.accepted;
  results.push_back(ResultOf(c, gate, whole, options));
}

Json VerdictResult(const Comparison& c, const DiffReportOptions& options) {
  std::string message = VerdictWords(c) + ".";
  if (c.refused) message = "Not comparable: " + c.reasons.front() + ".";
  return {{"ruleId", "xsp/verdict"},
          {"level", c.refused                           ? "error"
                    : c.verdict == Verdict::kRegression ? "warning"
                                                        : "note"},
          {"message", {{"text", JsonText(message)}}},
          {"locations", Json::array({LocationOf(options, "")})}};
}

Json RunOf(Json rules, Json results) {
  return {{"tool",
           {{"driver", {{"name", "xsp"}, {"version", XSP_VERSION}, {"rules", std::move(rules)}}}}},
          {"results", std::move(results)},
          {"columnKind", "unicodeCodePoints"}};
}

std::string Document(Json run) {
  return DumpJson({{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}});
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
  for (const GateResult& gate : c.gates) AddResults(c, gate, options, results);
  return Document(RunOf(RulesOf(c), std::move(results)));
}

std::string TroubleSarif(const std::string& message) {
  Json run = RunOf(Json::array(), Json::array());
  const Json notification = {{"level", "error"},
                             {"message", {{"text", JsonText("could not be checked: " + message)}}}};
  run["invocations"] = Json::array({{{"executionSuccessful", false},
                                     {"toolExecutionNotifications", Json::array({notification})}}});
  return Document(std::move(run));
}

}  // namespace xsp
