#include "live/inject/no_loader.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/syscall.h>

namespace xsp::inject {
namespace {

// A system call without the C library: that keeps errno in memory of a thread, which is not there.
long Call(long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  register long fourth asm("r10") = d;
  long result = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
#else
  return -1;
#endif
}

}  // namespace

// The system tells every program where it put the loader: nowhere, if there is none.
bool HasNoLoader() {
  const long file = Call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/auxv"),
                         O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return false;
  bool has_none = false;
  Elf64_auxv_t entry;
  while (Call(SYS_read, file, reinterpret_cast<long>(&entry), sizeof entry, 0) == sizeof entry) {
    if (entry.a_type == AT_BASE) has_none = entry.a_un.a_val == 0;
  }
  Call(SYS_close, file, 0, 0, 0);
  return has_none;
}

}  // namespace xsp::inject
