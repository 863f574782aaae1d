#include "model/names/kernel_names.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "base/demangle.h"
#include "model/names/name_writer.h"

namespace xsp {
namespace {

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

namespace {

std::string_view SymbolOf(const Trace& trace, EventId kernel) {
  const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
  return trace.strings().Get(trace.kernels().mangled_name[row], trace.name(kernel));
}

// The bare name as recorded, else taken out of the full one.
std::string BaseNameOf(const Trace& trace, EventId kernel) {
  const StringId base = trace.kernels().short_name[trace.Row(kernel, EventKind::kKernel)];
  return base.valid() ? std::string(trace.strings()[base]) : BaseKernelName(trace.name(kernel));
}

}  // namespace

KernelLabels::KernelLabels(const Trace& trace, NameForm form) : trace_(&trace), form_(form) {
  std::optional<ShortNames> short_names;
  if (form == NameForm::kShort) short_names.emplace(trace);
  for (EventId e : trace.OfKind(EventKind::kKernel)) {
    const auto [it, is_new] = labels_.try_emplace(trace.name_of(e));
    if (!is_new) continue;
    switch (form) {
      case NameForm::kShort:
        it->second = short_names->Of(trace.name_of(e));
        break;
      case NameForm::kBase:
        it->second = BaseNameOf(trace, e);
        break;
      case NameForm::kFull:
        it->second = trace.name(e);
        break;
      case NameForm::kMangled:
        it->second = SymbolOf(trace, e);
        break;
    }
  }
}

std::string_view KernelLabels::Of(EventId kernel) const {
  // Functions of different signature may share a name, but no symbol.
  if (form_ == NameForm::kMangled) return SymbolOf(*trace_, kernel);
  return OfName(trace_->name_of(kernel));
}

std::string_view KernelLabels::OfName(StringId name) const {
  const auto it = labels_.find(name);
  return it == labels_.end() ? std::string_view() : std::string_view(it->second);
}

}  // namespace xsp
