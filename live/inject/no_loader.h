#pragma once

namespace xsp::inject {

// Whether the program is statically linked. NVTX loads this library there, too, and a second C
// library with it that nobody has set up: the first call into that would end the program. So this
// asks the system alone.
bool HasNoLoader();

}  // namespace xsp::inject
