#include "cli/terminal/memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace xsp {
namespace {

// Above the pieces that readers fill and empty again and again, far below whole columns.
constexpr int kColumnPieceBytes = 256 * 1024;
constexpr int kKeptForTheNextPieces = 16 << 20;

}  // namespace

void ReturnFreedColumns() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, kColumnPieceBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptForTheNextPieces);
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
