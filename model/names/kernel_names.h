#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/ids.h"
#include "model/string_pool.h"
#include "model/trace.h"

// How kernels and calls are called on screen. Everything here is safe for any bytes, takes time in
// proportion to the name, and leaves control characters to the printer.
namespace xsp {

// --names: how much of a kernel's name is shown.
enum class NameForm : std::uint8_t {
  kShort,    // Function and the template arguments that tell kernels apart; no namespaces.
  kBase,     // The bare function name.
  kFull,     // As in the trace.
  kMangled,  // The C++ symbol where the trace has it, else as kFull.
};
std::optional<NameForm> NameFormFromName(std::string_view name);

// A kernel's name freed of what differs between demanglers: no return type, no parameter lists,
// "(int)4" is 4, "(bool)1" is true, one way to write lambdas and spaces, no anonymous namespaces.
// Equal functions have equal canonical names in nsys, CUPTI and Kineto, so it serves to compare
// traces of different tools; the kernel rules match on it too.
struct CanonicalName {
  std::string name;
  std::string parameters;  // The parameter list as written, without the brackets.
};
CanonicalName ReadKernelName(std::string_view full_name);

// "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>" for what is 140 characters in full.
// A lambda is shown as its function with the lambda's parameters: "exp_kernel_cuda(float)". Two
// names may have the same short form: see ShortNames.
std::string ShortKernelName(std::string_view full_name);

// "vectorized_elementwise_kernel".
std::string BaseKernelName(std::string_view full_name);

// Short names of a set of kernels that stay apart: where several full names share a short form, the
// first of them by the full name's bytes keeps it and the others get " #2", " #3" and so on.
class ShortNames {
 public:
  // `names` may hold duplicates; the order does not matter.
  ShortNames(const StringPool& strings, std::span<const StringId> names);

  // Of all kernels of a trace.
  explicit ShortNames(const Trace& trace);

  // The short name; empty for a name that is not in the set.
  std::string_view Of(StringId name) const;

  // How many names had to be numbered.
  std::size_t collisions() const { return collisions_; }

 private:
  std::unordered_map<StringId, std::string> names_;
  std::size_t collisions_ = 0;
};

// What the kernels of a trace are called in the wished form. Views stay valid as long as this and
// the trace do.
class KernelLabels {
 public:
  KernelLabels(const Trace& trace, NameForm form);

  NameForm form() const { return form_; }
  std::string_view Of(EventId kernel) const;
  // By the name in the trace (where several symbols share one, the first speaks for all); empty
  // where it is no kernel's.
  std::string_view OfName(StringId name) const;

 private:
  const Trace* trace_;
  NameForm form_;
  std::unordered_map<StringId, std::string> labels_;  // By name.
};

}  // namespace xsp
