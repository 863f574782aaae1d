#pragma once

#include "live/inject/nvtx_abi.h"

namespace xsp::inject {

// Puts our functions into the tables of a copy of NVTX: every library that was built with NVTX has
// one of its own. False if it cannot be done.
bool HookNvtx(NvtxGetExportTable get_export_table);

}  // namespace xsp::inject
