// Runs a target without libFuzzer: PROGRAM [--seconds N] [--failed FILE] FILE-OR-FOLDER...
//
// Each file is run as it is. Then, for N seconds, files are run with some of their bytes changed,
// in the same order every time. --failed: where the input of the moment is kept while it is run.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "tests/fuzz/targets/input_file.h"

namespace {

namespace fs = std::filesystem;

struct Plan {
  int seconds = 0;
  fs::path failed;
  std::vector<std::string> inputs;
};

void AddInputs(const fs::path& path, std::vector<std::string>& inputs) {
  std::vector<fs::path> files = {path};
  if (fs::is_directory(path)) {
    files.assign(fs::directory_iterator(path), {});
    std::sort(files.begin(), files.end());
  }
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
}

Plan PlanOf(const std::vector<std::string>& words) {
  Plan plan;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--seconds" && has_value) {
      plan.seconds = std::atoi(words[++i].c_str());
    } else if (words[i] == "--failed" && has_value) {
      plan.failed = words[++i];
    } else {
      AddInputs(words[i], plan.inputs);
    }
  }
  return plan;
}

// Bytes replaced, a piece doubled, or the end cut off.
std::string Changed(std::string bytes, std::mt19937& dice) {
  if (bytes.empty()) return bytes;
  for (unsigned i = dice() % 8; i-- > 0;) bytes[dice() % bytes.size()] = static_cast<char>(dice());
  const std::size_t at = dice() % bytes.size();
  const unsigned what = dice() % 4;
  if (what == 0) bytes.resize(at);
  if (what == 1) bytes.insert(at, bytes.substr(dice() % bytes.size(), 1 + dice() % 64));
  return bytes;
}

constexpr unsigned kMostSeconds = 20;  // For one input: longer, and a signal ends the program.

void RunOn(const Plan& plan, const std::string& bytes) {
  alarm(kMostSeconds);
  if (!plan.failed.empty()) xsp::fuzz::WriteBytes(plan.failed, bytes);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  const Plan plan = PlanOf({argv + 1, argv + argc});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(plan.seconds);
  std::size_t runs = 0;
  for (const std::string& input : plan.inputs) {
    RunOn(plan, input);
    ++runs;
  }
  std::mt19937 dice(7);
  while (std::chrono::steady_clock::now() < end && !plan.inputs.empty()) {
    RunOn(plan, Changed(plan.inputs[runs++ % plan.inputs.size()], dice));
  }
  std::error_code ignored;
  if (!plan.failed.empty()) fs::remove(plan.failed, ignored);
  std::printf("%zu runs\n", runs);
  return 0;
}
