#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/gates/gate.h"

namespace xsp {

// A change that somebody has looked at and taken: gates count from there on.
struct AcceptedChange {
  std::string what;  // The subject of a gate: "step", "layer:forward/layer 3".
  // How much of it: a share of the base's value (0.068: 6.8 % more), or a difference in the unit of
  // the subject (ns, bytes, a count).
  double change = 0;
  LimitUnit unit = LimitUnit::kShare;
  std::string reason;
  std::string recorded;              // The day, "2026-01-31".
  std::optional<std::string> until;  // The last day on which it counts; none: until it is removed.
  // What the base was then, in ns, bytes, a count: once the base itself has moved on, so much less
  // is left of the change. None in files from before this was recorded.
  std::optional<double> base = {};

  bool operator==(const AcceptedChange&) const = default;
};

// What a project asks of its performance: a file that is kept with its code.
struct Policy {
  std::vector<Gate> gates;
  std::optional<double> noise;  // As --noise, a share.
  std::vector<AcceptedChange> accepted;

  bool operator==(const Policy&) const = default;
};

// Reads {"xsp_policy": 1, "fail_on": [...], "noise": 0.02, "accepted": [...]}. Throws Error (or
// GrammarError, for a gate) that names the file and what is wrong; fields that are not known are
// wrong, too: a typing error must not switch off a gate.
Policy ReadPolicy(const std::filesystem::path& file);
Policy ParsePolicy(std::string_view json, const std::string& file_name);

// The policy file's text with the change recorded in it, in the place of an older one of the same
// subject; everything else stays as it is. `json` may be empty: a new policy.
std::string WithAccepted(std::string_view json, const std::string& file_name,
                         const AcceptedChange& change);

// How much of an accepted change a base of this size leaves, in the unit of the change: what lies
// between it and where the change led.
double LeftOf(const AcceptedChange& accepted, double base);

// The accepted change of a subject that still counts on a day ("2026-01-31"); null for none.
const AcceptedChange* FindAccepted(const Policy& policy, std::string_view what,
                                   std::string_view today);

}  // namespace xsp
