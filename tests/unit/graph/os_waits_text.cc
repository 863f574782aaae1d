#include "tests/unit/graph/os_waits_text.h"

#include "graph/trust/trust.h"
#include "graph/unit/gpu_span.h"

namespace xsp::test {

std::string Line(const std::string& lane, std::int64_t begin, std::int64_t end,
                 const std::string& what) {
  return lane + " " + std::to_string(begin) + "-" + std::to_string(end) + " " + what + "\n";
}

std::string Launch(const std::string& thread, int number, std::int64_t at, std::int64_t work) {
  const std::string id = "#" + std::to_string(2 * number);
  const std::string sync = "#" + std::to_string(2 * number + 1);
  return Line(thread, at, at + 5'000, "api cudaLaunchKernel " + id) +
         Line("S7", at + 6'000, at + 6'000 + work, "kernel k " + id) +
         Line(thread, at + 10'000, at + 10'000 + work, "api cudaStreamSynchronize " + sync) +
         Line(thread, at + 10'000, at + 10'000 + work, "sync stream=7 " + sync);
}

double DoubtfulWaits(const GraphOf& g) {
  return JudgeTrust(UnitBench(g.graph(), {}, SpanUnit(g.graph())), {}).Of(Doubt::kWaits);
}

std::string Frames(const std::string& os_call, int frames, std::int64_t spread) {
  std::string text;
  for (int i = 0; i < frames; ++i) {
    const std::int64_t zero = i * 10'000'000;
    const std::int64_t work = 2'000'000 + (i * 7 % 5) * spread;
    text += Launch("T1", i, zero, work);
    const std::int64_t sleeps = zero + 20'000 + work;
    if (!os_call.empty()) text += Line("T1", sleeps, zero + 9'990'000, "osrt " + os_call);
  }
  return text;
}

TimeNs Begin(const GraphOf& g, const std::string& task, double factor) {
  Overlay overlay;
  overlay.own = g.graph().own;
  for (TaskId op : g.graph().ops()) {
    overlay.own[op] = static_cast<DurationNs>(static_cast<double>(overlay.own[op]) * factor);
  }
  return Simulate(g.graph(), overlay).begin[g.Task(task)].ns;
}

}  // namespace xsp::test
