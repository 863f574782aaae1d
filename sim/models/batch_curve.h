#pragma once

#include <optional>
#include <string_view>

#include "hierarchy/steps/steps.h"

namespace xsp {

// How the time of a step grows with the tokens in its batch, as the steps of a trace tell in which
// batches of several sizes came: a straight line through them.
struct BatchCurve {
  double ns_per_token = 0;               // Of the line; not below 0.
  double slope_low = 0, slope_high = 0;  // Where it lies, by how far the steps are from it.
  double tokens = 0;                     // Of the mean of the counted steps,
  double ns = 0;                         // and how long that takes on the line.
  std::uint64_t least = 0, most = 0;     // Tokens of the smallest and the largest batch.
  std::size_t steps = 0;                 // That it was learned from.

  // How long a step with these tokens takes.
  double At(double of_tokens) const { return ns + ns_per_token * (of_tokens - tokens); }
};

// Of the steps of a kind that count, and of those left out only since the batch was still growing
// or ran out. Nothing where tokens are not told, or where the largest batch is not clearly larger
// than the smallest: a line through one point may have any slope.
std::optional<BatchCurve> FitBatchCurve(const Steps& steps, std::string_view kind);

}  // namespace xsp
