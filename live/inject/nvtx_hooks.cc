#include "live/inject/nvtx_hooks.h"

#include <atomic>
#include <cstring>

#include "live/inject/recorder.h"

namespace xsp::inject {
namespace {

using namespace live;

// Handles that the program gets are plain numbers: a domain is its number, a registered string its
// number and whether it names a step. They stay valid in forked children.
std::atomic<std::uint32_t> last_domain = 0;
std::atomic<std::uint64_t> last_string = 0;
std::atomic<std::uint64_t> last_range = 0;

std::uint32_t DomainOf(const void* handle) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
}

void* HandleOf(std::uint64_t number) { return reinterpret_cast<void*>(number); }

constexpr std::uint64_t kIsStep = 1;  // In the handle of a registered string: number << 1 | this.

// Room for wide texts, on the stack of whichever thread calls: not much.
constexpr std::size_t kLongestWide = 1024;

// A text as UTF-8. Wide characters are converted into the buffer, which the caller keeps.
class Text {
 public:
  explicit Text(const char* text) : text_(text) {
    if (text == nullptr) return;
    bytes_ = strnlen(text, kLongestText + 1);
    Cut();
  }
  Text(const wchar_t* text, char (&buffer)[kLongestWide]) : text_(buffer) {
    if (text == nullptr) text_ = nullptr;
    for (; text != nullptr && *text != L'\0'; ++text) {
      if (bytes_ + 4 > kLongestWide) {
        cut_ = true;
        break;
      }
      bytes_ += Encode(static_cast<std::uint32_t>(*text), buffer + bytes_);
    }
  }

  void PutInto(HostEvent& event) const {
    event.text = text_;
    event.text_bytes = bytes_;
    event.text_was_cut = cut_;
  }
  const char* data() const { return text_; }
  std::size_t size() const { return bytes_; }

 private:
  void Cut() {
    if (bytes_ <= kLongestText) return;
    cut_ = true;
    bytes_ = kLongestText;
    // Not in the middle of a character.
    while (bytes_ > 0 && (static_cast<unsigned char>(text_[bytes_]) & 0xC0) == 0x80) --bytes_;
  }

  static std::size_t Encode(std::uint32_t c, char* to) {
    auto put = [&](int i, std::uint32_t byte) { to[i] = static_cast<char>(byte); };
    if (c < 0x80) {
      put(0, c);
      return 1;
    }
    if (c < 0x800) {
      put(0, 0xC0 | c >> 6);
      put(1, 0x80 | (c & 0x3F));
      return 2;
    }
    if (c < 0x10000) {
      put(0, 0xE0 | c >> 12);
      put(1, 0x80 | (c >> 6 & 0x3F));
      put(2, 0x80 | (c & 0x3F));
      return 3;
    }
    put(0, 0xF0 | (c >> 18 & 7));
    put(1, 0x80 | (c >> 12 & 0x3F));
    put(2, 0x80 | (c >> 6 & 0x3F));
    put(3, 0x80 | (c & 0x3F));
    return 4;
  }

  const char* text_;
  std::size_t bytes_ = 0;
  bool cut_ = false;
};

bool IsStep(Recorder& recorder, const Text& text) {
  return recorder.steps().armed() && text.data() != nullptr &&
         IsStepName(recorder.settings().step_range, text.data(), text.size());
}

// What a mark, push or start says of itself. `is_step` is found for the name on the way.
void Read(Recorder& recorder, const NvtxEventAttributes* from, char (&buffer)[kLongestWide],
          HostEvent& event, bool* is_step) {
  *is_step = false;
  if (from == nullptr) return;
  event.category = from->category;
  if (from->color_type == kColorArgb) event.color = from->color;
  if (from->payload_type >= 1 && from->payload_type <= kLastPayloadType) {
    event.payload_type = static_cast<std::uint32_t>(from->payload_type);
    event.payload = from->payload;
  }
  if (from->message_type == kMessageRegistered) {
    const auto handle = reinterpret_cast<std::uintptr_t>(from->message);
    event.registered = handle >> 1;
    *is_step = recorder.steps().armed() && (handle & kIsStep) != 0;
    return;
  }
  if (from->message_type != kMessageAscii && from->message_type != kMessageUnicode) return;
  const Text text = from->message_type == kMessageAscii
                        ? Text(static_cast<const char*>(from->message))
                        : Text(static_cast<const wchar_t*>(from->message), buffer);
  text.PutInto(event);
  *is_step = IsStep(recorder, text);
}

// Null if nothing of NVTX is recorded in this process.
Recorder* Ready() {
  Recorder& recorder = Recorder::Get();
  const bool wanted = recorder.EnsureRunning() && (recorder.settings().kinds & kNvtxBit) != 0;
  return wanted ? &recorder : nullptr;
}

void Mark(HostEvent event) {
  Recorder* recorder = Ready();
  if (recorder == nullptr || !recorder->recording()) return;
  event.op = HostOp::kMark;
  recorder->Add(event);
}

int Push(HostEvent event, bool is_step) {
  Recorder* recorder = Ready();
  if (recorder == nullptr) return kNoPushPopTracking;
  if (recorder->steps().armed()) recorder->steps().OnPush(*recorder, event.domain, is_step);
  if (recorder->recording()) {
    event.op = HostOp::kPush;
    recorder->Add(event);
  }
  return kNoPushPopTracking;
}

int Pop(std::uint32_t domain) {
  Recorder* recorder = Ready();
  if (recorder == nullptr) return kNoPushPopTracking;
  if (recorder->recording()) recorder->Add({.op = HostOp::kPop, .domain = domain});
  if (recorder->steps().armed()) recorder->steps().OnPop(*recorder, domain);
  return kNoPushPopTracking;
}

std::uint64_t Start(HostEvent event, bool is_step) {
  Recorder* recorder = Ready();
  event.id = last_range.fetch_add(1, std::memory_order_relaxed) + 1;
  if (recorder == nullptr) return event.id;
  if (recorder->steps().armed()) recorder->steps().OnStart(*recorder, event.id, is_step);
  if (recorder->recording()) {
    event.op = HostOp::kStart;
    recorder->Add(event);
  }
  return event.id;
}

void End(std::uint32_t domain, std::uint64_t range) {
  Recorder* recorder = Ready();
  if (recorder == nullptr) return;
  if (recorder->recording()) {
    recorder->Add({.op = HostOp::kEnd, .domain = domain, .id = range});
  }
  if (recorder->steps().armed()) recorder->steps().OnEnd(*recorder, range);
}

// Names are recorded also while recording is off: what is recorded later refers to them.
void Name(HostOp op, std::uint32_t domain, std::uint64_t id, const Text& text) {
  Recorder* recorder = Ready();
  if (recorder == nullptr) return;
  HostEvent event = {.op = op, .domain = domain, .id = id};
  text.PutInto(event);
  recorder->Add(event);
}

void* MakeDomain(const Text& text) {
  const std::uint32_t number = last_domain.fetch_add(1, std::memory_order_relaxed) + 1;
  Name(HostOp::kDomain, number, 0, text);
  return HandleOf(number);
}

void* RegisterString(std::uint32_t domain, const Text& text) {
  const std::uint64_t number = last_string.fetch_add(1, std::memory_order_relaxed) + 1;
  Name(HostOp::kString, domain, number, text);
  return HandleOf(number << 1 | (IsStep(Recorder::Get(), text) ? kIsStep : 0));
}

// Calls f(event, is_step) with what the attributes or the text say.
template <class F>
auto WithAttributes(const void* domain, const NvtxEventAttributes* attributes, F f) {
  char buffer[kLongestWide];
  HostEvent event = {.op = HostOp::kMark, .domain = DomainOf(domain)};
  bool is_step = false;
  Read(Recorder::Get(), attributes, buffer, event, &is_step);
  return f(event, is_step);
}
template <class Char, class F>
auto WithText(const Char* message, F f) {
  NvtxEventAttributes attributes = {};
  attributes.message_type = sizeof(Char) == 1 ? kMessageAscii : kMessageUnicode;
  attributes.message = message;
  return WithAttributes(nullptr, &attributes, f);
}

// What stands in NVTX' tables.
void OnMarkEx(const NvtxEventAttributes* a) {
  WithAttributes(nullptr, a, [](const HostEvent& e, bool) { Mark(e); });
}
template <class Char>
void OnMark(const Char* message) {
  WithText(message, [](const HostEvent& e, bool) { Mark(e); });
}
std::uint64_t OnRangeStartEx(const NvtxEventAttributes* a) {
  return WithAttributes(nullptr, a, Start);
}
template <class Char>
std::uint64_t OnRangeStart(const Char* message) {
  return WithText(message, Start);
}
void OnRangeEnd(std::uint64_t range) { End(0, range); }
int OnRangePushEx(const NvtxEventAttributes* a) { return WithAttributes(nullptr, a, Push); }
template <class Char>
int OnRangePush(const Char* message) {
  return WithText(message, Push);
}
int OnRangePop() { return Pop(0); }

void OnDomainMarkEx(const void* domain, const NvtxEventAttributes* a) {
  WithAttributes(domain, a, [](const HostEvent& e, bool) { Mark(e); });
}
std::uint64_t OnDomainRangeStartEx(const void* domain, const NvtxEventAttributes* a) {
  return WithAttributes(domain, a, Start);
}
void OnDomainRangeEnd(const void* domain, std::uint64_t range) { End(DomainOf(domain), range); }
int OnDomainRangePushEx(const void* domain, const NvtxEventAttributes* a) {
  return WithAttributes(domain, a, Push);
}
int OnDomainRangePop(const void* domain) { return Pop(DomainOf(domain)); }

// Calls f(text) with the message as UTF-8.
template <class F>
auto WithUtf8(const char* message, F f) {
  return f(Text(message));
}
template <class F>
auto WithUtf8(const wchar_t* message, F f) {
  char buffer[kLongestWide];
  return f(Text(message, buffer));
}

template <class Char>
void OnNameCategory(std::uint32_t category, const Char* name) {
  WithUtf8(name, [&](const Text& text) { Name(HostOp::kCategory, 0, category, text); });
}
template <class Char>
void OnNameThread(std::uint32_t thread, const Char* name) {
  WithUtf8(name, [&](const Text& text) { Name(HostOp::kThread, 0, thread, text); });
}
template <class Char>
void OnDomainNameCategory(const void* domain, std::uint32_t category, const Char* name) {
  WithUtf8(name,
           [&](const Text& text) { Name(HostOp::kCategory, DomainOf(domain), category, text); });
}
template <class Char>
void* OnRegisterString(const void* domain, const Char* string) {
  return WithUtf8(string, [&](const Text& text) { return RegisterString(DomainOf(domain), text); });
}
template <class Char>
void* OnDomainCreate(const Char* name) {
  return WithUtf8(name, [](const Text& text) { return MakeDomain(text); });
}

struct Hook {
  unsigned place;
  NvtxFunction function;
};

template <class F>
NvtxFunction Plain(F* function) {
  return reinterpret_cast<NvtxFunction>(function);
}

const Hook kCoreHooks[] = {
    {kMarkEx, Plain(OnMarkEx)},
    {kMarkA, Plain(OnMark<char>)},
    {kMarkW, Plain(OnMark<wchar_t>)},
    {kRangeStartEx, Plain(OnRangeStartEx)},
    {kRangeStartA, Plain(OnRangeStart<char>)},
    {kRangeStartW, Plain(OnRangeStart<wchar_t>)},
    {kRangeEnd, Plain(OnRangeEnd)},
    {kRangePushEx, Plain(OnRangePushEx)},
    {kRangePushA, Plain(OnRangePush<char>)},
    {kRangePushW, Plain(OnRangePush<wchar_t>)},
    {kRangePop, Plain(OnRangePop)},
    {kNameCategoryA, Plain(OnNameCategory<char>)},
    {kNameCategoryW, Plain(OnNameCategory<wchar_t>)},
    {kNameOsThreadA, Plain(OnNameThread<char>)},
    {kNameOsThreadW, Plain(OnNameThread<wchar_t>)},
};
const Hook kCore2Hooks[] = {
    {kDomainMarkEx, Plain(OnDomainMarkEx)},
    {kDomainRangeStartEx, Plain(OnDomainRangeStartEx)},
    {kDomainRangeEnd, Plain(OnDomainRangeEnd)},
    {kDomainRangePushEx, Plain(OnDomainRangePushEx)},
    {kDomainRangePop, Plain(OnDomainRangePop)},
    {kDomainNameCategoryA, Plain(OnDomainNameCategory<char>)},
    {kDomainNameCategoryW, Plain(OnDomainNameCategory<wchar_t>)},
    {kDomainRegisterStringA, Plain(OnRegisterString<char>)},
    {kDomainRegisterStringW, Plain(OnRegisterString<wchar_t>)},
    {kDomainCreateA, Plain(OnDomainCreate<char>)},
    {kDomainCreateW, Plain(OnDomainCreate<wchar_t>)},
};

// Older copies of NVTX have shorter tables: what is not there is left out.
template <std::size_t count>
bool HookModule(const NvtxCallbacksTable& table, int module, const Hook (&hooks)[count]) {
  NvtxFunction** places = nullptr;
  unsigned size = 0;
  if (table.GetModuleFunctionTable(module, &places, &size) == 0 || places == nullptr) return false;
  for (const Hook& hook : hooks) {
    if (hook.place < size && places[hook.place] != nullptr) *places[hook.place] = hook.function;
  }
  return true;
}

}  // namespace

bool HookNvtx(NvtxGetExportTable get_export_table) {
  if (get_export_table == nullptr) return false;
  const auto* table =
      static_cast<const NvtxCallbacksTable*>(get_export_table(kNvtxCallbacksTableId));
  if (table == nullptr || table->struct_size < sizeof *table) return false;
  const bool core = HookModule(*table, kNvtxCore, kCoreHooks);
  const bool core2 = HookModule(*table, kNvtxCore2, kCore2Hooks);
  return core || core2;
}

}  // namespace xsp::inject
