#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace xsp {

// A program that runs in our place: it has our standard input and output, the signals that are sent
// to us reach it, and its exit code will be ours.
class LiveProgram {
 public:
  // Makes the process, so that its id is known, but does not start the program yet. Throws Error.
  explicit LiveProgram(std::vector<std::string> words);
  // Ends a process that was never started.
  ~LiveProgram();
  LiveProgram(const LiveProgram&) = delete;
  LiveProgram& operator=(const LiveProgram&) = delete;

  pid_t pid() const { return pid_; }

  // Starts the program with these variables added to its environment. Throws Error if it cannot be
  // run.
  void Start(const std::vector<std::pair<std::string, std::string>>& variables);

  // Waits until it has ended, and passes signals on meanwhile. `tick` is called about twice a
  // second. The exit code, as a shell gives it: 128 + N after signal N.
  int Wait(const std::function<void()>& tick);

 private:
  [[noreturn]] void BecomeProgram(int go, int failed);

  std::vector<std::string> words_;
  sigset_t before_ = {};  // Which signals were blocked.
  pid_t pid_ = -1;
  int go_ = -1;      // Where the environment is written to.
  int failed_ = -1;  // Where the errno of a failed start is read from.
};

}  // namespace xsp
