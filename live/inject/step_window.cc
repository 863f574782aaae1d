#include "live/inject/step_window.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "live/inject/recorder.h"

namespace xsp::inject {
namespace {

std::uint64_t PlaceOf(std::uint32_t domain) {
  return std::uint64_t{domain} << 32 | static_cast<std::uint32_t>(syscall(SYS_gettid));
}

}  // namespace

void StepWindow::Begin(const Settings& settings) {
  first_ = settings.first_step;
  last_ = settings.last_step;
  begun_ = 0;
  last_thread_ = last_range_ = 0;
  depth_ = 0;
  armed_ = first_ != 0;
}

bool StepWindow::Count(Recorder& recorder) {
  const std::uint32_t step = begun_.fetch_add(1) + 1;
  if (step == first_) recorder.SwitchOn();
  return step == last_;
}

void StepWindow::Finish(Recorder& recorder) {
  armed_ = false;
  recorder.SwitchOff();
}

void StepWindow::OnPush(Recorder& recorder, std::uint32_t domain, bool is_step) {
  if (is_step && Count(recorder)) {
    depth_ = 1;
    last_thread_ = PlaceOf(domain);
    return;
  }
  if (last_thread_.load(std::memory_order_relaxed) == 0) return;
  if (PlaceOf(domain) == last_thread_) ++depth_;
}

void StepWindow::OnPop(Recorder& recorder, std::uint32_t domain) {
  if (last_thread_.load(std::memory_order_relaxed) == 0) return;
  if (PlaceOf(domain) == last_thread_ && --depth_ == 0) Finish(recorder);
}

void StepWindow::OnStart(Recorder& recorder, std::uint64_t range, bool is_step) {
  if (is_step && Count(recorder)) last_range_ = range;
}

void StepWindow::OnEnd(Recorder& recorder, std::uint64_t range) {
  if (range != 0 && range == last_range_.load(std::memory_order_relaxed)) Finish(recorder);
}

}  // namespace xsp::inject
