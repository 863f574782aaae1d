#pragma once

namespace xsp {

// As diff(1): scripts can tell "no" from "could not".
enum class ExitCode : int {
  kOk = 0,
  kGateFailed = 1,  // The work was done and the answer is no: a regression.
  kTrouble = 2,     // Wrong usage, unreadable input, failed output.
  kUndecided = 3,   // The work was done, but the answer is neither yes nor no: noise, missing data.
  kNotComparable = 4,  // The runs are of different machines.
  kInterrupted = 130,
};

}  // namespace xsp
