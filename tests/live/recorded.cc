#include "tests/live/recorded.h"

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "store/stored_trace.h"

namespace xsp::live::test {
namespace fs = std::filesystem;

Recorded::Recorded() {
  std::string name = (fs::temp_directory_path() / "xsp_recorded_XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  folder_ = name;
}

Recorded::~Recorded() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

int Recorded::Run(const std::string& script) {
  std::ofstream(folder_ / "script") << script << "\n";
  const std::string command =
      "cd '" + folder_.string() +
      "' && XSP='" XSP_PROGRAM "' LIBRARY='" XSP_LIBRARY "' PROGRAM='" XSP_LIVE_PROGRAM
      "' STANDIN='" XSP_STANDIN_CUPTI "' PARTS='" XSP_TEST_PARTS "' WHEELS='" XSP_WHEELS
      "' XSP_LIVE_CUPTI='" XSP_STANDIN_CUPTI "' sh script >out 2>err </dev/null";
  const int status = std::system(command.c_str());
  out = Read("out");
  err = Read("err");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Trace Recorded::Load(const std::string& name) const {
  INFO(err);
  REQUIRE(IsStoredTrace(folder_ / name));
  return LoadStoredTrace(folder_ / name);
}

void Recorded::Write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name) << text;
}

bool Recorded::Has(const std::string& name) const { return fs::exists(folder_ / name); }

std::string Recorded::Read(const std::string& name) const {
  std::ifstream in(folder_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::map<std::string, std::uint32_t> CountsOf(const Trace& trace) {
  std::map<std::string, std::uint32_t> counts;
  for (EventKind kind : AllEventKinds()) {
    const std::uint32_t count = trace.OfKind(kind).size();
    if (count > 0) counts[std::string(NameOf(kind))] = count;
  }
  return counts;
}

}  // namespace xsp::live::test
