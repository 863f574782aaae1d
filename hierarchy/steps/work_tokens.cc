#include "hierarchy/steps/work_tokens.h"

#include <unordered_map>

#include "base/hash.h"

namespace xsp {
namespace {

std::uint64_t WithKernel(std::uint64_t token, const Trace& trace, const KernelKinds& kinds,
                         EventId e) {
  const KernelClass kind = kinds.OfName(trace.name_of(e)).kernel_class;
  const bool tells = kind != KernelClass::kOther && kind != KernelClass::kFused;
  token = HashWith(token, tells ? static_cast<std::uint64_t>(kind)
                                : trace.name_of(e).value + std::uint64_t{kKernelClassCount});
  const Kernels& kernels = trace.kernels();
  const std::uint32_t row = trace.Row(e, EventKind::kKernel);
  for (const auto* size : {&kernels.grid_x, &kernels.grid_y, &kernels.grid_z, &kernels.block_x,
                           &kernels.block_y, &kernels.block_z}) {
    token = HashWith(token, (*size)[row]);
  }
  return token;
}

}  // namespace

std::vector<std::uint32_t> TokensOf(const Trace& trace, const KernelKinds& kinds,
                                    std::span<const EventId> work) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  std::vector<std::uint32_t> tokens;
  tokens.reserve(work.size());
  for (EventId e : work) {
    const EventKind kind = trace.KindOf(e);
    std::uint64_t token = HashWith(1, static_cast<std::uint64_t>(kind));
    if (kind == EventKind::kKernel) token = WithKernel(token, trace, kinds, e);
    if (kind == EventKind::kMemcpy) {
      const CopyKind direction = trace.copies().copy_kind[trace.Row(e, kind)];
      token = HashWith(token, static_cast<std::uint64_t>(direction));
    }
    const auto fresh = static_cast<std::uint32_t>(known.size());
    tokens.push_back(known.try_emplace(token, fresh).first->second);
  }
  return tokens;
}

}  // namespace xsp
