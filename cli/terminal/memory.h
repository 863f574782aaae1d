#pragma once

namespace xsp {

// How the C library's allocator treats memory that was given back. To be called once, before
// anything large is allocated; where there is no glibc, nothing happens.

// For `import`: pieces of columns go back to the system when they are merged into the trace, which
// is what keeps an import's memory near the size of its file.
void ReturnFreedColumns();

// For everything else: analyses make and drop arrays by the dozen, and a page that comes back from
// the system costs more than the work on it.
void KeepFreedMemory();

}  // namespace xsp
