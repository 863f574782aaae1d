#include "sim/whatifs/kernels/attention_groups.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "sim/whatifs/kernels/rewrite.h"

namespace xsp {
namespace {

// What stands between the products: anything that works on scores and needs no other products.
bool IsBetween(KernelClass of) {
  switch (of) {
    case KernelClass::kElementwise:
    case KernelClass::kSoftmax:
    case KernelClass::kReduction:
    case KernelClass::kCast:
    case KernelClass::kRandom:
    case KernelClass::kFill:
    case KernelClass::kLayout:
    case KernelClass::kCopy:
    case KernelClass::kFused:
      return true;
    default:
      return false;
  }
}

class Finder {
 public:
  explicit Finder(const Plan& plan)
      : plan_(plan), facts_(plan.facts()), kernels_(plan.KernelsInOrder()) {}

  std::vector<AttentionGroup> Find() {
    std::vector<AttentionGroup> groups;
    std::size_t free_from = 0;  // Behind the last group: a kernel belongs to one only.
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (i < free_from || !MayBeSoftmax(i)) continue;
      const bool is_backward = HoldsAny(facts_.Name(kernels_[i]), {"ackward", "bwd"}) ||
                               facts_[kernels_[i]].phase == Phase::kBackward;
      const auto group = Around(i, is_backward, free_from);
      if (group) groups.push_back(*group);
    }
    return groups;
  }

 private:
  KernelClass ClassAt(std::size_t i) const { return facts_[kernels_[i]].kind.kernel_class; }
  bool IsExponential(std::size_t i) const {
    return ClassAt(i) == KernelClass::kElementwise &&
           (HoldsAny(facts_.Name(kernels_[i]), {"exp_kernel", "::exp("}) ||
            facts_.Operation(kernels_[i]) == "aten::exp");
  }
  bool MayBeSoftmax(std::size_t i) const {
    return ClassAt(i) == KernelClass::kSoftmax || IsExponential(i);
  }
  bool IsTogether(std::size_t a, std::size_t b) const {
    const TaskGraph& graph = plan_.graph();
    return graph.lane[kernels_[a]] == graph.lane[kernels_[b]] &&
           facts_[kernels_[a]].step == facts_[kernels_[b]].step;
  }

  // So many products from `from` on in one direction, with nothing but work on scores between them;
  // the place of the last of them.
  std::optional<std::size_t> Reach(std::size_t from, int direction, std::size_t products,
                                   std::size_t least) const {
    // Longer chains between two products are no attention.
    constexpr std::size_t kLongest = 24;
    std::size_t found = 0;
    for (std::size_t steps = 1; steps <= kLongest; ++steps) {
      if (direction < 0 && from < least + steps) return std::nullopt;
      const std::size_t i = direction < 0 ? from - steps : from + steps;
      if (i >= kernels_.size() || !IsTogether(i, from)) return std::nullopt;
      if (ClassAt(i) == KernelClass::kGemm) {
        if (++found == products) return i;
      } else if (!IsBetween(ClassAt(i))) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  std::optional<AttentionGroup> Around(std::size_t softmax, bool is_backward,
                                       std::size_t& free_from) const {
    const std::size_t products = is_backward ? 2 : 1;
    const auto first = Reach(softmax, -1, products, free_from);
    const auto last = Reach(softmax, 1, products, 0);
    if (!first || !last) return std::nullopt;
    AttentionGroup group;
    group.softmax = kernels_[softmax];
    group.is_backward = is_backward;
    bool has_sum = ClassAt(softmax) == KernelClass::kSoftmax;
    for (std::size_t i = *first; i <= *last; ++i) {
      group.kernels.push_back(kernels_[i]);
      if (ClassAt(i) == KernelClass::kGemm) group.products.push_back(kernels_[i]);
      has_sum |= ClassAt(i) == KernelClass::kReduction;
    }
    if (!has_sum || group.products.size() != 2 * products) return std::nullopt;
    free_from = *last + 1;
    return group;
  }

  const Plan& plan_;
  const WorkFacts& facts_;
  const std::vector<TaskId> kernels_;
};

}  // namespace

std::vector<AttentionGroup> FindAttention(const Plan& plan) { return Finder(plan).Find(); }

}  // namespace xsp
