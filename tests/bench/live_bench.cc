// How fast full buffers of CUPTI become blocks of a spool, beside write() of the same bytes.
//
//   live_bench CUPTI FOLDER MEGABYTES RUNS
//
// Prints two figures, each the best of RUNS: MB/s of records, MB/s of write(). The seconds are
// those of the processor, so that neither a slow disk nor a busy machine counts.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "live/inject/buffer_pool.h"
#include "live/inject/record_blocks.h"
#include "live/spool/cupti_records.h"

namespace xsp::inject {
namespace {

// As long as those of CUPTI 13.4, which the stand-in says it is.
constexpr std::size_t kKernelBytes = 248;
constexpr std::size_t kCallBytes = sizeof(live::CuptiApiRecord);

// Calls and their kernels, with a hundred different names.
std::vector<std::uint8_t> FullBuffer(std::vector<std::string>& names) {
  for (int i = 0; i < 100; ++i) names.push_back("_Z6kernelILi" + std::to_string(i) + "EEvPfi");
  std::vector<std::uint8_t> buffer(BufferPool::kBufferBytes);
  std::size_t used = 0;
  for (std::uint32_t i = 1; used + kCallBytes + kKernelBytes <= buffer.size(); ++i) {
    live::CuptiApiRecord call = {};
    call.kind = static_cast<std::uint32_t>(live::CuptiKind::kRuntime);
    call.cbid = 211;
    call.correlation = i;
    std::memcpy(&buffer[used], &call, sizeof call);
    used += kCallBytes;
    live::CuptiKernelRecord kernel = {};
    kernel.kind = static_cast<std::uint32_t>(live::CuptiKind::kConcurrentKernel);
    kernel.correlation = i;
    kernel.name = reinterpret_cast<std::uint64_t>(names[i % names.size()].c_str());
    std::memcpy(&buffer[used], &kernel, sizeof kernel);
    used += kKernelBytes;
  }
  buffer.resize(used);
  return buffer;
}

double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

template <class F>
double MegabytesPerSecond(std::size_t bytes, F f) {
  const double begin = CpuSeconds();
  f();
  return static_cast<double>(bytes) / 1e6 / (CpuSeconds() - begin);
}

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "live_bench: %s\n", what);
  std::exit(2);
}

double Records(const CuptiApi& api, const std::string& folder, std::vector<std::uint8_t> buffer,
               std::size_t times) {
  Settings settings = {};
  std::snprintf(settings.folder, sizeof settings.folder, "%s", folder.c_str());
  settings.most_bytes = ~std::uint64_t{0};
  char name[120];
  SpoolFile spool;
  const auto blocks = std::make_unique<RecordBlocks>();
  if (spool.Open(settings, "bench", name, nullptr) != 0 || !blocks->Begin(spool)) Fail("no spool");
  const auto counts = std::make_unique<live::CountsFront>();
  const double rate = MegabytesPerSecond(buffer.size() * times, [&] {
    for (std::size_t i = 0; i < times; ++i) {
      bool kept = false;
      blocks->Write(api, buffer.data(), buffer.size(), *counts, &kept);
      if (!kept) Fail("a block was not written");
    }
  });
  spool.Close();
  unlink((folder + "/" + name).c_str());
  return rate;
}

double Plain(const std::string& folder, const std::vector<std::uint8_t>& buffer,
             std::size_t times) {
  const std::string file = folder + "/plain";
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0) Fail("no file");
  const double rate = MegabytesPerSecond(buffer.size() * times, [&] {
    for (std::size_t i = 0; i < times; ++i) {
      if (write(fd, buffer.data(), buffer.size()) != static_cast<ssize_t>(buffer.size())) {
        Fail("write() failed");
      }
    }
  });
  close(fd);
  unlink(file.c_str());
  return rate;
}

int Main(const char* cupti, const std::string& folder, std::size_t megabytes, int runs) {
  CuptiApi api = {};
  char why[256] = "";
  if (!api.Load(cupti, why, sizeof why)) Fail(why);
  std::vector<std::string> names;
  names.reserve(100);
  const std::vector<std::uint8_t> buffer = FullBuffer(names);
  double records = 0, plain = 0;
  for (int run = 0; run < runs; ++run) {
    records = std::max(records, Records(api, folder, buffer, megabytes));
    plain = std::max(plain, Plain(folder, buffer, megabytes));
  }
  std::printf("%.0f %.0f\n", records, plain);
  return 0;
}

}  // namespace
}  // namespace xsp::inject

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: live_bench CUPTI FOLDER MEGABYTES RUNS\n", stderr);
    return 2;
  }
  return xsp::inject::Main(argv[1], argv[2], std::strtoul(argv[3], nullptr, 10),
                           std::atoi(argv[4]));
}
