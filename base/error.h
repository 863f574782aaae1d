#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace xsp {

// The run cannot go on. The message names what is wrong and where; the hint, if any, says what the
// user can do. Thrown anywhere, caught and printed once, in cli/main.cc, with exit code 2.
// A record that is merely odd is no Error: it is counted in the ImportLog.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, std::string hint = {})
      : std::runtime_error(message), hint_(std::move(hint)) {}

  const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

}  // namespace xsp
