#include "base/whole_file.h"

#include <algorithm>
#include <fstream>

#include "base/error.h"

namespace xsp {

std::string ReadWholeFile(const std::filesystem::path& file, std::size_t most) {
  constexpr std::size_t kFirst = 1 << 16;
  std::ifstream in(file, std::ios::binary);
  std::error_code ignored;
  if (!in || std::filesystem::is_directory(file, ignored)) {
    throw Error("cannot read " + file.string());
  }
  std::string text;
  while (in && text.size() <= most) {
    const std::size_t have = text.size();
    text.resize(std::min(most + 1, std::max(kFirst, 2 * have)));
    in.read(text.data() + have, static_cast<std::streamsize>(text.size() - have));
    text.resize(have + static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw Error("cannot read " + file.string());
  if (text.size() > most) {
    throw Error(file.string() + " is larger than " + std::to_string(most >> 20) + " MiB");
  }
  return text;
}

}  // namespace xsp
