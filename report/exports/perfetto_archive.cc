#include "report/exports/perfetto_archive.h"

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "report/tables/json.h"

namespace xsp {
namespace {

constexpr std::size_t kTarBlock = 512;
constexpr std::size_t kMostInOctal = 11;  // Digits of a size: 8 GiB.

// A number as TAR writes it: octal digits, zeros in front, a zero byte behind. What needs more
// digits is binary, by the convention of GNU that all readers of large files know.
std::string TarNumber(std::uint64_t value, std::size_t width) {
  std::string text(width, '\0');
  if (width - 1 >= kMostInOctal && value >> (3 * kMostInOctal) != 0) {
    for (std::size_t i = 0; i < 8; ++i) {
      text[width - 1 - i] = static_cast<char>(value >> (8 * i) & 0xff);
    }
    text[0] = static_cast<char>(0x80);
    return text;
  }
  for (std::size_t i = 0; i + 1 < width; ++i, value >>= 3) {
    text[width - 2 - i] = static_cast<char>('0' + (value & 7));
  }
  return text;
}

}  // namespace

std::string PerfettoManifest(const std::vector<ArchivedTrace>& traces) {
  Json files = Json::array();
  for (const ArchivedTrace& trace : traces) {
    Json file = {{"path", trace.file}, {"machine", {{"name", trace.machine}}}};
    if (!files.empty()) {
      file["clocks"] = {{"sync_to", {{"file", traces.front().file}, {"clock", "BOOTTIME"}}},
                        {"offset_ns", trace.offset}};
    }
    files.push_back(std::move(file));
  }
  const Json manifest = {{"perfetto_manifest", {{"version", 1}, {"files", std::move(files)}}}};
  return manifest.dump(2) + "\n";
}

std::string TarHeader(std::string_view name, std::uint64_t size) {
  constexpr std::size_t kLongestName = 100, kChecksum = 148;
  if (name.size() > kLongestName) throw Error(std::string(name) + ": too long a name for a TAR");
  std::string header(kTarBlock, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, name);
  put(100, TarNumber(0644, 8));  // Mode,
  put(108, TarNumber(0, 8));     // user,
  put(116, TarNumber(0, 8));     // group,
  put(124, TarNumber(size, 12));
  put(136, TarNumber(0, 12));  // and when it was changed.
  put(kChecksum, "        ");
  put(156, "0");  // An ordinary file.
  put(257, std::string_view("ustar\00000", 8));
  std::uint64_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(kChecksum, TarNumber(sum, 7));
  return header;
}

std::string TarPadding(std::uint64_t size) {
  return std::string((kTarBlock - size % kTarBlock) % kTarBlock, '\0');
}

std::string TarEnd() { return std::string(2 * kTarBlock, '\0'); }

}  // namespace xsp
