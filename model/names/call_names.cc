#include "model/names/call_names.h"

namespace xsp {
namespace {

// The last "_v7000", "_v2", "_ptsz" or "_ptds" of a name, or nothing.
std::string_view MarkAtEnd(std::string_view name) {
  for (std::string_view mark : {"_ptsz", "_ptds"}) {
    if (name.ends_with(mark)) return mark;
  }
  const std::size_t version = name.rfind("_v");
  const bool is_version = version != name.npos && version + 2 < name.size() &&
                          name.find_first_not_of("0123456789", version + 2) == name.npos;
  return is_version ? name.substr(version) : std::string_view();
}

}  // namespace

// The runtime writes "..._ptsz_v7000", the driver "..._v2_ptsz".
std::string_view CallName(std::string_view recorded) {
  std::string_view name = recorded;
  for (std::string_view mark = MarkAtEnd(name); !mark.empty() && mark.size() < name.size();
       mark = MarkAtEnd(name)) {
    name.remove_suffix(mark.size());
  }
  return name;
}

std::string_view BareCallName(std::string_view recorded) {
  const std::string_view name = CallName(recorded);
  // ROCm's runtime has the same calls by the same names.
  for (std::string_view api : {"cuda", "hip", "cu"}) {
    if (name.starts_with(api)) return name.substr(api.size());
  }
  return {};
}

}  // namespace xsp
