#pragma once

namespace xsp {

// Makes freed columns go back to the system at once. Reading works on thousands of pieces of
// columns that are then put together; kept for reuse, the pieces would add a fifth to the peak
// memory.
void ReturnFreedColumns();

}  // namespace xsp
