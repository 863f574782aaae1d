#include "stats/communication.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace xsp {

bool CommunicationKernels::Contains(EventId kernel) {
  const StringId name = trace_.name_of(kernel);
  if (!name.valid()) return false;
  Verdict& verdict = verdicts_[name.value];
  if (verdict == Verdict::kUnknown) {
    // Namespaces and arguments belong to the name: "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)",
    // "void deep_ep::intranode::dispatch<...>(...)".
    constexpr std::array<std::string_view, 3> kMarks = {"nccl", "nvshmem", "deep_ep::"};
    const std::string_view text = trace_.strings()[name];
    const bool found = std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
      return text.find(mark) != std::string_view::npos;
    });
    verdict = found ? Verdict::kYes : Verdict::kNo;
  }
  return verdict == Verdict::kYes;
}

}  // namespace xsp
