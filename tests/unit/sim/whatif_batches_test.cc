#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>

#include "graph/trust/trust.h"
#include "tests/unit/sim/text_workbench.h"

namespace xsp {
namespace {

using test::TextWorkbench;

// A server: thread 2 takes requests, `apart` on average, and signals; thread 1 makes batches of
// eight, or of what has come after 3 ms, and computes each for about `work`.
class Server {
 public:
  Server(std::int64_t apart, std::int64_t work) : apart_(apart), work_(work) {
    for (int i = 0; i < 70; ++i) Batch(i);
  }
  const std::string& text() const { return text_; }

 private:
  void Line(const char* lane, std::int64_t begin, std::int64_t end, const std::string& what) {
    text_ += std::string(lane) + " " + std::to_string(begin) + "-" + std::to_string(end) + " " +
             what + "\n";
  }

  // When the next request has been signalled.
  std::int64_t NextSignal() {
    if (signal_ > taken_) return signal_;
    const std::int64_t since = signal_ + 4'000;
    const std::int64_t come =
        since + std::exponential_distribution<double>(1.0 / static_cast<double>(apart_))(random_);
    Line("T2", since, come + 3'000, "osrt epoll_wait");
    signal_ = come + 20'000;
    Line("T2", signal_, signal_ + 3'000, "osrt pthread_cond_signal");
    return signal_;
  }

  void Batch(int number) {
    const std::int64_t begin = at_, limit = at_ + 3'000'000;
    for (int n = 0; n < 8 && at_ < limit;) {
      const std::int64_t next = NextSignal();
      if (next > at_) {
        const std::int64_t end = next + 10'000 < limit ? next + 10'000 : limit + 50'000;
        Line("T1", at_ + 500, end, "osrt pthread_cond_timedwait");
        at_ = end;
      }
      if (next <= at_) taken_ = next, ++n;
    }
    const std::string id = std::to_string(2 * number), sync = std::to_string(2 * number + 1);
    const std::int64_t work = work_ + number * 7 % 5 * 20'000;
    Line("T1", at_ + 1'000, at_ + 6'000, "api cudaLaunchKernel #" + id);
    Line("S7", at_ + 7'000, at_ + 7'000 + work, "kernel gemm #" + id);
    Line("T1", at_ + 10'000, at_ + 10'000 + work, "api cudaStreamSynchronize #" + sync);
    Line("T1", at_ + 10'000, at_ + 10'000 + work, "sync stream=7 #" + sync);
    at_ += work + 40'000;
    Line("T1", begin, at_ - 1'000, "push \"batch " + std::to_string(number) + "\"");
  }

  std::int64_t apart_, work_;
  std::int64_t at_ = 1'000'000, signal_ = 0, taken_ = 0;
  std::mt19937 random_{5};
  std::string text_;
};

TEST_CASE("where batches are filled until a time, that may be one since they began") {
  const TextWorkbench server(Server(900'000, 1'500'000).text());
  const Forecast faster = server.Run("--faster=name=*,by=2");
  CHECK(faster.fast < faster.measured - 700'000);
  CHECK(faster.trust.level != TrustLevel::kHigh);
  const Forecast slower = server.Run("--faster=name=*,by=0.5");
  CHECK(slower.slow > slower.measured + 1'400'000);
  CHECK(slower.trust.level != TrustLevel::kHigh);
}

TEST_CASE("a server with enough to do serves no more requests than there are") {
  const TextWorkbench server(Server(240'000, 2'000'000).text());
  const Forecast faster = server.Run("--faster=name=*,by=4");
  CHECK(static_cast<double>(faster.slow) > 0.9 * static_cast<double>(faster.measured));
  CHECK(faster.trust.Of(Doubt::kLagging) > 0.3);
  CHECK(faster.trust.level != TrustLevel::kHigh);
  // With twenty times as many nothing comes before the device.
  const Forecast more = TextWorkbench(Server(12'000, 2'000'000).text()).Run("--faster=name=*,by=4");
  CHECK(static_cast<double>(more.slow) < 0.5 * static_cast<double>(more.measured));
}

}  // namespace
}  // namespace xsp
