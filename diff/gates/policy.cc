#include "diff/gates/policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "diff/gates/grammar_error.h"
#include "model/error.h"

namespace xsp {
namespace {

using Json = nlohmann::ordered_json;  // What is written again keeps its order.

constexpr int kPolicyVersion = 1;
constexpr std::string_view kVersionField = "xsp_policy";

[[noreturn]] void Refuse(const std::string& file, const std::string& what,
                         const std::string& hint = "docs/ci.md shows a policy") {
  throw Error(file + ": " + what, hint);
}

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

Json ParseJson(std::string_view text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    Refuse(file, std::string("is no JSON: ") + error.what());
  }
}

void CheckFields(const Json& object, std::span<const std::string_view> known,
                 const std::string& where, const std::string& file) {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string list;
    for (std::string_view name : known) list += (list.empty() ? "" : ", ") + std::string(name);
    Refuse(file, where + " has a field " + Quoted(key) + " that no policy has", "fields: " + list);
  }
}

std::string TextOf(const Json& object, std::string_view key, const std::string& where,
                   const std::string& file) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_string()) {
    Refuse(file, where + " lacks the text " + Quoted(key));
  }
  return it->get<std::string>();
}

double NumberOf(const Json& value, const std::string& what, const std::string& file) {
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  if (!std::isfinite(number)) Refuse(file, what + " is no number");
  return number;
}

constexpr std::array<std::pair<std::string_view, LimitUnit>, 4> kChangeFields = {{
    {"change", LimitUnit::kShare},
    {"change_ns", LimitUnit::kNanoseconds},
    {"change_bytes", LimitUnit::kBytes},
    {"change_count", LimitUnit::kCount},
}};

std::string_view FieldOf(LimitUnit unit) {
  for (const auto& [field, of] : kChangeFields) {
    if (of == unit) return field;
  }
  return "change";
}

AcceptedChange ParseAccepted(const Json& row, const std::string& file) {
  static constexpr std::array<std::string_view, 8> kFields = {
      "what", "change", "change_ns", "change_bytes", "change_count", "reason", "recorded", "until"};
  const std::string where = "an accepted change";
  if (!row.is_object()) Refuse(file, where + " is no object");
  CheckFields(row, kFields, where, file);
  AcceptedChange change;
  change.what = TextOf(row, "what", where, file);
  change.reason = TextOf(row, "reason", where, file);
  change.recorded = TextOf(row, "recorded", where, file);
  if (!IsDay(change.recorded)) Refuse(file, Quoted(change.recorded) + " is no day (YYYY-MM-DD)");
  if (row.contains("until") && !row["until"].is_null()) {
    change.until = TextOf(row, "until", where, file);
    if (!IsDay(*change.until)) Refuse(file, Quoted(*change.until) + " is no day (YYYY-MM-DD)");
  }
  int amounts = 0;
  for (const auto& [field, unit] : kChangeFields) {
    if (!row.contains(field)) continue;
    ++amounts;
    change.unit = unit;
    change.change = NumberOf(row[field], Quoted(field), file);
  }
  if (amounts != 1)
    Refuse(file, where + " needs one of change, change_ns, change_bytes, change_count");
  return change;
}

Json AcceptedJson(const AcceptedChange& change) {
  Json row = {{"what", change.what}};
  row[std::string(FieldOf(change.unit))] = change.change;
  row["reason"] = change.reason;
  row["recorded"] = change.recorded;
  if (change.until) row["until"] = *change.until;
  return row;
}

Json ParseDocument(std::string_view text, const std::string& file) {
  static constexpr std::array<std::string_view, 5> kFields = {kVersionField, "about", "fail_on",
                                                              "noise", "accepted"};
  Json document = ParseJson(text, file);
  if (!document.is_object() || !document.contains(kVersionField)) {
    Refuse(file, "is no policy: it must be an object with \"xsp_policy\": 1");
  }
  if (document[kVersionField] != kPolicyVersion) {
    Refuse(file, "is a policy of another version: \"xsp_policy\" must be 1");
  }
  CheckFields(document, kFields, "the policy", file);
  for (const char* list : {"fail_on", "accepted"}) {
    if (document.contains(list) && !document[list].is_array()) {
      Refuse(file, Quoted(list) + " is no list");
    }
  }
  return document;
}

}  // namespace

Policy ParsePolicy(std::string_view json, const std::string& file_name) {
  const Json document = ParseDocument(json, file_name);
  Policy policy;
  if (document.contains("fail_on")) {
    for (const Json& gate : document["fail_on"]) {
      if (!gate.is_string()) Refuse(file_name, "a gate of 'fail_on' is no text");
      policy.gates.push_back(ParseGate(gate.get<std::string>()));
    }
  }
  if (document.contains("noise")) {
    policy.noise = NumberOf(document["noise"], "'noise'", file_name);
    if (*policy.noise < 0 || *policy.noise > 1) {
      Refuse(file_name, "'noise' is a share from 0 to 1, as 0.02 for 2 %");
    }
  }
  if (document.contains("accepted")) {
    for (const Json& row : document["accepted"]) {
      policy.accepted.push_back(ParseAccepted(row, file_name));
    }
  }
  return policy;
}

Policy ReadPolicy(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(file.string() + ": the policy cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return ParsePolicy(text, file.string());
}

std::string WithAccepted(std::string_view json, const std::string& file_name,
                         const AcceptedChange& change) {
  Json document = json.empty() ? Json{{std::string(kVersionField), kPolicyVersion}}
                               : ParseDocument(json, file_name);
  Json rows = Json::array();
  if (document.contains("accepted")) {
    for (const Json& row : document["accepted"]) {
      if (ParseAccepted(row, file_name).what != change.what) rows.push_back(row);
    }
  }
  rows.push_back(AcceptedJson(change));
  document["accepted"] = std::move(rows);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool IsDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  auto number = [&](std::size_t from, std::size_t digits) {
    int value = 0;
    for (std::size_t i = from; i < from + digits; ++i) {
      if (text[i] < '0' || text[i] > '9') return -1;
      value = value * 10 + (text[i] - '0');
    }
    return value;
  };
  const int year = number(0, 4);
  const int month = number(5, 2);
  const int day = number(8, 2);
  if (year < 0 || month < 1 || month > 12 || day < 1) return false;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return day <= kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

const AcceptedChange* FindAccepted(const Policy& policy, std::string_view what,
                                   std::string_view today) {
  for (const AcceptedChange& change : policy.accepted) {
    // Days in this form are in order as texts.
    if (change.what == what && (!change.until || today <= *change.until)) return &change;
  }
  return nullptr;
}

}  // namespace xsp
