#include "sim/models/communication.h"

#include <algorithm>
#include <cmath>

namespace xsp {
namespace {

// How many times a ring goes round: an all-reduce is a reduce-scatter and an all-gather.
double RingSteps(Collective collective, std::uint32_t gpus) {
  const double once = gpus - 1.0;
  return collective == Collective::kAllReduce ? 2 * once : once;
}

}  // namespace

double RingFactor(Collective collective, std::uint32_t gpus) {
  if (gpus < 2) return 0;
  const double n = gpus;
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * (n - 1) / n;
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kAllToAll:
      return (n - 1) / n;
    default:
      return 1;
  }
}

double RingNs(Collective collective, double bytes, const Links& links) {
  if (links.gpus < 2) return 0;
  const bool leaves_machine = links.machines() > 1;
  const double bandwidth =
      leaves_machine
          ? std::min(links.inside > 0 && links.per_machine > 1 ? links.inside : links.between,
                     links.between)
          : links.inside;
  const double latency = leaves_machine ? links.between_latency_ns : links.inside_latency_ns;
  if (bandwidth <= 0) return 0;
  return RingSteps(collective, links.gpus) * latency +
         bytes * RingFactor(collective, links.gpus) / bandwidth * 1e9;
}

double HierarchicalNs(Collective collective, double bytes, const Links& links) {
  if (links.machines() < 2 || links.per_machine < 2) return RingNs(collective, bytes, links);
  // Inside: reduce-scatter before and all-gather after, the two halves of an all-reduce.
  Links inside = links;
  inside.gpus = links.per_machine;
  Links between = links;
  between.gpus = links.machines();
  between.per_machine = 1;
  // The GPUs of a machine share its data, and each has its share of the network.
  return RingNs(collective, bytes, inside) + RingNs(collective, bytes / links.per_machine, between);
}

double CollectiveNs(Collective collective, double bytes, const Links& links) {
  return std::min(RingNs(collective, bytes, links), HierarchicalNs(collective, bytes, links));
}

Links UsualLinks(const GpuPeaks& gpu, std::uint32_t gpus, std::uint32_t per_machine,
                 double between) {
  // NCCL's bus bandwidth: 235 of 300 GB/s on A100; PCIe without peer-to-peer access about half.
  constexpr double kNvlinkShare = 0.78;
  constexpr double kPcieShare = 0.5;
  constexpr double kUnknownPcie = 16e9;
  constexpr double kHundredGigabit = 12.5e9;
  constexpr double kNetworkShare = 0.9;
  Links links;
  links.gpus = std::max(1u, gpus);
  links.per_machine = std::clamp(per_machine, 1u, links.gpus);
  if (gpu.link_bytes_per_s) {
    links.inside = kNvlinkShare * *gpu.link_bytes_per_s;
    links.source = "NVLink of the data sheet, as far as NCCL reaches it";
  } else {
    links.inside = kPcieShare * gpu.host_bytes_per_s.value_or(kUnknownPcie);
    links.source = "PCIe of the data sheet, through the host";
  }
  links.between = kNetworkShare * (between > 0 ? between : kHundredGigabit);
  return links;
}

std::vector<Bucket> GradientBuckets(const std::vector<double>& gradient_bytes, double size,
                                    double first) {
  std::vector<Bucket> buckets;
  Bucket open;
  double limit = first;
  for (std::size_t i = 0; i < gradient_bytes.size(); ++i) {
    open.bytes += gradient_bytes[i];
    open.last = i;
    if (open.bytes < limit) continue;
    buckets.push_back(open);
    open = {};
    limit = size;
  }
  if (open.bytes > 0) buckets.push_back(open);
  return buckets;
}

Interference UsualInterference() { return {1.2, 1.3, 1.3}; }

}  // namespace xsp
