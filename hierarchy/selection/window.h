#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/time.h"

namespace xsp {

// Which part of the trace a result is about, in words.
struct Window {
  std::string text = "whole trace";  // For people, in the first line of every output.
  std::optional<TimeRange> time;     // None: not limited in time.
  std::vector<std::pair<std::string, std::string>> filters;  // What was asked: ("device", "0").
};

}  // namespace xsp
