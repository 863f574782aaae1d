#include "diff/gates/policy.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/dates.h"
#include "base/user_json.h"

namespace xsp {
namespace {

using Json = nlohmann::ordered_json;  // What is written again keeps its order.

constexpr std::uint64_t kPolicyVersion = 1;
constexpr std::string_view kVersionField = "xsp_policy";

constexpr std::string_view kHint = "docs/ci.md shows a policy";

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

std::string DayOf(const UserJson& text) {
  if (!IsDay(text.Text())) text.Fail("is '" + text.Text() + "', which is no day (YYYY-MM-DD)");
  return text.Text();
}

AcceptedChange ReadAccepted(const UserJson& row) {
  constexpr double kMost = std::numeric_limits<double>::max();
  row.OnlyKeys({"what", "change", "change_ns", "change_bytes", "change_count", "base", "reason",
                "recorded", "until"});
  AcceptedChange change;
  change.what = row.At("what", "a subject, as a limit has it").Text();
  change.reason = row.At("reason", "why it is taken").Text();
  change.recorded = DayOf(row.At("recorded", "the day"));
  const UserJson* const until = row.Find("until");
  if (until != nullptr && until->kind() != UserJson::Kind::kNull) change.until = DayOf(*until);
  int amounts = 0;
  for (const auto& [field, unit] : kChangeFields) {
    const UserJson* const amount = row.Find(field);
    if (amount == nullptr) continue;
    ++amounts;
    change.unit = unit;
    change.change = amount->Number(-kMost, kMost);
  }
  if (const UserJson* base = row.Find("base")) change.base = base->Number(0, kMost);
  if (amounts != 1) row.Fail("needs one of change, change_ns, change_bytes, change_count");
  return change;
}

Json AcceptedJson(const AcceptedChange& change) {
  Json row = {{"what", change.what}};
  row[std::string(FieldOf(change.unit))] = change.change;
  if (change.base) row["base"] = *change.base;
  row["reason"] = change.reason;
  row["recorded"] = change.recorded;
  if (change.until) row["until"] = *change.until;
  return row;
}

Policy PolicyOf(const UserJson& document) {
  const UserJson& version = document.At(kVersionField, "1, in every policy");
  if (version.Count(0) != kPolicyVersion) version.Fail("must be 1: other versions are not known");
  document.OnlyKeys({kVersionField, "about", "fail_on", "noise", "accepted"});
  Policy policy;
  if (const UserJson* gates = document.Find("fail_on")) {
    for (const UserJson& gate : gates->List()) policy.gates.push_back(ParseGate(gate.Text()));
  }
  // A share: 0.02 for 2 %.
  if (const UserJson* noise = document.Find("noise")) policy.noise = noise->Number(0, 1);
  if (const UserJson* accepted = document.Find("accepted")) {
    for (const UserJson& row : accepted->List()) policy.accepted.push_back(ReadAccepted(row));
  }
  return policy;
}

}  // namespace

Policy ParsePolicy(std::string_view json, const std::string& file_name) {
  return PolicyOf(UserJson::Parse(json, file_name, kHint));
}

Policy ReadPolicy(const std::filesystem::path& file) {
  return PolicyOf(UserJson::Read(file, kHint));
}

std::string WithAccepted(std::string_view json, const std::string& file_name,
                         const AcceptedChange& change) {
  Json document = {{std::string(kVersionField), kPolicyVersion}};
  if (!json.empty()) {
    ParsePolicy(json, file_name);  // Throws, or it can be read.
    document = Json::parse(json);
  }
  Json rows = Json::array();
  if (document.contains("accepted")) {
    for (const Json& row : document["accepted"]) {
      if (row["what"] != change.what) rows.push_back(row);
    }
  }
  rows.push_back(AcceptedJson(change));
  document["accepted"] = std::move(rows);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

double LeftOf(const AcceptedChange& accepted, double base) {
  if (!accepted.base || base <= *accepted.base) return accepted.change;
  const bool is_share = accepted.unit == LimitUnit::kShare;
  const double change = is_share ? accepted.change * *accepted.base : accepted.change;
  const double left = std::max(0.0, *accepted.base + change - base);
  return is_share ? left / base : left;
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
