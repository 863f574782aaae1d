#include "report/tables/color.h"

namespace xsp {
namespace {

std::string_view CodeOf(Look look) {
  switch (look) {
    case Look::kTitle:
      return "\x1b[1m";
    case Look::kHeader:
    case Look::kDim:
      return "\x1b[2m";
    case Look::kBar:
      return "\x1b[36m";
    case Look::kWarning:
      return "\x1b[33m";
    case Look::kError:
      return "\x1b[1;31m";
  }
  return "";
}

}  // namespace

std::string Painted(std::string_view text, Look look, bool color) {
  if (!color || text.empty()) return std::string(text);
  return std::string(CodeOf(look)) + std::string(text) + "\x1b[0m";
}

}  // namespace xsp
