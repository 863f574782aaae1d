#pragma once

#include <string>

#include "model/time.h"
#include "model/trace.h"

namespace xsp {

// What a unit of the program works on, to tell batches apart: the sizes of the tensors that go into
// the first forward operator in this time that multiplies, convolves, normalises or looks up
// ("512×784 · 2048×784"), which are the batch and the first weights. Operators before those move
// data about and differ from version to version. Empty where sizes were not recorded.
std::string InputSizes(const Trace& trace, TimeRange unit);

}  // namespace xsp
