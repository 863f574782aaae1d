#pragma once

#include "diff/runs/series.h"

namespace xsp {

// Between which values a ratio of means lies.
struct Interval {
  double low = 0;
  double high = 0;

  bool operator==(const Interval&) const = default;
};

// The interval of mean(now) / mean(base) at a confidence (0.95), by the bootstrap: both sides are
// drawn anew from their own values many times, and the middle of the ratios that come out is kept.
//
// Neighbouring steps resemble each other (a GPU warms up, a queue fills), so stretches are drawn,
// not single values: the longer, the more a value tells of the next one. The interval is widened
// for what few values cannot show (the expanded percentile interval). Runs are drawn from
// separately: what differs between runs is not in this interval. Draws are the same every time.
//
// Both sides have at least two values and positive means.
Interval BootstrapRatio(const Series& base, const Series& now, double confidence);

}  // namespace xsp
