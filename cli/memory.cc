#include "cli/memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace xsp {
namespace {

// Half the size of the smallest common piece: 32768 rows of 4 bytes.
constexpr int kColumnPieceBytes = 64 * 1024;

}  // namespace

void ReturnFreedColumns() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, kColumnPieceBytes);
#endif
}

void KeepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kLargestAllowed = 32 << 20;  // A larger value is refused.
  constexpr int kNever = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kLargestAllowed);
  mallopt(M_TRIM_THRESHOLD, kNever);
#endif
}

}  // namespace xsp
