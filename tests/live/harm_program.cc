// Programs that a recorder could harm: harm_program HOW. Each says by its exit code whether
// anything happened to it that would not have happened alone. It is linked statically, too, so it
// keeps to the C library.
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void Ranges(int count) {
  for (int i = 0; i < count; ++i) {
    nvtxRangePushA("range");
    nvtxRangePop();
  }
}

static void SleepMs(long ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {
  }
}

static int ExitCodeOf(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 90;
  return WEXITSTATUS(status);
}

// Closes all files, opens its own and forks: the child's must be open.
static int CloseAndFork(void) {
  Ranges(3);
  for (int fd = 3; fd < 64; ++fd) close(fd);
  int files[16];
  for (int i = 0; i < 16; ++i) files[i] = open("log", O_CREAT | O_WRONLY | O_APPEND, 0600);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 16; ++i) {
      if (write(files[i], "line\n", 5) != 5) _exit(1);
    }
    _exit(0);
  }
  return ExitCodeOf(child);
}

// Leaves a process behind that goes on for some time, and says at last how many spools are open in
// it.
static int Daemon(void) {
  Ranges(3);
  if (fork() != 0) {
    SleepMs(500);  // The other one is at it by then.
    return 0;
  }
  setsid();
  for (int fd = 0; fd < 3; ++fd) close(fd);
  for (int i = 0; i < 150; ++i) {
    Ranges(100);
    SleepMs(20);
  }
  int spools = 0;
  for (int fd = 0; fd < 64; ++fd) {
    char link[64], name[512] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, name, sizeof name - 1) > 0 && strstr(name, ".spool") != NULL) ++spools;
  }
  FILE* file = fopen("daemon", "w");
  fprintf(file, "%d spools open\n", spools);
  fclose(file);
  return 0;
}

// In a function of its own: what a child of vfork does may change variables of the caller.
static pid_t StartTrue(void) {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", NULL);
    _exit(9);
  }
  return child;
}

static int VforkLoop(void) {
  for (int i = 0; i < 50; ++i) {
    Ranges(10);
    if (ExitCodeOf(StartTrue()) != 0) return 1;
  }
  return 0;
}

static int ExecLoop(const char* self, int left) {
  char number[16];
  Ranges(2);
  if (left == 0) return 0;
  snprintf(number, sizeof number, "%d", left - 1);
  execl(self, self, "exec-loop", number, NULL);
  return 1;
}

static int ManyProcesses(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      Ranges(2);
      exit(i % 7);
    }
    if (ExitCodeOf(child) != i % 7) return 1;
  }
  return 0;
}

static void* Endless(void* unused) {
  for (;;) Ranges(100);
  return unused;
}

static int ThreadsAtExit(void) {
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, Endless, NULL) != 0) return 1;
  }
  SleepMs(50);
  return 0;
}

static void* SomeRanges(void* unused) {
  Ranges(2000);
  return unused;
}

// The first thread ends before another one, and that ends the process: none of the program's own is
// left.
static int LastThread(int raw) {
  pthread_t thread;
  Ranges(3);
  if (pthread_create(&thread, NULL, SomeRanges, NULL) != 0) return 1;
  if (raw == 0) pthread_exit(NULL);
  pthread_join(thread, NULL);
  syscall(SYS_exit, raw);
  return 1;
}

// The system refuses to open files, to make threads and to map memory of files.
static int Seccomp(void) {
  struct sock_filter refuse[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  struct sock_fprog program = {sizeof refuse / sizeof refuse[0], refuse};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 0;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 0;
  Ranges(1000);
  return 0;
}

// Standard output is closed: what is written there goes nowhere, not even into a file of somebody
// else's.
static int ClosedOutput(void) {
  for (int i = 0; i < 200; ++i, SleepMs(1)) {
    Ranges(10);
    if (write(STDOUT_FILENO, "text\n", 5) >= 0 || errno != EBADF) return 1;
  }
  return 0;
}

// Files get the numbers that they get alone, and as many can be open as the system allows.
static int AllFiles(void) {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  const int first = open("/dev/null", O_RDONLY);
  struct rlimit limit = {first + 20u, first + 20u};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  Ranges(10);
  SleepMs(300);
  for (int i = 1; i < 20; ++i) {
    if (open("/dev/null", O_RDONLY) != first + i) return 1 + i;
  }
  for (int i = 0; i < 100; ++i, SleepMs(5)) Ranges(10);
  for (int i = 1; i < 20; ++i) close(first + i);
  SleepMs(300);
  Ranges(10);
  return 0;
}

static int Limited(int what, rlim_t most) {
  struct rlimit limit = {most, most};
  if (setrlimit(what, &limit) != 0) return 1;
  Ranges(1000);
  return 0;
}

static volatile sig_atomic_t seen = 0;
static void Count(int signal) {
  (void)signal;
  seen = seen + 1;
}

// Signals among ranges all arrive, in the thread that they were meant for.
static int Signals(void) {
  struct sigaction action = {};
  action.sa_handler = Count;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGALRM, &action, NULL);
  for (int i = 0; i < 1000; ++i) {
    nvtxRangePushA("range");
    raise(i % 2 == 0 ? SIGUSR1 : SIGALRM);
    nvtxRangePop();
  }
  return seen == 1000 ? 0 : 1;
}

// Whether the child's end can be asked for is what the one who started us decided.
static int ChildIgnored(void) {
  struct sigaction action;
  sigaction(SIGCHLD, NULL, &action);
  Ranges(3);
  return action.sa_handler == SIG_IGN ? 0 : 1;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "ranges";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(how, "close-fork") == 0) return CloseAndFork();
  if (strcmp(how, "daemon") == 0) return Daemon();
  if (strcmp(how, "vfork-loop") == 0) return VforkLoop();
  if (strcmp(how, "exec-loop") == 0) return ExecLoop(argv[0], number);
  if (strcmp(how, "many") == 0) return ManyProcesses(number);
  if (strcmp(how, "threads-at-exit") == 0) return ThreadsAtExit();
  if (strcmp(how, "last-thread") == 0) return LastThread(number);
  if (strcmp(how, "seccomp") == 0) return Seccomp();
  if (strcmp(how, "closed-output") == 0) return ClosedOutput();
  if (strcmp(how, "all-files") == 0) return AllFiles();
  if (strcmp(how, "few-files") == 0) return Limited(RLIMIT_NOFILE, 4);
  if (strcmp(how, "little-memory") == 0) return Limited(RLIMIT_AS, 12 << 20);
  if (strcmp(how, "signals") == 0) return Signals();
  if (strcmp(how, "child-ignored") == 0) return ChildIgnored();
  if (strcmp(how, "long") == 0) {
    for (int i = 0; i < 300; ++i, SleepMs(10)) Ranges(10);
    return number;
  }
  Ranges(3);
  return number;
}
