#include "live/decode/process_context.h"

#include "base/utf8.h"

namespace xsp::live {

ProcessContext::ProcessContext(const SpoolFacts& facts, std::uint64_t global_id, TimeNs zero,
                               const KernelNamer& namer, TraceBuilder& builder)
    : facts_(facts),
      zero_(zero),
      namer_(namer),
      builder_(builder),
      process_(builder.InternProcess(global_id, facts.process.pid)) {
  builder_.process(process_).name = Intern(facts.process.program, "processes");
}

bool ProcessContext::Read(std::uint64_t start, std::uint64_t end, std::string_view table,
                          Events::Row* event) {
  if (start == 0 && end == 0) {
    Note(table, ImportReason::kNoTime, "both times are 0");
    return false;
  }
  event->begin = FromCupti(start);
  event->end = FromCupti(end);
  if (end < start) {
    Note(table, ImportReason::kBadEnd,
         "start " + std::to_string(start) + ", end " + std::to_string(end));
    event->end = event->begin;
    event->flags = kBadEnd;
  }
  return true;
}

TrackId ProcessContext::Thread(std::uint32_t thread) {
  if (last_thread_.second.valid() && last_thread_.first == thread) return last_thread_.second;
  auto [it, added] = threads_.try_emplace(thread);
  if (added) {
    Track key;
    key.kind = TrackKind::kThread;
    key.process = process_;
    key.thread = thread;
    it->second = builder_.InternTrack(key);
  }
  last_thread_ = *it;
  return it->second;
}

TrackId ProcessContext::WholeProcess() {
  return OnDevice(TrackKind::kProcess, kMissing<std::uint32_t>);
}

TrackId ProcessContext::OnDevice(TrackKind kind, std::uint32_t device, std::uint32_t context,
                                 std::uint32_t stream) {
  const std::tuple wanted(kind, device, context, stream);
  if (last_device_.second.valid() && last_device_.first == wanted) return last_device_.second;
  auto [it, added] = device_tracks_.try_emplace(wanted);
  if (added) {
    Track key;
    key.kind = kind;
    key.process = process_;
    key.device = device;
    key.context = context;
    key.stream = stream;
    it->second = builder_.InternTrack(key);
  }
  last_device_ = *it;
  return it->second;
}

std::uint32_t ProcessContext::DeviceOf(std::uint32_t context) const {
  auto it = facts_.device_of_context.find(context);
  return it == facts_.device_of_context.end() ? kMissing<std::uint32_t> : it->second;
}

DomainId ProcessContext::Domain(std::uint32_t number) {
  auto [it, added] = domains_.try_emplace(number);
  if (added) {
    it->second = builder_.InternDomain(process_, number);
    auto name = facts_.domains.find(number);
    if (name != facts_.domains.end()) {
      builder_.domain(it->second).name = Intern(name->second, "NVTX");
    }
  }
  return it->second;
}

StringId ProcessContext::Intern(std::string_view text, std::string_view table) {
  if (IsUtf8(text)) return builder_.Intern(text);
  Note(table, ImportReason::kInvalidUtf8, "text");
  return builder_.Intern(ToUtf8(text));
}

void ProcessContext::DefinePointer(std::uint64_t pointer, std::string_view text) {
  texts_[pointer] = {ToUtf8(text), false, false, {}};
}

const ProcessContext::Kernel& ProcessContext::KernelAt(std::uint64_t pointer) {
  auto it = texts_.find(pointer);
  if (it == texts_.end()) {
    // Its name was lost, as a spool that ran full can lose it: kernels of one symbol still stay
    // together.
    it = texts_.emplace(pointer, Text{"kernel_" + std::to_string(pointer), true, false, {}}).first;
    Note("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", ImportReason::kMissingString, it->second.text);
  }
  Text& text = it->second;
  if (!text.has_kernel) {
    text.has_kernel = true;
    const KernelName name = namer_ ? namer_(text.text) : KernelName{text.text, text.text};
    text.kernel.full = builder_.Intern(ToUtf8(name.full));
    text.kernel.bare = builder_.Intern(ToUtf8(name.bare));
    if (!text.is_made_up) text.kernel.mangled = builder_.Intern(text.text);
  }
  return text.kernel;
}

StringId ProcessContext::TextAt(std::uint64_t pointer, std::string_view table) {
  if (pointer == 0) return {};
  auto it = texts_.find(pointer);
  return it == texts_.end() || it->second.text.empty() ? StringId()
                                                       : Intern(it->second.text, table);
}

std::uint32_t ProcessContext::Outer(std::uint32_t correlation) const {
  auto it = outer_.find(correlation);
  return it == outer_.end() ? correlation : it->second;
}

void ProcessContext::Note(std::string_view table, ImportReason reason, std::string_view sample) {
  ImportLog& all = log();
  all.AddIssue(table, reason, all.HasSample(table, reason) ? std::string() : std::string(sample));
}

}  // namespace xsp::live
