#include "hierarchy/analyses/roofline.h"

#include <array>
#include <utility>

namespace xsp {

std::string SourceWords(std::uint8_t sources) {
  constexpr std::array<std::pair<FigureSource, std::string_view>, 4> kWords = {
      {{kFromCounters, "ncu"},
       {kFromShapes, "shapes"},
       {kFromTile, "tile"},
       {kFromTheory, "theoretical"}}};
  std::string words;
  for (const auto& [source, word] : kWords) {
    if ((sources & source) == 0) continue;
    words += words.empty() ? "" : "+";
    words += word;
  }
  return words;
}

std::string_view NameOf(Bound bound) { return bound == Bound::kMemory ? "memory" : "compute"; }

GpuFigures GpuFigures::OfCall(const CallFigures& call) {
  GpuFigures figures;
  figures.count = 1;
  figures.latency_ns = call.latency_ns;
  const bool has_bytes = call.read_bytes && call.write_bytes;
  if (call.flops) {
    figures.flops = *call.flops;
    figures.flops_latency_ns = call.latency_ns;
    figures.flops_source = call.flops_source;
  }
  if (has_bytes) {
    figures.read_bytes = *call.read_bytes;
    figures.write_bytes = *call.write_bytes;
    figures.bytes_latency_ns = call.latency_ns;
    figures.bytes_source = call.bytes_source;
  }
  if (call.flops && has_bytes) {
    figures.intensity_flops = *call.flops;
    figures.intensity_bytes = *call.read_bytes + *call.write_bytes;
    figures.intensity_latency_ns = call.latency_ns;
  }
  if (call.achieved_occupancy) {
    figures.achieved_time_ns = *call.achieved_occupancy * call.latency_ns;
    figures.achieved_latency_ns = call.latency_ns;
  }
  if (call.theoretical_occupancy) {
    figures.theoretical_time_ns = *call.theoretical_occupancy * call.latency_ns;
    figures.theoretical_latency_ns = call.latency_ns;
  }
  return figures;
}

namespace {

constexpr std::array<double GpuFigures::*, 14> kSums = {&GpuFigures::count,
                                                        &GpuFigures::latency_ns,
                                                        &GpuFigures::flops,
                                                        &GpuFigures::flops_latency_ns,
                                                        &GpuFigures::read_bytes,
                                                        &GpuFigures::write_bytes,
                                                        &GpuFigures::bytes_latency_ns,
                                                        &GpuFigures::intensity_flops,
                                                        &GpuFigures::intensity_bytes,
                                                        &GpuFigures::intensity_latency_ns,
                                                        &GpuFigures::achieved_time_ns,
                                                        &GpuFigures::achieved_latency_ns,
                                                        &GpuFigures::theoretical_time_ns,
                                                        &GpuFigures::theoretical_latency_ns};

}  // namespace

void GpuFigures::Add(const GpuFigures& other) {
  for (double GpuFigures::*sum : kSums) this->*sum += other.*sum;
  flops_source |= other.flops_source;
  bytes_source |= other.bytes_source;
}

void GpuFigures::DivideBy(double divisor) {
  for (double GpuFigures::*sum : kSums) this->*sum /= divisor;
}

GpuFigures GpuFigures::Combine(const std::vector<GpuFigures>& runs,
                               const std::function<double(std::vector<double>)>& summarize) {
  GpuFigures result;
  for (double GpuFigures::*sum : kSums) {
    std::vector<double> values;
    for (const GpuFigures& run : runs) values.push_back(run.*sum);
    result.*sum = summarize(std::move(values));
  }
  for (const GpuFigures& run : runs) {
    result.flops_source |= run.flops_source;
    result.bytes_source |= run.bytes_source;
  }
  return result;
}

std::optional<double> GpuFigures::Flops() const {
  return flops_source == kFromNothing ? std::nullopt : std::optional(flops);
}

std::optional<double> GpuFigures::ReadBytes() const {
  return bytes_source == kFromNothing ? std::nullopt : std::optional(read_bytes);
}

std::optional<double> GpuFigures::WriteBytes() const {
  return bytes_source == kFromNothing ? std::nullopt : std::optional(write_bytes);
}

std::optional<double> GpuFigures::Occupancy() const {
  if (achieved_latency_ns > 0) return achieved_time_ns / achieved_latency_ns;
  if (theoretical_latency_ns > 0) return theoretical_time_ns / theoretical_latency_ns;
  return std::nullopt;
}

std::uint8_t GpuFigures::OccupancySource() const {
  if (achieved_latency_ns > 0) return kFromCounters;
  return theoretical_latency_ns > 0 ? kFromTheory : kFromNothing;
}

std::optional<double> GpuFigures::Intensity() const {
  if (flops_source == kFromNothing || bytes_source == kFromNothing || intensity_latency_ns <= 0) {
    return std::nullopt;
  }
  return intensity_bytes > 0 ? intensity_flops / intensity_bytes : 0;
}

std::optional<double> GpuFigures::FlopsPerSecond() const {
  if (flops_source == kFromNothing || flops_latency_ns <= 0) return std::nullopt;
  return flops / flops_latency_ns * 1e9;
}

std::optional<Bound> GpuFigures::BoundBy(const GpuPeaks& peaks) const {
  const std::optional<double> intensity = Intensity(), ideal = peaks.IdealIntensity();
  if (!intensity || !ideal) return std::nullopt;
  return *intensity < *ideal ? Bound::kMemory : Bound::kCompute;
}

}  // namespace xsp
