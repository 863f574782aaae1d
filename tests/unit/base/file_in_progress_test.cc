#include "base/file_in_progress.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

namespace xsp {
namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "xsp-file-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder = name;
  }
  ~Scratch() { fs::remove_all(folder); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::size_t Files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
  }

  fs::path folder;
};

std::string ContentOf(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("a file appears as a whole, in the place of the old one") {
  const Scratch scratch;
  const fs::path file = scratch.folder / "a.json";
  std::ofstream(file) << "old";
  {
    FileInProgress fresh(file);
    fresh.Write("new, ");
    fresh.Write("and all of it");
    CHECK(ContentOf(file) == "old");
    fresh.Publish();
  }
  CHECK(ContentOf(file) == "new, and all of it");
  CHECK(scratch.Files() == 1);
}

TEST_CASE("a file that is not published leaves nothing behind") {
  const Scratch scratch;
  { FileInProgress(scratch.folder / "a.json").Write("half"); }
  CHECK(scratch.Files() == 0);
}

TEST_CASE("while it is written, a file keeps the ending of its name") {
  const Scratch scratch;
  const FileInProgress file(scratch.folder / "a.kept");
  CHECK(fs::directory_iterator(scratch.folder)->path().extension() == ".kept");
  const FileInProgress another(scratch.folder / "a.kept");
  CHECK(scratch.Files() == 2);
}

TEST_CASE("a file that cannot be written is an error that names it") {
  CHECK_THROWS_WITH(FileInProgress("/no/such/folder/a.json"),
                    "cannot write to /no/such/folder/a.json: No such file or directory");
}

}  // namespace
}  // namespace xsp
