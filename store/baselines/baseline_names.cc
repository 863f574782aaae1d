#include "base/error.h"
#include "store/baselines/baselines.h"

namespace xsp {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::string_view kHex = "0123456789ABCDEF";

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

std::string FolderOfBaseline(std::string_view name) {
  if (name.empty()) throw Error("the name of a baseline is empty");
  std::string folder;
  for (char c : name) {
    // A dot in front would hide the folder.
    if (IsPlain(c) && !(c == '.' && folder.empty())) {
      folder += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    folder += '%';
    folder += kHex[byte >> 4];
    folder += kHex[byte & 15];
  }
  if (folder.size() > kLongestName) {
    throw Error("the name of the baseline is too long: '" + std::string(name) + "'");
  }
  return folder;
}

std::optional<std::string> BaselineOfFolder(std::string_view folder_name) {
  std::string name;
  for (std::size_t i = 0; i < folder_name.size(); ++i) {
    if (folder_name[i] != '%') {
      if (!IsPlain(folder_name[i])) return std::nullopt;
      name += folder_name[i];
      continue;
    }
    if (i + 2 >= folder_name.size()) return std::nullopt;
    const std::size_t high = kHex.find(folder_name[i + 1]);
    const std::size_t low = kHex.find(folder_name[i + 2]);
    if (high == kHex.npos || low == kHex.npos) return std::nullopt;
    name += static_cast<char>(high * 16 + low);
    i += 2;
  }
  // Only what FolderOfBaseline writes, so that two folders never mean the same name.
  if (name.empty() || FolderOfBaseline(name) != folder_name) return std::nullopt;
  return name;
}

std::string BaselineRun::Created() const {
  // yyyymmddThhmmssZ
  const std::string_view day = std::string_view(id).substr(0, std::min<std::size_t>(8, id.size()));
  if (id.size() < 16 || !IsDigits(day) || id[8] != 'T') return "";
  return id.substr(0, 4) + "-" + id.substr(4, 2) + "-" + id.substr(6, 2) + " " + id.substr(9, 2) +
         ":" + id.substr(11, 2) + ":" + id.substr(13, 2) + " UTC";
}

}  // namespace xsp
