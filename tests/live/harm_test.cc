// Programs that a recorder could harm run as if alone (harm_program.c).
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/live/recorded.h"

namespace xsp::live::test {
namespace {

namespace fs = std::filesystem;

std::string Live(const std::string& how, const std::string& options = "-o t.xsp") {
  return "$XSP live " + options + " -- " XSP_HARM_PROGRAM " " + how;
}

TEST_CASE("a child's files stay open where the program had closed the recorder's") {
  Recorded run;
  CHECK(run.Run(Live("close-fork")) == 0);
  const std::string log = run.Read("log");
  CHECK(log.size() == 16 * 5);
}

TEST_CASE("where ended children are nobody's business the recording still ends") {
  const std::string kIgnoring =
      "exec python3 -c 'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); "
      "signal.signal(signal.SIGINT, signal.SIG_DFL); "
      "os.execvp(sys.argv[1], sys.argv[1:])' ";
  Recorded run;
  CHECK(run.Run(kIgnoring + Live("child-ignored")) == 0);
  CHECK(run.Has("t.xsp"));
  CHECK(run.Run(kIgnoring + Live("ranges 7", "-o u.xsp")) == 7);
  for (const char* signal : {"TERM", "INT"}) {
    CAPTURE(signal);
    const std::string name = signal;
    const int code =
        run.Run("(" + kIgnoring + Live("long", "-o " + name + ".xsp") + ") & until ls " + name +
                ".spool/*.spool 2>/dev/null; do sleep 0.1; done; kill -" + name + " $!; wait $!");
    CHECK(code == 128 + (name == "TERM" ? 15 : 2));
    CHECK_FALSE(run.Has(name + ".spool"));
  }
}

TEST_CASE("a process that outlives the program stops to record and that is said") {
  Recorded run;
  CHECK(run.Run("timeout 60 " + Live("daemon")) == 0);
  CHECK(run.Has("t.xsp"));
  CHECK(run.err.find("goes on: what it does from here on is not recorded") != std::string::npos);
  CHECK(run.Run("for i in $(seq 200); do [ -s daemon ] && exit 0; sleep 0.1; done; exit 1") == 0);
  CHECK(run.Read("daemon") == "0 spools open\n");
  CHECK_FALSE(run.Has("t.spool"));
}

TEST_CASE("what starts after the recording has ended records nothing and makes no folder") {
  Recorded run;
  CHECK(run.Run("$XSP live -o t.xsp -- sh -c '" XSP_HARM_PROGRAM " & (sleep 3; " XSP_HARM_PROGRAM
                "; echo $? > late) >/dev/null 2>&1 &'") == 0);
  CHECK(run.Run("for i in $(seq 200); do [ -s late ] && exit 0; sleep 0.1; done; exit 1") == 0);
  CHECK(run.Read("late") == "0\n");
  CHECK_FALSE(run.Has("t.spool"));
}

#ifdef XSP_HARM_PROGRAM_STATIC
TEST_CASE("a statically linked program runs as if alone and that is said") {
  Recorded run;
  CHECK(run.Run("$XSP live -o t.xsp -- " XSP_HARM_PROGRAM_STATIC " ranges 5") == 5);
  CHECK(run.err.find("statically linked") != std::string::npos);
  CHECK_FALSE(run.Has("t.spool"));
  // Nor does it harm one that another program starts.
  CHECK(run.Run("$XSP live -o u.xsp -- sh -c '" XSP_HARM_PROGRAM_STATIC " ranges 6'") == 6);
}
#endif

TEST_CASE("a long path is recorded to and one that is too long is refused") {
  Recorded run;
  std::string folder = "l";
  for (int i = 0; i < 5; ++i) folder += "/" + std::string(200, 'd');
  fs::create_directories(run.folder() / folder);
  CHECK(run.Run(Live("ranges", "-o " + folder + "/t.xsp")) == 0);
  CHECK(run.Has(folder + "/t.xsp"));
  for (int i = 0; i < 14; ++i) folder += "/" + std::string(200, 'd');
  CHECK(run.Run("mkdir -p l/" + std::string(200, 'd') + "; " +
                Live("ranges", "-o $(pwd)/" + folder + "/t.xsp")) == 2);
}

TEST_CASE("a process in another name space of processes is left alone while it lives") {
  Recorded run;
  if (run.Run("unshare --pid --fork true") != 0) {
    WARN("skipped: no other name space of processes can be made here");
    return;
  }
  CHECK(run.Run("$XSP live -o t.xsp -- unshare --pid --fork " XSP_HARM_PROGRAM " long") == 0);
  CHECK(CountsOf(run.Load())["nvtx_pushpop"] == 3000);
}

TEST_CASE("programs of all sorts end under the recorder as they do alone") {
  for (const char* how : {"vfork-loop", "exec-loop 40", "many 1000", "threads-at-exit", "seccomp",
                          "few-files", "little-memory", "signals"}) {
    CAPTURE(how);
    Recorded run;
    CHECK(run.Run("timeout 120 " + Live(how)) == 0);
    CHECK_FALSE(run.Has("t.spool"));
  }
}

TEST_CASE("a program whose threads all end by themselves ends") {
  Recorded run;
  CHECK(run.Run("timeout 30 " + Live("last-thread")) == 0);
  CHECK(CountsOf(run.Load())["nvtx_pushpop"] == 2003);
  CHECK(run.Run("timeout 30 " + Live("last-thread 7", "-o u.xsp")) == 7);
  CHECK(CountsOf(run.Load("u.xsp"))["nvtx_pushpop"] == 2003);
}

// What is not the recorder's own.
std::string WithoutNotes(const std::string& text) {
  std::istringstream in(text);
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("xsp: ")) kept += line + "\n";
  }
  return kept;
}

TEST_CASE("output errors and exit code are those of the program alone") {
  const std::string kRanges = XSP_HARM_PROGRAM " ranges 9; echo $?";
  const std::string kPython = "python3 -c '";
  const std::vector<std::string> scripts = {
      // What a process is given.
      "grep -E '^(Sig(Blk|Cgt)|Seccomp|NoNewPrivs|Umask|Cap)' /proc/self/status",
      // The two behind these are the C library's own.
      "echo $((0x$(sed -n 's/^SigIgn:.//p' /proc/self/status) & 0x7fffffff))",
      "cat /proc/self/limits /proc/self/oom_score_adj /proc/self/coredump_filter; ulimit -a",
      "ls /proc/self/fd | wc -l; umask; nice; echo ${LD_PRELOAD-none}; tty",
      kPython +
          "import os; print(os.getpgrp() == os.getpgid(os.getppid()), os.getsid(0) == "
          "os.getsid(os.getppid()))'",
      // How it ends.
      "kill -SEGV $$",
      "kill -KILL $$",
      "kill -PIPE $$",
      "kill -40 $$",
      "exit 255",
      "ulimit -t 1; while :; do :; done",
      "exec /nonexistent/program",
      "trap 'echo caught' USR1; kill -USR1 $$; trap '' INT; kill -INT $$; echo alive",
      kPython +
          "import threading, time, os\nfor i in range(50): threading.Thread(target=time.sleep, "
          "args=(99,), daemon=True).start()\nprint(1, flush=True); os._exit(5)'",
      // What it starts, and how.
      kPython +
          "import multiprocessing as m\nfor way in (\"fork\", \"spawn\", \"forkserver\"):\n"
          "  with m.get_context(way).Pool(3) as p: print(sum(p.map(abs, range(100))))'",
      "(setsid sh -c 'sleep 0.2; echo late > file' <&- >&- 2>&- &); sleep 0.6; cat file; rm file",
      "seq 40 | xargs -P 8 -n 1 " XSP_HARM_PROGRAM " ranges | wc -l",
      "mkdir gone; cd gone; rmdir ../gone; exit 9",
      // Where little is allowed.
      "ulimit -n 3; echo text",
      "ulimit -n 8; " + kRanges,
      "ulimit -v 60000; " + kRanges,
      "ulimit -s 64; " + kRanges,
      "ulimit -l 0; " + kRanges,
      "ulimit -d 1000; " + kRanges,
      "ulimit -f 0; " + kRanges,
      "TMPDIR=/nonexistent " + kRanges,
      "env -i " + kRanges,
      "unshare --user --map-root-user --pid --fork --mount-proc " + kRanges,
      "unshare --net --ipc --uts " + kRanges,
      "setpriv --reuid 65534 --regid 65534 --clear-groups " + kRanges,
      "setarch -R " + kRanges,
      // Stopped, gone on, killed.
      XSP_HARM_PROGRAM " long 5 & sleep 0.2; kill -STOP $!; sleep 0.2; kill -CONT $!; wait $!",
      "timeout 0.4 " XSP_HARM_PROGRAM " long; echo $?",
  };
  // A shell would say itself by which signal it was killed.
  const std::string kStart =
      kPython +
      "import subprocess, sys; code = subprocess.run([\"timeout\", \"60\"] + sys.argv[1:])"
      ".returncode; sys.exit(code if code >= 0 else 128 - code)' ";
  for (const std::string& script : scripts) {
    CAPTURE(script);
    Recorded run;
    run.Write("program", script + "\n");
    const int code = run.Run(kStart + "sh program 2>errors");
    const std::string out = run.out, errors = run.Read("errors");
    CHECK(run.Run(kStart + "$XSP live --quiet -o t.xsp -- sh program 2>errors") == code);
    CHECK(run.out == out);
    CHECK(WithoutNotes(run.Read("errors")) == errors);
    CHECK_FALSE(run.Has("t.spool"));
  }
}

TEST_CASE("what a program without standard output writes there is no record") {
  Recorded run;
  CHECK(run.Run(Live("closed-output") + " >&-") == 0);
  CHECK(CountsOf(run.Load())["nvtx_pushpop"] == 2000);
  CHECK(run.Run("$XSP live -o u.xsp -- sh -c 'exec " XSP_HARM_PROGRAM " closed-output >&-'") == 0);
  CHECK(CountsOf(run.Load("u.xsp"))["nvtx_pushpop"] == 2000);
}

TEST_CASE("a program has the numbers of files that it has alone and as many") {
  Recorded run;
  CHECK(run.Run(Live("all-files")) == 0);
  CHECK(run.Has("t.xsp"));
}

TEST_CASE("what another tool preloads stays there") {
  Recorded run;
  CHECK(run.Run("LD_PRELOAD=$LIBRARY timeout 60 " + Live("ranges 3")) == 3);
  CHECK(CountsOf(run.Load())["nvtx_pushpop"] == 3);
  CHECK(run.Run("LD_PRELOAD=$STANDIN $XSP live -o u.xsp -- sh -c "
                "'[ \"$LD_PRELOAD\" = \"$STANDIN\" ] && exec " XSP_HARM_PROGRAM " ranges 3'") == 3);
  CHECK(CountsOf(run.Load("u.xsp"))["nvtx_pushpop"] == 3);
}

TEST_CASE("where the recorder cannot follow nobody says that there was nothing to record") {
  Recorded run;
  CHECK(run.Run("$XSP live -o t.xsp -- env -i " XSP_HARM_PROGRAM " ranges 3") == 3);
  CHECK(run.err.find("or ran where the recorder cannot follow") != std::string::npos);
  CHECK(run.Run("$XSP live -o t.xsp -- sh -c 'ulimit -v 20000; exec " XSP_HARM_PROGRAM
                " ranges 3'") == 3);
  CHECK(run.err.find("cannot write to") != std::string::npos);
  CHECK(run.err.find("neither NVTX nor CUDA") == std::string::npos);
  CHECK_FALSE(run.Has("t.spool"));
}

TEST_CASE("a recorder that is killed takes nothing with it") {
  Recorded run;
  CHECK(run.Run("$XSP live -o t.xsp -- sh -c '" XSP_HARM_PROGRAM
                " long 5; echo $? > code' & until ls t.spool/*.spool 2>/dev/null; do sleep 0.1; "
                "done; kill -KILL $!; for i in $(seq 200); do [ -s code ] && break; sleep 0.1; "
                "done") == 0);
  CHECK(run.Read("code") == "5\n");
  CHECK(run.Run("$XSP live --convert t.spool -o t.xsp") == 0);
  CHECK(CountsOf(run.Load())["nvtx_pushpop"] == 3000);
}

TEST_CASE("what is made of a spool is for no more readers than the spool") {
  Recorded run;
  CHECK(run.Run("umask 022; " + Live("ranges", "-o t.xsp --keep-spool") +
                " && chmod 600 t.spool/* && $XSP live --convert t.spool -o file.xsp && "
                "chmod 644 t.spool/* && chmod 700 t.spool && "
                "$XSP live --convert t.spool -o folder.xsp") == 0);
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  for (const char* name : {"file.xsp", "folder.xsp"}) {
    REQUIRE(run.Has(name));
    CHECK((fs::status(run.folder() / name).permissions() & kOthers) == fs::perms::none);
    for (const auto& file : fs::directory_iterator(run.folder() / name)) {
      CHECK((file.status().permissions() & kOthers) == fs::perms::none);
    }
  }
}

TEST_CASE("a recorder that is stopped for a while holds up nobody") {
  Recorded run;
  CHECK(run.Run(Live("long 5") + " & until ls t.spool/*.spool 2>/dev/null; do sleep 0.1; done; "
                                 "kill -STOP $!; sleep 0.5; kill -CONT $!; wait $!") == 5);
  CHECK(CountsOf(run.Load())["nvtx_pushpop"] == 3000);
}

TEST_CASE("signals reach the program whenever they come") {
  for (const char* after : {"0.02", "0.3", "1"}) {
    CAPTURE(after);
    Recorded run;
    CHECK(run.Run(Live("long") + " & sleep " + after + "; kill -TERM $!; wait $!") == 128 + 15);
    CHECK_FALSE(run.Has("t.spool"));
  }
}

}  // namespace
}  // namespace xsp::live::test
