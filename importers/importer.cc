#include "importers/importer.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "base/error.h"
#include "importers/kineto/kineto.h"
#include "importers/nsys/sqlite.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);

bool IsSqlite(const FileHead& head) { return head.bytes.starts_with(kSqliteMagic); }

constexpr Importer kImporters[] = {
    {kNsysFormat, IsSqlite, ImportNsysSqlite},
    {kKinetoFormat, IsKineto, ImportKineto},
};

FileHead ReadHead(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) {
    throw Error(file.string() + ": no such file");
  }
  if (error) throw Error(file.string() + ": " + error.message());
  if (fs::is_directory(status)) {
    throw Error(file.string() + ": is a folder, not a trace",
                "give one exported file; a folder of Parquet or Arrow files is not supported: nsys "
                "export --type sqlite");
  }
  if (!fs::is_regular_file(status)) throw Error(file.string() + ": is not a regular file");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw Error(file.string() + ": cannot be opened: " + std::strerror(errno ? errno : EIO));
  }
  FileHead head{file, fs::file_size(file, error), std::string(FileHead::kBytes, '\0')};
  in.read(head.bytes.data(), static_cast<std::streamsize>(head.bytes.size()));
  if (in.bad()) throw Error(file.string() + ": cannot be read");
  head.bytes.resize(static_cast<std::size_t>(in.gcount()));
  return head;
}

// What a file is that no importer takes.
[[noreturn]] void Refuse(const FileHead& head) {
  const std::string file = head.file.string();
  const std::string_view bytes = head.bytes;
  if (bytes.empty()) throw Error(file + ": is empty (0 bytes)", "export the report again");
  if (bytes.starts_with("version https://git-lfs.github.com/spec")) {
    throw Error(file + ": is a git-LFS pointer, the trace itself was not fetched", "git lfs pull");
  }
  // Both .qdrep and .nsys-rep begin so, older ones with the product's former name.
  if (bytes.starts_with("NVIDIA Tegra Profiler Report") || bytes.starts_with("NVIDIA Nsight") ||
      bytes.starts_with("QDREP") || bytes.starts_with("NSYS")) {
    throw Error(file + ": is an Nsight Systems report, which only nsys itself can read",
                "nsys export --type sqlite " + file);
  }
  if (bytes.starts_with("\x1f\x8b")) {
    throw Error(
        file + ": is compressed (gzip), and what is inside is not a trace that xsp knows",
        "xsp reads compressed PyTorch profiler traces (.json.gz); decompress anything else");
  }
  if (bytes.starts_with("PAR1") || bytes.starts_with("ARROW1")) {
    throw Error(file + ": is a single table of an Arrow or Parquet export",
                "export the report as one file: nsys export --type sqlite");
  }
  throw Error(
      file + ": is not a trace that xsp knows",
      "xsp reads SQLite exports of Nsight Systems (nsys export --type sqlite) and traces of "
      "the PyTorch profiler (.json, .json.gz)");
}

}  // namespace

std::span<const Importer> AllImporters() { return kImporters; }

std::string_view FormatOf(const fs::path& file) {
  const FileHead head = ReadHead(file);
  for (const Importer& importer : AllImporters()) {
    if (importer.recognizes(head)) return importer.name;
  }
  return {};
}

Trace ImportFile(const fs::path& file, const ImportOptions& options) {
  const FileHead head = ReadHead(file);
  for (const Importer& importer : AllImporters()) {
    if (importer.recognizes(head)) return importer.import(file, options);
  }
  Refuse(head);
}

}  // namespace xsp
