#include "hierarchy/kernel_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <unordered_set>
#include <vector>

#include "hierarchy/name_writer.h"

namespace xsp {

namespace {

// A symbol can refer back to its own parts, so that its source form doubles with every such step.
// Symbols of at most this many steps stay within a few megabytes at worst; the longest of real
// traces that a demangler can read has 15.
constexpr std::size_t kMostBackReferences = 24;
constexpr std::size_t kLongestSymbol = 4096;

bool IsTameSymbol(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > kLongestSymbol) return false;
  std::size_t references = 0;
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    const char next = name[i + 1];
    const bool is_reference =
        (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z') || next == '_';
    references += (name[i] == 'S' || name[i] == 'T') && is_reference;
  }
  return references <= kMostBackReferences;
}

std::vector<StringId> KernelNamesOf(const Trace& trace) {
  std::vector<StringId> names;
  std::vector<bool> seen(trace.strings().size());
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    const StringId name = trace.name_of(kernel);
    if (!name.valid() || seen[name.value]) continue;
    seen[name.value] = true;
    names.push_back(name);
  }
  return names;
}

}  // namespace

std::optional<NameForm> NameFormFromName(std::string_view name) {
  if (name == "short") return NameForm::kShort;
  if (name == "base") return NameForm::kBase;
  if (name == "full") return NameForm::kFull;
  if (name == "mangled") return NameForm::kMangled;
  return std::nullopt;
}

std::string Demangled(std::string_view name) {
  if (!IsTameSymbol(name)) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : std::string(name);
}

CanonicalName ReadKernelName(std::string_view full_name) {
  const std::string text = Demangled(full_name);
  NameWriter writer(text, NameWriter::Detail::kCanonical);
  writer.Write();
  return {writer.name().empty() ? text : writer.name(), std::string(writer.parameters())};
}

std::string ShortKernelName(std::string_view full_name) {
  const std::string text = Demangled(full_name);
  NameWriter writer(text, NameWriter::Detail::kShort);
  writer.Write();
  return writer.name().empty() ? text : writer.name();
}

std::string BaseKernelName(std::string_view full_name) {
  const std::string text = Demangled(full_name);
  NameWriter writer(text, NameWriter::Detail::kShort);
  writer.Write();
  return writer.base().empty() ? text : std::string(writer.base());
}

std::string_view ApiBaseName(std::string_view name) {
  const std::size_t mark = name.rfind("_v");
  if (mark == name.npos || mark == 0) return name;
  const std::string_view digits = name.substr(mark + 2);
  const bool is_version = (digits.size() == 4 || digits.size() == 5) &&
                          digits.find_first_not_of("0123456789") == digits.npos;
  return is_version ? name.substr(0, mark) : name;
}

ShortNames::ShortNames(const StringPool& strings, std::span<const StringId> names) {
  std::vector<StringId> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end(),
            [&](StringId a, StringId b) { return strings[a] < strings[b]; });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());

  std::unordered_map<std::string, std::size_t> uses;
  for (StringId id : sorted) {
    std::string name = ShortKernelName(strings[id]);
    ++uses[name];
    names_.emplace(id, std::move(name));
  }
  std::unordered_map<std::string, std::size_t> given;
  for (StringId id : sorted) {
    std::string& name = names_[id];
    std::size_t& number = given[name];
    if (++number == 1) continue;
    ++collisions_;
    std::string numbered = name + " #" + std::to_string(number);
    // A kernel could be called "x #2" itself.
    while (uses.contains(numbered)) numbered = name + " #" + std::to_string(++number);
    name = std::move(numbered);
  }
}

ShortNames::ShortNames(const Trace& trace) : ShortNames(trace.strings(), KernelNamesOf(trace)) {}

std::string_view ShortNames::Of(StringId name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

std::string KernelName(const Trace& trace, EventId kernel, NameForm form,
                       const ShortNames& short_names) {
  const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
  const std::string_view full = trace.name(kernel);
  switch (form) {
    case NameForm::kShort:
      return std::string(short_names.Of(trace.name_of(kernel)));
    case NameForm::kBase: {
      const StringId base = trace.kernels().short_name[row];
      return base.valid() ? std::string(trace.strings()[base]) : BaseKernelName(full);
    }
    case NameForm::kMangled:
      return std::string(trace.strings().Get(trace.kernels().mangled_name[row], full));
    case NameForm::kFull:
      break;
  }
  return std::string(full);
}

}  // namespace xsp
