#pragma once

#include <functional>
#include <string>
#include <utility>

#include "tests/proof/whatif_case.h"

namespace xsp::proof {

using Options = samples::ScenarioOptions;

// A training before and after a change of its options.
inline WhatIfCase TrainingCase(std::string name, std::string program, std::string flags,
                               const std::function<void(Options&)>& set,
                               const std::function<void(Options&)>& change,
                               samples::Scenario (*make)(const Options&) = samples::MakeTrain) {
  const auto options = [set] {
    Options result;
    result.steps = 16;
    set(result);
    return result;
  };
  return {std::move(name), std::move(program), std::move(flags), [=] { return make(options()); },
          [=] {
            Options after = options();
            change(after);
            return make(after);
          }};
}

}  // namespace xsp::proof
