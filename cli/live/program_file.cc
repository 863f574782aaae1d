#include "cli/live/program_file.h"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/text.h"

namespace xsp {
namespace fs = std::filesystem;

fs::path FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : Split(path == nullptr ? "/bin:/usr/bin" : path, ':')) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

bool IsStaticallyLinked(const fs::path& program) {
  constexpr unsigned kMostHeaders = 1000;
  std::ifstream in(program, std::ios::binary);
  Elf64_Ehdr head = {};
  if (!in.read(reinterpret_cast<char*>(&head), sizeof head)) return false;
  const bool is_program = std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                          head.e_ident[EI_CLASS] == ELFCLASS64 &&
                          head.e_phentsize == sizeof(Elf64_Phdr) && head.e_phnum < kMostHeaders;
  if (!is_program) return false;
  in.seekg(static_cast<std::streamoff>(head.e_phoff));
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part = {};
    if (!in.read(reinterpret_cast<char*>(&part), sizeof part)) return false;
    if (part.p_type == PT_INTERP) return false;
  }
  return true;
}

}  // namespace xsp
