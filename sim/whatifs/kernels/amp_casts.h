#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/plan/plan.h"

namespace xsp {

// The kernels that mixed precision adds: casts where formats meet, and the scaling of the loss that
// fp16 needs. Each comes with a launch and the host cost of a whole operation of this trace.
class AmpCasts {
 public:
  // `kernels`: all of the plan, in the order of their launches; `changes` says of one whether it is
  // a matrix kernel that changes its format.
  template <class Changes>
  AmpCasts(Plan& plan, Precision format, const std::vector<TaskId>& kernels, Changes changes)
      : plan_(plan), format_(format), change_(plan.AddChange("casts", "inserted")) {
    for (const TaskId op : kernels) {
      if (changes(op)) CountProduct(op);
    }
    ShareWeights();
  }

  // The weight and bias of a forward product, before it; the gradients of a weight and a bias,
  // behind the product that makes them.
  void AddWeights(TaskId product);
  // What a product reads and the kernel before it wrote in fp32, `elements` of them unless sizes
  // were recorded.
  void AddInput(TaskId product, double elements);
  // What a kernel reads in fp32 and the one before it wrote in the lower format.
  void AddActivation(TaskId op, double elements);

  // Before the first update of each step: scale, check of all gradients, and a wait of the host for
  // its answer.
  void AddScaler(const std::vector<TaskId>& kernels);

 private:
  // What a product of an activation and a weight reads, by recorded sizes.
  struct Product {
    double input = 0, weight = 0;
  };
  std::optional<Product> SizesOf(TaskId product) const;
  bool HasWeight(TaskId product) const;
  bool HasBias(TaskId product) const;
  void CountProduct(TaskId product);
  void ShareWeights();
  struct Cast {
    std::string_view what;
    double elements = 0;
    bool to_lower = true;
    bool is_before = true;  // The kernel that it is for.
    bool is_sized = true;   // Else it is this product's share of what all weights have.
  };
  void Add(TaskId op, const Cast& cast);
  void AddCheck(TaskId update, ChangeId scaler, ChangeId wait);

  Plan& plan_;
  const Precision format_;
  const ChangeId change_;
  double forward_ = 0, gradients_ = 0;  // Products with a weight, and of its gradient.
  // Elements of a weight where no sizes were recorded: all products have the same share.
  double weight_share_ = 0, gradient_share_ = 0;
};

}  // namespace xsp
