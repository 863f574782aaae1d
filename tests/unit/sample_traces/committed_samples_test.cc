// The samples in the repository are what the generator writes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "sample_traces/command_line.h"
#include "tests/support/real_traces.h"
#include "tests/unit/sample_traces/sqlite_dump.h"

namespace xsp::samples::test {
namespace {

struct Sample {
  std::string name;
  std::vector<std::string> arguments;
};

// One sample a line: its file name, then the arguments of xsp-sample.
std::vector<Sample> ReadSamples() {
  std::ifstream in(xsp::test::SourceDir() / "sample_traces" / "samples.txt");
  std::vector<Sample> samples;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    std::istringstream words(line);
    Sample& sample = samples.emplace_back();
    words >> sample.name;
    for (std::string word; words >> word;) sample.arguments.push_back(word);
  }
  return samples;
}

}  // namespace

TEST_CASE("every committed sample is what the generator writes", "[samples]") {
  TemporaryFolder folder;
  const std::vector<Sample> samples = ReadSamples();
  REQUIRE(samples.size() >= 7);
  for (const Sample& sample : samples) {
    INFO(sample.name);
    std::vector<std::string> arguments = sample.arguments;
    const auto fresh = folder / sample.name;
    arguments.insert(arguments.end(), {"-o", fresh.string()});
    const Scenario scenario = MakeScenario(ParseCommandLine(arguments));
    WriteTrace(fresh.string(), scenario.program, scenario.machine, scenario.options);
    const auto committed = xsp::test::SourceDir() / "sample_traces" / sample.name;
    CHECK(std::filesystem::file_size(committed) < 500'000);
    const std::vector<std::string> expected = Dump(fresh);
    const std::vector<std::string> found = Dump(committed);
    const auto [a, b] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
    const bool same = a == expected.end() && b == found.end();
    INFO("generated: " << (a == expected.end() ? "(end)" : *a));
    INFO("committed: " << (b == found.end() ? "(end)" : *b));
    CHECK(same);
  }
}

TEST_CASE("every sample in the folder is in the list", "[samples]") {
  const std::vector<Sample> samples = ReadSamples();
  for (const auto& file :
       xsp::test::FilesBelow(xsp::test::SourceDir() / "sample_traces", ".sqlite")) {
    INFO(file.filename().string());
    CHECK(std::any_of(samples.begin(), samples.end(), [&](const Sample& sample) {
      return sample.name == file.filename().string();
    }));
  }
}

}  // namespace xsp::samples::test
