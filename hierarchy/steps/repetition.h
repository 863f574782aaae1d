#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace xsp {

// A stretch of a sequence in which the same thing comes again and again.
struct Repetition {
  std::uint32_t first = 0;   // Where the first round begins.
  std::uint32_t period = 0;  // Length of a round.
  std::uint32_t rounds = 0;  // At least 3.

  std::uint32_t end() const { return first + period * rounds; }
  bool operator==(const Repetition&) const = default;
};

// The repetition that explains most of the sequence; among those that explain nearly as much, the
// one with the shortest rounds. A stray difference now and then is passed over (autotuning, lazy
// loading), except where `strict[i]` is set: what stands at i must be equal in every round.
// `strict` may be empty. Takes time in proportion to the length.
std::optional<Repetition> FindRepetition(std::span<const std::uint32_t> sequence,
                                         std::span<const std::uint8_t> strict = {});

// Rounds that are made of 2 to 4 parts of equal length which hold nearly the same, in another order
// or with a few things exchanged: the same stretch with a part as the round. The sweeps of a solver
// alternate (x then y, y then x), and yet each is a time step. Nothing where the parts differ.
std::optional<Repetition> FindAlikeParts(std::span<const std::uint32_t> sequence,
                                         const Repetition& rounds);

// All repetitions with short rounds inside a sequence, from left to right, not overlapping: what
// layers are to a step.
std::vector<Repetition> FindInnerRepetitions(std::span<const std::uint32_t> sequence);

}  // namespace xsp
