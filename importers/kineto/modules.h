#pragma once

#include "model/trace.h"

namespace xsp {

// Gives operators the path of the innermost module that is open around them on their thread,
// "Net_0/Sequential_1/Linear_3", and modules their own. Operators that name a module themselves
// keep it.
Trace FillModules(Trace trace);

}  // namespace xsp
