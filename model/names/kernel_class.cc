#include "model/names/kernel_class.h"

#include <cassert>

#include "base/enum_names.h"
#include "model/names/kernel_rules.h"

namespace xsp {

namespace {

constexpr EnumNames<KernelClass::kGraph> kClassNames(
    {"other",      "gemm",  "conv",      "attention", "norm",   "softmax", "elementwise",
     "reduction",  "index", "optimizer", "cast",      "layout", "copy",    "fill",
     "collective", "loss",  "pooling",   "random",    "sort",   "fft",     "sparse",
     "solver",     "rnn",   "quantize",  "fused",     "graph"});
constexpr EnumNames<Precision::kMixed> kPrecisionNames({"unknown", "fp64", "fp32", "tf32", "fp16",
                                                        "bf16", "fp8", "fp4", "int8", "int4", "int",
                                                        "mixed"});
constexpr EnumNames<TensorCores::kYes> kTensorCoreNames({"unknown", "no", "yes"});

constexpr KernelKind WithoutRule(KernelClass kernel_class) {
  KernelKind kind;
  kind.kernel_class = kernel_class;
  kind.tensor_cores =
      kernel_class == KernelClass::kGraph ? TensorCores::kUnknown : TensorCores::kNo;
  return kind;
}

constexpr KernelKind kUnknownKernel;
constexpr KernelKind kEngineCopy = WithoutRule(KernelClass::kCopy);
constexpr KernelKind kEngineFill = WithoutRule(KernelClass::kFill);
constexpr KernelKind kWholeGraph = WithoutRule(KernelClass::kGraph);

}  // namespace

std::string_view NameOf(KernelClass kernel_class) { return kClassNames[kernel_class]; }
std::string_view NameOf(Precision precision) { return kPrecisionNames[precision]; }
std::string_view NameOf(TensorCores tensor_cores) { return kTensorCoreNames[tensor_cores]; }
std::optional<KernelClass> KernelClassFromName(std::string_view name) {
  return kClassNames.Find(name);
}
std::optional<Precision> PrecisionFromName(std::string_view name) {
  return kPrecisionNames.Find(name);
}
std::optional<TensorCores> TensorCoresFromName(std::string_view name) {
  return kTensorCoreNames.Find(name);
}

std::optional<double> BytesOf(Precision precision) {
  switch (precision) {
    case Precision::kFp64:
      return 8;
    case Precision::kFp32:
    case Precision::kTf32:
      return 4;
    case Precision::kFp16:
    case Precision::kBf16:
      return 2;
    case Precision::kFp8:
    case Precision::kInt8:
      return 1;
    case Precision::kFp4:  // Packed, with scales, and often one factor only.
    case Precision::kInt4:
    case Precision::kUnknown:
    case Precision::kInteger:
    case Precision::kMixed:
      return std::nullopt;
  }
  return std::nullopt;
}

KernelKinds::KernelKinds(const Trace& trace, const KernelRules& rules)
    : place_(trace.strings().size(), 0), kinds_(1) {
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    const StringId name = trace.name_of(kernel);
    if (!name.valid() || place_[name.value] != 0) continue;
    place_[name.value] = static_cast<std::uint32_t>(kinds_.size());
    kinds_.push_back(rules.Classify(trace.strings()[name]));
  }
}

const KernelKind& KernelKinds::OfName(StringId name) const {
  return name.value < place_.size() ? kinds_[place_[name.value]] : kUnknownKernel;
}

const KernelKind& KernelKinds::Of(const Trace& trace, EventId work) const {
  switch (trace.KindOf(work)) {
    case EventKind::kKernel:
      return OfName(trace.name_of(work));
    case EventKind::kMemcpy:
    case EventKind::kMigration:
      return kEngineCopy;
    case EventKind::kMemset:
      return kEngineFill;
    case EventKind::kGraphSpan:
      return kWholeGraph;
    default:
      assert(!"not device work");
      return kUnknownKernel;
  }
}

}  // namespace xsp
