#include "hierarchy/steps/work_tokens.h"

#include <unordered_map>

namespace xsp {
namespace {

class Mixer {
 public:
  void Add(std::uint64_t value) { key_ = (key_ ^ (key_ >> 31)) * 0x9e3779b97f4a7c15 + value; }
  std::uint64_t key() const { return key_; }

 private:
  std::uint64_t key_ = 1;
};

void AddKernel(const Trace& trace, const KernelKinds& kinds, EventId e, Mixer& mixer) {
  const KernelClass kind = kinds.OfName(trace.name_of(e)).kernel_class;
  const bool tells = kind != KernelClass::kOther && kind != KernelClass::kFused;
  mixer.Add(tells ? static_cast<std::uint64_t>(kind)
                  : trace.name_of(e).value + std::uint64_t{kKernelClassCount});
  const Kernels& kernels = trace.kernels();
  const std::uint32_t row = trace.Row(e, EventKind::kKernel);
  for (const auto* size : {&kernels.grid_x, &kernels.grid_y, &kernels.grid_z, &kernels.block_x,
                           &kernels.block_y, &kernels.block_z}) {
    mixer.Add((*size)[row]);
  }
}

}  // namespace

std::vector<std::uint32_t> TokensOf(const Trace& trace, const KernelKinds& kinds,
                                    std::span<const EventId> work) {
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  std::vector<std::uint32_t> tokens;
  tokens.reserve(work.size());
  for (EventId e : work) {
    Mixer mixer;
    const EventKind kind = trace.KindOf(e);
    mixer.Add(static_cast<std::uint64_t>(kind));
    if (kind == EventKind::kKernel) AddKernel(trace, kinds, e, mixer);
    if (kind == EventKind::kMemcpy) {
      mixer.Add(static_cast<std::uint64_t>(trace.copies().copy_kind[trace.Row(e, kind)]));
    }
    const auto fresh = static_cast<std::uint32_t>(known.size());
    tokens.push_back(known.try_emplace(mixer.key(), fresh).first->second);
  }
  return tokens;
}

}  // namespace xsp
