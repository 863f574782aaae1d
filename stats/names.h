#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/trace.h"

// What NVIDIA's reports call things.
namespace xsp {

// A CUDA call without its version suffix. Only a suffix of four digits is cut, as NVIDIA's tool
// does: "cudaLaunchKernel_v7000" loses it, "cudaGraphLaunch_v10000" keeps it.
std::string_view CallLabel(std::string_view name);

// How kernels are named: "gemm<float>(float *, int)", "gemm" or "_Z4gemmIfEvPT_i".
enum class KernelNames : std::uint8_t { kDemangled, kBase, kMangled };

// The kernel's name in that style; the demangled one where the trace does not have it.
StringId KernelName(const Trace& trace, EventId kernel, KernelNames style);

// "[CUDA memcpy Host-to-Device]". Migrations are copies here: "[CUDA memcpy Unified ...]".
std::string_view CopyLabel(CopyKind kind);
inline constexpr std::string_view kMemsetLabel = "[CUDA memset]";

std::string_view MemoryKindLabel(MemoryKind kind);  // "Pageable", "Device Static".

// "domain:text"; the default domain has no name: ":text".
std::string NvtxLabel(const Trace& trace, StringId domain_name, StringId text);

// Grid and block sizes: "   2    1    1"; empty if the trace does not tell.
std::string SizeLabel(std::uint32_t x, std::uint32_t y, std::uint32_t z);

}  // namespace xsp
