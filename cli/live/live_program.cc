#include "cli/live/live_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "cli/terminal/signals.h"

namespace xsp {
namespace {

// What is passed on, and how the end of the program is noticed.
sigset_t WatchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD}) {
    sigaddset(&set, signal);
  }
  return set;
}

std::string ReadAll(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

void CloseIfOpen(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

}  // namespace

LiveProgram::LiveProgram(std::vector<std::string> words) : words_(std::move(words)) {
  int go[2], failed[2];
  if (pipe2(go, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0) {
    throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  // Blocked from here on, so that none gets lost: Wait takes them one by one.
  const sigset_t watched = WatchedSignals();
  sigprocmask(SIG_BLOCK, &watched, &before_);
  pid_ = fork();
  if (pid_ == 0) {
    close(go[1]);
    close(failed[0]);
    BecomeProgram(go[0], failed[1]);
  }
  close(go[0]);
  close(failed[1]);
  go_ = go[1];
  failed_ = failed[0];
  if (pid_ < 0) {
    const int error = errno;
    CloseIfOpen(go_);
    CloseIfOpen(failed_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    throw Error(std::string("cannot make a process: ") + std::strerror(error));
  }
}

LiveProgram::~LiveProgram() {
  // A child that reads nothing goes away by itself.
  CloseIfOpen(go_);
  CloseIfOpen(failed_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void LiveProgram::BecomeProgram(int go, int failed) {
  const std::string variables = ReadAll(go);
  if (variables.empty()) _exit(0);
  for (std::size_t at = 0; at < variables.size();) {
    const std::size_t end = variables.find('\0', at);
    const std::string entry = variables.substr(at, end - at);
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) {
      setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
    }
    if (end == std::string::npos) break;
    at = end + 1;
  }
  std::vector<char*> argv;
  for (std::string& word : words_) argv.push_back(word.data());
  argv.push_back(nullptr);
  RestoreInheritedSignals();
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  execvp(argv[0], argv.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(failed, &error, sizeof error);
  _exit(127);
}

void LiveProgram::Start(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::string text(1, '\0');  // Never empty: that would mean not to start.
  for (const auto& [name, value] : variables) text += name + "=" + value + '\0';
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t written = write(go_, text.data() + sent, text.size() - sent);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    sent += static_cast<std::size_t>(written);
  }
  CloseIfOpen(go_);
  const std::string answer = ReadAll(failed_);
  CloseIfOpen(failed_);
  if (answer.size() < sizeof(int)) return;
  int error = 0;
  std::memcpy(&error, answer.data(), sizeof error);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
  throw Error("cannot run " + words_.front() + ": " + std::strerror(error));
}

int LiveProgram::Wait(const std::function<void()>& tick) {
  constexpr timespec kHalfASecond = {0, 500'000'000};
  const sigset_t watched = WatchedSignals();
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno == ECHILD)) break;  // Or somebody else was told.
    siginfo_t info = {};
    const int signal = sigtimedwait(&watched, &info, &kHalfASecond);
    // The terminal sends Ctrl-C to both of us; what was meant for us alone is for the program.
    if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL) kill(pid_, signal);
    tick();
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
  return WEXITSTATUS(status);
}

}  // namespace xsp
