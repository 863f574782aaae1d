#pragma once

#include <cstdint>
#include <string_view>

namespace xsp {

// Where long work says how far it is. Also the place where an interrupted user is heard: Advance
// may throw, and whoever works must leave nothing half-done behind then. Methods may be called from
// several threads at once.
class Progress {
 public:
  virtual ~Progress() = default;

  // A new stage of `total` units ("rows", "bytes"); 0: unknown.
  virtual void Start(std::string_view label, std::uint64_t total, std::string_view unit) = 0;

  // `units` more are done.
  virtual void Advance(std::uint64_t units) = 0;
};

// Says nothing, never interrupts.
class NoProgress final : public Progress {
 public:
  void Start(std::string_view, std::uint64_t, std::string_view) override {}
  void Advance(std::uint64_t) override {}
};

}  // namespace xsp
