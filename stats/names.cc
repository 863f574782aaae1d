#include "stats/names.h"

#include <array>
#include <cstddef>
#include <cstdio>

namespace xsp {

std::string_view CallLabel(std::string_view name) {
  constexpr std::size_t kSuffix = 6;
  const bool versioned = name.size() >= kSuffix && name.substr(name.size() - kSuffix, 2) == "_v";
  return versioned ? name.substr(0, name.size() - kSuffix) : name;
}

StringId KernelName(const Trace& trace, EventId kernel, KernelNames style) {
  const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
  StringId name;
  if (style == KernelNames::kBase) name = trace.kernels().short_name[row];
  if (style == KernelNames::kMangled) name = trace.kernels().mangled_name[row];
  return name.valid() ? name : trace.name_of(kernel);
}

std::string_view CopyLabel(CopyKind kind) {
  constexpr std::array<std::string_view, 14> kLabels = {
      "[CUDA memcpy Unknown]",
      "[CUDA memcpy Host-to-Device]",
      "[CUDA memcpy Device-to-Host]",
      "[CUDA memcpy Host-to-Array]",
      "[CUDA memcpy Array-to-Host]",
      "[CUDA memcpy Array-to-Array]",
      "[CUDA memcpy Array-to-Device]",
      "[CUDA memcpy Device-to-Array]",
      "[CUDA memcpy Device-to-Device]",
      "[CUDA memcpy Host-to-Host]",
      "[CUDA memcpy Peer-to-Peer]",
      "[CUDA memcpy Unified Host-to-Device]",
      "[CUDA memcpy Unified Device-to-Host]",
      "[CUDA memcpy Unified Device-to-Device]",
  };
  const auto index = static_cast<std::size_t>(kind);
  return index < kLabels.size() ? kLabels[index] : kLabels[0];
}

std::string_view MemoryKindLabel(MemoryKind kind) {
  constexpr std::array<std::string_view, 8> kLabels = {"Pageable",       "Pinned",  "Device",
                                                       "Array",          "Managed", "Device Static",
                                                       "Managed Static", "Unknown"};
  const auto index = static_cast<std::size_t>(kind);
  return index < kLabels.size() ? kLabels[index] : kLabels.back();
}

std::string NvtxLabel(const Trace& trace, StringId domain_name, StringId text) {
  std::string label(trace.strings().Get(domain_name));
  label += ':';
  label += trace.strings().Get(text);
  return label;
}

std::string SizeLabel(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  if (x == kMissing<std::uint32_t>) return "";
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), "%4u %4u %4u", x, y, z);
  return text.data();
}

}  // namespace xsp
