#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "model/trace.h"

namespace xsp::live::test {

// A folder in which commands are run, gone with the test. In them $XSP is the program, $PROGRAM the
// one to be recorded (live_program.cc), $LIBRARY the injected library, and `xsp live` finds the
// stand-in for CUPTI.
class Recorded {
 public:
  Recorded();
  ~Recorded();
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  // Runs a script with sh; its exit code. Output and errors are in `out` and `err`.
  int Run(const std::string& script);

  // A stored trace in the folder. Fails the test if there is none.
  Trace Load(const std::string& name = "t.xsp") const;
  bool Has(const std::string& name) const;
  std::string Read(const std::string& name) const;
  void Write(const std::string& name, const std::string& text) const;
  const std::filesystem::path& folder() const { return folder_; }

  std::string out, err;

 private:
  std::filesystem::path folder_;
};

// How many events of each kind: "kernel", "nvtx_pushpop", ...
std::map<std::string, std::uint32_t> CountsOf(const Trace& trace);

}  // namespace xsp::live::test
