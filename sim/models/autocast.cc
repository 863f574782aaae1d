#include "sim/models/autocast.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/enum_names.h"

namespace xsp {
namespace {

// Parts of names, of PyTorch's operations and of the functors in its kernels' templates.
constexpr std::string_view kFp32Words[] = {
    "pow_",       "::pow",      "exp_kernel", "::exp",
    "expm1",      "log_kernel", "::log",      "log1p",
    "log2",       "log10",      "rsqrt",      "reciprocal",
    "softplus",   "erfinv",     "acos",       "asin",
    "cosh",       "sinh",       "tan_kernel", "::tan",
    "layer_norm", "group_norm", "rms_norm",   "LayerNorm",
    "GroupNorm",  "RMSNorm",    "cdist",      "cosine_similarity"};
constexpr std::string_view kFp32OutWords[] = {"softmax", "SoftMax", "Softmax", "sum_functor",
                                              "::sum",   "cumsum",  "cumprod", "::prod"};
constexpr std::string_view kPromoteWords[] = {
    "CUDAFunctor_add", "AddFunctor", "MulFunctor",   "DivFunctor", "::add",          "::mul",
    "::sub",           "::div",      "add_kernel",   "mul_kernel", "div_true",       "addcmul",
    "addcdiv",         "::where",    "where_kernel", "lerp",       "binary_internal"};
// An operation of the optimizer, wherever no range says so.
constexpr std::string_view kOptimizerWords[] = {"addcdiv", "addcmul", "lerp", "Optimizer.step",
                                                "_foreach_"};

bool HasAny(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

bool Has(std::string_view kernel, std::string_view operation,
         std::span<const std::string_view> words) {
  return HasAny(kernel, words) || HasAny(operation, words);
}

// Elementwise work and what is like it: the functor decides.
Autocast OfElementwise(std::string_view kernel, std::string_view operation) {
  if (Has(kernel, operation, kOptimizerWords)) return Autocast::kUntouched;
  if (Has(kernel, operation, kFp32Words)) return Autocast::kFp32;
  if (Has(kernel, operation, kPromoteWords)) return Autocast::kPromote;
  return Autocast::kFollow;
}

bool IsFloat(Precision precision) {
  return precision == Precision::kFp32 || precision == Precision::kTf32 ||
         precision == Precision::kUnknown;
}

}  // namespace

std::string_view NameOf(Autocast rule) {
  constexpr EnumNames<Autocast::kUntouched> kNames(
      {"lower", "follow", "promote", "fp32", "fp32_out", "untouched"});
  return kNames[rule];
}

Autocast AutocastOf(const KernelKind& kind, std::string_view kernel, std::string_view operation,
                    Phase phase) {
  if (phase == Phase::kOptimizer || phase == Phase::kCommunication || !IsFloat(kind.precision)) {
    return Autocast::kUntouched;
  }
  switch (kind.kernel_class) {
    case KernelClass::kGemm:
    case KernelClass::kConv:
    case KernelClass::kAttention:
    case KernelClass::kRnn:
      return Autocast::kLower;
    case KernelClass::kNorm:
      return Has(kernel, operation, kFp32Words) ? Autocast::kFp32 : Autocast::kFollow;
    case KernelClass::kSoftmax:
      return Autocast::kFp32Out;
    case KernelClass::kLoss:
      return Autocast::kFp32;
    case KernelClass::kReduction:
      return Has(kernel, operation, kFp32OutWords) ? Autocast::kFp32Out : Autocast::kFollow;
    case KernelClass::kElementwise:
      return OfElementwise(kernel, operation);
    case KernelClass::kLayout:
    case KernelClass::kPooling:
    case KernelClass::kRandom:
      return Autocast::kFollow;
    case KernelClass::kFused:
      return Autocast::kPromote;
    default:
      return Autocast::kUntouched;
  }
}

int OperandsRead(std::string_view kernel, std::string_view operation) {
  constexpr std::string_view kTwo[] = {"BinaryFunctor", "backward", "Backward", "BUnaryFunctor"};
  if (Has(kernel, operation, kPromoteWords)) return 2;
  return Has(kernel, operation, kTwo) ? 2 : 1;
}

}  // namespace xsp
